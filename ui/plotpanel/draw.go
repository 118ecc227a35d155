package plotpanel

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"fyne.io/fyne/v2/lang"

	"quell/measure"
	"quell/ui/language"
	"quell/ui/viewer"
	"quell/volume"
)

// Kind selects the plot.
type Kind int

// The kinds of plots.
const (
	Histogram Kind = iota // of the slice inside the grey-scale window, of an ROI, or of the residual
	Profile               // along a line, or along the row under the pointer over the range of the window
	Strength              // the estimated error over the filter's strength
	Spectrum              // the noise power spectrum or the MTF of an ROI
)

// Request describes one plot.
type Request struct {
	Kind          Kind
	Picture       *viewer.Picture
	Curve         *Curve // of the strength
	Focus         [3]int // the voxel whose row is profiled, where there is no line
	Marked        Marked
	Log           bool // the axis of the counts is logarithmic
	Residual      bool // the histogram is that of the residual
	All           bool // the noise power spectrum is that of all rectangles on the slice
	Window        volume.Window
	Width, Height int     // device pixels
	Scale         float64 // device pixels per screen unit
}

// The plot's colours: neutral but for the two curves, which differ in lightness and
// in hues that readers with a red-green deficiency can distinguish.
var (
	ground     = color.NRGBA{R: 0x1b, G: 0x1b, B: 0x1b, A: 0xff}
	ink        = color.NRGBA{R: 0xc0, G: 0xc0, B: 0xc0, A: 0xff}
	gridColor  = color.NRGBA{R: 0x34, G: 0x34, B: 0x34, A: 0xff}
	beforeLine = color.NRGBA{R: 0x9a, G: 0x9a, B: 0x9a, A: 0xff}
	beforeFill = color.NRGBA{R: 0x9a, G: 0x9a, B: 0x9a, A: 0x40}
	afterLine  = color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0xff}
)

const (
	screenDPI = 96
	maxBins   = 160
	fontSize  = 9 // points: 12 screen units
)

// Draw renders a plot at exactly the requested size; nil where there is nothing to
// plot, or the size is too small for axes. It is safe for concurrent use. x is where
// the curve of the strength lies, words what a spectrum says.
func Draw(r Request) (img *image.RGBA, x axis, words string, err error) {
	missing := r.Picture == nil || r.empty()
	if r.Kind == Strength {
		missing = r.Curve == nil || len(r.Curve.X) == 0
	}
	if missing || r.Width < 80 || r.Height < 60 {
		return nil, x, words, nil
	}
	// gonum/plot panics on data that it cannot draw.
	defer func() {
		if problem := recover(); problem != nil {
			img, err = nil, fmt.Errorf("plot: %v", problem)
		}
	}()
	p := newPlot()
	switch r.Kind {
	case Profile:
		err = addProfiles(p, r)
	case Strength:
		x, err = addCurve(p, r.Curve)
	case Spectrum:
		var drawn bool
		if words, drawn, err = addSpectrum(p, r); !drawn {
			return nil, x, words, err
		}
	default:
		err = addHistograms(p, r)
	}
	if err != nil {
		return nil, x, words, err
	}
	dpi := int(math.Round(screenDPI * max(r.Scale, 0.5)))
	length := func(pixels int) vg.Length { return vg.Length(pixels) / vg.Length(dpi) * vg.Inch }
	c := vgimg.NewWith(
		vgimg.UseWH(length(r.Width), length(r.Height)),
		vgimg.UseDPI(dpi),
		vgimg.UseBackgroundColor(ground),
	)
	area := vgdraw.Crop(vgdraw.New(c), 4, -10, 4, -6)
	p.Draw(area)
	pixel := func(l vg.Length) float64 { return float64(l / vg.Inch * vg.Length(dpi)) }
	data := p.DataCanvas(area)
	x.from, x.to = pixel(data.Min.X), pixel(data.Max.X)
	return rgba(c.Image()), x, words, nil
}

func rgba(img draw.Image) *image.RGBA {
	if img, ok := img.(*image.RGBA); ok {
		return img
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}

func newPlot() *plot.Plot {
	p := plot.New()
	p.BackgroundColor = ground
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Color, a.Label.TextStyle.Color = ink, ink
		a.Tick.Color, a.Tick.Label.Color = ink, ink
		a.Tick.Label.Font.Size, a.Label.TextStyle.Font.Size = fontSize, fontSize
		a.Tick.Label.Font.Variant, a.Label.TextStyle.Font.Variant = "Sans", "Sans"
		a.Padding = 2
		a.Tick.Marker = ticks{}
	}
	p.Legend.TextStyle.Color = ink
	p.Legend.TextStyle.Font.Size = fontSize
	p.Legend.TextStyle.Font.Variant = "Sans"
	p.Legend.Top = true
	p.Legend.ThumbnailWidth = 16
	p.Legend.Padding = 2
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = gridColor, gridColor
	p.Add(grid)
	return p
}

