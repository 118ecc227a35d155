package ui

import (
	"quell/app"
	"quell/ui/dialogs"
)

// FindEngines asks for the GPU in the background, so that a driver that is slow
// to answer does not hold up the window, and goes over to the engine of the
// settings when it is known.
func (w *Window) FindEngines() {
	w.options.Go(func() {
		engines := app.Engines()
		w.options.Do(func() { w.enginesFound(engines) })
	})
}

func (w *Window) enginesFound(engines []app.EngineStatus) {
	wanted := w.settings.Engine
	for _, e := range engines {
		if e.Name == wanted && e.Why != "" {
			w.status.note("The engine " + e.Name + " cannot be used: " + e.Why + ".")
			wanted = "cpu"
		}
	}
	if e, err := app.PickEngine(wanted); err == nil {
		w.session.SetEngine(e)
	}
	w.refreshMenu()
}

// useEngine filters with another engine from now on, and at the next start.
func (w *Window) useEngine(name string) {
	e, err := app.PickEngine(name)
	if err != nil {
		w.failed(err)
		return
	}
	w.settings.Engine = name
	w.saveSettings()
	w.session.SetEngine(e)
}

// engineCommands choose what filters; an engine that cannot be used here is
// greyed, and "Engines and devices" says why.
func (w *Window) engineCommands() []Command {
	var out []Command
	for i, e := range app.EnginesSoFar() {
		out = append(out, Command{
			ID: "engine-" + e.Name, Title: "Filter with " + e.Name, Menu: menuTools, Gap: i == 0,
			Run: func() { w.useEngine(e.Name) }, Enabled: func() bool { return usable(e.Name) },
			Checked: func() bool { return w.session.Engine().Name == e.Name },
		})
	}
	return out
}

func usable(name string) bool {
	for _, e := range app.EnginesSoFar() {
		if e.Name == name {
			return e.Why == ""
		}
	}
	return false
}

func (w *Window) showEngines() { w.show(dialogs.Engines(app.EnginesSoFar(), w.win)) }

// offerCPU says why the GPU gave up and asks whether the CPU is to go on: the
// GPU stays the engine of the next start. A preview and a run may fail together;
// they are one question.
func (w *Window) offerCPU(err error) {
	if w.offer != nil {
		w.offer.Hide()
	}
	w.offer = dialogs.Offer(err, "Go on with the CPU", func() {
		cpu, pickErr := app.PickEngine("cpu")
		if pickErr != nil {
			w.failed(pickErr)
			return
		}
		w.session.ContinueWith(cpu)
	}, w.win)
	w.show(w.offer)
}
