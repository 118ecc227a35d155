package tune

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// heldResidue is a residual with its voxels in memory.
type heldResidue struct {
	residue
	data []float32
	use  []bool
}

func held(g volume.Geometry, data []float32, use []bool) heldResidue {
	n := g.SliceVoxels()
	return heldResidue{data: data, use: use, residue: residue{Geometry: g, slice: func(z int, to []float32, counts []bool) {
		copy(to, data[z*n:])
		copy(counts, use[z*n:])
	}}}
}

// field returns a residual of noise of sigma 1 with the given correlation.
func field(t *testing.T, dims [3]int, c *noise.Correlation) heldResidue {
	t.Helper()
	g := volume.NewGeometry(dims, [3]float64{1, 1, 1})
	data, err := coloured(t.Context(), g, c, 7)
	if err != nil {
		t.Fatal(err)
	}
	use := make([]bool, len(data))
	for i := range use {
		use[i] = true
	}
	r := held(g, data, use)
	r.correlation = c
	return r
}

// blotchy is the correlation of noise that is smooth over two voxels.
func blotchy() *noise.Correlation {
	c := &noise.Correlation{Across: [3]float64{1, 0, 0}}
	for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
		for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
			c.InPlane[dy+noise.MaxLag][dx+noise.MaxLag] = math.Exp(-float64(dx*dx+dy*dy) / 6)
		}
	}
	return c
}

func found(t *testing.T, r heldResidue) *volume.Volume {
	t.Helper()
	v, _ := structureOf(t, r)
	return v
}

