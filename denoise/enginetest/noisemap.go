package enginetest

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/volume"
)

// eachNormalised runs f for the defaults of every filter that the engine runs on a
// volume divided by its noise map.
func (s suite) eachNormalised(t *testing.T, f func(t *testing.T, r denoise.Recipe)) {
	s.eachDefault(t, func(t *testing.T, r denoise.Recipe) {
		filter, err := denoise.FilterByName(r.Filter)
		if err != nil {
			t.Fatal(err)
		}
		if !filter.ReadsNoise {
			f(t, r)
		}
	})
}

// rampOf returns a noise map for v with a sigma that rises threefold along x.
func rampOf(v *volume.Volume) *volume.Volume {
	m := &volume.Volume{Geometry: v.Geometry, Data: make([]float32, len(v.Data))}
	for i := range m.Data {
		x := float64(i%v.Dims[0]) + 0.5
		m.Data[i] = float32(sceneNoise * (0.5 + x/float64(v.Dims[0])))
	}
	return m
}

// withoutFigures spoils some voxels of a noise map and returns whether each voxel
// still has a figure.
func withoutFigures(m *volume.Volume) []bool {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	spoilt := []float32{0, -sceneNoise, nan, inf, 0.001 * sceneNoise, -inf}
	figure := make([]bool, len(m.Data))
	for i := range m.Data {
		h := hash(i, 0, 0)
		if figure[i] = h%5 != 0 || i < 3; !figure[i] {
			m.Data[i] = spoilt[h/5%uint64(len(spoilt))]
		}
	}
	return figure
}

// testNoiseMapAgreement: with a noise map, in which some voxels have no figure, the
// engine agrees with the reference, in padding and in regions.
func (s suite) testNoiseMapAgreement(t *testing.T) {
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		for _, size := range [][3]int{{1, 1, 1}, {33, 4, 3}, {9, 8, 7}, {34, 13, 4}} {
			size = flatter(r, size)
			for _, v := range []*volume.Volume{scene(size), masked(scene(size))} {
				in := denoise.Input{Volume: v, Noise: rampOf(v)}
				if v.Mask != nil {
					withoutFigures(in.Noise)
				}
				checkVoxels, checkMap := guarded(v), guardedMap(in.Noise)
				got, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
				if err != nil {
					t.Fatal(err)
				}
				checkVoxels(t)
				checkMap(t)
				want, err := cpu.Reference(context.Background(), r, in, v.Bounds())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := Agree(got, want, rangeOf(v)); err != nil {
					t.Errorf("%s on %v, padding %t: %v", r, size, v.Mask != nil, err)
				}
				if size[0] > 30 {
					s.checkNoiseMapRegions(t, r, in, got)
				}
			}
		}
	})
}

