// Package engines is the choice of the engine: the CPU or a GPU.
package engines

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/engines"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
)

// Panel has the commands on engines. Create it with New.
type Panel struct {
	panel.Base
	h *host.Host
}

// New returns the commands on engines of a workbench.
func New(h *host.Host) panel.Panel { return &Panel{h: h} }

// Start implements panel.Starter. It looks for the GPU in the background, since a driver may take seconds
// to answer, and then changes to the engine of the settings.
func (p *Panel) Start() {
	p.h.Go(func() {
		engines := engines.All()
		p.h.Do(func() { p.found(engines) })
	})
}

func (p *Panel) found(list []engines.Status) {
	wanted := p.h.Settings.Engine
	for _, e := range list {
		if e.Name == wanted && !e.Why.IsZero() {
			p.h.Note(fmt.Sprintf(lang.L("The engine %s cannot be used: %s."), e.Name, language.Of(e.Why)))
			wanted = "cpu"
		} else if e.Lost && wanted != "cpu" {
			p.h.Note(fmt.Sprintf(lang.L("The GPU cannot be used: %s. The CPU filters instead."), language.Of(e.Why)))
		}
	}
	if e, err := engines.Pick(wanted); err == nil {
		p.h.Session.SetEngine(e)
	}
	p.h.RefreshMenu()
}

// useEngine changes the engine, also for the next start.
func (p *Panel) useEngine(name string) {
	e, err := engines.Pick(name)
	if err != nil {
		p.h.Fail(err)
		return
	}
	p.h.Settings.Engine = name
	p.h.SaveSettings()
	p.h.Session.SetEngine(e)
}

// Commands implements panel.Panel: the commands that change the engine. One that cannot be
// used is disabled; the dialog "Engines and devices" says why.
func (p *Panel) Commands() []command.Command {
	var out []command.Command
	for i, e := range engines.SoFar() {
		out = append(out, command.Command{
			ID: "engine-" + e.Name, Title: "Filter with " + strings.ToUpper(e.Name), Menu: command.ToolsMenu, Gap: i == 0,
			Run: func() { p.useEngine(e.Name) }, Enabled: func() bool { return usable(e.Name) },
			Checked: func() bool { return p.h.Session.Engine().Name == e.Name },
		})
	}
	return append(out, command.Command{ID: "engines", Title: "Engines and devices", Menu: command.HelpMenu, Run: p.showEngines})
}

func usable(name string) bool {
	for _, e := range engines.SoFar() {
		if e.Name == name {
			return e.Why.IsZero()
		}
	}
	return false
}

func (p *Panel) showEngines() { p.h.ShowDialog(dialogs.Engines(engines.SoFar(), p.h.Window)) }
