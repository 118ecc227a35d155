// Package gallery shows every filter on a slice, side by side.
package gallery

import (
	"cmp"
	"fmt"
	"math"

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
			Help:    "every filter at its best automatic setting on this slice, side by side, to choose one",
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

// exhibitCell shows the result of a filter, and takes it.
func (p *Panel) exhibitCell(g *tuning.Gallery, i int) Cell {
	e := g.Exhibits[i]
	c := Cell{ID: i, Title: fmt.Sprintf("%s, %d-D", lang.L(e.Title), e.Recipe.Dims), Marked: i == g.Best}
	if !e.Problem.IsZero() {
		c.Lines = []string{language.Of(e.Problem)}
		return c
	}
	c.Picture, c.Take = p.picture(g, e.Part), func() { p.h.Session.Galleries.Take(i) }
	c.Lines = append(exhibitLines(e, g.Input.Unit), seenLine(g.Seen[i], g.Ended))
	if !e.Note.IsZero() && e.Chosen.IsAuto() {
		c.Lines = append(c.Lines, lang.L("Its automatic setting: ")+language.Of(e.Note))
	} else if !e.Note.IsZero() {
		c.Lines = append(c.Lines, language.Of(e.Note))
	}
	return c
}

// exhibitLines states the result of a filter, in a unit, and its time.
func exhibitLines(e judge.Exhibit, unit string) []string {
	reached := lang.L(string(e.Verdict))
	if e.MSE != nil { // whose estimate has an error of its own, and can be below 0
		reached = language.Sprintf(lang.L("estimated error %.2f σ, noise left %s"), math.Sqrt(max(*e.MSE, 0)), language.Quantity(*e.SigmaLeft, cmp.Or(unit, lang.L("units"))))
	}
	return []string{reached, language.Number(e.Took())}
}

// seenLine states the visibility that a filter leaves of virtual lesions in even tissue of the series; it is measured after the exhibits.
func seenLine(f *judge.Frontier, ended bool) string {
	switch {
	case f == nil && ended:
		return lang.L("contrast kept: not measured")
	case f == nil:
		return lang.L("contrast kept: is to be measured …")
	case f.Settings == nil:
		return lang.L("contrast kept: ") + language.Of(f.Problem)
	}
	all := f.Settings[len(f.Settings)-1]
	return language.Sprintf(lang.L("small discs keep %.0f %% of their contrast; in even tissue %.0f %% of the noise is left, texture %.2f"), 100*all.Kept, 100*all.Noise, all.Texture)
}
