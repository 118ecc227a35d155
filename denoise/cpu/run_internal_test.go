package cpu

import (
	"errors"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/tile"
	"quell/internal/parallel"
	"quell/volume"
)

// The tiles of a region cover it once, and none is larger than asked.
func TestSplit(t *testing.T) {
	region := volume.Region{Min: [3]int{3, 0, 5}, Max: [3]int{104, 33, 6}}
	size := [3]int{32, 16, 16}
	seen := map[[3]int]int{}
	for _, tile := range split(region, size) {
		for c, d := range tile.Dims() {
			if d < 1 || d > size[c] {
				t.Errorf("tile %v is %d along %d", tile, d, c)
			}
		}
		for z := tile.Min[2]; z < tile.Max[2]; z++ {
			for y := tile.Min[1]; y < tile.Max[1]; y++ {
				for x := tile.Min[0]; x < tile.Max[0]; x++ {
					seen[[3]int{x, y, z}]++
				}
			}
		}
	}
	if len(seen) != region.Voxels() {
		t.Errorf("%d voxels are covered of %d", len(seen), region.Voxels())
	}
	for at, n := range seen {
		if n != 1 {
			t.Errorf("%v is covered %d times", at, n)
		}
	}
}

// A panic of a worker is the run's error, and so is a voxel that is not finite.
func TestBrokenPass(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 4, 4}, [3]float64{1, 1, 1}))
	for name, work := range map[string]denoise.Worker{
		"panic": func(volume.Region, func() bool) { panic("broken tile") },
		"not finite": func(tile volume.Region, _ func() bool) {
			if tile.Min == [3]int{} { // each tile writes its own voxels
				v.Data[5] = v.Data[5] / v.Data[4]
			}
		},
	} {
		pass := denoise.Pass{Name: "broken", CPU: denoise.CPUPass{
			Tile: [3]int{2, 2, 2},
			Start: func([]denoise.Field, denoise.Field) func() denoise.Worker {
				return func() denoise.Worker { return work }
			},
		}}
		r := run{counter: parallel.NewCounter(0, nil)}
		err := r.tiles(t.Context(), 2, pass, nil, denoise.FieldOf(v), v.Bounds())
		var p *parallel.Panic
		if err == nil || errors.As(err, &p) != (name == "panic") {
			t.Errorf("%s gave the error %v", name, err)
		}
	}
}

