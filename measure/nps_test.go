package measure

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// noisySlice returns a slice of noise of a sigma, filtered by a kernel of 3 x 3 (nil: white),
// on a ground of second order.
func noisySlice(seed uint64, width, height int, pixel [2]float64, sigma float64, kernel []float64) Slice {
	r := rand.New(rand.NewPCG(seed, 1))
	white := make([]float64, width*height)
	for i := range white {
		white[i] = sigma * r.NormFloat64()
	}
	s := Slice{Values: make([]float32, len(white)), Width: width, Height: height, Pixel: pixel}
	for y := range height {
		for x := range width {
			v := white[y*width+x]
			if kernel != nil {
				v = 0
				for k, a := range kernel {
					v += a * white[(y+k/3-1+height)%height*width+(x+k%3-1+width)%width]
				}
			}
			fx, fy := float64(x), float64(y)
			s.Values[y*width+x] = float32(v + 40 + fx/7 - fy/9 + fx*fx/2000 - fx*fy/3000 + fy*fy/1500)
		}
	}
	return s
}

// spectrumOf is the NPS that a square of side pixels shows of that noise: the transform of
// its covariance; a lag of l pixels is seen in the share 1 - l/side.
func spectrumOf(u, v float64, side int, pixel [2]float64, sigma float64, kernel []float64) float64 {
	if kernel == nil {
		kernel = []float64{0, 0, 0, 0, 1, 0, 0, 0, 0}
	}
	sum := 0.0
	for k, a := range kernel {
		for l, b := range kernel {
			x, y := float64(k%3-l%3), float64(k/3-l/3)
			seen := (1 - math.Abs(x)/float64(side)) * (1 - math.Abs(y)/float64(side))
			sum += a * b * seen * math.Cos(2*math.Pi*(u*pixel[0]*x+v*pixel[1]*y))
		}
	}
	return sigma * sigma * pixel[0] * pixel[1] * sum
}

func TestSpectrumOfKnownNoise(t *testing.T) {
	soft := []float64{0.05, 0.1, 0.05, 0.1, 0.4, 0.1, 0.05, 0.1, 0.05}
	sharp := []float64{0, -0.2, 0, -0.2, 1.2, -0.2, 0, -0.2, 0}
	for _, c := range []struct {
		name   string
		pixel  [2]float64
		kernel []float64
	}{{"white", [2]float64{0.5, 0.5}, nil}, {"soft", [2]float64{0.5, 0.5}, soft}, {"sharp", [2]float64{0.4, 0.4}, sharp}, {"oblong", [2]float64{0.5, 1}, soft}} {
		t.Run(c.name, func(t *testing.T) {
			const sigma, rois, side = 12, 40, 40
			var patches []Patch
			for k := range uint64(rois) {
				s := noisySlice(k, 64, 60, c.pixel, sigma, c.kernel)
				p, err := PatchOf(s, Outline{Shape: Box, Points: [][2]float64{{8, 6}, {8 + side - 1, 6 + side - 1}}})
				if err != nil {
					t.Fatal(err)
				}
				if err := p.Even(); err != nil {
					t.Fatal(err)
				}
				patches = append(patches, p)
			}
			n := NPSOf(patches...)
			// The truth in the rings of the bins, and the integral of all of it.
			du, dv := 1/(side*c.pixel[0]), 1/(side*c.pixel[1])
			step := max(du, dv)
			truth, cells, mean := map[int]float64{}, map[int]float64{}, map[int]float64{}
			for row := range side {
				for col := range side {
					u, v := du*float64(wrapped(col, side)), dv*float64(wrapped(row, side))
					f := math.Hypot(u, v)
					if f == 0 {
						continue
					}
					k := int(f/step + 0.5)
					truth[k], cells[k], mean[k] = truth[k]+spectrumOf(u, v, side, c.pixel, sigma, c.kernel), cells[k]+1, mean[k]+f
				}
			}
			sum := 0.0
			for i, f := range n.Frequency {
				k := int(f/step + 0.5)
				want := truth[k] / cells[k]
				// The ground takes its part of the lowest frequencies.
				if f > 2*step && math.Abs(n.Power[i]-want) > 4*want/math.Sqrt(rois*cells[k]/2) {
					t.Errorf("at %.3f/mm: NPS %.3f, want %.3f", f, n.Power[i], want)
				}
				if math.Abs(f-mean[k]/cells[k]) > 1e-9 || math.Abs(n.Area[i]-cells[k]*du*dv) > 1e-9 {
					t.Errorf("bin %d: at %g, area %g", i, f, n.Area[i])
				}
				sum += n.Power[i] * n.Area[i]
			}
			variance := 0.0
			for _, p := range patches {
				variance += square(p.Values) / float64(len(p.Values)) / rois
			}
			if math.Abs(sum/variance-1) > 1e-9 || math.Abs(n.Variance/variance-1) > 1e-9 {
				t.Errorf("integral %g, Variance %g, variance of the pixels %g", sum, n.Variance, variance)
			}
			if want := 1 / (2 * max(c.pixel[0], c.pixel[1])); n.Nyquist != want || n.ROIs != rois {
				t.Errorf("Nyquist %g of %d, want %g", n.Nyquist, n.ROIs, want)
			}
		})
	}
}

