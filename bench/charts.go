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
	"gonum.org/v1/plot/palette/moreland"
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
	dashed bool
}

const (
	chartWidth  = 6.4 * vg.Inch
	chartHeight = 4.2 * vg.Inch
	chartDPI    = 110
)

// drawCharts draws the charts that have something to show.
func drawCharts(charts []Chart, x ExperimentReport) []chartPicture {
	var pictures []chartPicture
	for _, c := range charts {
		if data, err := c.draw(x); err == nil && data != nil {
			pictures = append(pictures, chartPicture{c.File, Picture{c.Title, data}})
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
	p := plot.New()
	p.Title.Text, p.X.Label.Text = c.Title, c.XLabel
	p.Y.Label.Text = figures[c.Figure].title
	if unit := x.unit(c.Figure); unit != "" {
		p.Y.Label.Text += " [" + unit + "]"
	}
	p.Legend.Top, p.Legend.Left = true, c.Kind == Lines
	p.Legend.XOffs = vg.Points(8)
	if !p.Legend.Left {
		p.Legend.XOffs = -p.Legend.XOffs
	}
	p.Add(plotter.NewGrid())
	switch c.Kind {
	case Bars:
		err = c.bars(p, x)
	case Heat:
		p.X.Label.Text, p.Y.Label.Text = c.XLabel, c.YLabel
		err = c.heat(p, x)
	case Points:
		err = addPoints(p, c.lines(x))
	case Profiles:
		p.X.Label.Text, p.Y.Label.Text = "voxel", "value"
		err = addLines(p, profiles(x), false)
	default:
		if c.Log {
			p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
		}
		lines := c.lines(x)
		p.X.Tick.Marker = ticks(lines)
		err = addLines(p, lines, true)
	}
	if err != nil || p.X.Min > p.X.Max {
		return nil, err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(chartWidth, chartHeight), vgimg.UseDPI(chartDPI), vgimg.UseBackgroundColor(color.White))
	p.Draw(draw.New(canvas))
	var file bytes.Buffer
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(&file)
	return file.Bytes(), err
}

// lines collects a line for each series, and one for the paper's figures of it.
func (c Chart) lines(x ExperimentReport) []line {
	var all []line
	add := func(name string, dashed bool, at, v float64) {
		for i := range all {
			if all[i].name == name {
				all[i].points = append(all[i].points, plotter.XY{X: at, Y: v})
				return
			}
		}
		all = append(all, line{name, plotter.XYs{{X: at, Y: v}}, dashed})
	}
	scale := 1.0
	if figures[c.Figure].kind == duration && x.Unit == "ms" {
		scale = 1e3
	}
	for _, r := range x.Rows {
		if !strings.HasPrefix(r.Name, c.Only) {
			continue
		}
		if v, ok := r.Result.Figures[c.Figure]; ok && (v > 0 || !c.Log) {
			if figures[c.Figure].kind == duration && r.Result.Slices < r.Result.Of {
				v *= float64(r.Result.Of) / float64(r.Result.Slices) // as if the whole input had been filtered
			}
			add(r.Series, false, r.X, scale*v)
		}
		if v, ok := r.Paper[c.Figure]; ok {
			add("paper, "+r.Series, true, r.X, scale*v)
		}
	}
	return all
}

// profiles collects what was filtered and what each row of the CPU, or the only
// engine, made of it.
func profiles(x ExperimentReport) []line {
	var all []line
	for _, r := range x.Rows {
		for _, p := range r.Result.Profiles {
			name := p.Name
			if name == "after" {
				name = r.Name
			} else if len(all) > 0 && has(names(all), name) {
				continue
			}
			points := make(plotter.XYs, len(p.Values))
			for i, v := range p.Values {
				points[i] = plotter.XY{X: float64(i), Y: float64(v)}
			}
			all = append(all, line{name, points, name == "before"})
		}
	}
	return all
}

func names(lines []line) map[string]float64 {
	m := map[string]float64{}
	for _, l := range lines {
		m[l.name] = 0
	}
	return m
}

func addPoints(p *plot.Plot, lines []line) error {
	for i, l := range lines {
		points, err := plotter.NewScatter(l.points)
		if err != nil {
			return err
		}
		points.Color, points.Shape = plotutil.Color(i), plotutil.Shape(i)
		p.Add(points)
		p.Legend.Add(l.name, points)
	}
	return nil
}

// heat draws the rows as a grid of colours, the fastest blue. Places are equidistant;
// those without a row are left white.
func (c Chart) heat(p *plot.Plot, x ExperimentReport) error {
	g := grid{values: map[[2]float64]float64{}}
	for _, r := range x.Rows {
		v, ok := r.Result.Figures[c.Figure]
		if !ok || !strings.HasPrefix(r.Name, c.Only) {
			continue
		}
		if figures[c.Figure].kind == duration && x.Unit == "ms" {
			v *= 1e3
		}
		g.values[[2]float64{r.X, r.Y}] = v
		for axis, at := range []float64{r.X, r.Y} {
			if !slices.Contains(g.at[axis], at) {
				g.at[axis] = append(g.at[axis], at)
				slices.Sort(g.at[axis])
			}
		}
	}
	if len(g.at[0]) < 2 || len(g.at[1]) < 2 {
		return nil
	}
	m := plotter.NewHeatMap(g, moreland.SmoothBlueRed().Palette(64))
	m.NaN = color.White
	p.Add(m)
	p.X.Tick.Marker, p.Y.Tick.Marker = g.ticks(0), g.ticks(1)
	p.Title.Text += fmt.Sprintf(": %s %s (blue) to %s (red)", significant(m.Min), x.unit(c.Figure), significant(m.Max))
	return nil
}

// grid is a plotter.GridXYZ over the places at which there are rows.
type grid struct {
	at     [2][]float64
	values map[[2]float64]float64
}

func (g grid) Dims() (c, r int) { return len(g.at[0]), len(g.at[1]) }
func (g grid) X(c int) float64  { return float64(c) }
func (g grid) Y(r int) float64  { return float64(r) }
func (g grid) Z(c, r int) float64 {
	if v, ok := g.values[[2]float64{g.at[0][c], g.at[1][r]}]; ok {
		return v
	}
	return math.NaN()
}

func (g grid) ticks(axis int) plot.ConstantTicks {
	var marks plot.ConstantTicks
	for i, v := range g.at[axis] {
		marks = append(marks, plot.Tick{Value: float64(i), Label: strconv.FormatFloat(v, 'g', 4, 64)})
	}
	return marks
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

func addLines(p *plot.Plot, lines []line, marks bool) error {
	for i, l := range lines {
		curve, points, err := plotter.NewLinePoints(l.points)
		if err != nil {
			return err
		}
		curve.Color, points.Color = plotutil.Color(i), plotutil.Color(i)
		points.Shape = plotutil.Shape(i)
		if l.dashed {
			curve.Dashes = []vg.Length{vg.Points(4), vg.Points(3)}
		}
		p.Add(curve)
		if marks {
			p.Add(points)
			p.Legend.Add(l.name, curve, points)
		} else {
			p.Legend.Add(l.name, curve)
		}
	}
	return nil
}

// bars draws a bar for each row, and beside it the paper's.
func (c Chart) bars(p *plot.Plot, x ExperimentReport) error {
	var here, paper plotter.Values
	var labels []string
	for _, r := range x.Rows {
		if v, ok := r.Result.Figures[c.Figure]; ok {
			here, paper, labels = append(here, v), append(paper, r.Paper[c.Figure]), append(labels, r.Name)
		}
	}
	if len(here) == 0 {
		return nil
	}
	const width = 14
	for i, values := range []plotter.Values{here, paper} {
		chart, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return err
		}
		chart.Color, chart.LineStyle.Width = plotutil.Color(i), 0
		chart.Offset = vg.Points(width * (float64(i) - 0.5))
		p.Add(chart)
		p.Legend.Add([]string{"here", "paper"}[i], chart)
	}
	p.NominalX(labels...)
	p.X.Min, p.X.Max, p.Y.Max = -0.6, float64(len(labels))-0.4, 1.2*p.Y.Max // room for the legend
	return nil
}
