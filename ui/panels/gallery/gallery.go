// Package gallery shows every filter on a slice, side by side.
package gallery

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
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

// Panel opens the gallery. Create it with New.
type Panel struct {
	panel.Base
	h        *host.Host
	Dialog   *dialogs.Live // open, or nil
	Widget   *Widget       // in it
	order    tuning.Order
	pictures map[*volume.Volume]*tile.Picture // of the slices in it
}

// New returns the gallery of a workbench.
func New(h *host.Host) panel.Panel { return &Panel{h: h} }

// Show implements panel.Panel.
func (p *Panel) Show(panel.Snapshot) { p.display() }

func (p *Panel) display() {
	if g := p.h.Session.Galleries.Last(); p.Dialog != nil && g != nil {
		slice := wording.Slice(p.h.Session.State().Cut(), g.Shown)
		if g.Shown != g.Index {
			slice = fmt.Sprintf(lang.L("%s (numbers: slice %d)"), slice, g.Index+1)
		}
		p.Widget.Display(p.cells(g), g.Frontiers(), g.Ended)
		p.Widget.ShowSlice(fmt.Sprintf(lang.L("Slice %s"), slice))
	}
}

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	s := p.h.Session
	return []command.Command{
		{ID: "compare-filters", Title: "Compare all filters …", Menu: command.ToolsMenu, Chords: command.Key(fyne.KeyG), Run: p.compareFilters,
			Help:    "every filter at its best strength on this slice, side by side, to choose one",
			Enabled: s.Galleries.CanCompare},
	}
}

// compareFilters shows every filter on the slice, each as soon as it is ready, until one
// is taken or the dialog is closed.
func (p *Panel) compareFilters() {
	s := p.h.Session
	if !s.Galleries.CanCompare() {
		return
	}
	s.Galleries.Compare()
	g := s.Galleries.Last()
	p.order, p.pictures = tuning.AsListed, map[*volume.Volume]*tile.Picture{}
	p.Widget = NewWidget(tile.Place{Window: g.Window, Invert: g.Invert}, Hooks{
		Take: func(c Cell) {
			p.Dialog.Hide()
			c.Take()
		},
		Scroll: s.Galleries.Scroll,
		Sort: func(o tuning.Order) {
			p.order = o
			p.display()
		},
		Blind: func(i, k int) {
			p.Dialog.Hide()
			s.Galleries.Pair(i, k)
			p.h.Run(p.h.Command("compare-blind"))
		},
	})
	size := p.h.Window.Canvas().Size()
	p.Dialog = dialogs.NewLive(lang.L("Every filter at its best on this slice"), p.Widget, fyne.NewSize(size.Width*0.97, size.Height*0.97), func() {
		p.Dialog, p.Widget, p.pictures = nil, nil, nil
		s.Galleries.Leave()
		if s.Galleries.Comparing() {
			s.Tasks.Cancel()
		}
	}, p.h.Window)
	p.display()
	p.h.ShowDialog(p.Dialog)
	p.h.Window.Canvas().Focus(p.Widget)
}

// cells returns the slice itself, the exhibits in their order, and the filters to come.
func (p *Panel) cells(g *tuning.Gallery) []Cell {
	cells := []Cell{{ID: -1, Title: lang.L("Original"), Picture: p.picture(g, g.Input)}}
	for _, i := range g.Sorted(p.order) {
		cells = append(cells, p.exhibitCell(g, i))
	}
	for i, f := range denoise.Filters() {
		if i >= len(g.Exhibits) {
			c := Cell{ID: i, Title: lang.L(f.Title)}
			if i == len(g.Exhibits) && !g.Ended {
				c.Lines = []string{lang.L("is being tuned …")}
			}
			cells = append(cells, c)
		}
	}
	return cells
}

// picture returns the picture of a slice, which is made once.
func (p *Panel) picture(g *tuning.Gallery, part *volume.Volume) *tile.Picture {
	if part == nil {
		return nil // another slice is being filtered
	}
	m := p.pictures[part]
	if m == nil {
		m = tile.Of(g.View, part)
		p.pictures[part] = m
	}
	return m
}

// exhibitCell shows what a filter reached, and takes it.
func (p *Panel) exhibitCell(g *tuning.Gallery, i int) Cell {
	e := g.Exhibits[i]
	c := Cell{ID: i, Title: fmt.Sprintf("%s, %d-D", lang.L(e.Title), e.Recipe.Dims), Marked: i == g.Best}
	if !e.Problem.IsZero() {
		c.Lines = []string{language.Of(e.Problem)}
		return c
	}
	c.Picture, c.Take = p.picture(g, e.Part), func() { p.h.Session.Galleries.Take(i) }
	c.Lines = exhibitLines(e)
	return c
}

// exhibitLines says what a filter does at its strength, and in what time.
func exhibitLines(e judge.Exhibit) []string {
	lines := []string{fmt.Sprintf(lang.L("strength %.0f: %s"), e.Strength, language.Of(e.Judgement.Message()))}
	for _, f := range judge.Shares(judge.Measures{Assessment: judge.Assessment{Verdict: e.Verdict}}) {
		lines = append(lines, language.Of(f.Label)+" "+language.Number(f.Text()))
	}
	return append(lines, language.Number(e.Took()))
}
