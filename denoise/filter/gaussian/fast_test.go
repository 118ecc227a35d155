package gaussian

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/volume"
)

// field returns a field of varied values in which every fifth voxel is excluded, or none.
func field(dims [3]int, masked bool) denoise.Field {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i*i%101) - 30.25
	}
	if masked {
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Mask {
			v.Mask[i] = i%5 != 2
		}
	}
	return denoise.FieldOf(v)
}

func params(radius [3]int) Params {
	p := Params{}
	p.Radius, p.Scale = radius, [3]float64{0.5, 0.7, 0.4}
	return p
}

// Every tile of a volume agrees with the reference, wherever its neighbourhood is
// clipped and whichever tile the worker computed before.
func TestTilesAgreeWithTheReference(t *testing.T) {
	dims := [3]int{23, 11, 9}
	for _, masked := range []bool{false, true} {
		in := field(dims, masked)
		for _, radius := range [][3]int{{2, 1, 1}, {0, 3, 0}, {3, 0, 2}, {0, 0, 0}, {30, 12, 10}} {
			out := field(dims, masked)
			work := start(params(radius), in, out)()
			for _, tile := range []volume.Region{
				{Min: [3]int{0, 0, 0}, Max: [3]int{10, 5, 9}},
				{Min: [3]int{10, 0, 0}, Max: [3]int{23, 11, 4}},
				{Min: [3]int{0, 5, 0}, Max: [3]int{10, 11, 1}},
				{Min: [3]int{10, 0, 4}, Max: [3]int{23, 11, 9}},
				{Min: [3]int{0, 5, 1}, Max: [3]int{10, 11, 9}},
			} {
				work(tile, func() bool { return false })
			}
			for z := range dims[2] {
				for y := range dims[1] {
					for x := range dims[0] {
						want := float64(in.At(x, y, z))
						if in.Valid(in.Index(x, y, z)) {
							want = reference(params(radius), &in, x, y, z)
						}
						if got := out.At(x, y, z); !(math.Abs(float64(got)-want) <= 1e-5) {
							t.Fatalf("radius %v, masked %v: (%d, %d, %d) is %v; want %v", radius, masked, x, y, z, got, want)
						}
					}
				}
			}
		}
	}
}

// A worker that is stopped reads no further plane: what it has not finished stays.
func TestWorkerStops(t *testing.T) {
	in := field([3]int{5, 4, 7}, false)
	for planes := range 9 {
		out := field([3]int{5, 4, 7}, false)
		for i := range out.Data {
			out.Data[i] = -99
		}
		polls := 0
		start(params([3]int{1, 1, 2}), in, out)()(out.Box, func() bool { polls++; return polls > planes })
		// Plane z needs planes up to z+2; the last plane completes three.
		want := max(planes-2, 0)
		if planes >= 7 {
			want = 7
		}
		for z := range 7 {
			if done := out.At(0, 0, z) != -99; done != (z < want) {
				t.Errorf("stopped after %d planes: plane %d done %v", planes, z, done)
			}
		}
		if polls != min(planes+1, 7) {
			t.Errorf("stopped after %d planes: %d polls", planes, polls)
		}
	}
}

// TestTileSizes: tiles of one slice in 2-D, else cubes that are wider than their halo.
func TestTileSizes(t *testing.T) {
	for radius, want := range map[[3]int][3]int{
		{9, 9, 0}: {256, 64, 1}, {9, 33, 0}: {256, 66, 1}, {3, 3, 3}: {128, 32, 32}, {16, 16, 16}: {128, 32, 32},
		{17, 17, 17}: {128, 34, 34}, {20, 40, 30}: {128, 80, 60},
	} {
		if got := tileSize(radius); got != want {
			t.Errorf("radius %v: tiles of %v, want %v", radius, got, want)
		}
	}
}

// The memory of a worker after its largest tile is close to the estimate of its memory.
func TestScratch(t *testing.T) {
	for _, c := range []struct{ dims, radius [3]int }{
		{[3]int{140, 80, 70}, [3]int{4, 4, 4}}, {[3]int{300, 200, 1}, [3]int{2, 2, 0}}, {[3]int{30, 50, 6}, [3]int{1, 2, 3}},
	} {
		in := field(c.dims, true)
		w := &worker{Params: params(c.radius), in: in, out: in}
		for i := range 3 {
			w.taps[i] = w.Taps(i)
		}
		var t0 volume.Region
		for i, n := range tileSize(c.radius) {
			t0.Min[i] = min(c.radius[i], max(c.dims[i]-n, 0))
			t0.Max[i] = min(t0.Min[i]+n, c.dims[i])
		}
		w.reset(t0)
		held := int64(8 * (len(w.v.along) + len(w.v.ring) + len(w.m.along) + len(w.m.ring) + len(w.line) + 3*len(w.num)))
		if got := scratch(c.dims, c.radius); got < held || got > 2*held {
			t.Errorf("%v, radius %v: %d bytes are estimated and %d held", c.dims, c.radius, got, held)
		}
	}
}

// What becomes of one bright voxel is the Gaussian itself, divided by the sum of its taps; the cost of a pass counts each
// tap once.
func TestTaps(t *testing.T) {
	const middle = 6
	v := volume.New(volume.NewGeometry([3]int{2*middle + 1, 2*middle + 1, 2*middle + 1}, [3]float64{1, 1, 1}))
	v.Data[v.Index(middle, middle, middle)] = 1000
	p := params([3]int{3, 2, 1})
	out := denoise.FieldOf(volume.New(v.Geometry))
	start(p, denoise.FieldOf(v), out)()(v.Bounds(), func() bool { return false })
	weight := func(axis, d int) float64 {
		if max(d, -d) > p.Radius[axis] {
			return 0
		}
		return math.Exp(-0.5 * float64(d*d) * p.Scale[axis] * p.Scale[axis])
	}
	sum := 1.0
	for axis := range 3 {
		of := 0.0
		for d := -middle; d <= middle; d++ {
			of += weight(axis, d)
		}
		sum *= of
	}
	for z := -4; z <= 4; z++ {
		for y := -4; y <= 4; y++ {
			for x := -4; x <= 4; x++ {
				want := 1000 * weight(0, x) * weight(1, y) * weight(2, z) / sum
				if got := float64(out.At(middle+x, middle+y, middle+z)); math.Abs(got-want) > 1e-4 {
					t.Fatalf("%d, %d, %d from it: %g; want %g", x, y, z, got, want)
				}
			}
		}
	}
	r, err := Filter.Recipe(denoise.Case{Dims: 3, Set: "radius=3,2,1"})
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.Resolve(v.Geometry, denoise.Facts{}); err != nil {
		t.Fatal(err)
	}
	program, err := r.Bind(v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	const taps = 7 + 5 + 3
	if pass := program.Passes[0]; pass.Work != taps || math.Abs(pass.CPU.Nanoseconds-(nsVoxel+taps*nsTap)) > 1e-9 {
		t.Errorf("work of %g taps, %g ns; want %d", pass.Work, pass.CPU.Nanoseconds, taps)
	}
}
