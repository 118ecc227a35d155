package lesions

import (
	"fmt"
	"image"
	"math"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/denoise/lesions"
	"quell/report"
	"quell/report/chart"
	"quell/ui/command"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/palette"
	"quell/ui/panel"
	"quell/ui/session"
	"quell/ui/wording"
	"quell/volume"
)

const tab = "Lesions"

// Panel is the tab of the virtual lesions in the workbench.
type Panel struct {
	h      *host.Host
	Widget *Widget
}

// New returns the tab of the virtual lesions of a workbench.
func New(h *host.Host) panel.Panel {
	s := h.Session.Lesions
	return &Panel{h, NewWidget(h.Go, h.Do, Hooks{Start: s.Start, Stop: s.Stop, Choose: func() { h.Run(h.Command("forced-choice")) }})}
}

// Dock implements panel.Panel.
func (p *Panel) Dock() panel.Dock {
	return panel.Dock{Area: panel.Card, Object: p.Widget, Tabs: []string{tab}}
}

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	return []command.Command{{
		ID: "lesions", Title: "What stays visible", Menu: command.MeasureMenu, Enabled: p.h.IsOpen,
		Help: "virtual lesions in the series itself: what the filter leaves of their contrast, and how visible they are",
		Run: func() {
			p.h.Frame.ShowColumn(true)
			p.h.Frame.SelectTab(tab)
		},
	}}
}

// Show implements panel.Panel.
func (p *Panel) Show(now panel.Snapshot) { p.Widget.Display(snapshot(now.Session)) }

// watch has the numbers measured for every recipe while a tab shows them. It stands nowhere, so that it hears of a
// column that is hidden.
type watch struct{ panel.Base }

// NewWatch returns what follows the tab. It belongs before the tab in the table.
func NewWatch(*host.Host) panel.Panel { return watch{} }

// Show implements panel.Panel.
func (watch) Show(now panel.Snapshot) {
	now.Session.Lesions.Watch(now.Column && now.Tab == tab && !panel.Arrives(now.Session))
}

// snapshot returns what the panel shows. Numbers are those of the present recipe, or there are none.
func snapshot(s *session.Session) Snapshot {
	if s.Series() == nil || panel.Arrives(s) {
		return Snapshot{}
	}
	now := s.Lesions.Now()
	snap := Snapshot{Measuring: now.Measuring, Stopped: now.Stopped, Panel: now.Panel}
	switch {
	case now.Measuring && now.Total > 0:
		snap.Text = fmt.Sprintf(lang.L("Lesion %d of %d is being filtered …"), now.Done+1, now.Total)
	case now.Stopped:
		snap.Text = lang.L("The measurement was cancelled.")
	case !now.Problem.IsZero():
		snap.Text, snap.Warns = language.Of(now.Problem), true
	case now.Panel == nil:
		snap.Text = lang.L("The lesions are measured once the slice is filtered.")
	default:
		snap.describe(*now.Panel)
	}
	return snap
}

// describe fills in what was measured.
func (s *Snapshot) describe(p lesions.Panel) {
	v := p.Usual().Visibility()
	s.Text, s.Warns = language.Of(v.Why), v.Verdict == lesions.Over
	for _, r := range p.Rows {
		s.Rows = append(s.Rows, rowOf(r))
	}
	if c := p.Picture; c != nil {
		s.Caption = language.Sprintf(lang.L("A disc of %.3g mm at %.3g σ in the middle, before and after, W %.3g L %.3g"), c.Lesion.Size, c.Lesion.Sigmas, windowOf(*c).Width, windowOf(*c).Center)
	}
}

// rowOf returns the texts of a lesion.
func rowOf(r lesions.Row) Row {
	row := Row{
		Cells: [columns]string{
			language.Sprintf("%.3g mm", r.Size), language.Sprintf("%.3g σ", r.Sigmas), fmt.Sprintf("%.0f %%", 100*r.Kept.Value), "–",
			index(r.Eye.Before.Value) + wording.To + index(r.Eye.After.Value) + " (" + index(r.Eye.After.Lo) + "–" + index(r.Eye.After.Hi) + ")",
		},
		Visible: r.Visible(), Over: r.Visible() && r.Verdict() == lesions.Over,
	}
	if r.EdgeAfter.Finite() {
		row.Cells[3] = language.Sprintf("%.1f%s%.1f", float64(r.EdgeBefore), wording.To, float64(r.EdgeAfter))
	}
	return row
}

// index writes d', of which two digits are known.
func index(d float64) string {
	if d >= 9.95 {
		return fmt.Sprintf("%.0f", d)
	}
	return language.Sprintf("%.1f", d)
}

// windowOf returns the window of both pictures: about the tissue around the lesion, as wide as eight sigmas of the noise.
func windowOf(p lesions.Picture) volume.Window {
	const half = 6 // of the even square in which every lesion lies
	d := p.Before.Dims
	var sum, n float64
	for y := max(d[1]/2-half, 0); y <= min(d[1]/2+half, d[1]-1); y++ {
		for x := max(d[0]/2-half, 0); x <= min(d[0]/2+half, d[0]-1); x++ {
			sum, n = sum+float64(p.Before.At(x, y, 0)), n+1
		}
	}
	return volume.Window{Center: sum / n, Width: 8 * math.Abs(p.Lesion.Contrast/p.Lesion.Sigmas)}
}

// pictures draws the lesion before and after.
func pictures(p *lesions.Picture) (out [2]image.Image) {
	if p == nil {
		return out
	}
	w := windowOf(*p)
	for i, v := range []*volume.Volume{p.Before, p.After} {
		view := v.View(v.Acquired())
		m := image.NewRGBA(image.Rect(0, 0, view.Size[0], view.Size[1]))
		w.Render(m, view.Extract(nil, v, 0))
		out[i] = report.SquarePixels(m, view.Pixel)
	}
	return out
}

// curves plots the contrast kept over the contrast, a curve for each size, and the least that the verdict asks for.
func curves(p lesions.Panel, colors *palette.Colors) chart.Chart {
	c := chart.Chart{X: chart.Axis{Label: lang.L("contrast, σ"), Log: true}, Y: chart.Axis{Label: lang.L("kept, %"), Max: 110}}
	bySize := map[float64]int{}
	for _, r := range p.Rows {
		i, known := bySize[r.Size]
		if !known {
			i = len(c.Curves)
			bySize[r.Size] = i
			c.Curves = append(c.Curves, chart.Curve{Name: language.Sprintf("%.3g mm", r.Size), Color: colors.Sizes[i%len(colors.Sizes)], Width: 1, Mark: 2})
		}
		c.Curves[i].Points = append(c.Curves[i].Points, chart.Point{X: r.Sigmas, Y: max(100*r.Kept.Value, 0)})
		if !slices.Contains(c.X.Marks, r.Sigmas) {
			c.X.Marks = append(c.X.Marks, r.Sigmas)
		}
	}
	c.X.Min, c.X.Max = c.X.Marks[0]/1.2, c.X.Marks[len(c.X.Marks)-1]*1.2
	bound := 100 * lesions.LeastKept
	c.Curves = append(c.Curves, chart.Curve{Color: colors.ChartGrid, Width: 1, Dashed: true, Points: []chart.Point{{X: c.X.Min, Y: bound}, {X: c.X.Max, Y: bound}}})
	return c
}
