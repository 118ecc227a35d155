// Package reference has the commands on what results are compared with: a series without noise, noise that is added to
// the series, or another series, such as a prior.
package reference

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/panel"
)

// Panel has the commands. Create it with New.
type Panel struct {
	panel.Base
	h *host.Host
}

// New returns the commands on the reference of a workbench.
func New(h *host.Host) panel.Panel { return &Panel{h: h} }

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	s := p.h.Session
	return []command.Command{
		{ID: "beside", Title: "Open beside …", Menu: command.FileMenu, Gap: true, Chords: command.With(command.Ctrl, fyne.KeyB), Enabled: p.h.Idle,
			Help: "another series, such as a prior, at the same positions in the patient: side by side, and the difference",
			Run:  func() { p.h.AskAny(lang.L("Open a series beside this one"), s.Reader.OpenBeside) }},
		{ID: "no-beside", Title: "Close the other series", Menu: command.FileMenu, Run: s.Results.CloseOther,
			Enabled: func() bool { other, _ := s.Results.Beside(); return other != nil }},
		{ID: "reference-file", Title: "Load reference file …", Menu: command.FileMenu, Gap: true, Enabled: p.h.Idle,
			Run: func() { p.h.AskFile(lang.L("Load a reference"), s.Reader.SetReference) }},
		{ID: "reference-folder", Title: "Load reference folder …", Menu: command.FileMenu, Enabled: p.h.Idle,
			Run: func() { p.h.AskFolder(lang.L("Load a reference"), s.Reader.SetReference) }},
		{ID: "no-reference", Title: "Remove the reference", Menu: command.FileMenu, Run: p.clearReference,
			Enabled: func() bool { return p.h.Idle() && s.Document().Reference() != nil }},
		{ID: "add-noise", Title: "Add noise …", Menu: command.ToolsMenu, Gap: true, Run: p.askNoise, Enabled: p.h.Idle},
		{ID: "remove-noise", Title: "Remove added noise", Menu: command.ToolsMenu, Run: p.clearReference,
			Enabled: func() bool { return p.h.Idle() && p.noisy() }},
	}
}

func (p *Panel) askNoise() {
	facts, _ := p.h.Session.Document().Facts()
	p.h.ShowDialog(dialogs.Noise(dialogs.NoiseRequest{
		Unit: p.h.Session.Series().Volume.Unit, Range: float64(facts.Hi) - float64(facts.Lo), Sigma: facts.Noise.Sigma,
		Magnitude: p.h.Session.Series().Modality == "MR",
		Add:       func(n job.AddedNoise) { p.h.ConfirmVoxels(func() { p.h.Session.Reader.AddNoise(n) }) },
	}, p.h.Window))
}

// clearReference removes the reference. With it goes added noise, and the result
// on the noisy voxels.
func (p *Panel) clearReference() {
	if p.noisy() {
		p.h.ConfirmVoxels(p.h.Session.Reader.ClearReference)
		return
	}
	p.h.Session.Reader.ClearReference()
}

func (p *Panel) noisy() bool {
	if p.h.Session.Document() == nil {
		return false
	}
	_, noisy := p.h.Session.Document().Noise()
	return noisy
}
