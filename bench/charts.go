package bench

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Chart draws a figure of an experiment's rows, in the form that the paper has.
type Chart struct {
	File   string // name without ending
	Title  string
	Kind   ChartKind
	Figure string // key of the values
	XLabel string // what Row.X is
	YLabel string // Heat: what Row.Y is
	Log    bool   // Lines: logarithmic values
	Only   string // rows whose label begins with it; "" for all
}

// ChartKind is a form of chart.
type ChartKind int

// The kinds of charts.
const (
	Lines    ChartKind = iota // a line for each series over Row.X, the paper's dashed
	Bars                      // a bar for each row
	Profiles                  // the rows of pixels of Row.Profile
	Points                    // a mark for each row over Row.X
	Heat                      // a colour for each row at Row.X and Row.Y
)

// chartPicture is a chart as a PNG.
type chartPicture struct {
	File string
	Picture
}

// line is one curve of a chart.
type line struct {
	name   string
	points plotter.XYs
	paper  bool // it is the paper's, dashed
	colour int
}

const (
	chartWidth  = 6.4 * vg.Inch // without the legend
	chartHeight = 4.2 * vg.Inch
	chartDPI    = 110
)

// drawCharts draws the charts that have something to show.
func drawCharts(charts []Chart, x ExperimentReport) []chartPicture {
	var pictures []chartPicture
	for _, c := range charts {
		if data, err := c.draw(x); err == nil && data != nil {
			pictures = append(pictures, chartPicture{c.File, Picture{Title: c.Title, PNG: data}})
		}
	}
	return pictures
}

// draw returns a PNG, or nil where no row has the figure.
func (c Chart) draw(x ExperimentReport) (data []byte, err error) {
	// gonum/plot panics on data that it cannot draw.
	defer func() {
		if problem := recover(); problem != nil {
			data, err = nil, fmt.Errorf("plot: %v", problem)
		}
	}()
	if c.Kind == Profiles {
		return c.profiles(x)
	}
	p := c.plot(x.unit(c.Figure))
	switch c.Kind {
	case Bars:
		err = c.bars(p, x)
	case Heat:
		p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
		err = c.heat(p, x)
	case Points:
		lines := c.lines(x)
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, powersOfTwo(lines)
		err = addPoints(p, lines)
	default:
		lines := c.lines(x)
		p.X.Tick.Marker = ticks(lines)
		err = addLines(p, lines)
	}
	if err != nil || p.X.Min > p.X.Max {
		return nil, err
	}
	c.room(p)
	return paint(p)
}

// plot returns an empty plot with titles.
func (c Chart) plot(unit string) *plot.Plot {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = c.Title, c.XLabel, figures[c.Figure].title
	p.Title.Padding = vg.Points(6)
	if unit != "" {
		p.Y.Label.Text += " [" + unit + "]"
	}
	if c.Log {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(logTicks)
	}
	if c.Kind != Heat {
		p.Add(plotter.NewGrid())
	}
	return p
}

// room gives the values some room, and times and speedups a scale that begins with 0
// where it is not logarithmic, so that heights compare.
func (c Chart) room(p *plot.Plot) {
	switch {
	case c.Kind == Heat:
	case c.Log:
		p.Y.Min, p.Y.Max = p.Y.Min/1.5, p.Y.Max*1.5
	case figures[c.Figure].kind == level && c.Kind != Bars:
		room := max(0.05*(p.Y.Max-p.Y.Min), 0.05)
		p.Y.Min, p.Y.Max = p.Y.Min-room, p.Y.Max+room
	default:
		p.Y.Min, p.Y.Max = 0, 1.08*p.Y.Max
	}
}

// paint draws a plot with its legend at its right, where it hides nothing.
func paint(p *plot.Plot) ([]byte, error) {
	legend := p.Legend
	p.Legend = plot.NewLegend()
	legend.Top, legend.Left, legend.YOffs, legend.Padding = true, true, -vg.Points(24), vg.Points(4)
	size := legend.Rectangle(draw.NewCanvas(vgimg.New(chartWidth, chartHeight), chartWidth, chartHeight)).Size()
	width := vg.Length(0)
	if size.X > 0 {
		width = size.X + vg.Points(16)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(chartWidth+width, chartHeight), vgimg.UseDPI(chartDPI), vgimg.UseBackgroundColor(color.White))
	whole := draw.New(canvas)
	p.Draw(draw.Crop(whole, vg.Points(4), -width-vg.Points(8), vg.Points(4), -vg.Points(4)))
	legend.Draw(draw.Crop(whole, chartWidth, 0, 0, 0))
	return pngOf(canvas)
}

