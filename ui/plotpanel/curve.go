package plotpanel

import (
	"image/color"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"

	"fyne.io/fyne/v2/lang"
)

// Curve is the estimated error of a filter over its strength.
type Curve struct {
	XLabel, YLabel string
	X, Y           []float64 // by rising X, which is above 0
	Labels         []string  // of the points, for the pointer
	Best           int       // -1 where no point is better than none at all
	Present        float64   // X of the present value; 0 for none
	Without        float64   // Y without a filter
	Old            bool      // the curve belongs to other parameters
}

// same says whether two curves look the same; nil is none.
func (c *Curve) same(o *Curve) bool { return reflect.DeepEqual(c, o) }

// axis maps X to the picture of a curve, in device pixels.
type axis struct {
	from, to float64
	lo, hi   float64
	log      bool
}

// at returns the pixel of a value.
func (a axis) at(x float64) float64 {
	share := (x - a.lo) / (a.hi - a.lo)
	if a.log {
		share = math.Log(x/a.lo) / math.Log(a.hi/a.lo)
	}
	return a.from + share*(a.to-a.from)
}

// nearest returns the point of the curve that is nearest to a pixel; -1 without
// points.
func (c *Curve) nearest(a axis, pixel float64) int {
	best := -1
	for i, x := range c.X {
		if best < 0 || math.Abs(a.at(x)-pixel) < math.Abs(a.at(c.X[best])-pixel) {
			best = i
		}
	}
	return best
}

// wide is the ratio of the ends from which on an axis is logarithmic.
const wide = 5

var (
	bestMark    = color.NRGBA{R: 0x8f, G: 0xbf, B: 0x8f, A: 0xff}
	presentLine = color.NRGBA{R: 0xdc, G: 0xdc, B: 0xdc, A: 0xff}
)

// addCurve plots the error, its best point, the present value and, as a dashed
// line, the error without a filter.
func addCurve(p *plot.Plot, c *Curve) (axis, error) {
	xys := make(plotter.XYs, len(c.X))
	top := c.Without
	for i := range xys {
		xys[i] = plotter.XY{X: c.X[i], Y: c.Y[i]}
		top = max(top, c.Y[i])
	}
	a := axis{lo: c.X[0], hi: c.X[len(c.X)-1]}
	if c.Present > 0 {
		a.lo, a.hi = min(a.lo, c.Present), max(a.hi, c.Present)
	}
	if a.hi <= a.lo {
		a.hi = a.lo + 1
	}
	if a.log = a.lo > 0 && a.hi > wide*a.lo; a.log {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, logTicks{}
	}
	// A filter far too strong would press the rest of the curve flat.
	top = min(top, 2*max(c.Without, slices.Min(c.Y)))

	without, err := plotter.NewLine(plotter.XYs{{X: a.lo, Y: c.Without}, {X: a.hi, Y: c.Without}})
	if err != nil {
		return a, err
	}
	without.Color, without.Width, without.Dashes = ink, 1, []vg.Length{vg.Points(3), vg.Points(3)}
	line, points, err := plotter.NewLinePoints(xys)
	if err != nil {
		return a, err
	}
	line.Color, line.Width = afterLine, 1
	points.Color, points.Radius, points.Shape = afterLine, 2, vgdraw.CircleGlyph{}
	if c.Old {
		line.Color, points.Color = beforeLine, beforeLine
	}
	p.Add(without, line, points)
	p.Legend.Add(lang.L("without filter"), without)
	if c.Best >= 0 {
		best, err := plotter.NewScatter(plotter.XYs{xys[c.Best]})
		if err != nil {
			return a, err
		}
		best.Color, best.Radius, best.Shape = bestMark, 4, vgdraw.CircleGlyph{}
		p.Add(best)
		p.Legend.Add(lang.L("best"), best)
	}
	if c.Present > 0 {
		present, err := plotter.NewLine(plotter.XYs{{X: c.Present, Y: 0}, {X: c.Present, Y: 1.1 * top}})
		if err != nil {
			return a, err
		}
		present.Color, present.Width = presentLine, 1
		p.Add(present)
		p.Legend.Add(lang.L("present"), present)
	}
	// The curve falls from the error without a filter, and rises beyond the best.
	p.Legend.Top, p.Legend.Left = false, true
	p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
	p.X.Min, p.X.Max = a.lo, a.hi
	p.Y.Min, p.Y.Max = 0, 1.1*top
	return a, nil
}

// logTicks marks a logarithmic axis at 1, 2 and 5 times the powers of ten.
type logTicks struct{}

// Ticks implements plot.Ticker.
func (logTicks) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for power := math.Pow(10, math.Floor(math.Log10(lo))); power <= hi; power *= 10 {
		for _, m := range []float64{1, 2, 5} {
			if x := m * power; x >= lo*(1-1e-9) && x <= hi*(1+1e-9) {
				out = append(out, plot.Tick{Value: x, Label: number(x)})
			}
		}
	}
	return out
}
