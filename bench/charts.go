package bench

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"quell/report"
	"quell/report/chart"
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
	Only   string // rows with a label that begins with it; "" for all
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

// chartDPI is the resolution of charts, in pixels an inch.
const chartDPI = 110

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

// draw returns a PNG, or nil if no row has the figure.
func (c Chart) draw(x ExperimentReport) ([]byte, error) {
	kind := figures[c.Figure]
	shown := chart.Chart{Title: c.Title, X: chart.Axis{Label: c.XLabel}, Y: chart.Axis{Label: kind.title, Log: c.Log, Zero: kind.quantity != level || c.Kind == Bars, Room: 0.05}}
	if unit := x.unit(c.Figure); unit != "" {
		shown.Y.Label += " [" + unit + "]"
	}
	var all []chart.Chart
	width, height := 6.4, 4.2 // inches
	switch c.Kind {
	case Bars:
		all = c.bars(shown, x)
	case Heat:
		all = c.heat(shown, x)
	case Profiles:
		width, height = 4, 3.2
		all = profiles(x)
	default:
		all = c.curves(shown, x)
	}
	if all == nil {
		return nil, nil
	}
	m, _, _, err := chart.Draw(chart.Light, int(width*chartDPI), int(height*chartDPI), chartDPI, all...)
	if err != nil {
		return nil, err
	}
	return report.PNG(m, "")
}

// value returns a figure of a row in the unit of the experiment, and a time as if the whole input
// had been filtered; false if the chart does not show it.
func (c Chart) value(x ExperimentReport, r RowReport) (v float64, ok bool) {
	v, ok = r.Result.Figures[c.Figure]
	if figures[c.Figure].quantity == duration && r.Result.Slices < r.Result.Of {
		v *= float64(r.Result.Of) / float64(r.Result.Slices)
	}
	return v * x.scale(c.Figure), ok && strings.HasPrefix(r.Name, c.Only)
}

// scale returns what figures of a key are multiplied with to be in the unit of the
// experiment.
func (x ExperimentReport) scale(key string) float64 {
	if figures[key].quantity == duration && x.Unit == "ms" {
		return 1e3
	}
	return 1
}

// curves draws a curve for each series, and one of the same colour for the paper's figures
// of it. If rows stand next to the same figures of the paper, the figures of the last are
// drawn. Nothing is drawn if there are figures of the paper alone.
func (c Chart) curves(shown chart.Chart, x ExperimentReport) []chart.Chart {
	var all []chart.Curve
	var series []string
	add := func(r RowReport, paper string, v float64) {
		if !slices.Contains(series, r.Series) {
			series = append(series, r.Series)
		}
		name := paper + r.Series
		i := slices.IndexFunc(all, func(k chart.Curve) bool { return k.Name == name })
		if i < 0 {
			i = len(all)
			all = append(all, chart.Curve{Name: name, Series: slices.Index(series, r.Series), Dashed: paper != "", Width: 1.4, Mark: 2.5})
		}
		all[i].Points = append(all[i].Points, chart.Point{X: r.X, Y: v})
		if !slices.Contains(shown.X.Marks, r.X) {
			shown.X.Marks = append(shown.X.Marks, r.X)
		}
	}
	own := 0
	for _, r := range x.Rows {
		if v, ok := c.value(x, r); ok && (v > 0 || !c.Log) {
			add(r, "", v)
			own++
		}
		if v, ok := r.Paper[c.Figure]; ok && strings.HasPrefix(r.Name, c.Only) {
			add(r, "paper: ", v*x.scale(c.Figure))
		}
	}
	if own == 0 {
		return nil
	}
	for i, k := range all {
		if !k.Dashed || !slices.ContainsFunc(all[i+1:], func(later chart.Curve) bool { return later.Dashed && slices.Equal(later.Points, k.Points) }) {
			shown.Curves = append(shown.Curves, k)
		}
	}
	if c.Kind == Points {
		for i := range shown.Curves {
			shown.Curves[i].Width = 0
		}
		shown.X.Log, shown.X.Marks = true, powersOfTwo(slices.Max(shown.X.Marks))
	}
	return []chart.Chart{shown}
}

