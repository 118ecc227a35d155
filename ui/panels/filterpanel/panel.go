package filterpanel

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/files"
	"quell/denoise"
	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/session/desk"
	"quell/ui/wording"
)

// Panel is the filter column in the workbench, with the commands on filters.
type Panel struct {
	h      *host.Host
	widget *Widget
}

// New returns the filter column of a workbench.
func New(h *host.Host) panel.Panel {
	p := &Panel{h: h}
	p.widget = NewWidget(p.hooks())
	p.widget.ShowMore(h.Settings.Parameters)
	return p
}

// hooks are what the widgets of the filter do in the workbench.
func (p *Panel) hooks() Hooks {
	h, s := p.h, p.h.Session
	return Hooks{
		Changed: s.Tuning.Set, AutoPreview: s.Preview.SetAuto, Preview: s.Preview.Start, Find: p.findStrength, Dial: s.Dial.Find, Take: s.Proposals.Take, Apply: p.apply, Cancel: s.Tasks.Cancel,
		Folded: func(unfolded bool) {
			h.Settings.Parameters = unfolded
			h.SaveSettings()
			h.Changed()
		},
		Hide:    func() { h.Frame.ShowColumn(false) },
		Presets: func() { h.Run(h.Command("presets")) },
		Hint: func(o fyne.CanvasObject, text string) {
			if o == nil {
				h.Tip.Hide()
			} else {
				h.Tip.Beside(o, text)
			}
		},
	}
}

// Dock implements panel.Panel.
func (p *Panel) Dock() panel.Dock { return panel.Dock{Area: panel.Column, Object: p.widget} }

// Show implements panel.Panel.
func (p *Panel) Show(now panel.Snapshot) { p.widget.Display(snapshot(now.Session)) }

// Needs implements panel.Needing.
func (p *Panel) Needs() float32 { return p.widget.Needs() }

// Wants implements panel.Wanting.
func (p *Panel) Wants() (least, most float32) { return p.widget.Wants() }

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	s := p.h.Session
	return []command.Command{
		{ID: "apply", Title: "Apply to volume", Menu: command.ToolsMenu, Run: p.apply,
			Chords: command.With(command.Ctrl, fyne.KeyReturn, fyne.KeyEnter),
			Enabled: func() bool {
				return p.h.Idle() && !s.Results.Applied() && !s.Proposals.Now().Awaited
			}},
		{ID: "best-strength", Title: "Find the best strength", Menu: command.ToolsMenu, Chords: command.Key(fyne.KeyB), Run: p.findStrength,
			Help:    "searches for the least estimated error (SURE) and plots the error over the strength",
			Enabled: s.Strength.CanFind},
		{ID: "visible-strength", Title: "Stop before visible objects fade", Menu: command.ToolsMenu, Run: s.Dial.Find,
			Help:    "searches for the highest strength at which visible objects keep 90 % of their contrast, and the noise 0.9 of its mean frequency",
			Enabled: s.Dial.CanFind},
		{ID: "follow-noise", Title: "Filter by the noise map", Menu: command.ToolsMenu, Run: s.Noise.ToggleFollow,
			Help:    "the filter removes more where the noise map is higher, for noise that differs from place to place",
			Enabled: s.Noise.CanFollow,
			Checked: s.Noise.Follows},
		{ID: "load-recipe", Title: "Load a recipe …", Menu: command.ToolsMenu, Chords: command.With(command.Ctrl, fyne.KeyR), Enabled: p.h.IsOpen,
			Help: "a recipe, or the sidecar of an output",
			Run:  func() { p.h.AskFile(lang.L("Load a recipe"), p.loadRecipe) }},
	}
}

// findStrength searches for the best strength, and shows the curve.
func (p *Panel) findStrength() {
	if p.h.Session.Strength.CanFind() && !p.h.Session.Strength.Searching() {
		p.h.Frame.SelectTab("Strength")
		p.h.Frame.ShowColumn(true)
	}
	p.h.Session.Strength.Find()
}

// apply filters the volume, after a question if that takes the place of a result
// that was not exported.
func (p *Panel) apply() {
	p.h.Session.Exports.Check(func() {
		text := ""
		if p.h.Session.Results.ApplyLoses() {
			text = fmt.Sprintf(lang.L("No more results of %s can be kept: the new one replaces the oldest, which has not been exported."), p.h.Shown())
		}
		p.h.Ask(text, func() { p.h.Session.Proposals.Await(p.h.Session.Results.Apply) })
	})
}

// snapshot returns what the widgets of the filter show.
func snapshot(s *session.Session) Snapshot {
	snap := Snapshot{Recipe: s.Tuning.Recipe(), Resolved: s.Tuning.Recipe(), AutoPreview: s.Preview.Auto()}
	if panel.Arrives(s) {
		return snap
	}
	resolved, err := s.Tuning.Resolved()
	if g, _ := s.Documents.Group(); g != nil {
		snap.Volumes = g.Len()
		if resolved.SeriesFilter() != nil {
			resolved, err = s.Preview.Resolved()
		}
	}
	snap.Resolved = resolved
	snap.Preview, snap.Problem = s.Preview.Text()
	if err != nil {
		snap.Preview, snap.Problem = language.Error(err), true
	}
	if series := s.Series(); series != nil {
		snap.Ready = true
		snap.Unit = series.Volume.Unit
		snap.Facts, _ = s.Document().Facts()
	}
	if p := s.Tasks.Progress(); p.Kind == desk.Applying {
		snap.Running, snap.Fraction, snap.Progress = true, p.Fraction, lang.L("Another series is being filtered.")+"\n"+p.Text
		if !p.Hidden {
			snap.Progress = wording.Recipe(s, p.Recipe) + "\n" + p.Text
		}
	}
	snap.Applied, snap.Busy = s.Results.Applied(), s.Tasks.Busy() || s.Proposals.Now().Awaited
	if f, ok := s.Results.Forecast(); ok {
		snap.Memory = language.Of(f.Text())
	}
	snap.Proposal = proposalOf(s.Proposals.Now(), s.Tuning.Recipe().Filter)
	snap.Carried = s.Tuning.Carried()
	snap.CanFind, snap.Searching = s.Strength.CanFind(), s.Strength.Searching()
	snap.Bound = s.Dial.Bound()
	snap.CanDial, snap.Dialling = s.Dial.CanFind(), s.Dial.Searching()
	return snap
}

// loadRecipe takes the recipe in a file. Its name, which may be the name of a patient, is
// not shown.
func (p *Panel) loadRecipe(path string) {
	p.h.Go(func() {
		r, err := files.LoadRecipe(path)
		p.h.Do(func() {
			switch {
			case err != nil:
				p.h.Fail(err)
			case p.h.IsOpen():
				p.takeRecipe(r)
				p.h.Note(lang.L("The parameters are those of the file."))
			}
		})
	})
}

// takeRecipe takes a recipe as it is. One with a strength to be searched for begins with
// the default, and the search.
func (p *Panel) takeRecipe(r denoise.Recipe) {
	if mix := denoise.MixStrength; r.Dials() {
		p.h.Session.Tuning.Take(r.With(mix.Name, mix.Default))
		p.h.Session.Dial.Find()
		return
	}
	f, err := denoise.FilterByName(r.Filter)
	name := f.Strength.Param
	if err != nil || name == "" || !r.Get(name).IsSURE() {
		p.h.Session.Tuning.Take(r)
		return
	}
	strength, _ := f.Param(name)
	p.h.Session.Tuning.Take(r.With(name, strength.Default))
	p.findStrength()
}
