package bench

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

func addPoints(p *plot.Plot, lines []line) error {
	for _, l := range lines {
		points, err := plotter.NewScatter(l.points)
		if err != nil {
			return err
		}
		points.Color, points.Shape = plotutil.Color(l.colour), plotutil.Shape(l.colour)
		p.Add(points)
		p.Legend.Add(l.label(), points)
	}
	return nil
}

// cells collects the figures of the chart's rows by place, in the unit of the
// experiment and as if the whole input had been filtered, and the least of them.
func (c Chart) cells(x ExperimentReport) (g grid, least float64, where [2]float64) {
	g.values = map[[2]float64]float64{}
	least = math.Inf(1)
	for _, r := range x.Rows {
		v, ok := r.Result.Figures[c.Figure]
		if !ok || !strings.HasPrefix(r.Name, c.Only) {
			continue
		}
		v *= x.scale(c.Figure)
		if r.Result.Slices < r.Result.Of {
			v *= float64(r.Result.Of) / float64(r.Result.Slices)
		}
		at := [2]float64{r.X, r.Y}
		if g.values[at] = v; v < least {
			least, where = v, at
		}
		for axis := range at {
			if !slices.Contains(g.at[axis], at[axis]) {
				g.at[axis] = append(g.at[axis], at[axis])
				slices.Sort(g.at[axis])
			}
		}
	}
	return g, least, where
}

// heat draws the rows as a grid of cells, each with its figure over the least, and the
// darker the more that is, on a logarithmic scale. Places are equidistant; those
// without a row are left white.
func (c Chart) heat(p *plot.Plot, x ExperimentReport) error {
	g, least, where := c.cells(x)
	if len(g.at[0]) < 2 || len(g.at[1]) < 2 {
		return nil
	}
	labels := plotter.XYLabels{}
	most := 0.0
	for at, v := range g.values {
		g.values[at] = math.Log(v / least)
		most = max(most, g.values[at])
		labels.XYs = append(labels.XYs, plotter.XY{X: float64(slices.Index(g.at[0], at[0])), Y: float64(slices.Index(g.at[1], at[1]))})
		labels.Labels = append(labels.Labels, fmt.Sprintf("%.2f", v/least))
	}
	colours, err := brewer.GetPalette(brewer.TypeSequential, "YlOrRd", 7)
	if err != nil {
		return err
	}
	m := plotter.NewHeatMap(g, colours)
	m.NaN = color.White
	p.Add(m)
	marks, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i := range marks.TextStyle {
		marks.TextStyle[i].XAlign, marks.TextStyle[i].YAlign = text.XCenter, text.YCenter
		if at := labels.XYs[i]; g.Z(int(at.X), int(at.Y)) > 0.7*most {
			marks.TextStyle[i].Color = color.White // on a dark cell
		}
	}
	p.Add(marks)
	p.X.Tick.Marker, p.Y.Tick.Marker = g.ticks(0), g.ticks(1)
	p.Title.Text += fmt.Sprintf(": %s over the least, %s %s at %gx%g", figures[c.Figure].title, significant(least), x.unit(c.Figure), where[0], where[1])
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

// profiles draws a panel for what was filtered and one for each filter's result, as in
// the paper, all over the truth in grey. Rows of one label, on several engines, have
// one panel.
func (c Chart) profiles(x ExperimentReport) ([]byte, error) {
	var truth, before []float32
	type panel struct {
		name   string
		values []float32
	}
	var panels []panel
	for _, r := range x.Rows {
		label, _, _ := strings.Cut(r.Name, ", ")
		for _, p := range r.Result.Profiles {
			switch {
			case p.Name == "truth":
				truth = p.Values
			case p.Name == "before":
				before = p.Values
			case !slices.ContainsFunc(panels, func(other panel) bool { return other.name == label }):
				panels = append(panels, panel{label, p.Values})
			}
		}
	}
	if len(panels) == 0 {
		return nil, nil
	}
	panels = slices.Insert(panels, 0, panel{"before", before})
	plots := [][]*plot.Plot{nil}
	lo, hi := math.Inf(1), math.Inf(-1)
	for i, one := range panels {
		p := c.plot("")
		p.Title.Text, p.X.Label.Text, p.Y.Label.Text = one.name, "voxel along x", "value"
		for k, values := range [][]float32{truth, one.values} {
			if values == nil {
				continue
			}
			points := make(plotter.XYs, len(values))
			for j, v := range values {
				points[j] = plotter.XY{X: float64(j), Y: float64(v)}
			}
			curve, err := plotter.NewLine(points)
			if err != nil {
				return nil, err
			}
			curve.Color, curve.Width = color.Gray{170}, vg.Points(2)
			if k == 1 {
				curve.Color, curve.Width = plotutil.Color(i), vg.Points(1)
			}
			p.Add(curve)
		}
		lo, hi = min(lo, p.Y.Min), max(hi, p.Y.Max)
		plots[0] = append(plots[0], p)
	}
	for _, p := range plots[0] {
		p.Y.Min, p.Y.Max = lo, hi
	}
	canvas := vgimg.NewWith(vgimg.UseWH(vg.Length(len(panels))*4*vg.Inch, 3.2*vg.Inch), vgimg.UseDPI(chartDPI), vgimg.UseBackgroundColor(color.White))
	tiles := draw.Tiles{Rows: 1, Cols: len(panels), PadX: vg.Points(8), PadTop: vg.Points(4), PadBottom: vg.Points(4), PadLeft: vg.Points(4), PadRight: vg.Points(8)}
	for i, part := range plot.Align(plots, tiles, draw.New(canvas))[0] {
		plots[0][i].Draw(part)
	}
	return pngOf(canvas)
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
	width := vg.Points(min(14, 150/float64(len(here))))
	for i, values := range []plotter.Values{here, paper} {
		chart, err := plotter.NewBarChart(values, width)
		if err != nil {
			return err
		}
		chart.Color, chart.LineStyle.Width = plotutil.Color(i), 0
		chart.Offset = width * vg.Length(float64(i)-0.5)
		p.Add(chart)
		p.Legend.Add([]string{"here", "paper"}[i], chart)
	}
	p.NominalX(labels...)
	if len(labels) > 5 {
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/4, text.XRight, text.YCenter
	}
	p.X.Min, p.X.Max = -0.6, float64(len(labels))-0.4
	return nil
}
