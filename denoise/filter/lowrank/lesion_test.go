package lowrank

import (
	"math"
	"testing"

	"quell/denoise"
)

// kept returns which share of its contrast a lesion keeps in the result, in the mean of several places: width voxels along each
// axis, at most so many voxels, of so many sigmas, in one volume or in all.
func kept(t testing.TB, set string, width, voxels int, contrast float64, all bool) (share float64) {
	dims, volumes := [3]int{22, 22, 13}, 60
	p := params(t, dims, volumes, set)
	in, _ := scene(dims, volumes, 20, 11)
	without := run(t, p, in)
	with := denoise.SeriesPart{Dims: dims, Volumes: volumes, Data: append([]float32{}, in.Data...)}
	var places []int
	for y := 5; y < 20; y += 9 {
		for x := 5; x < 20; x += 9 {
			n := 0
			for k := range width * width * width {
				if n < voxels {
					places = append(places, ((5+k/width/width)*dims[1]+y+k/width%width)*dims[0]+x+k%width)
					n++
				}
			}
		}
	}
	from, to := 23, 24
	if all {
		from, to = 0, volumes
	}
	for _, i := range places {
		for c := from; c < to; c++ {
			with.Data[i*(volumes+1)+c] += float32(contrast)
		}
	}
	out := run(t, p, with)
	for _, i := range places {
		for c := from; c < to; c++ {
			share += float64(out.Data[i*(volumes+1)+c] - without.Data[i*(volumes+1)+c])
		}
	}
	return share / contrast / float64(len(places)*(to-from))
}

// TestLesion requires the contrast of lesions that one volume of 60 has, and of those that all have.
func TestLesion(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for _, c := range []struct {
		width, voxels int
		contrast      float64
		all           bool
		least         float64
	}{
		{3, 27, 8, false, 0.85}, {3, 3, 8, false, 0.85}, {1, 1, 8, false, 0.85}, {3, 27, 4, false, 0}, {3, 3, 4, false, 0},
		{3, 27, 2, true, 0.85}, {3, 3, 4, true, 0.85}, {1, 1, 4, true, 0.85},
	} {
		a, b := kept(t, "sigma=1", c.width, c.voxels, c.contrast, c.all), kept(t, "sigma=1 limit=0", c.width, c.voxels, c.contrast, c.all)
		t.Logf("%d voxels of %g sigmas, in all volumes %v: %.0f %% is kept, without limit %.0f %%", c.voxels, c.contrast, c.all, 100*a, 100*b)
		if a < c.least {
			t.Errorf("%d voxels of %g sigmas: %.0f %% is kept", c.voxels, c.contrast, 100*a)
		}
	}
}

// TestCommon adds contrast to noise: the common part of the volumes comes back though the patches do not keep it; noise and contrast of
// one volume do not. The reference agrees.
func TestCommon(t *testing.T) {
	dims, volumes := [3]int{9, 9, 5}, 30
	p, off := params(t, dims, volumes, "sigma=1"), params(t, dims, volumes, "sigma=1 limit=0")
	centre := (2*dims[1]+4)*dims[0] + 4
	changed := func(contrast float64, from, to int) (share float64, others int) {
		in, _ := scene(dims, volumes, 0, 5)
		for _, i := range []int{centre, centre - 1, centre + 1, centre - dims[0], centre + dims[0]} {
			row, _ := in.At(i)
			for c := from; c < to; c++ {
				row[c] += float32(contrast)
			}
		}
		out, want, without := run(t, p, in), p.Reference(in), run(t, off, in)
		for i, v := range want.Data {
			if math.Abs(float64(out.Data[i]-v)) > 1e-4 {
				t.Fatalf("%g sigmas: %v at place %d, want %v", contrast, out.Data[i], i/(volumes+1), v)
			}
			if c := i % (volumes + 1); c < volumes && (c < from || c >= to || i/(volumes+1) != centre) && out.Data[i] != without.Data[i] && out.Data[i] != in.Data[i] {
				others++
			}
		}
		row, _ := out.At(centre)
		for c := from; c < to; c++ {
			share += float64(row[c]) / contrast / float64(to-from)
		}
		return share, others
	}
	if share, others := changed(1.2, 0, volumes); share < 0.75 || others == 0 {
		t.Errorf("common contrast keeps %.2f, and %d voxels around it", share, others)
	}
	if share, others := changed(0.2, 0, volumes); share > 0.5 || others > 0 {
		t.Errorf("faint contrast keeps %.2f, and noise comes back in %d voxels", share, others)
	}
	if share, others := changed(40, 7, 8); share < 0.75 || others > 0 {
		t.Errorf("contrast of one volume keeps %.2f, and %d voxels of others have some", share, others)
	}
	if isCommon(9+5*math.Sqrt(18), 9) || !isCommon(9.001+5*math.Sqrt(18), 9) {
		t.Error("the bound is elsewhere")
	}
}
