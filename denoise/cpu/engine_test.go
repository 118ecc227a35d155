package cpu_test

import (
	"runtime"
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/enginetest"
	"quell/denoise/filter/filtertest"
	"quell/denoise/noise"
	"quell/volume"
)

// A filter of two passes that reads a noise map and a guide takes part in every
// test of the engine. The conformance suite runs in the packages of the filters.
func init() { denoise.Register(filtertest.Filter) }

// phantom is a volume of steps with Gaussian noise.
func phantom(t testing.TB, dims [3]int) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		x, y := i%dims[0], i/dims[0]%dims[1]
		v.Data[i] = float32(60 * ((x/20 + y/20) % 4))
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 10, 7)
	if err != nil {
		t.Fatal(err)
	}
	return noisy
}

// The number of cores does not change a bit of the result.
func TestSameBitsOnAnyCores(t *testing.T) {
	v := phantom(t, [3]int{120, 61, 20})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	cores := []int{1, 2, 5}
	facts := make([]denoise.Facts, len(cores)) // of automatic values: found once, as that takes longer than most runs
	for i, n := range cores {
		runtime.GOMAXPROCS(n)
		facts[i] = factsOf(t, v)
	}
	for _, filter := range denoise.Filters() {
		for _, dims := range filter.Dims {
			r, err := denoise.NewRecipe(filter.Name, dims)
			if err != nil {
				t.Fatal(err)
			}
			var one []float32
			for i, n := range cores {
				resolved, err := r.Resolve(v.Geometry, facts[i])
				if err != nil {
					t.Fatal(err)
				}
				runtime.GOMAXPROCS(n)
				got := run(t, resolved, enginetest.Input(t, resolved, v)).Data
				if i == 0 {
					one = got
				}
				if !slices.Equal(got, one) {
					t.Errorf("%s: %d cores give other bits than one", r, n)
				}
			}
		}
	}
}

// factsOf returns the facts of v.
func factsOf(t testing.TB, v *volume.Volume) denoise.Facts {
	t.Helper()
	f, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