// checkNoiseMapRegions compares slices of all orientations and a box with whole.
func (s suite) checkNoiseMapRegions(t *testing.T, r denoise.Recipe, in denoise.Input, whole *volume.Volume) {
	t.Helper()
	for c, n := range in.Volume.Dims {
		thin, box := in.Volume.Bounds(), in.Volume.Bounds()
		thin.Min[c], thin.Max[c] = n/2, n/2+1
		box.Min[c], box.Max[c] = n/3, n-n/4
		for _, region := range []volume.Region{thin, box} {
			part, err := s.engine.Run(t.Context(), r, in, region, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Agree(part, whole.Crop(region), rangeOf(in.Volume)); err != nil {
				t.Errorf("%s: region %v: %v", r, region, err)
			}
		}
	}
}

// guardedMap is guarded for a map, in which values may be NaN.
func guardedMap(m *volume.Volume) (check func(t testing.TB)) {
	bits := func() []uint32 {
		b := make([]uint32, len(m.Data))
		for i, x := range m.Data {
			b[i] = math.Float32bits(x)
		}
		return b
	}
	memory := slices.Repeat([]float32{float32(math.NaN())}, len(m.Data)+2*guard)
	copy(memory[guard:], m.Data)
	m.Data = memory[guard : guard+len(m.Data) : guard+len(m.Data)]
	before := bits()
	return func(t testing.TB) {
		t.Helper()
		if !slices.Equal(bits(), before) {
			t.Error("the noise map was changed")
		}
	}
}

// testNoiseMapMeaning: with a map of one sigma everywhere a run is that on the
// volume divided by it, with parameters that count in sigmas, and that on the volume
// itself with the same parameters in its unit.
func (s suite) testNoiseMapMeaning(t *testing.T) {
	const sigma = 12.5
	v := masked(scene([3]int{33, 21, 5}))
	even := derived(v, func(float32) float32 { return sigma })
	scaled := derived(v, func(x float32) float32 { return x / sigma })
	scaled.Mask = v.Mask
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		in := denoise.Input{Volume: v, Noise: even}
		first, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := first
		resolved, err := r.ResolveFor(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if !resolved.InSigmas {
			t.Errorf("%s does not say that it counts in sigmas", resolved)
		}
		plain := resolved
		plain.InSigmas = false
		want := run(t, s.engine, plain, scaled, v.Bounds())
		for i := range want.Data {
			if want.Data[i] *= sigma; !v.Valid(i) {
				want.Data[i] = v.Data[i]
			}
		}
		if _, err := Agree(got, want, rangeOf(v)); err != nil {
			t.Errorf("%s: %v", resolved, err)
		}
		inUnit, err := r.Resolve(v.Geometry, factsWith(t, v, sigma))
		if err != nil {
			t.Fatal(err)
		}
		if got, err = s.engine.Run(t.Context(), inUnit, in, v.Bounds(), nil); err != nil {
			t.Fatal(err)
		}
		if _, err := Agree(got, run(t, s.engine, inUnit, v, v.Bounds()), rangeOf(v)); err != nil {
			t.Errorf("%s with and without an even map: %v", inUnit, err)
		}
		// Resolving again changes nothing: the recipe of a record gives the result again.
		again, err := s.engine.Run(t.Context(), resolved, in, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(again.Data, first.Data) {
			t.Errorf("%s: the resolved recipe gives other bits than %s", resolved, r)
		}
	})
}

// factsWith returns the facts of v with another sigma.
func factsWith(t *testing.T, v *volume.Volume, sigma float64) denoise.Facts {
	t.Helper()
	f := factsOf(t, v)
	f.Noise = noise.Known(sigma)
	return f
}

// testNoiseMapExclusion: a voxel without a figure stays as it is, and no other voxel
// sees its value, except through patches.
func (s suite) testNoiseMapExclusion(t *testing.T) {
	v := scene([3]int{33, 21, 5})
	in := denoise.Input{Volume: v, Noise: rampOf(v)}
	figure := withoutFigures(in.Noise)
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		filter, err := denoise.FilterByName(r.Filter)
		if err != nil {
			t.Fatal(err)
		}
		r, err = r.ResolveFor(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		changed := in
		changed.Volume = v.Clone()
		for i := range v.Data {
			if !figure[i] {
				changed.Volume.Data[i] = -30000
			}
		}
		after, err := s.engine.Run(t.Context(), r, changed, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range v.Data {
			switch {
			case !figure[i] && (got.Data[i] != v.Data[i] || after.Data[i] != -30000):
				t.Fatalf("%s: voxel %d has no sigma and became %v of %v, %v of -30000", r, i, got.Data[i], v.Data[i], after.Data[i])
			case figure[i] && !filter.ReadsPadding && got.Data[i] != after.Data[i]:
				t.Fatalf("%s: voxel %d depends on voxels without a sigma", r, i)
			}
		}
		if got.Mask != nil {
			t.Errorf("%s: voxels without a sigma became padding", r)
		}
	})
}

// testNoiseMapScale: c times the volume and the map give c times the result.
func (s suite) testNoiseMapScale(t *testing.T) {
	v := scene([3]int{35, 21, 4})
	in := denoise.Input{Volume: v, Noise: rampOf(v)}
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		want, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []float64{1e-9, 0x1p-20, 1e9} {
			got, err := s.engine.Run(t.Context(), r, Scaled(in, c), v.Bounds(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range got.Data {
				got.Data[i] = float32(float64(got.Data[i]) / c)
			}
			if _, err := Agree(got, want, rangeOf(v)); err != nil {
				t.Errorf("%s of %g v: %v", r, c, err)
			}
		}
	})
}

// testNoiseMapRefusals: a map without any figure if the volume holds data, or of
// other dims, is refused.
func (s suite) testNoiseMapRefusals(t *testing.T) {
	v := scene([3]int{9, 8, 3})
	v.Mask = make([]bool, len(v.Data))
	v.Mask[5] = true
	nothing := rampOf(v)
	nothing.Data[5] = 0
	other := rampOf(scene([3]int{9, 8, 2}))
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		for want, m := range map[string]*volume.Volume{"no positive number": nothing, "the noise map has [9 8 2] voxels": other} {
			out, err := s.engine.Run(t.Context(), r, denoise.Input{Volume: v, Noise: m}, v.Bounds(), nil)
			if err == nil || out != nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q", r, err, want)
			}
		}
	})
}
