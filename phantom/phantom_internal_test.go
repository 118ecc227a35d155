package phantom

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/volume"
)

// TestKindsArePinned: a phantom that was published must be the same in every version.
// A change here is meant, and said in its commit.
func TestKindsArePinned(t *testing.T) {
	for kind, want := range map[string]struct {
		dims    [3]int
		spacing [3]float64
		shapes  int
		print   string
	}{
		"ct":    {[3]int{512, 512, 8}, [3]float64{0.5, 0.5, 2.5}, 48, "914d93efe0a95e39"},
		"mr":    {[3]int{192, 224, 48}, [3]float64{1, 1, 1}, 53, "ccd7d140f39cfabd"},
		"steps": {[3]int{128, 128, 16}, [3]float64{1, 1, 1}, 30, "63abed3e8516a11"},
	} {
		p, err := New(kind, Size{})
		if err != nil {
			t.Fatal(err)
		}
		h := fnv.New64a()
		fmt.Fprintf(h, "%s %g", p.Unit, p.Background)
		for _, s := range p.Shapes {
			fmt.Fprintf(h, "%s %v %.6f %.6f %.6f %.6f\n", s.Name, s.Box, s.Centre, s.Half, s.Angle, s.Value)
		}
		if got := fmt.Sprintf("%x", h.Sum64()); p.Kind != kind || p.Geometry.Dims != want.dims || p.Geometry.Spacing != want.spacing || len(p.Shapes) != want.shapes || got != want.print {
			t.Errorf("%s: %v voxels of %v mm, %d shapes, fingerprint %s", p.Kind, p.Geometry.Dims, p.Geometry.Spacing, len(p.Shapes), got)
		}
	}
	if _, err := New("ct", Size{Spacing: [3]float64{1, -1, 1}}); err == nil {
		t.Error("a negative spacing was accepted")
	}
}

// TestChords compares the lengths of lines in an ellipse and in a box with geometry.
func TestChords(t *testing.T) {
	const quarter = math.Pi / 2
	for _, c := range []struct {
		shape    Shape
		theta, s float64
		want     float64
	}{
		{Shape{Half: [3]float64{3, 2, endless}}, 0, 0, 4},
		{Shape{Half: [3]float64{3, 2, endless}}, quarter, 0, 6},
		{Shape{Half: [3]float64{3, 2, endless}}, 0, -1.5, 2 * math.Sqrt(3)},
		{Shape{Half: [3]float64{3, 2, endless}}, 0, 3, 0},
		{Shape{Half: [3]float64{3, 2, endless}, Angle: quarter}, 0, 0, 6},
		{Shape{Half: [3]float64{3, 2, endless}, Centre: [3]float64{10, -4, 0}}, 0, 10, 4},
		{Shape{Half: [3]float64{3, 2, endless}, Centre: [3]float64{10, -4, 0}}, quarter, -4, 6},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, 0, 2.9, 4},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, 0, -3.1, 0},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, quarter, 1.9, 6},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, quarter, 2.1, 0},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, quarter / 2, 0, 4 * math.Sqrt2},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, quarter / 2, 3, math.Sqrt2 * (5 - 3*math.Sqrt2)},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}}, quarter / 2, 3.6, 0},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}, Angle: quarter / 2}, quarter / 2, 0.5, 4},
		{Shape{Box: true, Half: [3]float64{3, 2, endless}, Angle: 0.3, Centre: [3]float64{-7, 2, 0}}, 0.3 + quarter, 7*math.Sin(0.3) + 2*math.Cos(0.3), 6},
	} {
		section, ok := c.shape.at(99)
		sin, cos := math.Sincos(c.theta)
		if got := section.chord(sin, cos, c.s); !ok || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v at %g rad, %g mm: %g mm, want %g", c.shape, c.theta, c.s, got, c.want)
		}
	}
}