func structureOf(t *testing.T, r heldResidue) (*volume.Volume, structure) {
	t.Helper()
	v := volume.New(r.Geometry)
	s, err := r.structure(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return v, s
}

func hits(v *volume.Volume) (n int) {
	for _, a := range v.Data {
		if a > 0 {
			n++
		}
	}
	return n
}

// Noise alone is no structure, white or correlated; taken for white, correlated
// noise is.
func TestNoiseIsNoStructure(t *testing.T) {
	for name, c := range map[string]*noise.Correlation{"white": nil, "correlated": blotchy()} {
		if n := hits(found(t, field(t, [3]int{160, 150, 6}, c))); n > 0 {
			t.Errorf("%s noise: %d voxels of structure", name, n)
		}
	}
	r := field(t, [3]int{160, 150, 6}, blotchy())
	r.correlation = nil
	if n := hits(found(t, r)); n < 1000 {
		t.Errorf("correlated noise taken for white: only %d voxels", n)
	}
}

// A disc far below the noise of a voxel is found at its place, as strong as it is;
// a pattern without mean is found by its power. Voxels that do not count are not.
func TestStructureInNoise(t *testing.T) {
	r := field(t, [3]int{120, 100, 3}, nil)
	for y := range 100 {
		for x := range 120 {
			i := r.Index(x, y, 1)
			if math.Hypot(float64(x-40), float64(y-50)) < 9 {
				r.data[i] -= 0.8
			}
			if x >= 80 && x < 95 && y >= 20 && y < 35 {
				r.data[i] += 2.5 * float32(1-2*((x+y)%2))
			}
		}
	}
	v, s := structureOf(t, r)
	if a := float64(v.At(40, 50, 1)); math.Abs(a-0.8) > 0.3 {
		t.Errorf("a disc of 0.8 sigma reads %.2f", a)
	}
	if a := float64(v.At(87, 27, 1)); math.Abs(a-2.5) > 0.6 {
		t.Errorf("a pattern of 2.5 sigma reads %.2f", a)
	}
	for i, a := range v.Data {
		x, y, z := i%120, i/120%100, i/12000
		near := math.Hypot(float64(x-40), float64(y-50)) < 20 || x > 70 && x < 105 && y > 10 && y < 45
		if a > 0 && (z != 1 || !near) {
			t.Fatalf("structure %.2f at %d, %d, %d where there is none", a, x, y, z)
		}
	}
	p := Result{After: volume.New(r.Geometry), Region: volume.Region{Min: [3]int{10, 20, 30}}, Noise: noise.Known(1)}.place(s.slices)
	if p == nil || p.Slice != 31 || p.X < 10+78 || p.X > 10+97 || p.Y < 20+18 || p.Y > 20+37 || p.What != smooth {
		t.Errorf("the most structure is at %v; want the pattern, in smooth tissue", p)
	}
	for i := range r.use {
		r.use[i] = false
	}
	if n := hits(found(t, r)); n > 0 {
		t.Errorf("%d voxels that do not count hold structure", n)
	}
}

// The limit of a mean is five standard deviations of it under noise.
func TestLimitsOfStructure(t *testing.T) {
	g := volume.NewGeometry([3]int{61, 61, 1}, [3]float64{1, 1, 1})
	r := held(g, make([]float32, 61*61), make([]bool, 61*61))
	for _, s := range meanScales {
		if want := 1 / (2 * math.Sqrt(math.Pi) * s); math.Abs(r.spread(s)/want-1) > 0.05 {
			t.Errorf("scale %g: the mean of white noise spreads by %.4f, want %.4f", s, r.spread(s), want)
		}
	}
	limit := significant * r.spread(4)
	for share, want := range map[float64]bool{0.98: false, 1.02: true} {
		for i := range r.data {
			r.data[i], r.use[i] = float32(share*limit), true
		}
		if got := found(t, r).At(30, 30, 0); (got > 0) != want || want && math.Abs(float64(got)/(share*limit)-1) > 1e-4 {
			t.Errorf("a mean of %.2f limits reads %g", share, got)
		}
	}
	// Power without a mean: a fine checkerboard.
	limit = math.Sqrt(r.powerLimit())
	for share, want := range map[float64]bool{0.98: false, 1.02: true} {
		for i := range r.data {
			r.data[i] = float32(share*limit) * float32(1-2*(i%2))
		}
		if got := found(t, r).At(30, 30, 0); (got > 0) != want {
			t.Errorf("a power of %.2f limits squared reads %g", share, got)
		}
	}
	// chi squared of 50 degrees of freedom exceeds 1 by five of its widths.
	if p := r.powerLimit(); p < 1.9 || p > 2.6 {
		t.Errorf("the limit of the power is %.2f", p)
	}
	line := residue{Geometry: volume.NewGeometry([3]int{61, 1, 9}, [3]float64{1, 1, 1})}
	if want := math.Sqrt(1 / (2 * math.Sqrt(math.Pi))); math.Abs(line.spread(1)/want-1) > 0.05 {
		t.Errorf("a row spreads by %.3f, want %.3f", line.spread(1), want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.structure(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestPlaceOfEdges(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 20, 2}, [3]float64{1, 1, 1})
	after := volume.New(g)
	if p := (Result{After: after}).place(make([]share, 2)); p != nil {
		t.Errorf("no structure lies at %v", p)
	}
	per := []share{{}, {peak: 2, at: 5*20 + 12}}
	for step, want := range map[float32]string{3: smooth, 5: edges} {
		for i := range after.Data {
			after.Data[i] = step * 10 * float32(i%20/12)
		}
		p := Result{After: after, Noise: noise.Known(10)}.place(per)
		if p == nil || *p != (Place{12, 5, 1, want}) {
			t.Errorf("a step of %g sigma is %v, want %s", step, p, want)
		}
	}
	// Of slices with equal peaks it is the first.
	per[0] = share{peak: 2, at: 3}
	if p := (Result{After: after, Noise: noise.Known(10)}).place(per); p == nil || p.Slice != 0 || p.X != 3 {
		t.Errorf("the first of equal peaks is at %v", p)
	}
	if text := (Place{1, 2, 3, edges}).String(); text != "edges at x 2, y 3 in slice 4" {
		t.Errorf("%q", text)
	}
}