// An intermediate covers the region and the halo of the later passes, and is freed
// after its last pass.
func TestIntermediates(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{9, 8, 7}, [3]float64{1, 1, 1}))
	tile.Fill(v.Data, 1)
	r, err := denoise.NewRecipe("twopass", 3)
	if err != nil {
		t.Fatal(err)
	}
	r = r.With("mean-radius", denoise.List(2)).With("guide-sigma", denoise.Number(3))
	in := denoise.Input{Volume: v, Noise: v, Guide: v}
	run, err := prepare(t.Context(), r, in, volume.Region{Min: [3]int{4, 3, 0}, Max: [3]int{6, 4, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := run.box("mean"), (volume.Region{Min: [3]int{3, 2, 0}, Max: [3]int{7, 5, 2}}); got != want {
		t.Errorf("the intermediate covers %v; want %v", got, want)
	}
	if got, want := run.program.Reach(), [3]int{3, 3, 3}; got != want {
		t.Errorf("reach %v; want %v", got, want)
	}
	var seen []string
	err = run.passes(func(pass denoise.Pass, inputs []denoise.Field, out denoise.Field) error {
		for name := range run.fields {
			seen = append(seen, pass.Name+": "+name)
		}
		if len(out.Data) != out.Box.Voxels() || len(inputs) != len(pass.Inputs) {
			t.Errorf("%s has %d inputs and %d voxels in %v", pass.Name, len(inputs), len(out.Data), out.Box)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(seen)
	want := []string{"guided mean: guide volume", "guided mean: mean", "mean: guide volume", "mean: noise map", "mean: voxels"}
	if !slices.Equal(seen, want) {
		t.Errorf("fields before the passes: %v; want %v", seen, want)
	}
	if len(run.fields) != 1 { // the result
		t.Errorf("%d fields are kept after the last pass", len(run.fields))
	}
	plan, err := New().Plan(r, v.Geometry)
	if err != nil || plan.Memory != int64(4*v.Voxels()) {
		t.Errorf("plan %+v, %v; want the memory of one intermediate", plan, err)
	}
}

// A region of many slices is computed in parts, which are longer if intermediates have a wide halo; a filter of one pass needs
// none. The memory of the intermediates is used again, and the bits are those of regions of one part, with and without padding.
func TestParts(t *testing.T) {
	for _, masked := range []bool{false, true} {
		v := numbered([3]int{5, 4, 100})
		if !masked {
			v.Mask = nil
		}
		given := denoise.Input{Volume: v}
		for _, c := range []struct{ reach, slices, parts int }{{0, 97, 1}, {1, 32, 1}, {1, 33, 2}, {1, 97, 4}, {2, 64, 1}, {2, 65, 2}} {
			r := recipe(t, "median", 3)
			if c.reach > 0 {
				r = recipe(t, "slab", 3).With("guide-sigma", denoise.Number(9)).With("reach", denoise.Number(float64(c.reach)))
			}
			run, err := prepare(t.Context(), r, given, volume.Slices(v.Geometry, 2, 2+c.slices))
			if err != nil {
				t.Fatal(err)
			}
			if n := len(run.parts()); n != c.parts {
				t.Errorf("%s, reach %d, %d slices: %d parts; want %d", r.Filter, c.reach, c.slices, n, c.parts)
			}
			whole, err := New().Run(t.Context(), r, given, run.region, nil)
			if err != nil {
				t.Fatal(err)
			}
			for z := 0; z < c.slices; z += 10 {
				to := min(z+10, c.slices)
				part, err := New().Run(t.Context(), r, given, volume.Slices(v.Geometry, 2+z, 2+to), nil)
				if err != nil || !slices.Equal(part.Data, whole.Crop(volume.Slices(whole.Geometry, z, to)).Data) {
					t.Errorf("%s: slices %d to %d have other bits, %v", r.Filter, z, to, err)
				}
			}
		}
	}
}

// Spare memory is taken if it is large enough.
func TestTake(t *testing.T) {
	r := &run{spare: [][]float32{make([]float32, 5), make([]float32, 8)}}
	if s := r.take(6); len(s) != 6 || cap(s) != 8 || len(r.spare) != 1 {
		t.Errorf("%d of %d values, %d spare", len(s), cap(s), len(r.spare))
	}
	if s := r.take(6); len(s) != 6 || len(r.spare) != 1 {
		t.Errorf("%d values, %d spare", len(s), len(r.spare))
	}
	if s := r.take(5); len(s) != 5 || len(r.spare) != 0 {
		t.Errorf("%d values, %d spare", len(s), len(r.spare))
	}
}

// TestMapsShareTheMaskOfTheVolume checks a promise to passes: of the noise map and the
// guide the same voxels are excluded as of the volume, whatever masks they have.
func TestMapsShareTheMaskOfTheVolume(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 1, 1})
	v, noise, guide := volume.New(g), volume.New(g), volume.New(g)
	tile.Fill(noise.Data, 1)
	v.Mask, guide.Mask = make([]bool, g.Voxels()), make([]bool, g.Voxels())
	mask, want := make([]bool, g.Voxels()), make([]bool, g.Voxels())
	for i := range want {
		v.Mask[i], mask[i], guide.Mask[i] = i%3 != 0, i%5 != 0, i%2 == 0
		want[i] = v.Mask[i] && mask[i]
	}
	recipe, err := denoise.NewRecipe("twopass", 3)
	if err != nil {
		t.Fatal(err)
	}
	r, err := prepare(t.Context(), recipe.With("guide-sigma", denoise.Number(5)), denoise.Input{Volume: v, Noise: noise, Guide: guide, Mask: mask}, v.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.inputs) != 3 {
		t.Fatalf("%d fields, want the volume and two maps", len(r.inputs))
	}
	for name, f := range r.inputs {
		if !slices.Equal(f.Mask, want) {
			t.Errorf("the mask of the %s is %v, want %v", name, f.Mask, want)
		}
	}
}
