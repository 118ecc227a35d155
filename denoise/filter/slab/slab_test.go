package slab_test

import (
	"fmt"
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/volume"
)

// The axis is the one whose spacing alone differs, by more than 1 %; reach and guide are in mm, between bounds in voxels.
func TestAutomaticGeometry(t *testing.T) {
	for _, c := range []struct {
		spacing [3]float64
		set     string
		axis    string
		reach   int
		guide   float64
	}{
		{[3]float64{0.65, 0.65, 1}, "", "z", 2, 0.9 / 0.65},
		{[3]float64{0.65, 0.65, 0.5}, "", "z", 4, 0.9 / 0.65},
		{[3]float64{0.65, 0.65, 0.3}, "", "z", 6, 0.9 / 0.65},
		{[3]float64{0.65, 0.65, 0.79}, "", "z", 3, 0.9 / 0.65},
		{[3]float64{0.65, 0.65, 0.81}, "", "z", 2, 0.9 / 0.65},
		{[3]float64{0.65, 0.65, 5}, "", "z", 2, 0.9 / 0.65},
		{[3]float64{3, 0.5, 0.5}, "", "x", 2, 1.8},
		{[3]float64{0.5, 1, 0.5}, "", "y", 2, 1.8},
		{[3]float64{0.5, 1, 0.5}, "axis=z", "z", 4, 0.9 / math.Sqrt(0.5)},
		{[3]float64{0.5, 0.7, 2}, "", "z", 2, 0.9 / math.Sqrt(0.35)},
		{[3]float64{1, 1, 1}, "", "z", 2, 1},
		{[3]float64{1, 1.009, 1}, "", "z", 2, 1},
		{[3]float64{1, 1.011, 1}, "", "y", 2, 1},
		{[3]float64{0.23, 0.23, 1}, "", "z", 2, 0.9 / 0.23},
		{[3]float64{0.22, 0.22, 1}, "", "z", 2, 4},
		{[3]float64{0.91, 0.91, 1}, "", "z", 2, 1},
		{[3]float64{0.01, 0.01, 0.05}, "", "z", 6, 4},
	} {
		r := resolved(t, c.set, volume.NewGeometry([3]int{9, 9, 9}, c.spacing), denoise.Facts{Lo: -200, Hi: 800, Noise: noise.Known(10)})
		if axis, reach, guide := r.Get("axis").String(), r.Get("reach").Int(), r.Get("guide").Float(); axis != c.axis || reach != c.reach || math.Abs(guide-c.guide) > 1e-12 {
			t.Errorf("%v mm %s: axis %s, reach %d, guide %g; want %s, %d, %g", c.spacing, c.set, axis, reach, guide, c.axis, c.reach, c.guide)
		}
	}
}