// powersOfTwo returns those from 1 to a largest one.
func powersOfTwo(largest float64) (powers []float64) {
	for x := 1.0; x <= largest; x *= 2 {
		powers = append(powers, x)
	}
	return powers
}

// bars draws a bar for each row, and next to it the paper's.
func (c Chart) bars(shown chart.Chart, x ExperimentReport) []chart.Chart {
	shown.Bars = []chart.Bars{{Name: "here"}, {Name: "paper"}}
	for _, r := range x.Rows {
		if v, ok := c.value(x, r); ok {
			shown.Bars[0].Values, shown.Bars[1].Values = append(shown.Bars[0].Values, v), append(shown.Bars[1].Values, r.Paper[c.Figure]*x.scale(c.Figure))
			shown.X.Names = append(shown.X.Names, r.Name)
		}
	}
	if shown.X.Names == nil {
		return nil
	}
	return []chart.Chart{shown}
}

// heat draws the rows as a grid of cells, each with its figure over the least, and the
// darker the more that is, on a logarithmic scale. Places are equidistant.
func (c Chart) heat(shown chart.Chart, x ExperimentReport) []chart.Chart {
	values := map[[2]float64]float64{}
	var at [2][]float64 // the places along both axes
	least, where := math.Inf(1), [2]float64{}
	for _, r := range x.Rows {
		v, ok := c.value(x, r)
		if !ok {
			continue
		}
		place := [2]float64{r.X, r.Y}
		if values[place] = v; v < least {
			least, where = v, place
		}
		for axis, p := range place {
			if i, found := slices.BinarySearch(at[axis], p); !found {
				at[axis] = slices.Insert(at[axis], i, p)
			}
		}
	}
	if len(at[0]) < 2 || len(at[1]) < 2 {
		return nil
	}
	for place, v := range values {
		shown.Cells = append(shown.Cells, chart.Cell{
			Column: slices.Index(at[0], place[0]), Row: slices.Index(at[1], place[1]), Value: math.Log(v / least), Text: fmt.Sprintf("%.2f", v/least),
		})
	}
	names := func(places []float64) (names []string) {
		for _, p := range places {
			names = append(names, strconv.FormatFloat(p, 'g', 4, 64))
		}
		return names
	}
	shown.X.Names, shown.Y = names(at[0]), chart.Axis{Label: c.YLabel, Names: names(at[1])}
	shown.Title += fmt.Sprintf(": %s over the least, %s %s at %gx%g", figures[c.Figure].title, significant(least), x.unit(c.Figure), where[0], where[1])
	return []chart.Chart{shown}
}

// profiles draws a panel for what was filtered and one for each filter's result, as in
// the paper, all over the truth in grey. Rows of one label, on several engines, have
// one panel.
func profiles(x ExperimentReport) (panels []chart.Chart) {
	var truth, before []chart.Point
	for _, r := range x.Rows {
		label, _, _ := strings.Cut(r.Name, ", ")
		for _, p := range r.Result.Profiles {
			points := make([]chart.Point, len(p.Values))
			for i, v := range p.Values {
				points[i] = chart.Point{X: float64(i), Y: float64(v)}
			}
			switch {
			case p.Name == truthPicture:
				truth = points
			case p.Name == beforePicture:
				before = points
			case !slices.ContainsFunc(panels, func(other chart.Chart) bool { return other.Title == label }):
				panels = append(panels, chart.Chart{Title: label, Curves: []chart.Curve{{Points: points}}})
			}
		}
	}
	if panels == nil {
		return nil
	}
	panels = slices.Insert(panels, 0, chart.Chart{Title: beforePicture, Curves: []chart.Curve{{Points: before}}})
	lo, hi := math.Inf(1), math.Inf(-1)
	for i := range panels {
		c := &panels[i]
		c.X.Label, c.Y.Label = "voxel along x", "value"
		c.Curves[0].Series, c.Curves[0].Width = i, 1
		c.Curves = slices.Insert(c.Curves, 0, chart.Curve{Points: truth, Color: color.Gray{170}, Width: 2})
		for _, p := range slices.Concat(truth, c.Curves[1].Points) {
			lo, hi = min(lo, p.Y), max(hi, p.Y)
		}
	}
	for i := range panels {
		panels[i].Y.Min, panels[i].Y.Max = lo, hi
	}
	return panels
}
