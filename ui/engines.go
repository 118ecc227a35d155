package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/ui/dialogs"
	"quell/ui/language"
)

// FindEngines looks for the GPU in the background, since a driver may take seconds
// to answer, and then changes to the engine of the settings.
func (w *Workbench) FindEngines() {
	w.options.Go(func() {
		engines := app.Engines()
		w.options.Do(func() { w.enginesFound(engines) })
	})
}

func (w *Workbench) enginesFound(engines []app.EngineStatus) {
	wanted := w.settings.Engine
	for _, e := range engines {
		if e.Name == wanted && e.Why != "" {
			w.status.note(fmt.Sprintf(lang.L("The engine %s cannot be used: %s."), e.Name, language.Sentence(e.Why)))
			wanted = "cpu"
		} else if e.Lost && wanted != "cpu" {
			w.status.note(fmt.Sprintf(lang.L("The GPU cannot be used: %s. The CPU filters instead."), language.Sentence(e.Why)))
		}
	}
	if e, err := app.PickEngine(wanted); err == nil {
		w.session.SetEngine(e)
	}
	w.refreshMenu()
}

// useEngine changes the engine, also for the next start.
func (w *Workbench) useEngine(name string) {
	e, err := app.PickEngine(name)
	if err != nil {
		w.failed(err)
		return
	}
	w.settings.Engine = name
	w.saveSettings()
	w.session.SetEngine(e)
}

// engineCommands return the commands that change the engine. One that cannot be
// used is disabled; the dialog "Engines and devices" says why.
func (w *Workbench) engineCommands() []Command {
	var out []Command
	for i, e := range app.EnginesSoFar() {
		out = append(out, Command{
			ID: "engine-" + e.Name, Title: "Filter with " + strings.ToUpper(e.Name), Menu: menuTools, Gap: i == 0,
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

func (w *Workbench) showEngines() { w.show(dialogs.Engines(app.EnginesSoFar(), w.main)) }

// offerCPU shows why the GPU failed and offers to continue with the CPU, with the time that is
// expected to take; the GPU stays the engine of the next start. A preview and a run that fail
// together are one question.
func (w *Workbench) offerCPU(err error) {
	if w.offer != nil {
		w.offer.Hide()
	}
	cpu, pickErr := app.PickEngine("cpu")
	if pickErr != nil {
		w.failed(err)
		return
	}
	w.offer = dialogs.Offer(err, w.session.Results.Expected(cpu), lang.L("Continue with the CPU"), func() { w.session.ContinueWith(cpu) }, w.main)
	w.show(w.offer)
}
