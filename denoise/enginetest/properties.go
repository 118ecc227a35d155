package enginetest

import (
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

func (s suite) testRegions(t *testing.T) {
	v := masked(scene([3]int{35, 21, 9}))
	regions := []volume.Region{
		{Min: [3]int{0, 0, 4}, Max: [3]int{35, 21, 5}}, // a slice, as in a preview
		{Min: [3]int{0, 0, 0}, Max: [3]int{1, 1, 1}},
		{Min: [3]int{7, 3, 2}, Max: [3]int{31, 20, 8}},
		{Min: [3]int{30, 18, 7}, Max: [3]int{35, 21, 9}},
	}
	s.eachCase(t, small, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		// A run of the first region finds the automatic values of the whole volume.
		found := resolved(t, r, v)
		whole := run(t, s.engine, found, v, v.Bounds())
		for i, region := range regions {
			recipe := found
			if i == 0 {
				recipe = r
			}
			part := run(t, s.engine, recipe, v, region)
			if _, err := Agree(part, whole.Crop(region), rangeOf(v)); err != nil {
				t.Errorf("%s: region %v: %v", r, region, err)
			}
			if !part.SameGrid(v.Geometry.Crop(region), 1e-9) {
				t.Errorf("region %v has another position", region)
			}
		}
	})
}

func (s suite) testSameBits(t *testing.T) {
	v := scene([3]int{70, 45, 5})
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		first := run(t, s.engine, r, v, v.Bounds())
		found := resolved(t, r, v)
		for range 2 {
			if again := run(t, s.engine, found, v, v.Bounds()); !slices.Equal(again.Data, first.Data) {
				t.Errorf("%s: the same run gave other bits", r)
			}
		}
	})
}

// testConstants: a constant volume stays as it is, to the bit.
func (s suite) testConstants(t *testing.T) {
	unbiased := func(c denoise.Case) bool { return small(c) && !c.Biased }
	s.eachCase(t, unbiased, func(t *testing.T, _ denoise.Case, r denoise.Recipe) {
		for _, value := range []float32{0, -1000.1, 0.1, 3e4, 1e-9, 1e30} {
			v := volume.New(volume.NewGeometry([3]int{19, 10, 4}, spacing))
			for i := range v.Data {
				v.Data[i] = value
			}
			for i, got := range run(t, s.engine, r, v, v.Bounds()).Data {
				if got != value {
					t.Fatalf("%s: voxel %d of a constant %v is %v", r, i, value, got)
				}
			}
		}
	})
}

// testScale: with automatic parameters the filter of c v is c times the filter of
// v.
func (s suite) testScale(t *testing.T) {
	v := scene([3]int{48, 40, 4})
	if f := factsOf(t, v); f.AutoSigma() == 0 {
		t.Fatalf("automatic values of the scene do not follow its noise, %+v", f.Noise.Figure)
	}
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		want := run(t, s.engine, r, v, v.Bounds())
		scales := []float64{1e-9, 0x1p-20, 1e9}
		if f, _ := denoise.FilterByName(r.Filter); f.Chooses {
			scales = []float64{0x1p-30, 0x1p-20, 0x1p30}
		}
		for _, c := range scales {
			s.checkScaled(t, r, Input(t, r, v), c, want)
		}
	})
}

// checkScaled compares r on c times in, divided by c, with want.
func (s suite) checkScaled(t *testing.T, r denoise.Recipe, in denoise.Input, c float64, want *volume.Volume) {
	t.Helper()
	got, err := s.engine.Run(t.Context(), r, Scaled(in, c), in.Volume.Bounds(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got.Data {
		got.Data[i] = float32(float64(got.Data[i]) / c)
	}
	if _, err := Agree(got, want, rangeOf(in.Volume)); err != nil {
		t.Errorf("%s of %g v: %v", r, c, err)
	}
}

// Scaled returns the input with every voxel and every map multiplied by c.
func Scaled(in denoise.Input, c float64) denoise.Input {
	for _, v := range []**volume.Volume{&in.Volume, &in.Noise, &in.Guide} {
		if *v != nil {
			mask := (*v).Mask
			*v = derived(*v, func(x float32) float32 { return float32(c * float64(x)) })
			(*v).Mask = mask
		}
	}
	return in
}

// testNoiseFalls: on noise around a constant every filter lowers the variance by
// half or more and keeps the mean.
func (s suite) testNoiseFalls(t *testing.T) {
	flat := volume.New(volume.NewGeometry([3]int{40, 40, 12}, [3]float64{1, 1, 1}))
	for i := range flat.Data {
		flat.Data[i] = 500
	}
	v, err := noise.AddNoise(t.Context(), flat, noise.Gaussian, 10, 1)
	if err != nil {
		t.Fatal(err)
	}
	mean, before := moments(v.Data)
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		m, after := moments(run(t, s.engine, resolved(t, r, v), v, v.Bounds()).Data)
		if !(after < before/2) {
			t.Errorf("%s: variance %.1f became %.1f", r, before, after)
		}
		if !(math.Abs(m-mean) < 0.5) {
			t.Errorf("%s: mean %.2f became %.2f", r, mean, m)
		}
	})
}

