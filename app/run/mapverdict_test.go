package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// A map is relied on as far as it agrees with the noise that is found.
func TestTrustInNoiseMaps(t *testing.T) {
	noisy, _ := apptest.RampedDisc(t)
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
			c, doubt, err := Maps{Noise: given}.Trust(t.Context(), v, all)
			if err != nil || c != want || (doubt.String() != "") != (want == noise.None) {
				t.Errorf("noise of %.3g times the map: %s, %q, %v; want %s", times, c, doubt, err, want)
			}
			if doubt.String() != "" && !strings.Contains(doubt.String(), fmt.Sprintf("%.2g times that of the noise map", times)) {
				t.Errorf("%q does not name the ratio %.2g", doubt, times)
			}
		}
	}
	if c, doubt, err := (Maps{Noise: found}).Trust(t.Context(), v, func(int) bool { return false }); c != noise.Low || doubt.String() != "" || err != nil {
		t.Errorf("no voxel counts: %s, %q, %v", c, doubt, err)
	}
	for of, want := range map[noise.Confidence]noise.Confidence{noise.High: noise.Fair, noise.Fair: noise.Fair, noise.Low: noise.Low} {
		if c, doubt, err := (Maps{Noise: found, Estimated: true, Confidence: of}).Trust(t.Context(), v, all); c != want || doubt.String() != "" || err != nil {
			t.Errorf("a map estimated with %s confidence: %s, %q, %v", of, c, doubt, err)
		}
	}
	flat := volume.New(volume.NewGeometry([3]int{4, 4, 1}, [3]float64{1, 1, 1}))
	if c, doubt, err := (Maps{Noise: flat}).Trust(t.Context(), flat, all); c != noise.Low || doubt.String() != "" || err != nil {
		t.Errorf("no noise is found: %s, %q, %v", c, doubt, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := (Maps{Noise: found}).Trust(ctx, v, all); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// A map of a volume of a 4-D series is as strong as its volumes show; one of a volume alone, or of noise that was given, is as the
// volume shows.
func TestMapsOfVolumesOverTime(t *testing.T) {
	noisy, _ := apptest.RampedDisc(t)
	own, e, err := MapsOf(t.Context(), noisy, nil)
	if err != nil {
		t.Fatal(err)
	}
	over := e.OverTime(&noise.Repeats{Repeat: noise.Repeat{Figure: noise.Figure{Sigma: e.Sigma / 4, Confidence: noise.High}}})
	for want, known := range map[float64]noise.Estimate{1: e.Given(e.Sigma/4, 0), 0.25: over} {
		m, got, err := MapsOf(t.Context(), noisy, &denoise.Facts{Noise: known})
		if err != nil || math.Abs(got.Sigma/e.Sigma-want) > 1e-9 {
			t.Fatalf("%g: %+v, %v", want, got.Figure, err)
		}
		for i, x := range m.Noise.Data {
			if math.Abs(float64(x)-want*float64(own.Noise.Data[i])) > 1e-5*float64(x) {
				t.Fatalf("voxel %d: %g of %g, want %g of it", i, x, own.Noise.Data[i], want)
			}
		}
	}
}
