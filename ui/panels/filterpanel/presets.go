package filterpanel

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/denoise"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session/tuning"
	"quell/ui/tile"
	"quell/ui/wording"
	"quell/volume"
)

// Presets is the list of presets in the workbench. Create it with NewPresets.
type Presets struct {
	panel.Base
	h      *host.Host
	filter *Panel        // takes recipes
	open   *presetDialog // nil while the list is closed
}

// NewPresets returns the list of presets of a workbench.
func NewPresets(h *host.Host) panel.Panel { return &Presets{h: h, filter: &Panel{h: h}} }

// Show implements panel.Panel.
func (p *Presets) Show(panel.Snapshot) { p.display() }

// Commands implements panel.Panel.
func (p *Presets) Commands() []command.Command {
	return []command.Command{
		{ID: "presets", Title: "Presets …", Menu: command.ToolsMenu, Run: p.show, Enabled: p.h.IsOpen,
			Help: "recipes for a modality and an anatomy, and those that you keep, each with what it makes of this slice"},
		{ID: "keep-preset", Title: "Keep as a preset", Menu: command.ToolsMenu, Run: p.keep, Enabled: p.h.IsOpen,
			Help:    "the filter and its parameters, for every series",
			Checked: func() bool { return p.h.Settings.KeepsPreset(p.h.Session.Tuning.Recipe()) }},
	}
}

// presetDialog is the list of presets while it is open.
type presetDialog struct {
	dialog   *dialogs.Live
	list     *PresetList
	choices  []presetChoice
	pictures map[*volume.Volume]*tile.Picture // of the present region
	before   *volume.Volume                   // that the pictures belong to
}

// presetChoice is a recipe that can be taken.
type presetChoice struct {
	title  string
	recipe denoise.Recipe
	take   func()
}

// choices returns the recipes that come with the program, first those for the modality of the series, and then the ones
// that the user keeps.
func (p *Presets) choices() (out []presetChoice) {
	presets := slices.Clone(job.Presets())
	if series := p.h.Session.Series(); series != nil {
		slices.SortStableFunc(presets, func(a, b job.Preset) int {
			suits := func(of job.Preset) int {
				if of.Modality == series.Modality {
					return 0
				}
				return 1
			}
			return suits(a) - suits(b)
		})
	}
	for _, preset := range presets {
		out = append(out, presetChoice{lang.L(preset.Title), preset.Recipe, func() {
			p.h.Session.Tuning.Take(preset.Recipe)
			data, _, _ := strings.Cut(preset.TunedOn, ":")
			p.h.Note(fmt.Sprintf(lang.L("%s: tuned on %s."), lang.L(preset.Title), data))
		}})
	}
	for _, r := range p.h.Settings.Presets {
		out = append(out, presetChoice{language.Number(r.String()), r, func() { p.filter.takeRecipe(r) }})
	}
	return out
}

// show shows the presets, each with what it makes of a region of the slice.
func (p *Presets) show() {
	s := p.h.Session.Samples
	d := &presetDialog{choices: p.choices()}
	d.list = NewPresetList(s.Move)
	recipes := make([]denoise.Recipe, len(d.choices))
	for i, c := range d.choices {
		recipes[i] = c.recipe
	}
	size := p.h.Window.Canvas().Size()
	d.dialog = dialogs.NewLive(lang.L("Presets on this slice"), d.list, fyne.NewSize(min(size.Width*0.9, 1190), min(size.Height*0.95, 684)), func() {
		p.open = nil
		s.Leave()
	}, p.h.Window)
	p.open = d
	s.Show(recipes, SampleColumns, SampleRows)
	p.display()
	p.h.ShowDialog(d.dialog)
}

// display shows how far the samples are, if the list is open.
func (p *Presets) display() {
	d, now := p.open, p.h.Session.Samples.Now()
	if d == nil || now == nil {
		return
	}
	if d.before != now.Input {
		d.before, d.pictures = now.Input, map[*volume.Volume]*tile.Picture{}
	}
	picture := func(part *volume.Volume) *tile.Picture {
		if part == nil {
			return nil
		}
		m := d.pictures[part]
		if m == nil {
			m = tile.Of(now.View, part)
			d.pictures[part] = m
		}
		return m
	}
	presets := make([]Preset, len(d.choices))
	for i, c := range d.choices {
		sample := now.Samples[i]
		presets[i] = Preset{
			Title: c.title, Detail: presetDetail(sample), After: picture(sample.Part), Marked: p.h.Session.Tuning.Recipe().Equal(c.recipe),
			Take: func() {
				d.dialog.Hide()
				c.take()
			},
		}
	}
	note := fmt.Sprintf(lang.L("Slice %s, at 2:1: original left of the line, denoised right of it. Point: moves the line. Click: goes there."), wording.Slice(p.h.Session.State().Cut(), now.Index))
	d.list.Display(note, picture(now.Input), tile.Place{Window: now.Window, Invert: now.Invert}, presets)
}

// presetDetail says below the title which filter a preset is, or why it has no picture.
func presetDetail(s tuning.Sample) string {
	switch {
	case !s.Problem.IsZero():
		return language.Of(s.Problem)
	case s.Searched:
		return lang.L("Its strength is searched for once it is taken.")
	}
	text := fmt.Sprintf("%s, %s", wording.Filter(s.Recipe.Filter), dimsLabel(s.Recipe.Dims))
	if s.Part == nil {
		text += " …"
	}
	return text
}

// keep lists the present recipe among the presets, or takes it off the list, now and at
// the next start.
func (p *Presets) keep() {
	p.h.Settings.KeepPreset(p.h.Session.Tuning.Recipe())
	p.h.SaveSettings()
	p.h.Changed()
}
