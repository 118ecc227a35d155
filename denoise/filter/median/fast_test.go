package median

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// field returns a field of varied values in which no voxel is excluded, or a block and
// some single ones.
func field(dims [3]int, masked bool) denoise.Field {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32((i*7919)%61) - 30.25
	}
	if masked {
		v.Mask = make([]bool, len(v.Data))
		for i := range v.Mask {
			v.Mask[i] = i%53 != 2 && i%dims[0] < dims[0]-3
		}
	}
	return denoise.FieldOf(v)
}

// Every tile of a volume has the medians of the definition: if neighbourhoods are
// clipped along any axis or at both ends of one, next to excluded voxels, and in
// neighbourhoods that are too large for a network.
func TestTilesAgreeWithTheReference(t *testing.T) {
	for _, dims := range [][3]int{{45, 7, 5}, {6, 5, 3}, {4, 6, 2}, {3, 9, 1}, {1, 1, 1}} {
		for _, masked := range []bool{false, true} {
			in := field(dims, masked)
			for _, radius := range [][3]int{{2, 2, 0}, {1, 1, 1}, {3, 0, 1}, {0, 2, 0}, {0, 0, 0}, {2, 1, 2}, {5, 5, 1}, {6, 6, 1}} {
				p := Params{Radius: radius}
				out := field(dims, masked)
				work := start(p, in, out)()
				cuts := []int{0, min(1, dims[0]-1), dims[0] / 2, max(dims[0]-1, 0), dims[0]} // tiles narrower than the neighbourhood too
				for i, to := range cuts[1:] {
					x := [2]int{min(cuts[i], to), to}
					work(volume.Region{Min: [3]int{x[0], 0, 0}, Max: [3]int{x[1], dims[1], dims[2]}}, func() bool { return false })
				}
				for z := range dims[2] {
					for y := range dims[1] {
						for x := range dims[0] {
							want := in.At(x, y, z)
							if in.Valid(in.Index(x, y, z)) {
								want = float32(reference(p, &in, x, y, z))
							}
							if got := out.At(x, y, z); got != want {
								t.Fatalf("%v, radius %v, masked %v: (%d, %d, %d) is %v; want %v", dims, radius, masked, x, y, z, got, want)
							}
						}
					}
				}
			}
		}
	}
}

// A network serves neighbourhoods of up to 400 voxels that no volume clips at both ends
// of the x axis.
func TestUsesNetwork(t *testing.T) {
	for _, c := range []struct {
		radius [3]int
		n      int
		want   bool
	}{
		{[3]int{3, 3, 3}, 99, true}, {[3]int{9, 9, 0}, 18, true}, {[3]int{9, 9, 0}, 17, false}, {[3]int{0, 0, 0}, 1, true},
		{[3]int{1, 1, 1}, 1, false}, {[3]int{1, 1, 1}, 2, true}, {[3]int{10, 10, 0}, 99, false}, {[3]int{2, 2, 8}, 99, false}, {[3]int{2, 2, 7}, 99, true},
	} {
		if got := (Params{Radius: c.radius}).usesNetwork(c.n); got != c.want {
			t.Errorf("radius %v in %d voxels: %v", c.radius, c.n, got)
		}
	}
}

// A worker ends at the row at which it is stopped.
func TestWorkerStops(t *testing.T) {
	for _, radius := range [][3]int{{1, 1, 0}, {10, 10, 0}} {
		for rows := range 8 {
			in, out := field([3]int{5, 3, 2}, false), field([3]int{5, 3, 2}, false)
			for i := range out.Data {
				out.Data[i] = -99
			}
			polls := 0
			start(Params{Radius: radius}, in, out)()(out.Box, func() bool { polls++; return polls > rows })
			for i, v := range out.Data {
				if (v != -99) != (i/5 < rows) {
					t.Errorf("radius %v, stopped after %d rows: voxel %d is %v", radius, rows, i, v)
				}
			}
			if polls != min(rows+1, 6) {
				t.Errorf("radius %v, stopped after %d rows: %d polls", radius, rows, polls)
			}
		}
	}
}
