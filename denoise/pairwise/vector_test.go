package pairwise_test

import (
	"slices"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/denoise/pairwise"
	"quell/volume"
)

// steps is a volume of steps with Gaussian noise.
func steps(t testing.TB, dims [3]int) *volume.Volume {
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

// The Go loops and the vector code give the same bits.
func TestSameBitsWithoutVectorCode(t *testing.T) {
	if !pairwise.HasVector() {
		t.Skip("this processor runs the Go loops only")
	}
	v := steps(t, [3]int{120, 61, 20})
	for _, filter := range []string{"nlm", "prinlm", "bilateral"} {
		for _, dims := range []int{2, 3} {
			r, err := denoise.NewRecipe(filter, dims)
			if err != nil {
				t.Fatal(err)
			}
			run := func() []float32 {
				out, err := cpu.New().Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
				if err != nil {
					t.Fatal(err)
				}
				return out.Data
			}
			vector := run()
			pairwise.WithoutVector(func() {
				if !slices.Equal(run(), vector) {
					t.Errorf("%s: the Go loops give other bits than the vector code", r)
				}
			})
		}
	}
}

func BenchmarkNLM3D7WithoutVectorCode(b *testing.B) {
	v := steps(b, [3]int{181, 217, 51})
	r, err := denoise.NewRecipe("nlm", 3)
	if err != nil {
		b.Fatal(err)
	}
	r = r.With("h", denoise.Number(10))
	b.SetBytes(int64(4 * len(v.Data)))
	pairwise.WithoutVector(func() {
		for b.Loop() {
			if _, err := cpu.New().Run(b.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