// The difference is the noise that the guide leaves: of white noise the root of the sum of the squared taps, and of
// correlated noise what its correlation within the slice makes of it, at least 0.3 of white noise.
func TestAutomaticDifference(t *testing.T) {
	g := volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 2})
	facts := func(rho func(dx, dy int) float64, across ...float64) denoise.Facts {
		f := denoise.Facts{Lo: -200, Hi: 800, Noise: noise.Known(10)}
		if rho != nil {
			c := &noise.Correlation{Across: [3]float64{1, across[0], 0}}
			for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
				for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
					c.InPlane[dy+noise.MaxLag][dx+noise.MaxLag] = rho(dx, dy)
				}
			}
			f.Noise.Correlation = c
		}
		return f
	}
	// The taps of a Gaussian of 1 voxel are 1, 0.607 and 0.135.
	taps := []float64{math.Exp(-2), math.Exp(-0.5), 1, math.Exp(-0.5), math.Exp(-2)}
	share := func(rho func(dx, dy int) float64) float64 {
		sum, all := 0.0, 0.0
		for ax, a := range taps {
			for ay, b := range taps {
				all += a * b
				for bx, c := range taps {
					for by, d := range taps {
						sum += a * b * c * d * rho(bx-ax, by-ay)
					}
				}
			}
		}
		return math.Sqrt(sum) / all
	}
	white := func(dx, dy int) float64 {
		if dx == 0 && dy == 0 {
			return 1
		}
		return 0
	}
	soft := func(dx, dy int) float64 { return math.Exp(-0.3 * float64(dx*dx+dy*dy)) }
	sharp := func(dx, dy int) float64 { return white(dx, dy) - 0.1*(soft(dx, dy)-white(dx, dy)) }
	sharpest := func(dx, dy int) float64 { return white(dx, dy) - 0.2*(soft(dx, dy)-white(dx, dy)) }
	for name, c := range map[string]struct {
		facts denoise.Facts
		want  float64
		slice float64
	}{
		"unknown":  {facts(nil), 10 * share(white), 0},
		"soft":     {facts(soft, 0.26), 10 * share(soft), 26},
		"sharp":    {facts(sharp, 0.784), 10 * share(sharp), 78},
		"sharpest": {facts(sharpest, -0.1), 10 * 0.3 * share(white), 0},
		"shared":   {facts(soft, 0.99), 10 * share(soft), 95},
	} {
		r := resolved(t, "", g, c.facts)
		if got, slice := r.Get("guide-sigma").Float(), r.Get("slice-correlation").Float(); math.Abs(got-c.want) > 1e-9 || slice != c.slice {
			t.Errorf("%s: %g, slices share %g %%; want %g, %g %%", name, got, slice, c.want, c.slice)
		}
	}
	if sharp, least := share(sharp), 0.3*share(white); sharp <= least || share(sharpest) >= least {
		t.Errorf("sharp noise %g and sharper %g lie on one side of %g", sharp, share(sharpest), least)
	}
	// Along x the correlation is that of x, and the guide lies in y and z.
	r := resolved(t, "axis=x guide=1", g, facts(soft, 0.5))
	wantSlice := math.Round(100 * math.Exp(-0.3))
	alone := func(_, dy int) float64 { return soft(0, dy) }
	if got := r.Get("slice-correlation").Float(); got != wantSlice || r.Get("guide-sigma").Float() >= 10*share(alone) {
		t.Errorf("along x: slices share %g %%, difference %g; want %g and less than %g", got, r.Get("guide-sigma").Float(), wantSlice, 10*share(alone))
	}
}

// The weight is 1 up to a squared difference of 2 noises and 0 from 3 on; between them it falls by the square of a ramp.
func TestWeights(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{1, 1, 2}, [3]float64{1, 1, 1}))
	for _, c := range []struct{ square, weight float64 }{{1.99, 1}, {2.01, 0.99 * 0.99}, {2.5, 0.25}, {2.99, 0.0001}, {3.01, 0}} {
		v.Data[1] = 100
		r := resolved(t, "axis=z reach=1", v.Geometry, denoise.Facts{}).With("guide-sigma", denoise.Number(100/math.Sqrt(2*c.square)))
		got, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if want := 100 * c.weight / (1 + c.weight); math.Abs(float64(got.Data[0])-want) > 1e-4 {
			t.Errorf("a squared difference of %g noises: %g; want %g", c.square, got.Data[0], want)
		}
	}
}

// Slices that share noise are averaged over more of them.
func TestReachOfSharedNoise(t *testing.T) {
	g := volume.NewGeometry([3]int{20, 20, 20}, [3]float64{0.6, 0.6, 1})
	for percent, want := range map[int]int{0: 2, 40: 2, 41: 3, 78: 4, 95: 5} {
		if r := resolved(t, fmt.Sprintf("slice-correlation=%d", percent), g, denoise.Facts{}); r.Get("reach").Int() != want {
			t.Errorf("%d %%: reach %d, want %d", percent, r.Get("reach").Int(), want)
		}
	}
}
