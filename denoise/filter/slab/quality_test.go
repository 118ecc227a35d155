package slab_test

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/volume"
)

// tomogram is noise of 15 HU with little power at low frequencies, as filtered back-projection leaves it, in slices
// that share none.
func tomogram(t *testing.T, dims [3]int, slice float64, seed uint64) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{0.65, 0.65, slice}))
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 1, seed)
	if err != nil {
		t.Fatal(err)
	}
	blurred := func(width float64) *volume.Volume {
		r, err := denoise.NewRecipe("gaussian", 2)
		if err != nil {
			t.Fatal(err)
		}
		return filtered(t, r.With("voxel-units", denoise.Bool(true)).With("sigma-spatial", denoise.Number(width)), v)
	}
	fine, coarse := blurred(0.55), blurred(1.6)
	for i := range fine.Data {
		fine.Data[i] -= coarse.Data[i]
	}
	scale := 15 / deviation(fine)
	for i := range fine.Data {
		fine.Data[i] *= float32(scale)
	}
	return fine
}

func filtered(t *testing.T, r denoise.Recipe, v *volume.Volume) *volume.Volume {
	t.Helper()
	out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func deviation(v *volume.Volume) float64 {
	sum := 0.0
	for _, x := range v.Data {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum / float64(len(v.Data)))
}

// neighbours is the correlation of voxels that lie side by side along x.
func neighbours(v *volume.Volume) float64 {
	sum, squares := 0.0, 0.0
	for i := 1; i < len(v.Data); i++ {
		if i%v.Dims[0] > 0 {
			sum += float64(v.Data[i]) * float64(v.Data[i-1])
			squares += float64(v.Data[i]) * float64(v.Data[i])
		}
	}
	return sum / squares
}

// On thin slices of CT noise falls by half and keeps its texture, and spheres of 5 to 10 mm keep their contrast,
// which a mean over the same slices takes.
func TestNoiseFallsAndObjectsStay(t *testing.T) {
	dims := [3]int{144, 144, 20}
	alone := tomogram(t, dims, 1, 3)
	with := alone.Clone()
	type sphere struct {
		contrast, radius float64
		at               [3]int
	}
	var spheres []sphere
	for i := range 36 {
		kinds := [3]sphere{{contrast: 14, radius: 2.5}, {contrast: 10, radius: 3.5}, {contrast: 8, radius: 5}}
		s := kinds[i%3]
		s.at = [3]int{14 + i%6*23, 14 + i/6*23, 10}
		spheres = append(spheres, s)
		for dz := -6; dz <= 6; dz++ {
			for dy := -10; dy <= 10; dy++ {
				for dx := -10; dx <= 10; dx++ {
					r := math.Hypot(math.Hypot(float64(dx), float64(dy))*0.65, float64(dz))
					with.Data[with.Index(s.at[0]+dx, s.at[1]+dy, s.at[2]+dz)] += float32(s.contrast * min(max((s.radius-r)/0.65+0.5, 0), 1))
				}
			}
		}
	}
	// What the guide leaves of the noise is measured, as its correlation is unknown here.
	r := resolved(t, "guide-sigma=1 reach=3", alone.Geometry, denoise.Facts{})
	guide, err := cpu.New().Run(denoise.UpTo(t.Context(), "blur"), r, denoise.Input{Volume: alone}, alone.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		difference, most float64
		keeps            bool
	}{
		"measured":   {deviation(guide), 0.5, true},
		"everything": {1e9, 0.45, false},
	} {
		r := r.With("guide-sigma", denoise.Number(c.difference))
		before, after := filtered(t, r, alone), filtered(t, r, with)
		left, texture := deviation(before)/15, neighbours(before)-neighbours(alone)
		var kept, counts [3]float64
		for i, s := range spheres {
			for dy := -2; dy <= 2; dy++ {
				for dx := -2; dx <= 2; dx++ {
					at := after.Index(s.at[0]+dx, s.at[1]+dy, s.at[2])
					kept[i%3] += float64(after.Data[at]-before.Data[at]) / s.contrast
					counts[i%3]++
				}
			}
		}
		for i := range kept {
			kept[i] /= counts[i]
		}
		t.Logf("%s: %.2f of the noise is left, the correlation of neighbours rises by %.2f, spheres keep %.2f", name, left, texture, kept)
		if left > c.most || math.Abs(texture) > 0.1 {
			t.Errorf("%s: %.2f of the noise is left, neighbours correlate by %.2f more", name, left, texture)
		}
		if least := min(kept[0], kept[1], kept[2]); (least >= 0.9) != c.keeps {
			t.Errorf("%s: spheres keep %.2f", name, kept)
		}
	}
}
