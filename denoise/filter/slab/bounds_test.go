package slab_test

import (
	"fmt"
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/volume"
)

// scanned is noise of 15 HU, blurred across slices by a Gaussian of so many slices, with streaks that all slices share; a soft kernel
// has it blurred within the slice too.
func scanned(t *testing.T, slice, across, streaks float64, soft bool, seed uint64) *volume.Volume {
	t.Helper()
	v := tomogram(t, [3]int{112, 112, 16}, slice, seed)
	for name, width := range map[string]float64{"within": 0.8, "across": across} {
		if width == 0 || name == "within" && !soft {
			continue
		}
		r, err := denoise.NewRecipe("gaussian", 3)
		if err != nil {
			t.Fatal(err)
		}
		r = r.With("voxel-units", denoise.Bool(true)).With("sigma-spatial", denoise.Number(width))
		if r = r.With("radius", denoise.List(3, 3, 0)); name == "across" {
			r = r.With("radius", denoise.List(0, 0, 3))
		}
		v = filtered(t, r, v)
	}
	scale := 15 / deviation(v)
	for i := range v.Data {
		v.Data[i] = float32(scale*float64(v.Data[i]) + streaks*math.Cos(0.9*float64(i%v.Dims[0])+0.4*float64(i/v.Dims[0]%v.Dims[1])))
	}
	v.Unit, v.Modality = "HU", "CT"
	return v
}

// thing is what is added to noise: its value at a place in mm about the middle of the volume, before the blur of a scanner.
type thing struct {
	name  string
	faint bool // near the noise, so that what is kept depends on it
	at    func(x, y, z float64) float64
}

// things are vessels, edges and small objects, with the tilt of those that have one in degrees.
func things() (all []thing) {
	within := func(contrast float64, inside bool) float64 {
		if inside {
			return contrast
		}
		return 0
	}
	for _, tilt := range []float64{0, 60, 80} {
		sin, cos := math.Sincos(tilt * math.Pi / 180)
		beside := func(x, z float64) float64 { return x*cos - z*sin }
		for _, c := range []struct{ width, contrast float64 }{{4, 20}, {4, 150}, {4, 1000}, {2, 800}} {
			all = append(all, thing{fmt.Sprintf("vessel of %g mm, %g HU, tilt %g", c.width, c.contrast, tilt), c.contrast < 50, func(x, y, z float64) float64 {
				return within(c.contrast, math.Hypot(beside(x, z), y) < c.width/2)
			}})
		}
		all = append(all,
			thing{fmt.Sprintf("edge of 30 HU, tilt %g", tilt), true, func(x, _, z float64) float64 { return within(30, beside(x, z) > 0) }},
			thing{fmt.Sprintf("septum, tilt %g", tilt), false, func(x, _, z float64) float64 { return within(150, math.Abs(beside(x, z)) < 0.75) }})
	}
	return append(all,
		thing{"sphere", true, func(x, y, z float64) float64 { return within(40, math.Hypot(math.Hypot(x, y), z) < 2.5) }},
		thing{"metal", false, func(x, y, z float64) float64 { return within(3000, math.Hypot(math.Hypot(x, y), z) < 3) }},
		thing{"moving vessel", false, func(x, y, z float64) float64 {
			return within(150, math.Hypot(x-1.3*math.Mod(math.Abs(math.Floor(z)), 2), y) < 2)
		}})
}

// keptOf is the response to the contrast of a thing in a square of the middle slice, over that contrast.
func keptOf(t *testing.T, r denoise.Recipe, alone, before *volume.Volume, o thing) float64 {
	t.Helper()
	added, s := volume.New(alone.Geometry), alone.Spacing
	const parts = 3
	for i := range added.Data {
		x, y, z := i%alone.Dims[0], i/alone.Dims[0]%alone.Dims[1], i/alone.Dims[0]/alone.Dims[1]
		for k := range parts * parts * parts {
			off := func(n int) float64 { return (float64(n%parts) + 0.5) / parts }
			added.Data[i] += float32(o.at((float64(x-56)-0.5+off(k))*s[0], (float64(y-56)-0.5+off(k/parts))*s[1], (float64(z-8)-0.5+off(k/parts/parts))*s[2]) / (parts * parts * parts))
		}
	}
	blur, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	added = filtered(t, blur.With("voxel-units", denoise.Bool(true)).With("sigma-spatial", denoise.Number(0.8)), added)
	with := alone.Clone()
	for i, x := range added.Data {
		with.Data[i] += x
	}
	after := filtered(t, r, with)
	box := volume.Region{Min: [3]int{50, 50, 8}, Max: [3]int{63, 63, 9}}
	shape, mean := added.Crop(box), 0.0
	for _, x := range shape.Data {
		mean += float64(x) / float64(len(shape.Data))
	}
	out, none := after.Crop(box), before.Crop(box)
	response, energy := 0.0, 0.0
	for i, x := range shape.Data {
		s := float64(x) - mean
		response, energy = response+s*float64(out.Data[i]-none.Data[i]), energy+s*float64(x)
	}
	return response / energy
}

// Where the dial stops vessels, edges and small objects lose at most 8 % of their contrast over the whole of use: slices of 0.5
// to 5 mm, that share noise or not, kernels and streaks.
func TestKeptOverTheWholeOfUse(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for _, c := range []struct {
		slice, across, streaks float64
		soft                   bool
	}{
		{0.5, 0, 0, false}, {0.5, 1, 0, true}, {1, 0, 0, true}, {1, 0.5, 0, false}, {1, 0, 6, false}, {2, 0, 0, false}, {3, 0, 0, true}, {5, 0, 0, false},
	} {
		seen := scanned(t, c.slice, c.across, c.streaks, c.soft, 3)
		facts, err := denoise.FactsOf(t.Context(), seen)
		if err != nil {
			t.Fatal(err)
		}
		r := resolved(t, "", seen.Geometry, facts)
		tissue, err := lesions.FindTissue(t.Context(), denoise.Input{Volume: seen}, volume.Region{}, facts.Noise, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := tissue.Respond(t.Context(), cpu.New(), r)
		if err != nil {
			t.Fatal(err)
		}
		d, ok := response.Dial(lesions.UsualBounds)
		if !ok {
			t.Fatalf("%+v: no dial", c)
		}
		w, s, ok := d.Strongest(lesions.UsualBounds)
		if !ok {
			t.Fatalf("%+v: the dial stays", c)
		}
		r = r.Equalised(s.Strength, w)
		var alone, before []*volume.Volume
		for seed := range uint64(3) {
			alone = append(alone, scanned(t, c.slice, c.across, c.streaks, c.soft, 9+seed))
			before = append(before, filtered(t, r, alone[seed]))
		}
		worst, least := "", 2.0
		for _, o := range things() {
			n, kept := 1, 0.0
			if o.faint {
				n = len(alone)
			}
			for i := range n {
				kept += keptOf(t, r, alone[i], before[i], o) / float64(n)
			}
			if kept < 0.92 {
				t.Errorf("%+v: %s keeps %.3f", c, o.name, kept)
			}
			if kept < least {
				worst, least = o.name, kept
			}
		}
		t.Logf("%+v: strength %.0f leaves %.2f of the noise; the worst, %s, keeps %.3f", c, s.Strength, s.Noise, worst, least)
	}
}
