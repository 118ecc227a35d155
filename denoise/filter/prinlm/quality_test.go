package prinlm_test

import (
	"os"
	"path/filepath"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/dct"
	_ "quell/denoise/filter"
	"quell/denoise/filter/odct"
	"quell/denoise/filter/prinlm"
	"quell/denoise/noise"
	"quell/internal/shareddata"
	"quell/io/nifti"
	"quell/volume"
)

// The error on the T1 pair, a brain with Gaussian noise of sigma 10: of the whole volume
// if that takes little, of ten slices with the second stage.
func TestErrorOnTheT1Pair(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	read := func(name string) *volume.Volume {
		path := shareddata.Path(t, "template/"+name)
		s, err := nifti.Open.Read(t.Context(), os.DirFS(filepath.Dir(path)), filepath.Base(path), 0, "")
		if err != nil {
			t.Fatal(err)
		}
		return s.Volume
	}
	truth, noisy := read("t1-181x217x51-truth.nii.gz"), read("t1-181x217x51-noisy-sigma10.nii.gz")
	for _, c := range []struct {
		filter, set string
		from, to    int
		atMost      float64
	}{
		{"odct", "sigma=10", 0, 51, 11.03},
		{"prinlm", "sigma=10 h=5", 0, 51, 9.72},
		{"prinlm", "sigma=10 h=8 wiener=6", 20, 30, 9.2},
	} {
		f, err := denoise.FilterByName(c.filter)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.Recipe(denoise.Case{Dims: 3, Set: c.set})
		if err != nil {
			t.Fatal(err)
		}
		region := volume.Slices(noisy.Geometry, c.from, c.to)
		got, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: noisy}, region, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for i, want := range truth.Crop(region).Data {
			d := float64(got.Data[i]) - float64(want)
			sum += d * d
		}
		if mse := sum / float64(len(got.Data)); mse > c.atMost {
			t.Errorf("%s %s: MSE %.3f; at most %g is known", c.filter, c.set, mse, c.atMost)
		} else {
			t.Logf("%s %s: MSE %.3f", c.filter, c.set, mse)
		}
	}
}

// The typed parameters and the passes of a recipe.
func TestBind(t *testing.T) {
	g := volume.NewGeometry([3]int{40, 30, 5}, [3]float64{1, 1, 1})
	bind := func(dims int, set string) (denoise.Program, error) {
		r, err := prinlm.Filter.Recipe(denoise.Case{Dims: dims, Set: set})
		if err != nil {
			t.Fatal(err)
		}
		if r, err = r.Resolve(g, denoise.Facts{Hi: 255, Noise: noise.Known(10)}); err != nil {
			t.Fatal(err)
		}
		return r.Bind(g)
	}
	for _, c := range []struct {
		dims   int
		set    string
		want   prinlm.Params
		passes int
		reach  [3]int
	}{
		{3, "", prinlm.Params{
			H: 5, Radius: [3]int{3, 3, 3}, Mean: [3]int{1, 1, 1}, Guide: odct.Params{Size: [3]int{4, 4, 4}, Threshold: 27},
		}, 3, [3]int{7, 7, 7}},
		{2, "centre=one search-radius=2 sigma=4 h=3", prinlm.Params{
			H: 3, Radius: [3]int{2, 2, 0}, Mean: [3]int{1, 1, 0}, One: true, Guide: odct.Params{Size: [3]int{8, 8, 1}, Threshold: 10.8},
		}, 3, [3]int{10, 10, 0}},
		{3, "wiener=6", prinlm.Params{
			H: 8, Radius: [3]int{3, 3, 3}, Mean: [3]int{1, 1, 1}, Guide: odct.Params{Size: [3]int{4, 4, 4}, Threshold: 27},
			Wiener: [3]int{6, 6, 5}, Rule: dct.Rule{Sigma: 10},
		}, 4, [3]int{12, 12, 11}},
	} {
		p, err := bind(c.dims, c.set)
		if err != nil {
			t.Fatal(err)
		}
		if p.Params != c.want || len(p.Passes) != c.passes || p.Reach() != c.reach {
			t.Errorf("%d-D %s: %+v, %d passes, reach %v; want %+v", c.dims, c.set, p.Params, len(p.Passes), p.Reach(), c.want)
		}
	}
	if _, err := bind(3, "wiener=1"); err == nil {
		t.Error("blocks of one voxel are not refused")
	}
}
