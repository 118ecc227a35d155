package plotpanel

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/measure"
	"quell/report/chart"
	"quell/ui/control"
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

// curveArea lies over the plot of a curve: a click takes the nearest point, and
// with the focus Left and Right take the neighbours of the present one.
type curveArea struct {
	widget.BaseWidget
	frame   *canvas.Rectangle // visible with the focus
	tapped  func(x float32)
	hovered func(x float32, in bool)
	stepped func(direction int)
}

var (
	_ fyne.Tappable      = (*curveArea)(nil)
	_ fyne.Focusable     = (*curveArea)(nil)
	_ desktop.Hoverable  = (*curveArea)(nil)
	_ desktop.Cursorable = (*curveArea)(nil)
	_ desktop.Keyable    = (*curveArea)(nil)
)

func newCurveArea() *curveArea {
	a := &curveArea{frame: canvas.NewRectangle(color.Transparent)}
	a.frame.StrokeWidth = 2
	a.ExtendBaseWidget(a)
	return a
}

// CreateRenderer implements fyne.Widget.
func (a *curveArea) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(a.frame) }

// Tapped implements fyne.Tappable.
func (a *curveArea) Tapped(e *fyne.PointEvent) { a.tapped(e.Position.X) }

// Cursor implements desktop.Cursorable.
func (a *curveArea) Cursor() desktop.Cursor { return desktop.PointerCursor }

// MouseIn implements desktop.Hoverable.
func (a *curveArea) MouseIn(e *desktop.MouseEvent) { a.hovered(e.Position.X, true) }

// MouseMoved implements desktop.Hoverable.
func (a *curveArea) MouseMoved(e *desktop.MouseEvent) { a.hovered(e.Position.X, true) }

// MouseOut implements desktop.Hoverable.
func (a *curveArea) MouseOut() { a.hovered(0, false) }

// FocusGained implements fyne.Focusable.
func (a *curveArea) FocusGained() {
	a.frame.StrokeColor = theme.Color(theme.ColorNameFocus)
	a.frame.Refresh()
}

// FocusLost implements fyne.Focusable.
func (a *curveArea) FocusLost() {
	a.frame.StrokeColor = color.Transparent
	a.frame.Refresh()
}

// TypedRune implements fyne.Focusable.
func (a *curveArea) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (a *curveArea) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyLeft:
		a.stepped(-1)
	case fyne.KeyRight:
		a.stepped(1)
	default:
		control.PassTyped(a, e)
	}
}

// KeyDown implements desktop.Keyable.
func (a *curveArea) KeyDown(e *fyne.KeyEvent) { control.PassHeld(a, e, true) }

// KeyUp implements desktop.Keyable.
func (a *curveArea) KeyUp(e *fyne.KeyEvent) { control.PassHeld(a, e, false) }

// Marked is what plots take from the marks on the slice.
type Marked struct {
	Line       *measure.Outline // that is profiled, in place of the row under the pointer; nil for none
	LineName   string
	LineNote   string           // the values along it
	Region     *measure.Outline // the region of the voxels that the histogram counts, in place of the slice's; nil for none
	RegionName string
	Rectangles []measure.Outline // all that lie on the slice, if Region is one of them
	Sigma      float64           // of the noise; 0 if it is not known
}

// in follows the label of an axis.
func (m Marked) in() string {
	if m.Region == nil {
		return ""
	}
	return fmt.Sprintf(lang.L(", in %s"), m.RegionName)
}

func (m Marked) equal(o Marked) bool {
	return m.LineName == o.LineName && m.LineNote == o.LineNote && m.RegionName == o.RegionName && m.Sigma == o.Sigma &&
		sameOutline(m.Line, o.Line) && sameOutline(m.Region, o.Region) &&
		slices.EqualFunc(m.Rectangles, o.Rectangles, func(a, b measure.Outline) bool { return sameOutline(&a, &b) })
}

func sameOutline(a, b *measure.Outline) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Shape == b.Shape && slices.Equal(a.Points, b.Points)
}
