package ui

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/dialogs"
	"quell/ui/filterpanel"
	"quell/ui/markpanel"
	"quell/ui/measurepanel"
	"quell/ui/newest"
	"quell/ui/plotpanel"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/session/measures"
	"quell/ui/sliceview"
	"quell/ui/viewer"
)

// Options are what main passes to the workbench.
type Options struct {
	Settings     app.Settings
	SettingsPath string // "" saves nothing
	AutosaveDir  string // where work is kept for the next start after a crash; "" keeps none
	Engine       denoise.Engine
	Bundled      func(ctx context.Context) (*series.Series, error)
	Go           func(func())     // runs a function on another goroutine; nil: go
	Do           func(func())     // runs a function on the UI goroutine; nil: fyne.Do
	Now          func() time.Time // nil: time.Now
	// Every calls a function again and again, on any goroutine, until stop is called;
	// nil uses a ticker.
	Every func(interval time.Duration, f func()) (stop func())
	// DesktopDialogs asks for files by the dialog of the desktop, where it has one.
	DesktopDialogs bool
	// Panicked writes a panic to the crash log and returns the path of the log. It
	// may be called from any goroutine; nil writes nothing.
	Panicked func(*parallel.Panic) (path string)
}

// Workbench is the graphical user interface. Create it with New; its methods are
// for the UI goroutine.
type Workbench struct {
	app       fyne.App
	main      fyne.Window // on the desktop
	options   Options
	settings  app.Settings
	session   *session.Session
	table     []Command
	shortcuts []fyne.Shortcut // of the table, on the canvas
	menu      *fyne.MainMenu
	items     map[string]*fyne.MenuItem

	panes      [viewer.Roles]*sliceview.Pane
	planes     [3]*sliceview.Pane // by plane, in the layout of 2 x 2
	paneRow    *fyne.Container
	filter     *filterpanel.Panel
	measures   *measurepanel.Panel
	plot       *plotpanel.Panel
	marks      *markpanel.Panel
	card       *card           // measures and plots
	column     *fyne.Container // the filter and the card
	quick      *fyne.Container // strength, verdict and run in a line, in the place of the column
	dial       *filterpanel.Dial
	verdict    *widget.Label
	frame      *fyne.Container     // everything
	bars       []fyne.CanvasObject // what full screen hides
	slices     *sliceBar
	tools      *toolbar
	status     *statusBar
	tip        *tooltip
	rail       *rail
	arriving   *arriving
	invite     *invite
	reader     *reader                // of a blind comparison
	gallery    *dialogs.GalleryDialog // open, or nil
	dialogs    []dialog.Dialog        // open, the topmost last
	offer      dialog.Dialog          // the last question whether the CPU should continue
	asking     bool                   // the question about lost work is open
	auto       autosaver
	sendable   string // the folder of the last export of DICOM; "" for none
	exportPath string // of the export in progress or of the last that failed
	proposals  newest.Worker[proposed, proposed]
	unwatch    func()      // ends the look at exported files; nil while there is none
	refreshes  bool        // a refresh is queued
	needs      columnNeeds // that the column is laid out for
	awaited    time.Time   // when a gesture last waited for its pictures
	choosing   bool        // the dialog of the desktop is open
	closed     bool
	// ending is set when the event loop ends. From then on nothing may return to the
	// UI goroutine: Fyne would call it at once, on the goroutine that asks.
	ending   atomic.Bool
	crashLog atomic.Pointer[string] // path of the crash log after a panic

	pictures      bool // full screen: the pictures alone
	residualShown bool
	maximized     viewer.Role // the pane shown alone; -1 for none
	stopBlinking  func()      // of the comparison
	quad          quad
	cine          cine
}

// Title is the title before a series is open.
const Title = "Quell"

