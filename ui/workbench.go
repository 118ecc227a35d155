package ui

import (
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"fyne.io/fyne/v2"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/ui/autosave"
	"quell/ui/frame"
	"quell/ui/host"
	"quell/ui/panel"
	"quell/ui/screen"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/viewer"
)

// Workbench is the graphical user interface. Create it with New; its methods are
// for the UI goroutine.
type Workbench struct {
	host  *host.Host
	frame *frame.Frame
	saver *autosave.Saver
}

// New builds the workbench. Show it with ShowAndRun.
func New(a fyne.App, o host.Options) *Workbench {
	a.Settings().SetTheme(screen.Theme{Appearance: o.Settings.Appearance})
	h := host.New(a, o)
	w := &Workbench{host: h, saver: autosave.New(h)}
	var shown panel.Screen
	h.Session = session.New(desk.Deps{
		Go: h.Go, Do: h.Do, Engine: h.Engine, Now: h.Now,
		Panicked:   func(p *parallel.Panic) { h.Panicked(p) },
		SaveRun:    w.saver.SaveRun,
		LoadRun:    w.saver.LoadRun,
		Bundled:    h.Bundled,
		Filter:     h.Settings.LastFilter,
		Remembered: func() map[string]denoise.Recipe { return h.Settings.Recipes },
		Remember:   func(r denoise.Recipe, filter string) { h.Settings.Remember(r, filter) },
		Propose:    h.Propose,
	}, desk.Listener{
		Changed: h.Changed, Choose: h.Choose, Damaged: h.AskDamaged, Opened: h.Opened, Failed: h.Fail,
		Framed: func(p *viewer.Picture, frames [viewer.Roles]viewer.Frame) {
			shown.Framed(p, frames)
			if p != nil {
				h.Refresh()
			}
		},
		Panes:        func() [viewer.Roles]viewer.Pane { return shown.Sizes() },
		PlanePanes:   func() [3]viewer.Pane { return shown.PlaneSizes() },
		PlanesFramed: func(frames [3]viewer.Frame) { shown.PlanesFramed(frames) },
	})
	for _, create := range table {
		p := create(h)
		h.Panels = append(h.Panels, p)
		if s, ok := p.(panel.Screen); ok {
			shown = s
		}
	}
	w.frame = frame.New(h)
	h.Frame = w.frame
	h.Panels = append(h.Panels, w.frame, w.saver)
	h.Quit = w.Quit
	h.UseKeys()
	a.Settings().AddListener(func(fyne.Settings) { h.Changed() }) // charts take the colours of the theme
	h.Window.SetOnDropped(func(_ fyne.Position, uris []fyne.URI) { h.Drop(uris) })
	h.Window.SetCloseIntercept(w.Quit)
	// While another program is in front, the release of a held key is not seen.
	a.Lifecycle().SetOnExitedForeground(func() { h.Session.Screen.HoldBefore(false) })
	a.Lifecycle().SetOnEnteredForeground(func() { h.Session.Exports.Check(func() {}) })
	h.Window.Resize(fyne.NewSize(h.Settings.WorkbenchSize[0], h.Settings.WorkbenchSize[1]))
	for _, p := range h.Panels {
		if p, ok := p.(panel.Docked); ok {
			p.Docked()
		}
	}
	h.Refresh()
	return w
}

// Start opens the series at a path, or the bundled one, and lets the panels begin with their work.
func (w *Workbench) Start(path string) {
	if path == "" {
		w.host.OpenBundled()
	} else {
		w.host.Open(path)
	}
	for _, p := range w.host.Panels {
		if s, ok := p.(panel.Starter); ok {
			s.Start()
		}
	}
}

// ShowAndRun shows the workbench and returns when it is closed, by the user or by
// SIGTERM or SIGINT, on which Fyne ends its event loop.
func (w *Workbench) ShowAndRun() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		w.host.Ending.Store(true)
	}()
	dropStopHook(w.host.App)
	w.host.Window.ShowAndRun()
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

// Quit closes the workbench, after a question if work would be lost.
func (w *Workbench) Quit() {
	h := w.host
	if h.EndCover() {
		return
	}
	h.Session.Exports.Check(func() {
		lost := []string{h.Losses(h.Session.Documents.Loss())}
		for _, p := range h.Panels {
			if u, ok := p.(panel.Unsaved); ok {
				lost = append(lost, u.Unsaved())
			}
		}
		lost = slices.DeleteFunc(lost, func(text string) bool { return text == "" })
		h.Ask(strings.Join(lost, " "), func() {
			w.close(true)
			h.Window.SetCloseIntercept(nil)
			h.Window.Close()
		})
	})
}

// Close saves the settings, cancels all work and waits for its end, so that
// nothing is left half written. The next start offers to open the work again. Only
// the first call has an effect.
func (w *Workbench) Close() { w.close(false) }

// close ends all work; if forget is true the next start does not offer it.
func (w *Workbench) close(forget bool) {
	if w.host.Close() {
		w.saver.Close(forget)
	}
}