// TestSectionsContain: points on both sides of the border of a turned shape, and its
// extent along x and y.
func TestSectionsContain(t *testing.T) {
	for _, box := range []bool{false, true} {
		s := Shape{Box: box, Centre: [3]float64{5, -3, 0}, Half: [3]float64{4, 1, endless}, Angle: 0.5}
		c, _ := s.at(0)
		sin, cos := math.Sincos(0.5)
		at := func(u, v float64) bool { return c.contains(5+u*cos-v*sin, -3+u*sin+v*cos) }
		for _, p := range []struct {
			u, v   float64
			inside bool
		}{{0, 0, true}, {3.99, 0, true}, {-3.99, 0, true}, {4.01, 0, false}, {0, 0.99, true}, {0, -1.01, false}, {3.9, 0.9, box}, {-3.9, -0.9, box}, {3.9, 1.2, false}, {7, 0.5, false}, {2, 1.9, false}} {
			if at(p.u, p.v) != p.inside {
				t.Errorf("box %v: (%g, %g) inside: %v", box, p.u, p.v, !p.inside)
			}
		}
		hx, hy := c.bounds()
		farX, farY := 0.0, 0.0
		for k := range 3600 {
			y, x := math.Sincos(float64(k) * math.Pi / 1800)
			if box {
				m := max(math.Abs(x), math.Abs(y))
				x, y = x/m, y/m
			}
			farX, farY = max(farX, 4*x*cos-y*sin), max(farY, 4*x*sin+y*cos)
		}
		if math.Abs(hx-farX) > 1e-3 || math.Abs(hy-farY) > 1e-3 {
			t.Errorf("box %v: half extent %g, %g; want %g, %g", box, hx, hy, farX, farY)
		}
	}
	ball := Shape{Half: [3]float64{2, 4, 5}, Centre: [3]float64{0, 0, 1}}
	if c, ok := ball.at(4); !ok || math.Abs(c.a-1.6) > 1e-12 || math.Abs(c.b-3.2) > 1e-12 {
		t.Errorf("an ellipsoid 3/5 of the way out has the half axes %g, %g", c.a, c.b)
	}
	for z, want := range map[float64]bool{5.99: true, 6: false, -4: false, -3.99: true} {
		if _, ok := ball.at(z); ok != want {
			t.Errorf("the ellipsoid reaches %g: %v", z, ok)
		}
	}
	ball.Box = true
	if c, ok := ball.at(4); !ok || c.a != 2 || c.b != 4 {
		t.Errorf("a box has the half axes %g, %g at all of its height", c.a, c.b)
	}
}

