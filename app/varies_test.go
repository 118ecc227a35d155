package app_test

import (
	"math"
	"slices"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/series"
	"quell/volume"
)

// Noise that differs from place to place is filtered by a map if every strength follows the noise, and better so;
// white noise has no map, and neither have a number, a mask of its own and a job that states none.
func TestMapIfVaries(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 150, 10}, Spacing: [3]float64{1.5, 1.5, 2}})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	with := func(sigma func(x float64) float64) *series.Series {
		v := clean.Clone()
		for i := range v.Data {
			v.Data[i] += float32(sigma(float64(i%128)/128) * noise.Normal(9, uint64(i), 0))
		}
		return &series.Series{Volume: v}
	}
	rising, white := with(func(x float64) float64 { return 3 + 14*x }), with(func(float64) float64 { return 10 })
	filtered := func(s *series.Series, r denoise.Recipe, noiseMap string) executor.Outcome {
		t.Helper()
		done, err := app.DoOn(t.Context(), app.On{Series: s, Engine: engines.CPU()}, job.Job{Recipe: &r, NoiseMap: noiseMap}, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	psnr := func(v *volume.Volume) float64 {
		sum, n := 0.0, 0.0
		for i, x := range clean.Data {
			if x > 50 {
				d := float64(v.Data[i] - x)
				sum, n = sum+d*d, n+1
			}
		}
		return -10 * math.Log10(sum/n)
	}
	for _, filter := range []string{"nlm", "bilateral", "odct"} {
		r := apptest.MustRecipe(filter, 2)
		varied, mapped, plain := filtered(rising, r, job.MapIfVaries), filtered(rising, r, job.MapAuto), filtered(rising, r, "")
		if varied.NoiseMap == nil || varied.NoiseMap.From != "estimate" || plain.NoiseMap != nil || !slices.Equal(varied.Run.Result.Data, mapped.Run.Result.Data) {
			t.Errorf("%s: rising noise: map %+v, without %+v", filter, varied.NoiseMap, plain.NoiseMap)
		}
		gain := psnr(varied.Run.Result) - psnr(plain.Run.Result)
		t.Logf("%s gains %.2f dB", filter, gain)
		if gain < 0.15 {
			t.Errorf("%s: a map gains %.2f dB", filter, gain)
		}
		same, before := filtered(white, r, job.MapIfVaries), filtered(white, r, "")
		if same.NoiseMap != nil || !slices.Equal(same.Run.Result.Data, before.Run.Result.Data) {
			t.Errorf("%s: white noise: map %+v", filter, same.NoiseMap)
		}
	}
	for name, r := range map[string]denoise.Recipe{
		"a number": apptest.MustRecipe("nlm", 2).With("h", denoise.Number(12)), "no noise": apptest.MustRecipe("median", 2),
		"one number": apptest.MustRecipe("prinlm", 2).With("sigma", denoise.Number(9)),
	} {
		if got := filtered(rising, r, job.MapIfVaries); got.NoiseMap != nil {
			t.Errorf("%s: map %+v", name, got.NoiseMap)
		}
	}
}
