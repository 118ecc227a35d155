package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// rampedDisc is a disc with Gaussian noise of sigma 5 at its left edge and 15 at its
// right, and the true map of it.
func rampedDisc(t *testing.T) (noisy *series.Series, sigma *volume.Volume) {
	t.Helper()
	clean := disc(64, 3)
	noisy, err := AddNoise(t.Context(), clean, Noise{Model: noise.Gaussian, Sigma: 10, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	sigma = volume.New(clean.Volume.Geometry)
	for i, a := range clean.Volume.Data {
		share := 0.5 + float32(i%64)/63
		sigma.Data[i] = 10 * share
		noisy.Volume.Data[i] = a + share*(noisy.Volume.Data[i]-a)
	}
	return noisy, sigma
}

// A result under a noise map is judged in units of the noise where it is.
func TestVerdictsUnderANoiseMap(t *testing.T) {
	noisy, sigma := rampedDisc(t)
	maps := Maps{Noise: sigma}
	tuned, err := Tune(t.Context(), cpu.New(), TuneRequest{Series: noisy, Recipe: mustRecipe("bilateral", 2), Maps: maps})
	if err != nil {
		t.Fatal(err)
	}
	wrong := denoise.Facts{Hi: 1, Noise: noise.Known(100)} // of the series alone, which do not serve
	for want, r := range map[tune.Verdict]denoise.Recipe{
		tune.Matched: tuned.Recipe,
		tune.Under:   mustRecipe("bilateral", 2).With("sigma-range", denoise.Sigmas(0.7)),
		tune.Over:    mustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)),
	} {
		run, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: noisy, Recipe: r, Maps: maps}, nil)
		if err != nil {
			t.Fatal(err)
		}
		run.Facts = &wrong
		m, err := MeasureRun(t.Context(), nil, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		if m.Verdict != want || m.Confidence == noise.High || m.SigmaConfidence != m.Confidence {
			t.Errorf("%s (%s): %s; want %s", m.Verdict, m.Confidence, m.Why, want)
		}
		// Sigma is in the unit of the series: the root mean square of the map over the disc.
		if math.Abs(m.Sigma-10) > 1.5 || len(m.Slices) != 3 || math.Abs(m.Slices[1].Sigma-m.Sigma) > 0.5 || m.Slices[1].SigmaConfidence != m.Confidence {
			t.Errorf("sigma %g, of the slices %+v", m.Sigma, m.Slices)
		}
		lo, hi, err := noisy.Volume.Range(t.Context())
		if err != nil || m.Change.Max != measure.Float(float64(hi)-float64(lo)) {
			t.Errorf("MAX %g; want the range of the series, %v", m.Change.Max, err)
		}
	}
}

// A slice under a map is judged by the facts of its preview.
func TestAPreviewUnderANoiseMapIsJudged(t *testing.T) {
	noisy, sigma := rampedDisc(t)
	q := PreviewRequest{Series: noisy, Recipe: mustRecipe("gaussian", 2).With("sigma-spatial", denoise.Number(3)), Maps: Maps{Noise: sigma, Estimated: true, Confidence: noise.High}, Index: 1}
	var err error
	if q.Facts, err = denoise.FactsFor(t.Context(), q.Maps.input(noisy.Volume)); err != nil {
		t.Fatal(err)
	}
	if q.Facts.Foreground == nil {
		t.Error("the facts under a map do not say what the foreground is: it is found again for every slice")
	}
	m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), cpu.New(), q), nil)
	if err != nil || m.Verdict != tune.Over || m.Confidence != noise.Fair || math.Abs(m.Sigma-10) > 1.5 || m.Slices != nil {
		t.Errorf("%s (%s), sigma %g, %v", m.Verdict, m.Confidence, m.Sigma, err)
	}
	if m.Change.Max < 200 {
		t.Errorf("MAX %g; want the range of the series", m.Change.Max)
	}
}

// A map is relied on as far as it agrees with the noise that is found.
func TestTrustInNoiseMaps(t *testing.T) {
	noisy, _ := rampedDisc(t)
	v := noisy.Volume
	all := func(int) bool { return true }
	found, _, err := noise.Map(t.Context(), v)
	if err != nil || found == nil {
		t.Fatalf("no map: %v", err)
	}
	for ratio, want := range map[float64]noise.Confidence{1: noise.Fair, 1.24: noise.Fair, 1.26: noise.Low, 1.49: noise.Low, 1.51: noise.None} {
		for _, times := range []float64{ratio, 1 / ratio} {
			given := found.Clone()
			for i := range given.Data {
				given.Data[i] /= float32(times)
			}
			given.Data[0] = 0 // no figure
			c, doubt, err := Maps{Noise: given}.trust(t.Context(), v, all)
			if err != nil || c != want || (doubt.String() != "") != (want == noise.None) {
				t.Errorf("noise of %.3g times the map: %s, %q, %v; want %s", times, c, doubt, err, want)
			}
			if doubt.String() != "" && !strings.Contains(doubt.String(), fmt.Sprintf("%.2g times that of the noise map", times)) {
				t.Errorf("%q does not name the ratio %.2g", doubt, times)
			}
		}
	}
	if c, doubt, err := (Maps{Noise: found}).trust(t.Context(), v, func(int) bool { return false }); c != noise.Low || doubt.String() != "" || err != nil {
		t.Errorf("no voxel counts: %s, %q, %v", c, doubt, err)
	}
	for of, want := range map[noise.Confidence]noise.Confidence{noise.High: noise.Fair, noise.Fair: noise.Fair, noise.Low: noise.Low} {
		if c, doubt, err := (Maps{Noise: found, Estimated: true, Confidence: of}).trust(t.Context(), v, all); c != want || doubt.String() != "" || err != nil {
			t.Errorf("a map estimated with %s confidence: %s, %q, %v", of, c, doubt, err)
		}
	}
	flat := volume.New(volume.NewGeometry([3]int{4, 4, 1}, [3]float64{1, 1, 1}))
	if c, doubt, err := (Maps{Noise: flat}).trust(t.Context(), flat, all); c != noise.Low || doubt.String() != "" || err != nil {
		t.Errorf("no noise is found: %s, %q, %v", c, doubt, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (Maps{Noise: found}).trust(ctx, v, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A map of other noise by far gives no ground for a verdict; its numbers stand.
func TestAMapOfOtherNoiseGivesNoVerdict(t *testing.T) {
	noisy, sigma := rampedDisc(t)
	for i := range sigma.Data {
		sigma.Data[i] *= 3
	}
	a, err := Assess(t.Context(), AssessInput{Before: noisy, After: noisy.Volume, Maps: Maps{Noise: sigma}})
	if err != nil || a.Verdict != tune.Unknown || !strings.Contains(a.Why.String(), "times that of the noise map") || a.SigmaConfidence != noise.None || a.ResidualSD != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}
