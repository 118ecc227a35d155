// Package chart draws curves, bars and cells over two axes as pictures. It is the only package
// that imports gonum/plot: a caller describes its content, as a Chart, and gets a picture
// in the style that all charts share, on white paper or on the dark ground of the workbench.
//
// A chart has X to the right and Y upwards. Draw is safe for concurrent use.
package chart

import (
	"image/color"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// Chart is what one chart shows. Empty parts are left out.
type Chart struct {
	Title  string
	X, Y   Axis
	Curves []Curve
	Bars   []Bars // side by side, over X.Names
	Cells  []Cell // over X.Names and Y.Names
	Low    bool   // a legend inside the chart is at the bottom left, not at the top right
}

// Axis is the scale of one direction. Without marks and names it is marked at round numbers.
type Axis struct {
	Label    string
	Min, Max float64 // the range, if Min < Max; otherwise the range of the drawn values, along Y with some room
	Room     float64 // along Y, at least
	Zero     bool    // a range that is not given begins with 0, so that heights compare
	Log      bool
	Marks    []float64
	Names    []string // of 0, 1, 2, ...
}

// Curve is a line, marks at its points, or both.
type Curve struct {
	Name   string // in the legend; "" for none
	Points []Point
	Series int         // selects colour and mark, if Color is nil
	Color  color.Color // its marks are discs
	Fill   color.Color // below the line; nil for none
	Width  float64     // of the line in points; 0 for none
	Mark   float64     // radius of the marks in points; 0 for none
	Dashed bool
}

// Point is a point of a curve, in the units of the axes.
type Point struct{ X, Y float64 }

// Bars have one value over each name of the X axis.
type Bars struct {
	Name   string
	Values []float64
}

// Cell has the darker a colour, the larger its value. Cells without a value are left out.
type Cell struct {
	Column, Row int
	Value       float64
	Text        string
}

// Look is the style of charts.
type Look struct {
	Ground, Ink, Grid color.Color
	Size              float64             // of letters, in points
	Beside            bool                // the legend is right of the charts, so that it hides nothing
	Number            func(string) string // writes a number in the language of the user; nil for English
}

// Light is the style of reports. Colours are neutral but for the curves.
var Light = Look{Ground: color.White, Ink: color.Gray{0x22}, Grid: color.Gray{0xd0}, Size: 10, Beside: true}

// number writes a number with a true minus sign.
func (l Look) number(x float64) string {
	s := strings.Replace(strconv.FormatFloat(x, 'g', 6, 64), "-", "−", 1)
	if l.Number != nil {
		return l.Number(s)
	}
	return s
}

// set gives an axis its scale and its marks.
func (a Axis) set(to *plot.Axis, look Look) {
	to.Label.Text = a.Label
	to.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return ticks(round(lo, hi), look.number) })
	if a.Log {
		to.Scale = plot.LogScale{}
		to.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return logTicks(lo, hi, look.number) })
	}
	if a.Marks != nil {
		to.Tick.Marker = plot.ConstantTicks(ticks(a.Marks, look.number))
	}
	if a.Names != nil {
		names := make(plot.ConstantTicks, len(a.Names))
		for i, name := range a.Names {
			names[i] = plot.Tick{Value: float64(i), Label: name}
		}
		to.Tick.Marker = names
	}
}

// crowded reports whether the names do not fit side by side.
func (a Axis) crowded() bool { return utf8.RuneCountInString(strings.Join(a.Names, "  ")) > 70 }

// limit sets the range of an axis, to which the drawn values have given their own. upright is Y.
func (a Axis) limit(to *plot.Axis, upright bool) {
	switch {
	case a.Min < a.Max:
		to.Min, to.Max = a.Min, a.Max
	case !upright || a.Names != nil || to.Min > to.Max: // nothing is drawn
	case a.Log:
		to.Min, to.Max = to.Min/1.5, to.Max*1.5
	case a.Zero:
		to.Min, to.Max = 0, 1.08*to.Max
	default:
		room := max(0.05*(to.Max-to.Min), a.Room)
		to.Min, to.Max = to.Min-room, to.Max+room
	}
}

func ticks(values []float64, number func(float64) string) []plot.Tick {
	out := make([]plot.Tick, len(values))
	for i, x := range values {
		out[i] = plot.Tick{Value: x, Label: number(x)}
	}
	return out
}

// round returns about five round numbers of a range.
func round(lo, hi float64) (out []float64) {
	const wanted = 5
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/wanted)))
	for _, m := range []float64{2, 2.5, 2} { // 2, 5, 10 times
		if (hi-lo)/step > wanted*1.5 {
			step *= m
		}
	}
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		out = append(out, i*step+0) // and not -0
	}
	return out
}

// logTicks marks 1 to 9 in every decade. Labels are at the powers of ten, and at 2 and 5 too if
// there are fewer than three powers.
func logTicks(lo, hi float64, number func(float64) string) (out []plot.Tick) {
	few := hi/lo < 1000
	for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
		for i := 1; i <= 9; i++ {
			v := float64(i) * decade
			if v < lo*(1-1e-9) || v > hi*(1+1e-9) {
				continue
			}
			mark := plot.Tick{Value: v}
			if i == 1 || few && (i == 2 || i == 5) {
				mark.Label = number(v)
			}
			out = append(out, mark)
		}
	}
	return out
}

// xys are points as gonum/plot takes them.
func xys(points []Point) plotter.XYs {
	out := make(plotter.XYs, len(points))
	for i, p := range points {
		out[i] = plotter.XY(p)
	}
	return out
}
