package plotpanel

import (
	"image/color"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	_ "quell/internal/locale" // English
	"quell/measure"
	"quell/ui/palette"
	"quell/ui/viewer"
	"quell/volume"
)

// picture is a slice of 64 x 32 pixels of 0.5 mm: whole numbers before, half of
// them after.
func picture(t *testing.T) *viewer.Picture {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{64, 32, 1}, [3]float64{0.5, 0.5, 1}))
	v.Unit = "HU"
	for i := range v.Data {
		v.Data[i] = float32((i * 7919) % 100)
	}
	after := v.Clone()
	for i := range after.Data {
		after.Data[i] = 25 + after.Data[i]/2
	}
	var r viewer.Renderer
	p, _ := r.Render(viewer.Job{Source: v, Result: after, View: v.View(volume.Axial), Zoom: 1, Window: volume.Window{Center: 50, Width: 100}})
	return p
}

func request(t *testing.T, kind Kind) Request {
	return Request{
		Colors: palette.Dark,
		Kind:   kind, Picture: picture(t), Focus: [3]int{3, 7, 0},
		Window: volume.Window{Center: 50, Width: 100}, Width: 401, Height: 203, Scale: 1,
	}
}

func TestPlotsHaveExactlyThePanelsSize(t *testing.T) {
	for _, kind := range []Kind{Histogram, Profile} {
		for _, scale := range []float64{1, 1.25, 2} {
			r := request(t, kind)
			r.Scale = scale
			img, _, _, err := Draw(r)
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() != 401 || b.Dy() != 203 {
				t.Errorf("kind %d at scale %g is %v; want 401 x 203", kind, scale, b)
			}
		}
	}
}

func TestPlotsHaveBothCurvesOnADarkGround(t *testing.T) {
	for _, kind := range []Kind{Histogram, Profile} {
		r := request(t, kind)
		count := func(r Request, want color.NRGBA) int {
			img, _, _, err := Draw(r)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for i := 0; i < len(img.Pix); i += 4 {
				if img.Pix[i] == want.R && img.Pix[i+1] == want.G && img.Pix[i+2] == want.B {
					n++
				}
			}
			return n
		}
		if count(r, palette.Dark.ChartGround) < 401*203/4 {
			t.Errorf("kind %d: the ground is not the dark one", kind)
		}
		if count(r, palette.Dark.After) == 0 {
			t.Errorf("kind %d: no curve of the result", kind)
		}
		r.Picture.After = nil
		if count(r, palette.Dark.After) != 0 {
			t.Errorf("kind %d: a curve of a result although there is none", kind)
		}
	}
}

func TestTooSmallForAxesIsNoError(t *testing.T) {
	r := request(t, Histogram)
	r.Width = 20
	if img, _, _, err := Draw(r); img != nil || err != nil {
		t.Errorf("%v, %v; want nothing", img, err)
	}
}

func TestConstantSliceCanBePlotted(t *testing.T) {
	for _, kind := range []Kind{Histogram, Profile} {
		r := request(t, kind)
		for i := range r.Picture.Before {
			r.Picture.Before[i], r.Picture.After[i] = 7, 7
		}
		r.Window.Width = 1e-6
		if _, _, _, err := Draw(r); err != nil {
			t.Errorf("kind %d: %v", kind, err)
		}
	}
}

func TestBinsOfWholeNumbersHaveWholeWidths(t *testing.T) {
	whole := []float32{-5, 0, 3, 900}
	lo, hi, n := edges(-12.5, 87.5, whole)
	width := (hi - lo) / float64(n)
	if width != math.Trunc(width) || lo != math.Floor(lo)+0.5 {
		t.Errorf("bins from %g, %g wide; want whole widths between whole numbers", lo, width)
	}
	if lo > -12.5 || hi < 87.5 || n > maxBins {
		t.Errorf("%d bins over %g to %g; want at most %d over all of -12.5 to 87.5", n, lo, hi, maxBins)
	}
	if lo, hi, n := edges(0, 1, []float32{0.5}); lo != 0 || hi != 1 || n != maxBins {
		t.Errorf("fractions get %d bins over %g to %g; want %d over 0 to 1", n, lo, hi, maxBins)
	}
}

