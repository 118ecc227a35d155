package ui

import (
	"context"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/filterpanel"
	"quell/ui/measurepanel"
	"quell/ui/plotpanel"
	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
)

// Options is what the program hands to its window.
type Options struct {
	Settings     app.Settings
	SettingsPath string // "" keeps nothing
	Engine       denoise.Engine
	Bundled      func(ctx context.Context) (*series.Series, error)
	Go           func(func()) // starts work; nil: a goroutine
	Do           func(func()) // returns to the UI goroutine; nil: fyne.Do
}

// Window is the workbench. Create it with New; its methods are for the UI
// goroutine.
type Window struct {
	app      fyne.App
	win      fyne.Window
	options  Options
	settings app.Settings
	session  *session.Session
	table    []Command
	menu     *fyne.MainMenu
	items    map[string]*fyne.MenuItem

	panes     [viewer.Roles]*sliceview.Pane
	paneRow   *fyne.Container
	filter    *filterpanel.Panel
	measures  *measurepanel.Panel
	plot      *plotpanel.Panel
	strip     *container.Split
	center    *container.Split
	slices    *sliceBar
	tools     *toolbar
	status    *statusBar
	dialog    dialog.Dialog // the one shown last
	offer     dialog.Dialog // the last question whether the CPU is to go on
	refreshes bool          // a refresh is on its way

	residualShown bool
	stripShown    bool
	maximized     viewer.Role // the pane shown alone; -1 for none
}

// Title is the window's, before a series is open.
const Title = "Quell"

// New builds the window. Show it with ShowAndRun.
func New(a fyne.App, o Options) *Window {
	if o.Go == nil {
		o.Go = func(f func()) { go f() }
	}
	if o.Do == nil {
		o.Do = fyne.Do
	}
	a.Settings().SetTheme(Theme{})
	w := &Window{
		app: a, win: a.NewWindow(Title), options: o, settings: o.Settings,
		residualShown: true, stripShown: true, maximized: -1,
	}
	w.session = session.New(session.Deps{
		Go: o.Go, Do: o.Do, Engine: o.Engine, Now: time.Now,
		Remembered: func() map[string]denoise.Recipe { return w.settings.Recipes },
		Remember:   func(r denoise.Recipe) { w.settings.Remember(r) },
	}, session.Listener{
		Changed: w.changed, Framed: w.framed, Panes: w.paneSizes,
		Choose: w.choose, Opened: w.opened, Failed: w.failed,
	})
	w.session.State().SetInvertLevel(w.settings.InvertLevel)
	w.build()
	w.table = w.commands()
	w.setMenu()
	w.bindKeys()
	w.win.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { w.Drop(uris) })
	w.win.SetCloseIntercept(w.Close)
	// The release of a key that is held goes to whatever window is in front.
	a.Lifecycle().SetOnExitedForeground(func() { w.session.HoldBefore(false) })
	w.win.Resize(fyne.NewSize(w.settings.WindowSize[0], w.settings.WindowSize[1]))
	w.refresh()
	return w
}

// build makes the panels and lays them out: pictures in the middle, plot and
// measures below them, the filter beside them.
func (w *Window) build() {
	s := w.session
	events := sliceview.Events{
		Maximize: w.maximize, Menu: w.contextMenu, Entered: w.unfocus,
		Modifiers: w.modifiers, Resized: s.Redraw,
	}
	row := make([]fyne.CanvasObject, viewer.Roles)
	for role := range viewer.Roles {
		w.panes[role] = sliceview.New(role, s.State(), events)
		row[role] = w.panes[role]
	}
	w.paneRow = container.New(paneLayout{}, row...)
	w.filter = filterpanel.New(filterpanel.Hooks{
		Changed: s.SetRecipe, AutoPreview: s.SetAutoPreview, Preview: s.Preview, Apply: s.Apply, Cancel: s.Cancel,
		Refused: func(err error) { w.status.note(err.Error()) },
	})
	w.measures = measurepanel.New()
	w.plot = plotpanel.New(w.options.Go, w.options.Do, w.changed)
	w.slices = newSliceBar(s.State())
	w.tools = newToolbar(w)
	w.status = newStatusBar(w)

	w.strip = container.NewHSplit(w.plot, w.measures)
	w.strip.SetOffset(0.6)
	pictures := container.NewBorder(nil, w.slices, nil, nil, w.paneRow)
	w.center = container.NewVSplit(pictures, w.strip)
	w.center.SetOffset(0.62) // at the usual sizes the panes are still taller than wide
	side := container.New(fixedWidthLayout{sideWidth}, container.NewPadded(w.filter))
	w.win.SetContent(container.NewBorder(w.tools, w.status, nil, side, w.center))
}

// ShowAndRun shows the window and returns when it is closed.
func (w *Window) ShowAndRun() { w.win.ShowAndRun() }

