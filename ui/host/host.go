// Package host is what the panels of the workbench share and may ask of it: the session and the
// settings, the table of commands, dialogs and questions, tooltips, and refreshes. A panel
// reaches other panels by commands and by the host alone.
//
//	host.go      state, refreshes, title   commands.go  running commands, buttons that do
//	keys.go      keys and Escape           ask.go       dialogs, questions before work is lost
//	open.go      opening a series          files.go     asking for files and folders
//	fail.go      errors                    cover.go     a panel in the place of all others
//	tooltip.go
//
// Everything is for the UI goroutine.
package host

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"

	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/internal/parallel"
	"quell/series"
	"quell/ui/command"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/documents"
	"quell/ui/wording"
)

// Options are what main passes to the workbench.
type Options struct {
	Settings     workbench.Settings
	SettingsPath string // "" saves nothing
	AutosaveDir  string // the folder in which work is kept for the next start after a crash; "" keeps none
	Engine       denoise.Engine
	Bundled      func(ctx context.Context) (*series.Series, error)
	// Propose finds the filter that is expected to gain most; nil proposes none.
	Propose func(ctx context.Context, q run.ProposalRequest) (run.Proposal, error)
	Go      func(func())     // runs a function on another goroutine; nil: go
	Do      func(func())     // runs a function on the UI goroutine; nil: fyne.Do
	Now     func() time.Time // nil: time.Now
	// Every calls a function again and again, on any goroutine, until stop is called;
	// nil uses a ticker.
	Every func(interval time.Duration, f func()) (stop func())
	// DesktopDialogs asks for files by the dialog of the desktop, if it has one.
	DesktopDialogs bool
	// Panicked writes a panic to the crash log and returns the path of the log. It
	// may be called from any goroutine; nil writes nothing.
	Panicked func(*parallel.Panic) (path string)
}

// Frame lays out the panels.
type Frame interface {
	Arrange()               // after something was shown or hidden
	Refresh()               // after the size of something has changed
	SetVisible(on bool)     // false for a panel in the place of all others
	ShowsColumn() bool      // column and card are next to the pictures
	ShowColumn(on bool)     // now and at the next start
	SelectTab(title string) // of the card, as if the user had chosen it
	Tab() string            // that the card shows
	FullScreen() bool       // the pictures alone are shown
}

// Host is made by New; its methods are for the UI goroutine.
type Host struct {
	Options
	App     fyne.App
	Window  fyne.Window // on the desktop
	Session *session.Session
	Panels  []panel.Panel
	Frame   Frame
	Table   []command.Command
	Bar     *command.Bar // the main menu
	Tip     *Tooltip
	Beside  *fyne.Container // the quick panels, which stand at the right end of the slices

	Quit func() // closes the workbench, after a question if work would be lost

	// Ending is set when the event loop ends. From then on nothing may return to the
	// UI goroutine: Fyne would call it at once, on the goroutine that asks.
	Ending atomic.Bool
	closed bool

	shortcuts []fyne.Shortcut // of the table, on the canvas
	cover     panel.Covering  // in the place of everything else; nil for none
	dialogs   []dialog.Dialog // open, the topmost last
	offer     dialog.Dialog   // the last question whether the CPU should continue
	asking    bool            // the question about lost work is open
	choosing  bool            // the dialog of the desktop is open
	refreshes bool            // a refresh is queued
	awaited   time.Time       // when a gesture last waited for its pictures
	crashLog  atomic.Pointer[string]
}

// New returns a host without session, frame and panels; nil functions of the options get their defaults.
func New(a fyne.App, o Options) *Host {
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
	h := &Host{Options: o, App: a, Window: a.NewWindow(Title), Tip: newTooltip(), Beside: container.NewHBox()}
	h.Do = func(f func()) {
		if !h.Ending.Load() {
			o.Do(func() {
				if !h.Ending.Load() {
					f()
				}
			})
		}
	}
	h.Panicked = func(p *parallel.Panic) string {
		path := o.Panicked(p)
		if path != "" {
			h.crashLog.Store(&path)
		}
		return path
	}
	return h
}

