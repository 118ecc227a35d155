package enginetest

import (
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/equalise"
)

// testMixed: a recipe of strength s removes s percent of what the filter alone removes, as the
// reference computes it, in padding, under a noise map and in regions. 0 gives the original.
func (s suite) testMixed(t *testing.T) {
	const strength = 37
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		mixed := r.With(denoise.MixStrength.Name, denoise.Number(strength))
		for _, size := range [][3]int{{1, 1, 1}, {33, 13, 3}} {
			size = flatter(r, size)
			v := masked(scene(size))
			in := denoise.Input{Volume: v}
			if size[0] > 1 {
				in.Noise = rampOf(v)
			}
			got, err := s.engine.Run(t.Context(), mixed, in, v.Bounds(), nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := cpu.Reference(t.Context(), mixed, in, v.Bounds())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Agree(got, want, rangeOf(v)); err != nil {
				t.Errorf("%s on %v: %v", mixed, size, err)
			}
			s.checkNoiseMapRegions(t, mixed, in, got)
			alone, err := s.engine.Run(t.Context(), r, in, v.Bounds(), nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range alone.Data {
				x := float64(v.Data[i])
				alone.Data[i] = float32(x + strength/100.0*(float64(f)-x))
			}
			if _, err := Agree(got, alone, rangeOf(v)); err != nil {
				t.Errorf("%s on %v: not %d %% of the filter: %v", mixed, size, strength, err)
			}
			none, err := s.engine.Run(t.Context(), r.With(denoise.MixStrength.Name, denoise.Number(0)), denoise.Input{Volume: v}, v.Bounds(), nil)
			if err != nil || !slices.Equal(none.Data, v.Data) {
				t.Errorf("%s on %v: strength 0 changes the volume, %v", r, size, err)
			}
		}
	})
}

// testEqualised: a recipe with an equaliser, of slices or of volumes, agrees with the reference, in padding, under a noise map
// and in regions.
func (s suite) testEqualised(t *testing.T) {
	s.eachNormalised(t, func(t *testing.T, r denoise.Recipe) {
		v := masked(scene(flatter(r, [3]int{33, 13, 5})))
		in := denoise.Input{Volume: v, Noise: rampOf(v)}
		w := equalise.Weights{0.5, -0.8, 1.1, -0.4}
		if r.Dims == 3 {
			w = append(w, 0.2, 0.6, -0.3, 0.1, -0.2, 0.1, 0.3, -0.1, 0.4, -0.3, 0.2, 0.1)
		}
		equalised := r.Equalised(40, w)
		got, err := s.engine.Run(t.Context(), equalised, in, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := cpu.Reference(t.Context(), equalised, in, v.Bounds())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Agree(got, want, rangeOf(v)); err != nil {
			t.Errorf("%s: %v", equalised, err)
		}
		s.checkNoiseMapRegions(t, equalised, in, got)
	})
}