// Close keeps the settings, stops what runs and quits.
func (w *Window) Close() {
	size := w.win.Canvas().Size()
	w.settings.WindowSize = [2]float32{size.Width, size.Height}
	w.saveSettings()
	w.session.Close()
	w.win.SetCloseIntercept(nil)
	w.win.Close()
}

// saveSettings keeps what is to be remembered. That it could not is worth a
// line in the status bar, not a dialog.
func (w *Window) saveSettings() {
	if w.options.SettingsPath == "" {
		return
	}
	if err := w.settings.Save(w.options.SettingsPath); err != nil {
		w.status.note(err.Error())
	}
}

// Session returns the state behind the window.
func (w *Window) Session() *session.Session { return w.session }

// Canvas returns what the window shows.
func (w *Window) Canvas() fyne.Canvas { return w.win.Canvas() }

// Panes returns the picture panes.
func (w *Window) Panes() [viewer.Roles]*sliceview.Pane { return w.panes }

// Commands returns the table of everything the user can ask for.
func (w *Window) Commands() []Command { return w.table }

// Menu returns the main menu.
func (w *Window) Menu() *fyne.MainMenu { return w.menu }

// Settings returns what is remembered for the next start.
func (w *Window) Settings() app.Settings { return w.settings }

// maximize shows one pane alone, or all of them again.
func (w *Window) maximize(role viewer.Role) {
	if w.maximized >= 0 {
		w.maximized = -1
	} else {
		w.maximized = role
	}
	w.arrange()
}

func (w *Window) toggleResidual() {
	w.residualShown = !w.residualShown
	if w.maximized == viewer.Residual {
		w.maximized = -1
	}
	w.arrange()
}

func (w *Window) toggleStrip() {
	w.stripShown = !w.stripShown
	w.arrange()
}

// arrange shows and hides panes and strip as asked.
func (w *Window) arrange() {
	for role, pane := range w.panes {
		shown := viewer.Role(role) != viewer.Residual || w.residualShown
		if w.maximized >= 0 {
			shown = w.maximized == viewer.Role(role)
		}
		pane.Hidden = !shown
	}
	w.strip.Hidden = !w.stripShown || w.maximized >= 0
	w.center.Refresh()
	w.paneRow.Refresh()
	w.session.Redraw()
	w.changed()
}

func (w *Window) paneSizes() (sizes [viewer.Roles]viewer.Pane) {
	for role, pane := range w.panes {
		sizes[role] = pane.Pixels()
	}
	return sizes
}

// zoom magnifies about the middle of the panes.
func (w *Window) zoom(factor float64) {
	const any = 100 // the middle is the middle at every size
	w.session.State().ZoomAt(factor, any/2, any/2, any, any)
}

func (w *Window) ownWindow() {
	if own := w.session.OwnWindow(); own.Width > 0 {
		w.session.State().SetWindow(own)
		return
	}
	w.status.note("The series brings no window of its own.")
}

func (w *Window) isCT() bool {
	series := w.session.Series()
	return series != nil && series.Modality == "CT"
}

func (w *Window) noisy() bool {
	if w.session.Document() == nil {
		return false
	}
	_, noisy := w.session.Document().Noise()
	return noisy
}

func (w *Window) toggleFullScreen() { w.win.SetFullScreen(!w.win.FullScreen()) }

func (w *Window) toggleLevelDirection() {
	w.settings.InvertLevel = !w.settings.InvertLevel
	w.session.State().SetInvertLevel(w.settings.InvertLevel)
	w.refreshMenu()
}

// unfocus gives the keys to the pictures when the pointer comes to them, unless
// the user is typing.
func (w *Window) unfocus() {
	canvas := w.win.Canvas()
	if _, typing := canvas.Focused().(fyne.Shortcutable); !typing && canvas.Focused() != nil {
		canvas.Unfocus()
	}
}

// escape closes what is on top: a dialog, an errand, a maximised pane.
func (w *Window) escape() {
	switch top := w.win.Canvas().Overlays().Top(); {
	case top != nil:
		if w.dialog != nil {
			w.dialog.Hide()
			w.dialog = nil
		}
	case w.session.Progress().Kind != session.Idle:
		w.session.Cancel()
	case w.maximized >= 0:
		w.maximize(w.maximized)
	case w.win.FullScreen():
		w.win.SetFullScreen(false)
	}
}

// iconButton is a button of the toolbar that carries out a command.
func iconButton(icon fyne.Resource, text string, tapped func()) *widget.Button {
	b := widget.NewButtonWithIcon(text, icon, tapped)
	b.Importance = widget.LowImportance
	return b
}

var (
	openIcon   = theme.FolderOpenIcon
	exportIcon = theme.DocumentSaveIcon
)