func TestSpectrumOfOneFrequency(t *testing.T) {
	const side, pixel = 32, 0.5
	p := Patch{Width: side, Height: side, Pixel: [2]float64{pixel, pixel}, Values: make([]float64, side*side)}
	for i := range p.Values { // 6 cycles across, 3 down: 0.375 and 0.1875 per mm
		p.Values[i] = 2 * math.Sin(2*math.Pi*(6*float64(i%side)+3*float64(i/side))/side)
	}
	n := NPSOf(p)
	want := math.Hypot(0.375, 0.1875)
	if mean := float64(n.Mean); math.Abs(mean-want) > 0.5/(side*pixel) {
		t.Errorf("average frequency %g, want %g", mean, want)
	}
	if math.Abs(n.Variance-2) > 1e-9 {
		t.Errorf("variance %g, want 2", n.Variance)
	}
	if n := NPSOf(); len(n.Frequency) != 0 || n.Mean.Finite() {
		t.Errorf("no patch: %v", n)
	}
}

func TestSpectraOfPatchesOfTwoSizes(t *testing.T) {
	s := noisySlice(3, 200, 200, [2]float64{0.5, 0.5}, 10, nil)
	small, err := PatchOf(s, Outline{Shape: Box, Points: [][2]float64{{4, 4}, {23, 23}}})
	if err != nil {
		t.Fatal(err)
	}
	large, err := PatchOf(s, Outline{Shape: Box, Points: [][2]float64{{40, 40}, {139, 159}}})
	if err != nil {
		t.Fatal(err)
	}
	if large.Width != 100 || large.Height != 120 {
		t.Fatalf("%d x %d", large.Width, large.Height)
	}
	n := NPSOf(small, large)
	want := (square(small.Values)/400 + square(large.Values)/12000) / 2
	if math.Abs(n.Variance/want-1) > 1e-9 {
		t.Errorf("variance %g, want the mean of both, %g", n.Variance, want)
	}
	if step := n.Frequency[3] - n.Frequency[2]; math.Abs(step-0.1) > 0.01 { // of the small one
		t.Errorf("bins are %g apart", step)
	}
}

func TestSpectrumIsSilent(t *testing.T) {
	s := noisySlice(5, 64, 64, [2]float64{1, 1}, 10, nil)
	box := func(x, y, side float64) Outline {
		return Outline{Shape: Box, Points: [][2]float64{{x, y}, {x + side - 1, y + side - 1}}}
	}
	if _, err := PatchOf(s, box(0, 0, 16)); err != nil {
		t.Error("16 x 16:", err)
	}
	padded := s
	padded.Mask = make([]bool, 64*64)
	for i := range padded.Mask {
		padded.Mask[i] = i != 20*64+20
	}
	if _, err := PatchOf(padded, box(21, 20, 20)); err != nil {
		t.Error("beside padding:", err)
	}
	wide := Slice{Values: make([]float32, 4097*16), Width: 4097, Height: 16, Pixel: [2]float64{1, 1}}
	for _, c := range []struct {
		s    Slice
		o    Outline
		want string
	}{
		{s, box(0, 0, 15), "15 x 15 pixels are too few"},
		{s, Outline{Shape: Box, Points: [][2]float64{{0, 0}, {40, 14}}}, "41 x 15 pixels are too few"},
		{wide, Outline{Shape: Box, Points: [][2]float64{{0, 0}, {4096, 15}}}, "4097 x 16 pixels are too many"},
		{s, box(90, 90, 20), "no pixel"},
		{s, Outline{Shape: Ellipse, Points: [][2]float64{{0, 0}, {40, 40}}}, "rectangular"},
		{padded, box(10, 10, 20), "padding"},
	} {
		if _, err := PatchOf(c.s, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: %v, want %q", c.o, err, c.want)
		}
	}
	uneven := func(what string, change func(x, y int) float32, want string) {
		t.Helper()
		c := s
		c.Values = append([]float32(nil), s.Values...)
		for i := range c.Values {
			c.Values[i] += change(i%64, i/64)
		}
		p, err := PatchOf(c, box(0, 0, 64))
		if err != nil {
			t.Fatal(err)
		}
		switch err := p.Even(); {
		case want == "" && err != nil:
			t.Errorf("%s: %v", what, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %q", what, err, want)
		}
	}
	edge := func(height float32) func(x, y int) float32 {
		return func(x, _ int) float32 { return height * float32(x/32) }
	}
	uneven("noise", edge(0), "")
	uneven("a low edge", edge(8), "")
	uneven("an edge", edge(40), "edge or a bend")
	uneven("a wave", func(x, _ int) float32 { return 15 * float32(math.Cos(2*math.Pi*(float64(x)-31.5)/60)) }, "edge or a bend")
	uneven("a bright spot", func(x, y int) float32 {
		if x/3 == 8 && y/3 == 9 {
			return 100
		}
		return 0
	}, "brighter or darker")
	p, err := PatchOf(Slice{Values: make([]float32, 400), Width: 20, Height: 20, Pixel: [2]float64{1, 1}}, box(0, 0, 20))
	if err != nil || p.Even() == nil || !strings.Contains(p.Even().Error(), "no noise") {
		t.Errorf("zeros: %v, %v", err, p.Even())
	}
}