// every calls f again and again on a goroutine of its own, until stop is called.
func every(interval time.Duration, f func()) (stop func()) {
	ticker, ended := time.NewTicker(interval), make(chan struct{})
	go func() {
		for {
			select {
			case <-ticker.C:
				f()
			case <-ended:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
	}
}

// Changed schedules a refresh of the panels. However often it is called during one event,
// they are refreshed once, right after it; while pictures are drawn, by the call that shows them,
// so that the window is painted once and its texts are the texts of the pictures.
func (h *Host) Changed() {
	if h.refreshes || h.Session.Screen.Drawing() {
		return
	}
	h.refreshes = true
	h.Do(func() {
		if h.refreshes { // new pictures may have refreshed the panels in between
			h.Refresh()
		}
	})
}

// Refresh updates every panel, the menus and the title.
func (h *Host) Refresh() {
	h.refreshes = false
	now := h.Snapshot()
	for _, p := range h.Panels {
		if !now.Hides(p.Dock().Area) {
			p.Show(now)
		}
	}
	h.Bar.Refresh()
	h.showTitle()
}

// Snapshot is the state that the panels show.
func (h *Host) Snapshot() panel.Snapshot {
	s := panel.Snapshot{Session: h.Session, Settings: h.Settings, Column: h.Frame.ShowsColumn(), FullScreen: h.Frame.FullScreen()}
	if s.Column {
		s.Tab = h.Frame.Tab()
	}
	return s
}

// patience is how long a gesture waits for its pictures: long enough to draw them on an
// idle machine, short relative to the time in which the workbench is painted.
const patience = 10 * time.Millisecond

// Painting limits the pause of filters and measures in the background before a painting.
const Painting = time.Second

// AwaitFrames shows the pictures of a gesture with the next painting, if they are ready
// soon. It waits once in the time of a frame of the screen, for the last of many events.
// Filters and measures in the background pause until the painting, which needs the same cores
// if OpenGL is software.
func (h *Host) AwaitFrames() {
	now := h.Now()
	if h.closed || now.Sub(h.awaited) < time.Second/60 {
		return
	}
	h.awaited = now
	h.Do(parallel.Hold(Painting)) // the loop of the toolkit paints before it takes queued functions
	h.Session.Screen.Await(time.After(patience))
}

// Note shows a line in the status bar until the next task.
func (h *Host) Note(text string) {
	for _, p := range h.Panels {
		if n, ok := p.(panel.Noter); ok {
			n.Note(text)
		}
	}
}

// SaveSettings saves the settings. An error is shown in the status bar, as it does
// not concern the user's data.
func (h *Host) SaveSettings() {
	if h.SettingsPath == "" {
		return
	}
	if err := h.Settings.Save(h.SettingsPath); err != nil {
		h.Note(language.Error(err))
	}
}

// Close lets the panels end what they do by themselves, and saves the settings. It says false if
// that was done before.
func (h *Host) Close() bool {
	if h.closed {
		return false
	}
	h.closed = true
	h.Ending.Store(true)
	for _, p := range h.Panels {
		if c, ok := p.(panel.Closer); ok {
			c.Close()
		}
	}
	size := h.Window.Canvas().Size()
	h.Settings.WorkbenchSize = [2]float32{size.Width, size.Height}
	h.SaveSettings()
	return true
}

// Title is the title before a series is open.
const Title = "Quell"

// showTitle names the series in the title, unless the identity is hidden.
func (h *Host) showTitle() {
	title := Title
	if series := h.Session.Series(); series != nil && h.cover == nil && !panel.Arrives(h.Session) {
		name := ""
		if shown := h.Session.Documents.List()[h.Current()]; !h.Settings.HideIdentity || shown.Path == "" {
			name = wording.Series(shown, false)
		}
		title = strings.TrimSpace(title + " – " + strings.TrimSpace(series.Modality+" "+name))
	}
	if h.Window.Title() != title {
		h.Window.SetTitle(title)
	}
}

// Current returns the index of the series that is shown, -1 for none.
func (h *Host) Current() int {
	return slices.IndexFunc(h.Session.Documents.List(), func(d documents.Listed) bool { return d.Shown })
}
