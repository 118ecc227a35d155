// Package gallery shows every filter on a slice, side by side.
package gallery

import (
	"cmp"
	"fmt"
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/denoise"
	"quell/report"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/session/tuning"
	"quell/volume"
)

// Panel opens the gallery. Create it with New.
type Panel struct {
	panel.Base
	h      *host.Host
	Dialog *dialogs.GalleryDialog // open, or nil
}

// New returns the gallery of a workbench.
func New(h *host.Host) panel.Panel { return &Panel{h: h} }

// Show implements panel.Panel.
func (p *Panel) Show(panel.Snapshot) {
	if p.Dialog != nil {
		p.Dialog.Display(p.galleryCells())
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
	if !p.h.Session.Galleries.CanCompare() {
		return
	}
	size := p.h.Window.Canvas().Size()
	p.Dialog = dialogs.Gallery(lang.L("Every filter at its best on this slice"), fyne.NewSize(size.Width*0.95, size.Height*0.95), func() {
		p.Dialog = nil
		if p.h.Session.Galleries.Comparing() {
			p.h.Session.Tasks.Cancel()
		}
	}, p.h.Window)
	p.h.Session.Galleries.Compare()
	p.Dialog.Display(p.galleryCells())
	p.h.ShowDialog(p.Dialog)
}

// galleryCells returns the slice itself, the exhibits, and the filters to come.
func (p *Panel) galleryCells() []dialogs.GalleryCell {
	g := p.h.Session.Galleries.Last()
	if g == nil {
		return nil
	}
	cells := []dialogs.GalleryCell{{Title: lang.L("Original"), Picture: pictureOf(g, g.Input)}}
	for i, f := range denoise.Filters() {
		if i >= len(g.Exhibits) {
			c := dialogs.GalleryCell{Title: lang.L(f.Title), Awaiting: !g.Ended}
			if i == len(g.Exhibits) && !g.Ended {
				c.Lines = []string{lang.L("is being tuned …")}
			}
			cells = append(cells, c)
			continue
		}
		cells = append(cells, p.exhibitCell(g, i))
	}
	return cells
}

// exhibitCell shows what a filter reached, and takes it.
func (p *Panel) exhibitCell(g *tuning.Gallery, i int) dialogs.GalleryCell {
	e := g.Exhibits[i]
	c := dialogs.GalleryCell{Title: fmt.Sprintf("%s, %d-D", lang.L(e.Title), e.Recipe.Dims), Marked: i == g.Best}
	if !e.Problem.IsZero() {
		c.Lines = []string{language.Of(e.Problem)}
		return c
	}
	c.Picture, c.Take = pictureOf(g, e.Part), func() { p.h.Session.Galleries.Take(i) }
	c.Lines = exhibitLines(e)
	if !e.Note.IsZero() && e.Chosen.IsAuto() {
		c.Lines = append(c.Lines, lang.L("Its automatic setting: ")+language.Of(e.Note))
	} else if !e.Note.IsZero() {
		c.Lines = append(c.Lines, language.Of(e.Note))
	}
	return c
}

// exhibitLines says what a filter reached, and in what time.
func exhibitLines(e judge.Exhibit) []string {
	reached := lang.L(string(e.Verdict))
	if e.MSE != nil { // whose estimate has an error of its own, and can be below 0
		reached = language.Sprintf(lang.L("estimated error %.2f σ, noise left %s"), *e.RMSE(), language.Quantity(*e.SigmaLeft, cmp.Or(e.Part.Unit, lang.L("units"))))
	}
	return []string{reached, language.Number(e.Took())}
}

// pictureOf draws a slice in the gallery's window, with square pixels.
func pictureOf(g *tuning.Gallery, part *volume.Volume) image.Image {
	view := g.View.Of(part.Geometry)
	m := image.NewRGBA(image.Rect(0, 0, view.Size[0], view.Size[1]))
	values := view.Extract(nil, part, 0)
	if g.Invert {
		g.Window.RenderInverted(m, values)
	} else {
		g.Window.Render(m, values)
	}
	return report.SquarePixels(m, view.Pixel)
}
