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

// TestGrainsAndBlocks pins the sizes at the edges of the tiles of the kernels.
func TestGrainsAndBlocks(t *testing.T) {
	region := func(x, y, z int) volume.Region { return volume.Region{Max: [3]int{x, y, z}} }
	for _, c := range []struct {
		r             volume.Region
		n             int
		intermediates bool
		dims          [3]int
		grain         int
	}{
		{region(10, 10, 50), 100, false, [3]int{10, 10, 1}, 1},
		{region(10, 10, 50), 99, false, [3]int{10, 9, 1}, 1},
		{region(10, 10, 50), 1, false, [3]int{10, 1, 1}, 1},
		{region(10, 100, 50), 329, false, [3]int{10, 32, 1}, 1},
		{region(10, 100, 50), 639, false, [3]int{10, 32, 1}, 1},
		{region(10, 100, 50), 640, false, [3]int{10, 64, 1}, 1},
		{region(10, 10, 50), 1100, false, [3]int{10, 10, 11}, 11},
		{region(10, 10, 50), 1200, false, [3]int{10, 10, 12}, 12},
		{region(10, 10, 50), 2300, false, [3]int{10, 10, 12}, 12},
		{region(10, 10, 50), 2400, false, [3]int{10, 10, 24}, 12},
		{region(10, 10, 50), 2400, true, [3]int{10, 10, 24}, 24},
		{region(10, 10, 50), 500, true, [3]int{10, 10, 5}, 5},
	} {
		d := demand{region: c.r, block: c.n}
		if c.intermediates {
			d.intermediates = [][3]int{{1, 1, 1}}
		}
		if got := blockDims(c.r, c.n); got != c.dims {
			t.Errorf("%v in blocks of %d: %v; want %v", c.r, c.n, got, c.dims)
		}
		if deep := (demand{region: c.r, block: c.n, deepTiles: true}).grain(); deep != c.dims[2] {
			t.Errorf("%v in blocks of %d with deep tiles: grain %d; want a block", c.r, c.n, deep)
		}
		if got := d.grain(); got != c.grain {
			t.Errorf("%v in blocks of %d, intermediates %v: grain %d; want %d", c.r, c.n, c.intermediates, got, c.grain)
		}
	}
	for _, c := range [][3]int{{11, 12, 11}, {12, 12, 12}, {13, 12, 12}, {24, 12, 24}, {35, 12, 24}} {
		if got := roundDown(c[0], c[1]); got != c[2] {
			t.Errorf("%d rounded to %d: %d; want %d", c[0], c[1], got, c[2])
		}
	}
}

// TestMemoryOfSlabs pins the account: input with mask, results, one or two slabs at a time.
func TestMemoryOfSlabs(t *testing.T) {
	d := demand{dims: [3]int{10, 20, 30}, region: volume.Region{Min: [3]int{0, 0, 5}, Max: [3]int{4, 20, 25}}, inputs: 2, masked: true, reach: [3]int{9, 9, 3}, block: 1}
	const slice, result = 10 * 20 * 9, 4 * 20 * 4
	for _, c := range []struct {
		t     int
		whole bool
		want  int64
	}{
		{20, true, 30*slice + 20*result},
		{21, true, 30*slice + 21*result},
		{19, true, 30*slice + 2*19*result},
		{20, false, 26*slice + 20*result},
		{5, false, 2*11*slice + 2*5*result},
		{24, false, 30*slice + 24*result},
	} {
		if got := d.memory(c.t, c.whole); got != c.want {
			t.Errorf("slabs of %d slices, whole %v: %d bytes; want %d", c.t, c.whole, got, c.want)
		}
	}
	err := &memoryError{need: 5<<20 + 1, have: 4<<20 - 1}
	if want := "one slice with its surroundings needs 6 MB of GPU memory and 3 MB are free"; err.Error() != want {
		t.Errorf("%q; want %q", err, want)
	}
}

// TestSlabsReadTheirHalo pins the slices of each slab, clipped to the volume.
func TestSlabsReadTheirHalo(t *testing.T) {
	d := demand{dims: [3]int{2, 2, 30}, region: volume.Region{Min: [3]int{0, 0, 1}, Max: [3]int{2, 2, 29}}, inputs: 1, reach: [3]int{2: 2}, block: 4}
	l := d.layout(10, false, 7)
	want := [][4]int{{1, 11, 0, 13}, {11, 21, 9, 23}, {21, 29, 19, 30}}
	if len(l.slabs) != len(want) || l.memory != 7 || l.whole || l.reach != d.reach {
		t.Fatalf("layout %+v", l)
	}
	for i, s := range l.slabs {
		if got := [4]int{s.region.Min[2], s.region.Max[2], s.z0, s.z1}; got != want[i] || s.results != int64(4*(got[1]-got[0])) || len(s.blocks) != got[1]-got[0] {
			t.Errorf("slab %d: %v with %d results in %d blocks; want %v", i, got, s.results, len(s.blocks), want[i])
		}
	}
}