func moments(s []float32) (mean, variance float64) {
	for _, x := range s {
		mean += float64(x)
	}
	mean /= float64(len(s))
	for _, x := range s {
		variance += (float64(x) - mean) * (float64(x) - mean)
	}
	return mean, variance / float64(len(s))
}

// testShifts: a result shifts with its input, in space and in value.
func (s suite) testShifts(t *testing.T) {
	size := [3]int{30, 27, 25}
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		size, by := size, [3]int{3, 2, 1}
		p := program(t, r, scene(size))
		for c, n := range p.Lattice {
			by[c] *= max(n, 1)
		}
		for c, n := range p.Reach() { // a filter that reaches far leaves few voxels
			size[c] = max(size[c], 2*(n+by[c])+8)
		}
		if r.Dims == 2 {
			size[2] = 5
		}
		a, b := scene(size), sceneAt(size, by)
		for _, v := range []*volume.Volume{a, b} {
			for i, x := range v.Data {
				v.Data[i] = float32(math.Round(float64(x)*1024) / 1024) // so that they are raised without rounding
			}
		}
		raised := a.Clone()
		for i := range raised.Data {
			raised.Data[i] += 512
		}
		// Automatic values must be the same for both.
		r, err := r.Resolve(a.Geometry, factsOf(t, a))
		if err != nil {
			t.Fatal(err)
		}
		reach := program(t, r, a).Reach()
		box := a.Bounds()
		for c := range 3 {
			box.Min[c] += reach[c] + by[c]
			box.Max[c] -= reach[c] + by[c]
		}
		if err := box.Validate(a.Geometry); err != nil {
			t.Fatalf("%s reaches too far for this test: %v", r, err)
		}
		fromA := run(t, s.engine, r, a, box.Offset([3]int{-by[0], -by[1], -by[2]}))
		fromB := run(t, s.engine, r, b, box)
		if _, err := Agree(fromB, fromA, rangeOf(a)); err != nil {
			t.Errorf("%s moved by %v: %v", r, by, err)
		}
		in := Input(t, r, a)
		want := run(t, s.engine, r, a, box)
		in.Volume = raised // with the maps of a
		up, err := s.engine.Run(t.Context(), raise(t, r, 512), in, box, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range up.Data {
			up.Data[i] -= 512
		}
		if _, err := Agree(up, want, rangeOf(a)); err != nil {
			t.Errorf("%s raised by 512: %v", r, err)
		}
	})
}

// raise returns a resolved recipe for voxels to which a constant was added: levels move
// with them.
func raise(t *testing.T, r denoise.Recipe, by float64) denoise.Recipe {
	t.Helper()
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range f.Params {
		if v := r.Get(p.Name); p.Level && v.IsNumber() {
			r = r.With(p.Name, denoise.Number(v.Float()+by))
		}
	}
	return r
}

// testIndependentSlices: in two dimensions the result of a slice does not depend
// on the other slices.
func (s suite) testIndependentSlices(t *testing.T) {
	v := scene([3]int{34, 18, 3})
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		if r.Dims != 2 {
			return
		}
		r, err := r.Resolve(v.Geometry, factsOf(t, v))
		if err != nil {
			t.Fatal(err)
		}
		whole := run(t, s.engine, r, v, v.Bounds())
		for z := range v.Dims[2] {
			one := v.Crop(volume.Slices(v.Geometry, z, z+1))
			if _, err := Agree(run(t, s.engine, r, one, one.Bounds()), whole.Crop(volume.Slices(v.Geometry, z, z+1)), rangeOf(v)); err != nil {
				t.Errorf("%s: slice %d: %v", r, z, err)
			}
		}
	})
}

func (s suite) testGeometry(t *testing.T) {
	v := masked(scene([3]int{12, 9, 3}))
	v.Unit = "HU"
	v.Affine.SetColumn(3, volume.Vec{-12.5, 40, 7})
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		out := run(t, s.engine, r, v, v.Bounds())
		if out.Geometry != v.Geometry || out.Unit != v.Unit || !slices.Equal(out.Mask, v.Mask) {
			t.Errorf("%s: geometry, unit or mask was not kept", r)
		}
		if len(out.Mask) > 0 && &out.Mask[0] == &v.Mask[0] {
			t.Errorf("%s: the result shares the input's mask", r)
		}
	})
}
