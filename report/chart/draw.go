package chart

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/plotutil"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Draw draws charts side by side with their axes aligned, each width x height pixels at dpi pixels
// an inch. A legend next to the charts, the last one's, makes the picture wider. left and right
// are the ends of the first chart's X axis in pixels.
func Draw(look Look, width, height, dpi int, charts ...Chart) (m *image.RGBA, left, right float64, err error) {
	defer func() { // gonum/plot panics on data that it cannot draw
		if problem := recover(); problem != nil {
			m, err = nil, fmt.Errorf("plot: %v", problem)
		}
	}()
	plots := make([]*plot.Plot, len(charts))
	legend := plot.NewLegend()
	for i, c := range charts {
		if plots[i], err = c.plot(look); err != nil {
			return nil, 0, 0, err
		}
		if look.Beside { // one for all charts, which no chart draws itself
			if c.named() {
				legend = plots[i].Legend
			}
			plots[i].Legend = plot.NewLegend()
		}
	}
	pixel := vg.Inch / vg.Length(dpi)
	w, h := pixel*vg.Length(width*len(charts)), pixel*vg.Length(height)
	beside := vg.Length(0)
	if size := legend.Rectangle(draw.NewCanvas(vgimg.New(w, h), w, h)).Size(); size.X > 0 {
		beside = size.X + vg.Points(16)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(w+beside, h), vgimg.UseDPI(dpi), vgimg.UseBackgroundColor(look.Ground))
	whole := draw.New(canvas)
	tiles := draw.Tiles{Rows: 1, Cols: len(charts), PadX: 8, PadLeft: 4, PadRight: 10, PadTop: 6, PadBottom: 4}
	for i, area := range plot.Align([][]*plot.Plot{plots}, tiles, draw.Crop(whole, 0, -beside, 0, 0))[0] {
		plots[i].Draw(area)
		if i == 0 {
			data := plots[i].DataCanvas(area)
			left, right = float64(data.Min.X/pixel), float64(data.Max.X/pixel)
		}
	}
	legend.Draw(draw.Crop(whole, w, 0, 0, 0))
	return canvas.Image().(*image.RGBA), left, right, nil
}

// plot returns a chart as gonum/plot knows it.
func (c Chart) plot(look Look) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = look.Ground
	p.Title.Text, p.Title.Padding = c.Title, vg.Points(6)
	letters := []*text.Style{&p.Title.TextStyle, &p.Legend.TextStyle}
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Tick.Color, a.Padding = look.Ink, look.Ink, 2
		letters = append(letters, &a.Label.TextStyle, &a.Tick.Label)
	}
	for _, s := range letters {
		s.Color, s.Font.Size, s.Font.Variant = look.Ink, vg.Points(look.Size), "Sans"
	}
	p.Title.TextStyle.Font.Size *= 1.2
	p.Legend.Top, p.Legend.Left = !c.Low || look.Beside, c.Low || look.Beside
	p.Legend.ThumbnailWidth, p.Legend.Padding = 16, 2
	if look.Beside {
		p.Legend.YOffs, p.Legend.Padding = -vg.Points(24), 4
	}
	c.X.set(&p.X, look)
	c.Y.set(&p.Y, look)
	if c.X.crowded() {
		p.X.Tick.Length = 0
		p.X.Tick.Label.Rotation, p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = math.Pi/4, text.XRight, text.YTop
	}
	if c.Cells == nil {
		grid := plotter.NewGrid()
		grid.Horizontal.Color, grid.Vertical.Color = look.Grid, look.Grid
		p.Add(grid)
	}
	for _, add := range []func(*plot.Plot) error{c.addCurves, c.addBars, c.addCells} {
		if err := add(p); err != nil {
			return nil, err
		}
	}
	c.X.limit(&p.X, false)
	c.Y.limit(&p.Y, true)
	return p, nil
}

// named reports whether the chart has entries in a legend.
func (c Chart) named() bool {
	return len(c.Bars) > 0 || slices.ContainsFunc(c.Curves, func(k Curve) bool { return k.Name != "" })
}

func (c Chart) addCurves(p *plot.Plot) error {
	for _, k := range c.Curves {
		shape := draw.GlyphDrawer(draw.CircleGlyph{})
		if k.Color == nil {
			k.Color, shape = plotutil.Color(k.Series), plotutil.Shape(k.Series)
		}
		var thumbs []plot.Thumbnailer
		if k.Width > 0 && len(k.Points) > 1 {
			line, err := plotter.NewLine(xys(k.Points))
			if err != nil {
				return err
			}
			line.Color, line.FillColor, line.Width = k.Color, k.Fill, vg.Points(k.Width)
			if k.Dashed {
				line.Dashes = []vg.Length{4, 3}
			}
			p.Add(line)
			thumbs = append(thumbs, line)
		}
		if k.Mark > 0 {
			marks, err := plotter.NewScatter(xys(k.Points))
			if err != nil {
				return err
			}
			marks.Color, marks.Radius, marks.Shape = k.Color, vg.Points(k.Mark), shape
			p.Add(marks)
			thumbs = append(thumbs, marks)
		}
		if k.Name != "" && thumbs != nil {
			p.Legend.Add(k.Name, thumbs...)
		}
	}
	return nil
}

func (c Chart) addBars(p *plot.Plot) error {
	for i, b := range c.Bars {
		width := vg.Points(min(14, 300/float64(len(b.Values)*len(c.Bars))))
		bars, err := plotter.NewBarChart(plotter.Values(b.Values), width)
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = plotutil.Color(i), 0
		bars.Offset = width * vg.Length(float64(i)-float64(len(c.Bars)-1)/2)
		p.Add(bars)
		p.Legend.Add(b.Name, bars)
		p.X.Min, p.X.Max = -0.6, float64(len(b.Values))-0.4
	}
	return nil
}

// grid is a plotter.GridXYZ; NaN is no cell.
type grid struct {
	columns, rows int
	values        []float64
}

func (g grid) Dims() (c, r int)   { return g.columns, g.rows }
func (g grid) X(c int) float64    { return float64(c) }
func (g grid) Y(r int) float64    { return float64(r) }
func (g grid) Z(c, r int) float64 { return g.values[r*g.columns+c] }

func (c Chart) addCells(p *plot.Plot) error {
	if c.Cells == nil {
		return nil
	}
	g := grid{len(c.X.Names), len(c.Y.Names), make([]float64, len(c.X.Names)*len(c.Y.Names))}
	for i := range g.values {
		g.values[i] = math.NaN()
	}
	labels := plotter.XYLabels{}
	least, most := math.Inf(1), math.Inf(-1)
	for _, one := range c.Cells {
		g.values[one.Row*g.columns+one.Column] = one.Value
		least, most = min(least, one.Value), max(most, one.Value)
		labels.XYs = append(labels.XYs, plotter.XY{X: float64(one.Column), Y: float64(one.Row)})
		labels.Labels = append(labels.Labels, one.Text)
	}
	colours, err := brewer.GetPalette(brewer.TypeSequential, "YlOrRd", 7)
	if err != nil {
		return err
	}
	m := plotter.NewHeatMap(g, colours)
	m.NaN = color.Transparent
	marks, err := plotter.NewLabels(labels)
	if err != nil {
		return err
	}
	for i, one := range c.Cells {
		style := &marks.TextStyle[i]
		style.XAlign, style.YAlign, style.Font.Variant = text.XCenter, text.YCenter, "Sans"
		if one.Value > least+0.7*(most-least) {
			style.Color = color.White // on a dark cell
		}
	}
	p.Add(m, marks)
	return nil
}