// New builds the workbench. Show it with ShowAndRun.
func New(a fyne.App, o Options) *Workbench {
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Do == nil {
		o.Do = fyne.Do
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Every == nil {
		o.Every = every
	}
	if o.Panicked == nil {
		o.Panicked = func(*parallel.Panic) string { return "" }
	}
	a.Settings().SetTheme(Theme{})
	w := &Workbench{
		app: a, main: a.NewWindow(Title), options: o, settings: o.Settings,
		residualShown: true, maximized: -1, stopBlinking: func() {},
	}
	do := o.Do
	w.options.Do = func(f func()) {
		if !w.ending.Load() {
			do(func() {
				if !w.ending.Load() {
					f()
				}
			})
		}
	}
	w.session = session.New(desk.Deps{
		Go: o.Go, Do: w.options.Do, Engine: o.Engine, Now: o.Now,
		Panicked: func(p *parallel.Panic) {
			if path := o.Panicked(p); path != "" {
				w.crashLog.Store(&path)
			}
		},
		SaveRun:    w.saveRun,
		LoadRun:    w.loadRun,
		Bundled:    o.Bundled,
		Filter:     o.Settings.LastFilter,
		Remembered: func() map[string]denoise.Recipe { return w.settings.Recipes },
		Remember:   func(r denoise.Recipe) { w.settings.Remember(r) },
	}, desk.Listener{
		Changed: w.changed, Framed: w.framed, Panes: w.paneSizes, PlanePanes: w.planeSizes, PlanesFramed: w.planesFramed,
		Choose: w.choose, Damaged: w.askDamaged, Opened: w.opened, Failed: w.failed,
	})
	w.proposals = newest.Worker[proposed, proposed]{Go: o.Go, Do: w.options.Do, Done: w.showExport, Work: func(p proposed) proposed {
		p.free = p.of.Propose(dialogs.StartFolder(p.folder), p.hide)
		return p
	}}
	w.startAutosave()
	w.session.State().SetInvertLevel(w.settings.InvertLevel)
	w.build()
	w.useKeys()
	w.main.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { w.Drop(uris) })
	w.main.SetCloseIntercept(w.Quit)
	// While another program is in front, the release of a held key is not seen.
	a.Lifecycle().SetOnExitedForeground(func() { w.session.Screen.HoldBefore(false) })
	a.Lifecycle().SetOnEnteredForeground(func() { w.session.Exports.Check(func() {}) })
	w.main.Resize(fyne.NewSize(w.settings.WorkbenchSize[0], w.settings.WorkbenchSize[1]))
	w.startLayout()
	w.session.Strip.Judge(!w.settings.LeaveSlices)
	w.refresh()
	return w
}

// build creates the panels and lays them out: pictures, and beside them a column of the
// filter and of measures and plots.
func (w *Workbench) build() {
	s := w.session
	events := sliceview.Events{
		Maximize: w.maximize, Menu: w.contextMenu, Heading: w.chooseSide, Entered: w.unfocus,
		Modifiers: w.modifiers, Resized: s.Screen.Redraw, Moved: w.awaitFrames, Marker: s.Marks,
	}
	row := w.buildPlanes(events)
	for role := range viewer.Roles {
		w.panes[role] = sliceview.New(role, s.State(), events)
		row = append(row, w.panes[role])
	}
	w.paneRow = container.New(paneLayout{w.inset}, row...)
	hooks := filterpanel.Hooks{
		Changed: s.Tuning.Set, AutoPreview: s.Preview.SetAuto, Preview: s.Preview.Start, Find: w.findStrength, Apply: w.apply, Cancel: s.Tasks.Cancel,
		Hide: func() { w.showColumn(false) },
		Hint: func(o fyne.CanvasObject, text string) {
			if o == nil {
				w.tip.hide()
			} else {
				w.tip.beside(o, text)
			}
		},
	}
	w.filter = filterpanel.New(hooks)
	w.measures = measurepanel.New(w.showPlace)
	w.plot = plotpanel.New(w.options.Go, w.options.Do, plotpanel.Hooks{Take: s.Strength.Take, Find: w.findStrength})
	w.marks = markpanel.New(markpanel.Hooks{Select: s.Marks.Select, Button: w.commandButton})
	w.card = newCard(w.measures, w.plot, w.marks, w.changed)
	w.tip = newTooltip()
	w.buildQuick(hooks)
	w.slices = newSliceBar(w)
	w.tools = newToolbar(w)
	w.status = newStatusBar(w)
	w.rail = newRail(w)
	w.arriving = newArriving()
	w.invite = newInvite(w)
	w.reader = newReader(w)

	w.column = container.New(fixedWidthLayout{sideWidth}, container.NewPadded(container.New(columnLayout{w.columnNeeds}, w.filter, w.card)))
	w.bars = []fyne.CanvasObject{w.tools, w.status, w.slices, w.rail.content}
	w.frame = container.New(frameLayout{w}, w.tools, w.status, w.rail.content, w.column, w.slices, container.NewStack(w.paneRow, w.invite.layer, w.arriving.layer))
	w.main.SetPadded(false)
	w.main.SetContent(container.NewStack(w.frame, w.reader.layer, w.tip.layer))
}

// ShowAndRun shows the workbench and returns when it is closed, by the user or by
// SIGTERM or SIGINT, on which Fyne ends its event loop.
func (w *Workbench) ShowAndRun() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		w.ending.Store(true)
	}()
	dropStopHook(w.app)
	w.main.ShowAndRun()
	signal.Reset() // a second signal does not wait for Close
	w.Close()
}

// dropStopHook removes the hook by which Fyne saves its preferences, which are not
// used, at the end of the program. Fyne 2.7 runs it on a goroutine of its own while
// the event loop closes, and can panic by sending it to the closed loop.
func dropStopHook(a fyne.App) {
	if l, ok := a.Lifecycle().(interface{ SetOnStoppedHookExecuted(func()) }); ok {
		l.SetOnStoppedHookExecuted(nil)
	}
}

// maximize shows one pane alone, or all of them again.
func (w *Workbench) maximize(role viewer.Role) {
	switch {
	case role == viewer.Residual && w.showsInset():
		w.toggleResidual()
		return
	case w.maximized >= 0:
		w.maximized = -1
	default:
		w.maximized = role
	}
	w.arrange()
}

