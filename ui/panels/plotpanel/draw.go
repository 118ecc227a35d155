package plotpanel

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/measure"
	"quell/report/chart"
	"quell/ui/palette"
	"quell/ui/screen"
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
	Focus         [3]int // the voxel in the profiled row, if there is no line
	Marked        Marked
	Log           bool // the axis of the counts is logarithmic
	Residual      bool // the histogram is of the residual
	All           bool // the noise power spectrum is of all rectangles on the slice
	Window        volume.Window
	Width, Height int             // device pixels
	Scale         float64         // device pixels per screen unit
	Colors        *palette.Colors // of the curves, which differ in lightness and in hues that a red-green deficiency leaves apart
}

const maxBins = 160

// Draw renders a plot at exactly the requested size; nil if there is nothing to
// plot, or the size is too small for axes. It is safe for concurrent use. x is the
// place of the curve of the strength, words of a spectrum.
func Draw(r Request) (img *image.RGBA, x axis, words string, err error) {
	missing := r.Picture == nil || r.empty()
	if r.Kind == Strength {
		missing = r.Curve == nil || len(r.Curve.X) == 0
	}
	if missing || r.Width < 80 || r.Height < 60 {
		return nil, x, words, nil
	}
	var c chart.Chart
	switch r.Kind {
	case Profile:
		c = r.profiles()
	case Strength:
		c, x = r.Curve.chart(r.Colors)
	case Spectrum:
		if c, words = r.spectrum(); c.Curves == nil {
			return nil, x, words, nil
		}
	default:
		if c, err = r.histograms(); err != nil {
			return nil, x, words, err
		}
	}
	img, x.from, x.to, err = chart.Draw(screen.Look(r.Colors), r.Width, r.Height, int(math.Round(screen.DPI*max(r.Scale, 0.5))), c)
	return img, x, words, err
}

// curve is a line of a plot; fill is nil for none.
func curve(name string, line, fill color.Color, points []chart.Point) chart.Curve {
	return chart.Curve{Name: name, Color: line, Fill: fill, Width: 1, Points: points}
}

func (r Request) histograms() (c chart.Chart, err error) {
	if r.Residual {
		return r.residual()
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
	c = r.counts(unitText(r.Picture.Source.Unit), lo, hi)
	if err = r.addCounts(&c, before, n, r.Colors.Before, r.Colors.BeforeFill, lang.L(r.Picture.FirstName())); err != nil || r.Picture.After == nil {
		return c, err
	}
	return c, r.addCounts(&c, r.pick(r.Picture.After), n, r.Colors.After, nil, lang.L(r.Picture.SecondName()))
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

// counts returns the axes of a histogram over a range of values.
func (r Request) counts(label string, lo, hi float64) chart.Chart {
	c := chart.Chart{X: chart.Axis{Label: label + r.Marked.in(), Min: lo, Max: hi}, Y: chart.Axis{Label: lang.L("pixels"), Max: 1, Log: r.Log}}
	if r.Log {
		c.Y.Min = leastCount
	}
	return c
}

// add adds a curve of counts, and makes room for it.
func (r Request) add(c *chart.Chart, points []chart.Point, line, fill color.Color, name string) {
	for i := range points {
		points[i].Y = max(points[i].Y, c.Y.Min)
		c.Y.Max = max(c.Y.Max, points[i].Y)
	}
	c.Curves = append(c.Curves, curve(name, line, fill, points))
}

// addCounts adds the histogram of values in n bins over the axis.
func (r Request) addCounts(c *chart.Chart, values []float32, n int, line, fill color.Color, name string) error {
	h, err := measure.HistogramOf(values, c.X.Min, c.X.Max, n)
	if err != nil {
		return err
	}
	width := (h.Hi - h.Lo) / float64(len(h.Counts))
	points := make([]chart.Point, len(h.Counts))
	for i, n := range h.Counts {
		points[i] = chart.Point{X: h.Lo + (float64(i)+0.5)*width, Y: float64(n)}
	}
	r.add(c, points, line, fill, name)
	return nil
}

// residualReach is how far the histogram of the residual goes, in sigmas.
const residualReach = 5

// residual plots what was removed, and the Gaussian of the noise's sigma that it would
// be if it is noise alone.
func (r Request) residual() (chart.Chart, error) {
	values := r.pick(r.Picture.Residual)
	s, sigma := measure.StatsOf(values), r.Marked.Sigma
	reach := residualReach * sigma
	if !(reach > 0) {
		reach = 1
		if s.N > 0 {
			reach = max(math.Abs(float64(s.Min)), math.Abs(float64(s.Max)), 1e-9)
		}
	}
	c := r.counts(fmt.Sprintf(lang.L("%s removed"), unitText(r.Picture.Source.Unit)), -reach, reach)
	if s.N == 0 {
		return c, nil
	}
	if err := r.addCounts(&c, values, maxBins, r.Colors.After, nil, lang.L("residual")); err != nil || !(sigma > 0) {
		return c, err
	}
	points := make([]chart.Point, maxBins)
	for i := range points {
		x := reach * (2*(float64(i)+0.5)/maxBins - 1)
		// Counts of one bin.
		points[i] = chart.Point{X: x, Y: float64(s.N) * 2 * reach / maxBins * math.Exp(-x*x/(sigma*sigma)/2) / (sigma * math.Sqrt(2*math.Pi))}
	}
	r.add(&c, points, r.Colors.Before, nil, lang.L("Gaussian of σ"))
	return c, nil
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

func (r Request) profiles() (c chart.Chart) {
	view := r.Picture.View
	_, row, _ := view.Locate(r.Focus)
	row = min(max(row, 0), view.Size[1]-1)
	from, to := [3]float64{0, float64(row), 0}, [3]float64{float64(view.Size[0] - 1), float64(row), 0}
	c.X.Label, c.Y.Label = lang.L("mm from the left edge"), unitText(r.Picture.Source.Unit)
	// The range of the window and half of it on either side: over the range from air
	// to bone, the noise of soft tissue would be a flat line.
	lo, hi := r.Window.Ends()
	c.Y.Min, c.Y.Max = lo-(hi-lo)/2, hi+(hi-lo)/2
	if line := r.Marked.Line; line != nil {
		from, to = [3]float64{line.Points[0][0], line.Points[0][1], 0}, [3]float64{line.Points[1][0], line.Points[1][1], 0}
		c.X.Label = fmt.Sprintf(lang.L("mm along %s"), r.Marked.LineName)
		c.Y.Min, c.Y.Max = 0, 0 // over its own range
	}
	add := func(values []float32, line color.Color, name string) {
		var points []chart.Point
		for _, s := range measure.Profile(r.Picture.Volume(values), from, to) {
			if !math.IsNaN(s.Value) {
				points = append(points, chart.Point{X: s.Distance, Y: s.Value})
			}
		}
		c.Curves = append(c.Curves, curve(name, line, nil, points))
	}
	add(r.Picture.Before, r.Colors.Before, lang.L(r.Picture.FirstName()))
	if r.Picture.After != nil {
		add(r.Picture.After, r.Colors.After, lang.L(r.Picture.SecondName()))
	}
	return c
}

func unitText(unit string) string {
	if unit == "" {
		return lang.L("value")
	}
	return unit
}
