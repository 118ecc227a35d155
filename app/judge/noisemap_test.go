package judge_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"quell/app/judge"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// even is a series of even tissue in air, with noise of sigma 4 on its left half
// and of 8 on its right half.
func even(t *testing.T, sigma float64) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{96, 64, 3}, [3]float64{0.5, 0.5, 5}))
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, sigma, 3)
	if err != nil {
		t.Fatal(err)
	}
	v.Unit = "HU"
	for i := range v.Data {
		x, y := i%96, i/96%64
		v.Data[i] = -1000
		if y >= 12 && y < 56 && x >= 8 && x < 88 {
			v.Data[i] = 40 + noisy.Data[i]
			if x >= 48 {
				v.Data[i] += noisy.Data[i]
			}
		}
	}
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "CT"}, Volume: v}
}

func TestMapNoiseFollowsTheNoise(t *testing.T) {
	s := even(t, 4)
	m, err := judge.MapNoise(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x, y int) float64 { return float64(m.Values.Data[m.Values.Index(x, y, 1)]) }
	if left, right := at(20, 34), at(76, 34); math.Abs(left-4) > 0.8 || math.Abs(right-8) > 1.6 {
		t.Errorf("sigma is %.2f on the left and %.2f on the right; want 4 and 8 within 20 %%", left, right)
	}
	if !m.Values.Valid(m.Values.Index(48, 34, 1)) || m.Values.Valid(m.Values.Index(2, 2, 1)) {
		t.Error("want a map of the tissue and none of the air")
	}
	if m.Values.Unit != "HU" || m.Values.Geometry != s.Volume.Geometry {
		t.Errorf("unit %q; want that and the grid of the series", m.Values.Unit)
	}
	least, most := math.Inf(1), 0.0
	for i, x := range m.Values.Data {
		if m.Values.Valid(i) {
			least, most = min(least, float64(x)), max(most, float64(x))
		}
	}
	if m.Lo < least || m.Lo > 1.1*least || m.Hi > most || m.Hi < 0.9*most {
		t.Errorf("the range is %.2f to %.2f; want nearly that of the tissue, %.2f to %.2f", m.Lo, m.Hi, least, most)
	}
}

func TestMapNoiseSaysWhyThereIsNone(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{8, 8, 2}, [3]float64{1, 1, 1}))
	v.Unit = "HU"
	_, err := judge.MapNoise(t.Context(), &series.Series{Volume: v})
	if err == nil || !strings.HasPrefix(err.Error(), "the noise cannot be mapped: ") {
		t.Errorf("error %v; want it to say why there is no map", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := judge.MapNoise(ctx, even(t, 4)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v; want the context's", err)
	}
}
