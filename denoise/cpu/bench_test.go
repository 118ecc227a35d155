package cpu_test

import (
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// paperSize is the volume of Upadhya 2018: slices 50 to 100 of a brain at 1 mm.
var paperSize = [3]int{181, 217, 51}

func benchmark(b *testing.B, v *volume.Volume, filter string, dims int, settings map[string]denoise.Value) {
	b.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		b.Fatal(err)
	}
	for name, value := range settings {
		r = r.With(name, value)
	}
	if r, err = r.Resolve(v.Geometry, factsOf(b, v)); err != nil {
		b.Fatal(err)
	}
	engine := cpu.New()
	b.SetBytes(int64(4 * len(v.Data)))
	for b.Loop() {
		if _, err := engine.Run(b.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil); err != nil {
			b.Fatal(err)
		}
	}
}

func nlm(search, patch int, weights string) map[string]denoise.Value {
	return map[string]denoise.Value{
		"h": denoise.Number(10), "search-radius": denoise.Number(float64(search)),
		"patch-radius": denoise.Number(float64(patch)), "patch-weights": denoise.Word(weights),
	}
}

func BenchmarkNLM3D7(b *testing.B) {
	benchmark(b, phantom(b, paperSize), "nlm", 3, nlm(3, 1, "gaussian"))
}

func BenchmarkNLM3D7Uniform5(b *testing.B) {
	benchmark(b, phantom(b, paperSize), "nlm", 3, nlm(3, 2, "uniform"))
}

func BenchmarkNLM3D11(b *testing.B) {
	benchmark(b, phantom(b, paperSize), "nlm", 3, nlm(5, 1, "gaussian"))
}

// BenchmarkNLM2DSlice filters a slice as a preview does.
func BenchmarkNLM2DSlice(b *testing.B) {
	benchmark(b, phantom(b, [3]int{512, 512, 1}), "nlm", 2, nlm(3, 3, "gaussian"))
}

func BenchmarkBilateral3D(b *testing.B) {
	benchmark(b, phantom(b, paperSize), "bilateral", 3, map[string]denoise.Value{"radius": denoise.List(3)})
}

func BenchmarkBilateral2DSlice(b *testing.B) {
	benchmark(b, phantom(b, [3]int{512, 512, 1}), "bilateral", 2, map[string]denoise.Value{"radius": denoise.List(8)})
}

func BenchmarkGaussian3D(b *testing.B) {
	benchmark(b, phantom(b, paperSize), "gaussian", 3, nil)
}

func BenchmarkMedian3D(b *testing.B) {
	benchmark(b, phantom(b, paperSize), "median", 3, nil)
}

func BenchmarkLPASlice(b *testing.B) {
	benchmark(b, phantom(b, [3]int{512, 512, 1}), "lpa", 2, nil)
}