// TestBallHasItsVolume: what an ellipsoid adds to the voxels is its volume, and its two
// halves along each axis are alike.
func TestBallHasItsVolume(t *testing.T) {
	p := Phantom{Unit: "x", Geometry: volume.NewGeometry([3]int{16, 14, 12}, [3]float64{1, 1.5, 2}),
		Shapes: []Shape{{Half: [3]float64{6, 7, 8}, Value: 10}}}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for z := range 12 {
		for y := range 14 {
			for x := range 16 {
				sum += float64(v.At(x, y, z)) / 10 * 3
				if d := v.At(x, y, z) - v.At(15-x, 13-y, 11-z); math.Abs(float64(d)) > 1e-4 {
					t.Fatalf("voxel (%d, %d, %d) differs from its mirror by %g", x, y, z, d)
				}
			}
		}
	}
	if want := 4.0 / 3 * math.Pi * 6 * 7 * 8; math.Abs(sum/want-1) > 0.01 || v.Unit != "x" {
		t.Errorf("volume %g, want %g", sum, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := p.Voxels(ctx); v != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// flat returns a sinogram of one value.
func flat(value float64) *sinogram {
	s := &sinogram{views: 100, detectors: 101, pitch: 1, data: make([]float64, 100*101)}
	for i := range s.data {
		s.data[i] = value
	}
	return s
}

// TestNoiseOfProjections measures the noise in projections of a known value.
func TestNoiseOfProjections(t *testing.T) {
	for _, c := range []struct {
		scan Scan
		want float64
	}{{Scan{}, 0}, {Scan{SNR: 10}, 0.3}, {Scan{Photons: 1e4}, math.Sqrt(math.Exp(3) / 1e4)}} {
		s := flat(3)
		s.addNoise(c.scan, 2)
		var sum, squares float64
		for _, x := range s.data {
			sum += x - 3
			squares += (x - 3) * (x - 3)
		}
		n := float64(len(s.data))
		if sd := math.Sqrt(squares / n); math.Abs(sd-c.want) > 0.03*c.want || math.Abs(sum/n) > 0.05*c.want {
			t.Errorf("%+v: mean %g, SD %g; want 0 and %g", c.scan, sum/n, sd, c.want)
		}
	}
	a, b, c := flat(3), flat(3), flat(3)
	a.addNoise(Scan{SNR: 10, Seed: 1}, 0)
	b.addNoise(Scan{SNR: 10, Seed: 1}, 1)
	c.addNoise(Scan{SNR: 10, Seed: 2}, 0)
	if slices.Equal(a.data, b.data) || slices.Equal(a.data, c.data) {
		t.Error("two slices or two seeds have the same noise")
	}
}

// TestProjectionsHoldTheMass: every view of a shape adds up to its area, and the detector
// covers the diagonal with an element in its middle.
func TestProjectionsHoldTheMass(t *testing.T) {
	p := Phantom{Unit: "HU", Background: -1000, Geometry: volume.NewGeometry([3]int{40, 24, 1}, [3]float64{2, 2, 2}),
		Shapes: []Shape{
			{Half: [3]float64{12, 7, endless}, Centre: [3]float64{9, -4, 0}, Angle: 0.4, Value: 1000},
			{Box: true, Half: [3]float64{5, 8, endless}, Centre: [3]float64{-20, 3, 0}, Angle: 1, Value: 500},
		}}
	s := p.project(0, 9)
	if s.detectors != 47 || s.pitch != 2 {
		t.Errorf("%d elements of %g mm", s.detectors, s.pitch)
	}
	want := (math.Pi*12*7 + 0.5*4*5*8) * water
	for view := range 9 {
		sum, first := 0.0, 0.0
		for d, x := range s.row(view) {
			sum += x * s.pitch
			first += x * s.pitch * (float64(d) - 23) * s.pitch
		}
		sin, cos := s.angle(view)
		centre := (math.Pi*12*7*(9*cos-4*sin) + 0.5*4*5*8*(-20*cos+3*sin)) * water
		if math.Abs(sum/want-1) > 0.01 || math.Abs(first-centre) > 0.02*want*s.pitch {
			t.Errorf("view %d: mass %g, want %g; moment %g, want %g", view, sum, want, first, centre)
		}
	}
}

// TestLinesThroughAnImage: Joseph's integral of a linear image is the integral of the
// line, for rays along both axes and between them.
func TestLinesThroughAnImage(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 7, 1}, [3]float64{2, 2, 1})
	image := make([]float64, 63)
	for i := range image {
		image[i] = 1 + 0.25*float64(i%9) + 0.5*float64(i/9)
	}
	s := &sinogram{views: 8, detectors: 12, pitch: 2} // no ray passes through a voxel's centre
	for view := range 8 {
		sin, cos := s.angle(view)
		for d := range 12 {
			sum, length := s.along(image, g, view, d)
			at := float64(d) - 5.5
			// The samples lie on the ray, one for every row or column; their mean is the
			// value of the image at the middle of the first and the last.
			var points [][2]float64
			if math.Abs(sin) > math.Abs(cos) {
				for x := range 9 {
					if y := 3 + (at-(float64(x)-4)*cos)/sin; y >= 0 && math.Floor(y) < 6 {
						points = append(points, [2]float64{float64(x), y})
					}
				}
			} else {
				for y := range 7 {
					if x := 4 + (at-(float64(y)-3)*sin)/cos; x >= 0 && math.Floor(x) < 8 {
						points = append(points, [2]float64{x, float64(y)})
					}
				}
			}
			step := 2 / max(math.Abs(sin), math.Abs(cos))
			want := 0.0
			for _, p := range points {
				want += step * (1 + 0.25*p[0] + 0.5*p[1])
			}
			if math.Abs(length-step*float64(len(points))) > 1e-9 || math.Abs(sum-want) > 1e-9 {
				t.Errorf("view %d, element %d: %g over %g mm; want %g over %g", view, d, sum, length, want, step*float64(len(points)))
			}
		}
	}
}

func TestViewsAreInterleaved(t *testing.T) {
	// Multiples of the golden section modulo 1: 0, 0.618, 0.236, 0.854, 0.472, 0.090.
	if got := interleaved(6); !slices.Equal(got, []int{0, 5, 2, 4, 1, 3}) {
		t.Errorf("%v", got)
	}
}

// TestObliqueReconstructions: both methods put what lies off the centre of a grid that is
// not square at its place, and SART does not add to what no ray passes.
func TestObliqueReconstructions(t *testing.T) {
	p := Phantom{Kind: "ct", Unit: "HU", Background: -1000, Geometry: volume.NewGeometry([3]int{48, 32, 1}, [3]float64{2, 2, 2}),
		Shapes: []Shape{
			{Half: [3]float64{40, 26, endless}, Value: 1000},
			{Box: true, Half: [3]float64{10, 5, endless}, Centre: [3]float64{18, 8, 0}, Angle: 0.5, Value: 400},
		}}
	exact, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		recon Recon
		rms   float64 // HU
	}{
		"sharp": {Recon{Method: "fbp", Kernel: "sharp"}, 75},
		"soft":  {Recon{Method: "fbp", Kernel: "soft"}, 110},
		"sart":  {Recon{Method: "sart", Iterations: 4, Relaxation: 0.5}, 75},
	} {
		v, err := p.Image(t.Context(), Scan{Views: 90, Recon: c.recon})
		if err != nil {
			t.Fatal(err)
		}
		squares := 0.0
		for i, x := range v.Data {
			d := float64(x - exact.Data[i])
			squares += d * d
		}
		rms := math.Sqrt(squares / float64(len(v.Data)))
		if inside, outside := v.At(32, 19, 0), v.At(2, 2, 0); rms > c.rms || math.Abs(float64(inside-400)) > 40 || math.Abs(float64(outside+1000)) > 40 {
			t.Errorf("%s: RMS %.1f HU from the phantom, %.0f in the box, %.0f in air", name, rms, inside, outside)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if v, err := p.Image(ctx, Scan{Views: 90, Recon: c.recon}); v != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", name, err)
		}
		s := p.project(0, 3)
		if image, err := c.recon.run(ctx, s, p.Geometry); image != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%s, a cancelled slice: %v", name, err)
		}
	}
	p.Geometry.Spacing[1] = 3
	if _, err := p.Image(t.Context(), Scan{Views: 3, Recon: Recon{Method: "fbp", Kernel: "soft"}}); err == nil || !strings.Contains(err.Error(), "pixels of 2 x 3 mm") {
		t.Errorf("pixels that are not square: %v", err)
	}
}

