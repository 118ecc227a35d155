package enginetest

import (
	"context"
	"math"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/rice"
	"quell/volume"
)

// eachStabilised runs f for the defaults of every filter that can stabilise the noise,
// which they do.
func (s suite) eachStabilised(t *testing.T, f func(t *testing.T, r denoise.Recipe)) {
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		f(t, r.With(denoise.Stabilise.Name, denoise.Number(sceneNoise)))
	})
}

// magnitudes returns a scene with zeros and a region without signal.
func magnitudes(dims [3]int) *volume.Volume {
	v := scene(dims)
	for i := range v.Data {
		switch x := i % dims[0]; {
		case x > 2*dims[0]/3:
			v.Data[i] = float32(math.Hypot(float64(v.Data[i])/12, sceneNoise/2))
		case hash(i, 1, 1)%11 == 0:
			v.Data[i] = 0
		}
	}
	return v
}

// testStabilisedAgreement: the engine agrees with the reference if the noise is
// stabilised, in padding, in regions and with a noise map.
func (s suite) testStabilisedAgreement(t *testing.T) {
	s.eachStabilised(t, func(t *testing.T, r denoise.Recipe) {
		for _, size := range [][3]int{{1, 1, 1}, {33, 4, 3}, {34, 13, 4}} {
			size = flatter(r, size)
			for _, v := range []*volume.Volume{magnitudes(size), masked(magnitudes(size))} {
				plain := denoise.Input{Volume: v}
				mapped := denoise.Input{Volume: v, Noise: rampOf(v)}
				if v.Mask != nil {
					withoutFigures(mapped.Noise)
				}
				for _, in := range []denoise.Input{plain, mapped} {
					if size[1] > 4 && (v.Mask != nil) != (in.Noise != nil) {
						continue // the smaller sizes have padding and maps in every combination
					}
					check := guarded(v)
					got, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
					if err != nil {
						t.Fatal(err)
					}
					check(t)
					want, err := cpu.Reference(context.Background(), r, in, v.Bounds())
					if err != nil {
						t.Fatal(err)
					}
					if _, err := Agree(got, want, rangeOf(v)); err != nil {
						t.Errorf("%s on %v, padding %t, map %t: %v", r, size, v.Mask != nil, in.Noise != nil, err)
					}
					for i, x := range got.Data {
						excluded := !in.Masked().Valid(i)
						if x < 0 || excluded && x != v.Data[i] {
							t.Fatalf("%s: voxel %d of %g became %g", r, i, v.Data[i], x)
						}
					}
					if size[0] > 30 {
						s.checkNoiseMapRegions(t, r, in, got)
					}
				}
			}
		}
	})
}

// testStabilisedMeaning: a run equals the filter's own passes on the stabilised
// volume, with parameters in sigmas, and the unbiased inverse of what they compute.
func (s suite) testStabilisedMeaning(t *testing.T) {
	v := masked(magnitudes([3]int{33, 21, 5}))
	to := derived(v, func(x float32) float32 { return float32(rice.Stabilise(float64(x) / sceneNoise)) })
	to.Mask = v.Mask
	s.eachStabilised(t, func(t *testing.T, r denoise.Recipe) {
		resolved, err := r.ResolveFor(t.Context(), denoise.Input{Volume: v})
		if err != nil {
			t.Fatal(err)
		}
		got := run(t, s.engine, r, v, v.Bounds())
		want := run(t, s.engine, resolved.Unstabilised(), to, v.Bounds())
		for i := range want.Data {
			if want.Data[i] = float32(sceneNoise * rice.Signal(float64(want.Data[i]))); !v.Valid(i) {
				want.Data[i] = v.Data[i]
			}
		}
		if _, err := Agree(got, want, rangeOf(v)); err != nil {
			t.Errorf("%s: %v", resolved, err)
		}
		// The recipe of a record gives the same bits.
		if again := run(t, s.engine, resolved, v, v.Bounds()); !slices.Equal(again.Data, got.Data) {
			t.Errorf("%s: the resolved recipe gives other bits", resolved)
		}
	})
}

// testStabilisedScale: c times the volume and sigma give c times the result, and a
// volume of zeros stays one.
func (s suite) testStabilisedScale(t *testing.T) {
	v := magnitudes([3]int{35, 21, 4})
	s.eachStabilised(t, func(t *testing.T, r denoise.Recipe) {
		want := run(t, s.engine, r, v, v.Bounds())
		for _, c := range []float64{1e-9, 0x1p-20, 1e9} {
			s.checkScaled(t, r.With(denoise.Stabilise.Name, denoise.Number(c*sceneNoise)), denoise.Input{Volume: v}, c, want)
		}
		zeros := volume.New(v.Geometry)
		if got := run(t, s.engine, r, zeros, v.Bounds()); !slices.Equal(got.Data, zeros.Data) {
			t.Errorf("%s: a volume of zeros did not stay one", r)
		}
	})
}