func addHistograms(p *plot.Plot, r Request) error {
	if r.Residual {
		return addResidual(p, r)
	}
	before := r.pick(r.Picture.Before)
	lo, hi := r.Window.Ends()
	if r.Marked.Region != nil {
		if s := measure.StatsOf(before); s.N > 0 {
			lo, hi = float64(s.Min), float64(s.Max)
		}
	}
	lo, hi = lo-(hi-lo)/10, hi+(hi-lo)/10
	lo, hi, n := edges(lo, hi, before)
	add := func(values []float32, line, fill color.Color, name string) error {
		return r.addCounts(p, r.pick(values), lo, hi, n, line, fill, name)
	}
	p.X.Label.Text = unitText(r.Picture.Source.Unit) + r.Marked.in()
	r.countAxis(p)
	p.X.Min, p.X.Max = lo, hi
	if err := add(r.Picture.Before, beforeLine, beforeFill, lang.L(r.Picture.FirstName())); err != nil {
		return err
	}
	if r.Picture.After == nil {
		return nil
	}
	return add(r.Picture.After, afterLine, nil, lang.L("denoised"))
}

// empty says whether there is no voxel to count: of a slice of padding, or in an ROI
// outside the picture. A line needs none.
func (r Request) empty() bool {
	if r.Kind == Profile {
		return r.Picture.Mask != nil && !slices.Contains(r.Picture.Mask, true)
	}
	return r.Kind != Strength && len(r.pick(r.Picture.Before)) == 0
}

// pick returns the values of the region, or of the slice.
func (r Request) pick(values []float32) []float32 {
	var pixels []int
	if r.Marked.Region != nil {
		size := r.Picture.View.Size
		pixels = r.Marked.Region.Pixels(size[0], size[1])
		if pixels == nil {
			return nil
		}
	}
	return measure.Pick(values, r.Picture.Mask, pixels)
}

// leastCount stands for an empty bin on a logarithmic axis.
const leastCount = 0.5

// countAxis sets up the axis of the counts.
func (r Request) countAxis(p *plot.Plot) {
	p.Y.Label.Text = lang.L("pixels")
	p.Y.Min, p.Y.Max = 0, 1 // or the largest count
	if r.Log {
		p.Y.Min = leastCount
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, powers{}
	}
}

// addCounts adds the histogram of values in n bins.
func (r Request) addCounts(p *plot.Plot, values []float32, lo, hi float64, n int, line, fill color.Color, name string) error {
	h, err := measure.HistogramOf(values, lo, hi, n)
	if err != nil {
		return err
	}
	width := (h.Hi - h.Lo) / float64(len(h.Counts))
	xys := make(plotter.XYs, len(h.Counts))
	for i, n := range h.Counts {
		xys[i] = plotter.XY{X: h.Lo + (float64(i)+0.5)*width, Y: float64(n)}
		if r.Log {
			xys[i].Y = max(xys[i].Y, leastCount)
		}
	}
	return addLine(p, xys, line, fill, name)
}

// residualReach is how far the histogram of the residual goes, in sigmas.
const residualReach = 5

// addResidual plots what was removed, and the Gaussian of the noise's sigma that it would
// be where it is noise alone.
func addResidual(p *plot.Plot, r Request) error {
	values := r.pick(r.Picture.Residual)
	s := measure.StatsOf(values)
	reach := residualReach * r.Marked.Sigma
	if !(reach > 0) {
		reach = 1
		if s.N > 0 {
			reach = max(math.Abs(float64(s.Min)), math.Abs(float64(s.Max)), 1e-9)
		}
	}
	p.X.Label.Text = fmt.Sprintf(lang.L("%s removed"), unitText(r.Picture.Source.Unit)) + r.Marked.in()
	r.countAxis(p)
	p.X.Min, p.X.Max = -reach, reach
	if s.N == 0 {
		return nil
	}
	if err := r.addCounts(p, values, -reach, reach, maxBins, afterLine, nil, lang.L("residual")); err != nil || !(r.Marked.Sigma > 0) {
		return err
	}
	xys := make(plotter.XYs, maxBins)
	for i := range xys {
		x := reach * (2*(float64(i)+0.5)/maxBins - 1)
		z := x / r.Marked.Sigma
		// Counts of one bin.
		y := float64(s.N) * 2 * reach / maxBins * math.Exp(-z*z/2) / (r.Marked.Sigma * math.Sqrt(2*math.Pi))
		if r.Log {
			y = max(y, leastCount)
		}
		xys[i] = plotter.XY{X: x, Y: y}
	}
	return addLine(p, xys, beforeLine, nil, lang.L("Gaussian of σ"))
}

