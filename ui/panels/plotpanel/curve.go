package plotpanel

import (
	"math"
	"reflect"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/report/chart"
	"quell/ui/palette"
)

// Curve is the estimated error of a filter over its strength.
type Curve struct {
	XLabel, YLabel string
	X, Y           []float64 // by rising X, which is above 0
	Labels         []string  // of the points, for the pointer
	Best           int       // -1 if no point is better than none at all
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

// chart plots the error, its best point, the present value and, as a dashed line, the
// error without a filter.
func (c *Curve) chart(colors *palette.Colors) (chart.Chart, axis) {
	points := make([]chart.Point, len(c.X))
	top := c.Without
	for i := range points {
		points[i] = chart.Point{X: c.X[i], Y: c.Y[i]}
		top = max(top, c.Y[i])
	}
	a := axis{lo: c.X[0], hi: c.X[len(c.X)-1]}
	if c.Present > 0 {
		a.lo, a.hi = min(a.lo, c.Present), max(a.hi, c.Present)
	}
	if a.hi <= a.lo {
		a.hi = a.lo + 1
	}
	a.log = a.lo > 0 && a.hi > wide*a.lo
	// A filter far too strong would press the rest of the curve flat.
	top = 1.1 * min(top, 2*max(c.Without, slices.Min(c.Y)))

	without := curve(lang.L("without filter"), colors.ChartInk, nil, []chart.Point{{X: a.lo, Y: c.Without}, {X: a.hi, Y: c.Without}})
	without.Dashed = true
	line := curve("", colors.After, nil, points)
	line.Mark = 2
	if c.Old {
		line.Color = colors.Before
	}
	// The curve falls from the error without a filter, and rises beyond the best.
	out := chart.Chart{
		X: chart.Axis{Label: c.XLabel, Min: a.lo, Max: a.hi, Log: a.log}, Y: chart.Axis{Label: c.YLabel, Max: top},
		Curves: []chart.Curve{without, line}, Low: true,
	}
	if c.Best >= 0 {
		out.Curves = append(out.Curves, chart.Curve{Name: lang.L("best"), Color: colors.Best, Mark: 4, Points: points[c.Best : c.Best+1]})
	}
	if c.Present > 0 {
		out.Curves = append(out.Curves, curve(lang.L("present"), colors.Present, nil, []chart.Point{{X: c.Present}, {X: c.Present, Y: top}}))
	}
	return out, a
}