func (w *Workbench) toggleResidual() {
	if w.quad.on && w.maximized < 0 {
		w.quad.residual = !w.quad.residual
		w.arrange()
		return
	}
	switch { // one pane stays alone
	case w.maximized == viewer.Residual:
		w.maximized = viewer.Denoised
	case w.maximized >= 0:
		w.maximized = viewer.Residual
	default:
		w.residualShown = !w.residualShown
	}
	w.arrange()
}

// toggleInset shows the residual small over the denoised picture, or does not, now and at
// the next start.
func (w *Workbench) toggleInset() {
	w.settings.HideInset = !w.settings.HideInset
	w.saveSettings()
	w.arrange()
}

// findStrength searches for the best strength, and shows the curve.
func (w *Workbench) findStrength() {
	if w.session.Strength.CanFind() && !w.session.Strength.Searching() {
		w.card.selectTab(tabStrength)
		w.showColumn(true)
	}
	w.session.Strength.Find()
}

// showPlace shows the slice where the residual of the slice, or of the volume, has
// the most structure.
func (w *Workbench) showPlace(volume bool) {
	m := w.session.Measures.Slice()
	if volume {
		m = w.session.Measures.Volume()
	}
	if p, ok := measures.PlaceOf(m.Measures); m.Known && ok {
		w.session.State().ShowVoxel(p.Voxel)
	}
}

// arrange shows and hides panes, card and, in full screen, everything around the panes.
func (w *Workbench) arrange() {
	for role, pane := range w.panes {
		pane.Hidden = !w.showsPane(viewer.Role(role)) && (viewer.Role(role) != viewer.Residual || !w.showsInset())
	}
	for _, pane := range w.planes {
		pane.Hidden = !w.quad.on || w.maximized >= 0
	}
	for _, bar := range w.bars {
		if w.pictures || bar == w.rail.content && len(w.rail.cells) < 2 {
			bar.Hide()
		} else {
			bar.Show()
		}
	}
	w.frame.Refresh()
	w.paneRow.Refresh()
	w.session.Screen.Redraw()
	w.changed()
}

func (w *Workbench) paneSizes() (sizes [viewer.Roles]viewer.Pane) {
	for role, pane := range w.panes {
		sizes[role] = pane.Pixels()
	}
	return sizes
}

// display returns what captions depend on beside the session.
func (w *Workbench) display() display {
	d := display{panes: w.paneSizes(), identity: w.identity()}
	if w.maximized >= 0 {
		d.named = w.maximized
	}
	return d
}

// actualSize shows one voxel as one pixel of the screen.
func (w *Workbench) actualSize() {
	for _, p := range w.paneSizes() {
		if !p.Hidden {
			w.session.State().Actual(p.Width, p.Height)
			return
		}
	}
}

// toggleIdentity hides the patient's identity, or shows it again, now and at the next
// start.
func (w *Workbench) toggleIdentity() {
	w.settings.HideIdentity = !w.settings.HideIdentity
	w.saveSettings()
	w.changed()
}

// zoom magnifies about the centre of the panes.
func (w *Workbench) zoom(factor float64) {
	const size = 100 // the centre is the same point at every size
	w.session.State().ZoomAt(factor, size/2, size/2, size, size)
}

func (w *Workbench) ownWindow() {
	if own := w.session.Screen.OwnWindow(); own.Width > 0 {
		w.session.State().SetWindow(own)
		return
	}
	w.status.note(lang.L("The series has no window width and level of its own."))
}

// toggleLink gives original and denoised picture their own windows, or one again.
func (w *Workbench) toggleLink() {
	state := w.session.State()
	if state.ToggleLink(); state.Unlinked() {
		w.status.note(lang.L("Original and denoised have their own windows: what you set is for the one last pointed at."))
	} else {
		w.status.note(lang.L("Original and denoised have one window."))
	}
}

func (w *Workbench) noisy() bool {
	if w.session.Document() == nil {
		return false
	}
	_, noisy := w.session.Document().Noise()
	return noisy
}

// referenced says whether there is a reference.
func (w *Workbench) referenced() bool {
	return w.session.Document() != nil && w.session.Document().Reference() != nil
}

// toggleFullScreen shows the pictures alone on the whole screen, or everything again.
func (w *Workbench) toggleFullScreen() {
	w.pictures = !w.pictures
	w.main.SetFullScreen(w.pictures)
	if w.pictures {
		w.main.SetMainMenu(nil)
	} else {
		w.setMenu()
	}
	w.main.SetContent(w.main.Content()) // Fyne moves it to the place of the menu with its size alone
	w.arrange()
}

func (w *Workbench) toggleLevelDirection() {
	w.settings.InvertLevel = !w.settings.InvertLevel
	w.session.State().SetInvertLevel(w.settings.InvertLevel)
	w.refreshMenu()
}
