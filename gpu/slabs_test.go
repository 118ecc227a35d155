package gpu

import (
	"errors"
	"math/rand/v2"
	"testing"

	"quell/volume"
)

// For any demand every voxel is in exactly one block, in the order of the result's
// memory, with its surroundings, within the budget.
func TestSlabsCoverTheRegion(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	fits := 0
	for range 3000 {
		d := demand{inputs: 1 + random.IntN(3), reach: [3]int{2: random.IntN(5)}, masked: random.IntN(2) == 0, block: 1 + random.IntN(4000)}
		for c := range 3 {
			d.dims[c] = 1 + random.IntN(30)
			d.region.Min[c] = random.IntN(d.dims[c])
			d.region.Max[c] = d.region.Min[c] + 1 + random.IntN(d.dims[c]-d.region.Min[c])
		}
		all := d.memory(d.region.Dims()[2], true)
		d.budget = all/20 + int64(random.IntN(int(all)))
		l, err := planSlabs(d)
		if err != nil {
			var short *memoryError
			if !errors.As(err, &short) || d.memory(1, false) <= d.budget {
				t.Fatalf("%+v: %v", d, err)
			}
			continue
		}
		fits++
		if l.memory > d.budget {
			t.Fatalf("%+v: %d bytes", d, l.memory)
		}
		next := d.region.Min[2]
		for _, s := range l.slabs {
			if s.region.Min[2] != next || s.results != int64(s.region.Voxels()) {
				t.Fatalf("%+v: slab %+v after slice %d", d, s, next)
			}
			if z, g := next-d.region.Min[2], d.grain(); z%g != 0 && l.slabs[0].region.Dims()[2] >= g {
				t.Fatalf("%+v: slab %v begins between grains", d, s.region)
			}
			next = s.region.Max[2]
			checkBlocks(t, s, d)
		}
		if next != d.region.Max[2] {
			t.Fatalf("%+v: slabs end at %d", d, next)
		}
	}
	if fits < 1000 {
		t.Errorf("only %d of 3000 demands fit", fits)
	}
}

func checkBlocks(t *testing.T, s slab, d demand) {
	t.Helper()
	rd := s.region.Dims()
	at := 0
	for _, b := range s.blocks {
		if err := b.Validate(volume.Geometry{Dims: d.dims}); err != nil {
			t.Fatal(err)
		}
		bd := b.Dims()
		first := ((b.Min[2]-s.region.Min[2])*rd[1]+b.Min[1]-s.region.Min[1])*rd[0] + b.Min[0] - s.region.Min[0]
		if first != at || bd[0] != rd[0] || (bd[2] > 1 && bd[1] != rd[1]) {
			t.Fatalf("block %v of %v leaves a gap in the result", b, s.region)
		}
		if b.Voxels() > d.block && bd[1]*bd[2] > 1 {
			t.Fatalf("block %v has more than %d voxels", b, d.block)
		}
		if z := b.Min[2] - s.region.Min[2]; z%d.grain() != 0 {
			t.Fatalf("block %v begins between grains of %v", b, s.region)
		}
		if max(b.Min[2]-d.reach[2], 0) < s.z0 || min(b.Max[2]+d.reach[2], d.dims[2]) > s.z1 {
			t.Fatalf("block %v reads beyond slices %d-%d", b, s.z0, s.z1)
		}
		at += b.Voxels()
	}
	if at != s.region.Voxels() {
		t.Fatalf("blocks of %v end at %d", s.region, at)
	}
}

// The whole input is on the device if it fits, even if the whole result does not.
func TestSlabsPreferTheWholeInput(t *testing.T) {
	d := demand{dims: [3]int{100, 100, 100}, inputs: 1, reach: [3]int{2: 3}, block: 1 << 20}
	d.region = volume.Region{Max: d.dims}
	for budget, want := range map[int64]struct {
		whole bool
		slabs int
	}{
		8_000_000: {true, 1},
		7_999_999: {true, 3}, // two results at a time
		4_100_000: {true, 100},
		3_900_000: {false, 9}, // two inputs of 12 + 6 slices and two results of 12
	} {
		d.budget = budget
		l, err := planSlabs(d)
		if err != nil || l.whole != want.whole || len(l.slabs) != want.slabs {
			t.Errorf("budget %d: %d slabs, whole %v, %v; want %+v", budget, len(l.slabs), l.whole, err, want)
		}
	}
}