// TestLimitsOfAScan checks both sides of every limit.
func TestLimitsOfAScan(t *testing.T) {
	fbp := Recon{Method: "fbp", Kernel: "sharp"}
	inf := math.Inf(1)
	for _, c := range []struct {
		scan Scan
		want string // "" for an accepted value
	}{
		{Scan{Views: 1, Recon: fbp}, ""}, {Scan{Views: 100000, Recon: fbp}, ""},
		{Scan{Views: 100001, Recon: fbp}, "100001 views"}, {Scan{Views: -1, Recon: fbp}, "-1 views"},
		{Scan{Views: 9, SNR: 0.5, Recon: fbp}, ""}, {Scan{Views: 9, Photons: 0.5, Recon: fbp}, ""},
		{Scan{Views: 9, SNR: inf, Recon: fbp}, "an SNR of +Inf"}, {Scan{Views: 9, SNR: math.NaN(), Recon: fbp}, "an SNR of NaN"},
		{Scan{Views: 9, Photons: -1, Recon: fbp}, "-1 photons"}, {Scan{Views: 9, Photons: inf, Recon: fbp}, "+Inf photons"},
		{Scan{Views: 9, SNR: 0.5, Photons: 0.5, Recon: fbp}, "given twice"},
		{Scan{Views: 9, Recon: Recon{Method: "fbp", Kernel: "soft"}}, ""}, {Scan{Views: 9, Recon: Recon{Method: "fbp"}}, "there are sharp and soft"},
		{Scan{Views: 9, Recon: Recon{Method: "sart", Iterations: 1, Relaxation: 1.99}}, ""},
		{Scan{Views: 9, Recon: Recon{Method: "sart", Iterations: 1000, Relaxation: 0.01}}, ""},
		{Scan{Views: 9, Recon: Recon{Method: "sart", Iterations: 1001, Relaxation: 1}}, "1001 iterations"},
		{Scan{Views: 9, Recon: Recon{Method: "sart", Iterations: 0, Relaxation: 1}}, "0 iterations"},
		{Scan{Views: 9, Recon: Recon{Method: "sart", Iterations: 1}}, "a relaxation of 0"},
		{Scan{Views: 9, Recon: Recon{Method: "sart", Iterations: 1, Relaxation: 2}}, "a relaxation of 2"},
		{Scan{Views: 9, Recon: Recon{Method: "magic"}}, "there are fbp, sart"},
		{Scan{Views: 9, Recon: Recon{Method: "fbp", Kernel: "soft", Regularise: func(context.Context, *volume.Volume) (*volume.Volume, error) { return nil, nil }}}, "fbp has no passes"},
	} {
		if err := c.scan.Validate(); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.scan, err, c.want)
		}
	}
}
