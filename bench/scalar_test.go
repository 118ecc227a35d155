package bench

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/volume"
)

// The scalar programs compute what the float64 formulas say, in regions and at the edges,
// with the same bits on any number of threads.
func TestScalarPrograms(t *testing.T) {
	ctx := context.Background()
	truth := volume.New(volume.NewGeometry([3]int{11, 9, 5}, [3]float64{1, 1, 1}))
	for i := range truth.Data {
		truth.Data[i] = float32(100 + 40*(i/3%3))
	}
	v, err := noise.AddNoise(ctx, truth, noise.Gaussian, 8, 3)
	if err != nil {
		t.Fatal(err)
	}
	in := denoise.Input{Volume: v}
	region := volume.Region{Min: [3]int{2, 0, 1}, Max: [3]int{11, 8, 5}}
	for _, c := range []struct {
		filter, set string
		dims        int
	}{
		{"nlm", "h=20 search-radius=2 patch-radius=1 centre=max", 3},
		{"nlm", "h=20 search-radius=3 patch-radius=2 patch-weights=uniform centre=one", 2},
		{"nlm", "h=20 search-radius=2 sigma=6 correlation=40,10,0,0,20,0", 3},
		{"nlm", "h=1 search-radius=0", 3},
		{"bilateral", "radius=3,1,2 sigma-spatial=1.5 sigma-range=60", 3},
		{"bilateral", "radius=2 sigma-range=30", 2},
		{"lpa", "sigma=15", 2},
	} {
		f, err := denoise.FilterByName(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Recipe(denoise.Case{Dims: c.dims, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.ResolveFor(ctx, in); err != nil {
			t.Fatal(err)
		}
		want, err := cpu.Reference(ctx, r, in, region)
		if err != nil {
			t.Fatal(err)
		}
		var first *volume.Volume
		for _, threads := range []int{1, 3} {
			voxels := int64(0)
			got, err := scalarEngine{threads}.Run(ctx, r, in, region, func(done, _ int64) { voxels = done })
			if err != nil {
				t.Fatalf("%s %s: %v", c.filter, c.set, err)
			}
			for i, x := range got.Data {
				if math.Abs(float64(x-want.Data[i])) > 1e-3 {
					t.Errorf("%s %s: voxel %d is %g, want %g", c.filter, c.set, i, x, want.Data[i])
					break
				}
				if first != nil && x != first.Data[i] {
					t.Errorf("%s %s: voxel %d differs between 1 and %d threads", c.filter, c.set, i, threads)
					break
				}
			}
			if first = got; voxels != int64(region.Voxels()) {
				t.Errorf("%s %s: progress to %d", c.filter, c.set, voxels)
			}
		}
	}
	for _, set := range []string{"h=20 preselect=true", "weighting=lk", "h=20 rician=true sigma=5"} {
		f, _ := denoise.FilterByName("nlm")
		r, err := f.Recipe(denoise.Case{Dims: 3, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.ResolveFor(ctx, in); err != nil {
			t.Fatal(err)
		}
		if _, err := (scalarEngine{1}).Run(ctx, r, in, region, nil); !errors.Is(err, denoise.ErrUnsupported) {
			t.Errorf("%s: %v", set, err)
		}
	}
}

// A scalar program filters rows of one slice if a slice takes too long, and slices if not.
func TestScalarPart(t *testing.T) {
	for _, c := range []struct {
		dims    [3]int
		radius  int
		threads int
		rows    bool
	}{
		{[3]int{32, 32, 4}, 1, 1, false}, {[3]int{256, 256, 4}, 8, 1, true}, {[3]int{256, 256, 4}, 8, 64, false},
	} {
		r := Row{Filter: "bilateral", Dims: 3, Scalar: true}
		f, err := denoise.FilterByName("bilateral")
		if err != nil {
			t.Fatal(err)
		}
		v := volume.New(volume.NewGeometry(c.dims, [3]float64{1, 1, 1}))
		recipe, err := f.Recipe(denoise.Case{Dims: 3, Set: fmt.Sprintf("radius=%d sigma-range=20", c.radius)})
		if err == nil {
			recipe, err = recipe.Resolve(v.Geometry, denoise.Facts{})
		}
		if err != nil {
			t.Fatal(err)
		}
		m := measurement{row: r, engine: scalarEngine{c.threads}, image: &sample{noisy: v}}
		region, err := m.part(recipe)
		if err != nil {
			t.Fatal(err)
		}
		d := region.Dims()
		if (d[1] < c.dims[1]) != c.rows || d[0] != c.dims[0] || c.rows && d[2] != 1 || d[1] < 1 {
			t.Errorf("%+v: %v", c, d)
		}
	}
}
