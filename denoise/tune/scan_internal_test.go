package tune

import (
	"math"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// TestDiscs compares sums over discs with plain loops.
func TestDiscs(t *testing.T) {
	for _, dims := range [][2]int{{1, 1}, {3, 17}, {21, 14}} {
		nx, ny := dims[0], dims[1]
		src, dst := make([]float32, nx*ny), make([]float64, nx*ny)
		for i := range src {
			src[i] = float32(noise.Normal(3, uint64(i), 0))
		}
		d := newDiscs(nx, ny)
		d.load(src)
		for radius := 1; radius <= mostRadius; radius++ {
			d.sums(dst, radius)
			for i, got := range dst {
				want := 0.0
				for j, a := range src {
					if dx, dy := j%nx-i%nx, j/nx-i/nx; dx*dx+dy*dy <= radius*radius {
						want += float64(a)
					}
				}
				if math.Abs(got-want) > 1e-9 {
					t.Fatalf("%v, radius %d, pixel %d: %g; want %g", dims, radius, i, got, want)
				}
			}
		}
	}
}

// The sums over discs of noise have the variance that is stated, white and correlated.
func TestDiscVariance(t *testing.T) {
	g := volume.NewGeometry([3]int{96, 96, 40}, [3]float64{1, 1, 1})
	c := blotchy()
	for name, c := range map[string]*noise.Correlation{"white": nil, "correlated": c} {
		data, err := coloured(t.Context(), g, c, 5)
		if err != nil {
			t.Fatal(err)
		}
		d, sums := newDiscs(96, 96), make([]float64, 96*96)
		for radius := 1; radius <= mostRadius; radius++ {
			square, n := 0.0, 0.0
			for z := range g.Dims[2] {
				d.load(data[z*96*96:][:96*96])
				d.sums(sums, radius)
				for i, a := range sums {
					if x, y := i%96, i/96; min(x, y) >= radius && max(x, y) < 96-radius {
						square, n = square+a*a, n+1
					}
				}
			}
			if got, want := square/n, discVariance(radius, c); math.Abs(got/want-1) > 0.06 {
				t.Errorf("%s, radius %d: a variance of %.2f; %.2f is stated", name, radius, got, want)
			}
		}
	}
}

func TestStep(t *testing.T) {
	levels := func(n int, by float32) []float32 {
		p := make([]float32, 4*n)
		for i := range p {
			p[i] = float32(i*7919%n)*by - 5
		}
		return p
	}
	for _, c := range []struct {
		plane []float32
		want  float64
	}{{levels(64, 2.5), 2.5}, {levels(63, 2.5), 0}, {levels(1000, 1), 1}, {nil, 0}} {
		if got := step(c.plane); math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%d values: %g; want %g", len(c.plane), got, c.want)
		}
	}
}

// What became of a disc: of a bright object out of a dark structure as bright as what is around that, the contrast
// grows, and its sign says what happened.
func TestWhatBecameOfADisc(t *testing.T) {
	s := spot{at: [3]int{10, 10, 0}, radius: 2, slices: 1}
	disc := func(inside, ring float64) func(x, y, z int) float64 {
		return func(x, y, _ int) float64 {
			if (x-10)*(x-10)+(y-10)*(y-10) <= 4 {
				return inside
			}
			return ring
		}
	}
	for name, c := range map[string]struct {
		like, is, ring float64
		want           turn
		says           string
	}{
		"a bright one goes":                    {30, 10, 10, turn{Removed, true}, "now darker"},
		"a dark one goes":                      {-5, 10, 10, turn{Removed, false}, "now brighter"},
		"a bright one comes":                   {10, 30, 10, turn{Added, false}, "now brighter"},
		"a dark one comes":                     {10, -5, 10, turn{Added, true}, "now darker"},
		"a bright one out of a dark structure": {32, 0, 30, turn{Added, true}, "now darker"},
	} {
		got := s.turn(disc(c.like, c.ring), disc(c.is, c.ring), [3]int{21, 21, 1})
		if got != c.want {
			t.Errorf("%s: %+v", name, got)
		}
		if text := s.finding(volume.Region{}, got).String(); !strings.HasSuffix(text, ", "+c.says) {
			t.Errorf("%s: %q", name, text)
		}
	}
}