func pngOf(canvas *vgimg.Canvas) ([]byte, error) {
	var file bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: canvas}.WriteTo(&file)
	return file.Bytes(), err
}

// lines collects a line for each series, and one of the same colour for the paper's
// figures of it. Of rows that stand beside the same figures of the paper, those of the
// last are drawn. Nothing is drawn where there are figures of the paper alone.
func (c Chart) lines(x ExperimentReport) []line {
	var all []line
	own := 0
	add := func(series string, paper bool, at, v float64) {
		for i := range all {
			if l := &all[i]; l.name == series && l.paper == paper {
				l.points = append(l.points, plotter.XY{X: at, Y: v})
				return
			}
		}
		all = append(all, line{name: series, points: plotter.XYs{{X: at, Y: v}}, paper: paper})
	}
	scale := x.scale(c.Figure)
	for _, r := range x.Rows {
		if !strings.HasPrefix(r.Name, c.Only) {
			continue
		}
		if v, ok := r.Result.Figures[c.Figure]; ok && (v > 0 || !c.Log) {
			if figures[c.Figure].kind == duration && r.Result.Slices < r.Result.Of {
				v *= float64(r.Result.Of) / float64(r.Result.Slices) // as if the whole input had been filtered
			}
			add(r.Series, false, r.X, scale*v)
			own++
		}
		if v, ok := r.Paper[c.Figure]; ok {
			add(r.Series, true, r.X, scale*v)
		}
	}
	if own == 0 {
		return nil
	}
	colours := map[string]int{}
	for i := range all {
		if _, ok := colours[all[i].name]; !ok {
			colours[all[i].name] = len(colours)
		}
		all[i].colour = colours[all[i].name]
	}
	drawn := all[:0:0]
	for i, l := range all {
		if !l.paper || !slices.ContainsFunc(all[i+1:], func(later line) bool { return later.paper && slices.Equal(later.points, l.points) }) {
			drawn = append(drawn, l)
		}
	}
	return drawn
}

// scale returns what figures of a key are multiplied with to be in the unit of the
// experiment.
func (x ExperimentReport) scale(key string) float64 {
	if figures[key].kind == duration && x.Unit == "ms" {
		return 1e3
	}
	return 1
}

// label returns the name of a line in the legend.
func (l line) label() string {
	if l.paper {
		return "paper: " + l.name
	}
	return l.name
}

// ticks marks the places where there are points.
func ticks(lines []line) plot.ConstantTicks {
	var marks plot.ConstantTicks
	for _, l := range lines {
		for _, p := range l.points {
			if !slices.ContainsFunc(marks, func(t plot.Tick) bool { return t.Value == p.X }) {
				marks = append(marks, plot.Tick{Value: p.X, Label: strconv.FormatFloat(p.X, 'g', 4, 64)})
			}
		}
	}
	return marks
}

// logTicks marks 1 to 9 in every decade. Labels are at the powers of ten, and at 2 and 5
// too where there are fewer than three powers.
func logTicks(lo, hi float64) []plot.Tick {
	few := hi/lo < 1000
	var marks []plot.Tick
	for decade := math.Pow(10, math.Floor(math.Log10(lo))); decade <= hi; decade *= 10 {
		for i := 1; i <= 9; i++ {
			v := float64(i) * decade
			if v < lo || v > hi {
				continue
			}
			mark := plot.Tick{Value: v}
			if i == 1 || few && (i == 2 || i == 5) {
				mark.Label = strconv.FormatFloat(v, 'g', 6, 64)
			}
			marks = append(marks, mark)
		}
	}
	return marks
}

// powersOfTwo marks those from 1 to the largest place.
func powersOfTwo(lines []line) plot.ConstantTicks {
	largest := 1.0
	for _, l := range lines {
		for _, p := range l.points {
			largest = max(largest, p.X)
		}
	}
	var marks plot.ConstantTicks
	for x := 1.0; x <= largest; x *= 2 {
		marks = append(marks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 4, 64)})
	}
	return marks
}

func addLines(p *plot.Plot, lines []line) error {
	for _, l := range lines {
		curve, points, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return err
		}
		curve.Color, points.Color = plotutil.Color(l.colour), plotutil.Color(l.colour)
		curve.Width, points.Shape = vg.Points(1.4), plotutil.Shape(l.colour)
		if l.paper {
			curve.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(curve, points)
		p.Legend.Add(l.label(), curve, points)
	}
	return nil
}