// drawn returns the pixels of a plot.
func drawn(t *testing.T, r Request) []uint8 {
	t.Helper()
	img, _, _, err := Draw(r)
	if err != nil || img == nil {
		t.Fatalf("%v, %v", img, err)
	}
	return img.Pix
}

func inked(pix []uint8, c color.NRGBA) (n int) {
	for i := 0; i < len(pix); i += 4 {
		if pix[i] == c.R && pix[i+1] == c.G && pix[i+2] == c.B {
			n++
		}
	}
	return n
}

// Every choice of the histogram makes another plot: an axis of logarithms, the residual
// with the Gaussian of the noise, the voxels of an ROI alone.
func TestHistogramsOfEveryKind(t *testing.T) {
	plain := request(t, Histogram)
	log, residual, region := plain, plain, plain
	log.Log = true
	residual.Residual = true
	region.Marked = Marked{Region: &measure.Outline{Points: [][2]float64{{2, 2}, {9, 9}}}, RegionName: "ROI 1"}
	gauss := residual
	gauss.Marked.Sigma = 10
	gaussLog := gauss
	gaussLog.Log = true
	all := []Request{plain, log, residual, region, gauss, gaussLog}
	for i, a := range all {
		for k := range i {
			if slices.Equal(drawn(t, a), drawn(t, all[k])) {
				t.Errorf("plots %d and %d are the same", i, k)
			}
		}
	}
	if pix := drawn(t, residual); inked(pix, palette.Dark.After) == 0 {
		t.Error("the residual has no curve")
	}
	if with, without := inked(drawn(t, gauss), palette.Dark.Before), inked(drawn(t, residual), palette.Dark.Before); with < without+50 {
		t.Errorf("%d pixels of the Gaussian with sigma known, %d without", with, without)
	}
	// Nothing to count is no error.
	residual.Picture.Residual = nil
	drawn(t, residual)
	residual.Log = true
	drawn(t, residual)
}

// Of a slice of padding, and of an ROI outside the picture, there is no plot.
func TestNothingToPlot(t *testing.T) {
	nothing := func(what string, r Request) {
		t.Helper()
		if img, _, _, err := Draw(r); img != nil || err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, kind := range []Kind{Histogram, Profile} {
		r := request(t, kind)
		r.Picture.Mask = make([]bool, len(r.Picture.Before))
		nothing("padding", r)
		r.Picture.Mask[70] = true
		drawn(t, r)
	}
	r := request(t, Histogram)
	r.Marked.Region = &measure.Outline{Points: [][2]float64{{-9, -9}, {-8, -8}}}
	nothing("an ROI outside", r)
}

// Of noise alone the histogram of the residual follows the Gaussian of its sigma.
func TestResidualOfNoiseIsTheGaussian(t *testing.T) {
	r := request(t, Histogram)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range r.Picture.Residual {
		r.Picture.Residual[i] = float32(10 * random.NormFloat64())
	}
	r.Residual, r.Marked.Sigma = true, 10
	p, err := r.residual()
	if err != nil {
		t.Fatal(err)
	}
	if p.X.Min != -50 || p.X.Max != 50 {
		t.Errorf("from %g to %g, want 5 sigmas", p.X.Min, p.X.Max)
	}
	// The peak of 2048 values in bins of 100/160: about 51.
	if p.Y.Max < 45 || p.Y.Max > 80 {
		t.Errorf("the highest count is %g", p.Y.Max)
	}
}

// A line is profiled in place of the row under the pointer, over its own range.
func TestProfileOfALine(t *testing.T) {
	r := request(t, Profile)
	row := drawn(t, r)
	r.Marked = Marked{Line: &measure.Outline{Shape: measure.Line, Points: [][2]float64{{3, 3}, {20, 16}}}, LineName: "line 1"}
	line := drawn(t, r)
	r.Focus = [3]int{9, 9, 0}
	if slices.Equal(row, line) || !slices.Equal(line, drawn(t, r)) {
		t.Error("the profile is not that of the line alone")
	}
}
