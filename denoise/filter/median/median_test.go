package median

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
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
// clipped along any axis or at both ends of one, and next to excluded voxels.
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

// Numbers are in the order of their values, infinities at the ends, and are turned back to the same bits.
func TestOrder(t *testing.T) {
	inf := float32(math.Inf(1))
	values := []float32{-inf, -math.MaxFloat32, -2, -1e-40, float32(math.Copysign(0, -1)), 0, 1e-40, 1, 2.5, math.MaxFloat32, inf}
	for i, v := range values {
		if got := valueOf(order(v)); math.Float32bits(got) != math.Float32bits(v) {
			t.Errorf("%v comes back as %v", v, got)
		}
		if i > 0 && order(values[i-1]) >= order(v) {
			t.Errorf("%v is not below %v", values[i-1], v)
		}
	}
}

// The middle of a set is found wherever the middle before was, across words without members too.
func TestMiddle(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var s set
	s.reset(1000)
	members := map[int32]bool{}
	for range 5000 {
		rank := int32(rng.IntN(1000))
		if rng.IntN(3) == 0 {
			rank = int32(rng.IntN(70)) + int32(rng.IntN(2))*930
		}
		if members[rank] {
			delete(members, rank)
			s.remove(rank)
		} else {
			members[rank] = true
			s.add(rank)
		}
		s.add(-1)
		s.remove(-1)
		if len(members) == 0 {
			continue
		}
		sorted := slices.Sorted(maps.Keys(members))
		if low, high := s.middle(); low != int(sorted[(len(sorted)-1)/2]) || high != int(sorted[len(sorted)/2]) {
			t.Fatalf("%d and %d of %v", low, high, sorted)
		}
	}
}

func BenchmarkMedian(b *testing.B) {
	for _, r := range [][3]int{{1, 1, 0}, {2, 2, 0}, {1, 1, 1}, {2, 2, 2}, {5, 5, 5}} {
		b.Run(fmt.Sprint(r), func(b *testing.B) {
			in, out := field([3]int{128, 128, 16}, false), field([3]int{128, 128, 16}, false)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range in.Data {
				in.Data[i] = float32(rng.NormFloat64() * 20)
			}
			work := start(Params{Radius: r}, in, out)()
			n := 0
			for b.Loop() {
				for x := 0; x < 128; x += tileSize[0] {
					for y := 0; y < 128; y += tileSize[1] {
						for z := 0; z < 16; z += tileSize[2] {
							work(volume.Region{Min: [3]int{x, y, z}, Max: [3]int{min(x+tileSize[0], 128), y + tileSize[1], z + tileSize[2]}}, func() bool { return false })
						}
					}
				}
				n += len(in.Data)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/voxel")
		})
	}
}