// powers marks a logarithmic axis at powers of ten.
type powers struct{}

// Ticks implements plot.Ticker.
func (powers) Ticks(lo, hi float64) (out []plot.Tick) {
	for x := 1.0; x <= hi; x *= 10 {
		if x >= lo {
			out = append(out, plot.Tick{Value: x, Label: number(x)})
		}
	}
	return out
}

// edges divides lo..hi into about maxBins bins. For whole numbers, as scanners store
// them, the bins are whole numbers wide: otherwise neighbouring bins would hold
// different numbers of values, which looks like a comb.
func edges(lo, hi float64, values []float32) (from, to float64, n int) {
	if !(hi > lo) {
		hi = lo + 1
	}
	for _, v := range values {
		if v != float32(math.Trunc(float64(v))) {
			return lo, hi, maxBins
		}
	}
	width := math.Ceil((hi - lo) / maxBins)
	from = math.Floor(lo) - 0.5
	n = int(math.Ceil((hi - from) / width))
	return from, from + float64(n)*width, n
}

func addProfiles(p *plot.Plot, r Request) error {
	view := r.Picture.View
	_, row, _ := view.Locate(r.Focus)
	row = min(max(row, 0), view.Size[1]-1)
	from, to := [3]float64{0, float64(row), 0}, [3]float64{float64(view.Size[0] - 1), float64(row), 0}
	line := r.Marked.Line
	if line != nil {
		from, to = [3]float64{line.Points[0][0], line.Points[0][1], 0}, [3]float64{line.Points[1][0], line.Points[1][1], 0}
	}
	add := func(values []float32, line color.Color, name string) error {
		v := r.Picture.Volume(values)
		samples := measure.Profile(v, from, to)
		var xys plotter.XYs
		for _, s := range samples {
			if !math.IsNaN(s.Value) {
				xys = append(xys, plotter.XY{X: s.Distance, Y: s.Value})
			}
		}
		return addLine(p, xys, line, nil, name)
	}
	p.X.Label.Text = lang.L("mm from the left edge")
	if line != nil {
		p.X.Label.Text = fmt.Sprintf(lang.L("mm along %s"), r.Marked.LineName)
	}
	p.Y.Label.Text = unitText(r.Picture.Source.Unit)
	if err := add(r.Picture.Before, beforeLine, lang.L(r.Picture.FirstName())); err != nil {
		return err
	}
	if r.Picture.After != nil {
		if err := add(r.Picture.After, afterLine, lang.L("denoised")); err != nil {
			return err
		}
	}
	if line != nil {
		return nil // over its own range
	}
	// The range of the window and half of it on either side: over the range from air
	// to bone, the noise of soft tissue would be a flat line.
	lo, hi := r.Window.Ends()
	p.Y.Min, p.Y.Max = lo-(hi-lo)/2, hi+(hi-lo)/2
	return nil
}

func addLine(p *plot.Plot, xys plotter.XYs, c, fill color.Color, name string) error {
	if len(xys) < 2 {
		return nil
	}
	line, err := plotter.NewLine(xys)
	if err != nil {
		return err
	}
	line.Color = c
	line.Width = 1
	if fill != nil {
		line.FillColor = fill
	}
	p.Add(line)
	p.Legend.Add(name, line)
	return nil
}

func unitText(unit string) string {
	if unit == "" {
		return lang.L("value")
	}
	return unit
}

// ticks marks an axis at about five round numbers.
type ticks struct{}

// Ticks implements plot.Ticker.
func (ticks) Ticks(lo, hi float64) []plot.Tick {
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
	var out []plot.Tick
	for i := math.Ceil(lo / step); i*step <= hi; i++ {
		x := i * step
		if i == 0 {
			x = 0 // and not -0
		}
		out = append(out, plot.Tick{Value: x, Label: number(x)})
	}
	return out
}

// number writes a number with a true minus sign.
func number(x float64) string {
	return language.Number(strings.Replace(strconv.FormatFloat(x, 'g', 5, 64), "-", "−", 1))
}
