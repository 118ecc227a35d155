package workbench

import (
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/series"
	"quell/volume"
)

// Over the strength of non-local means the verdict on the bundled CT must go from
// under through matched to over, which it must have reached when ventricles, sulci
// and skull show in the residual.
func TestVerdictsOfTheBundledCT(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	s, err := open.Bundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s = &series.Series{Meta: s.Meta, Volume: s.Volume.Crop(volume.Slices(s.Volume.Geometry, 3, 6))}
	facts := apptest.FoundFacts(t, s.Volume)
	for dims, want := range map[int]map[float64]tune.Verdict{
		2: {3: tune.Under, 9: tune.Matched, 17.5: tune.Over},
		3: {1.2: tune.Under, 17.5: tune.Over}, // at 2 the excess is 0.14 to 0.17, by the perturbation
	} {
		for h, v := range want {
			q := PreviewRequest{Series: s, Recipe: apptest.MustRecipe("nlm", dims).With("h", denoise.Number(h)), Facts: facts, Plane: volume.Axial, Index: 1}
			m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), engines.CPU(), q), nil)
			if err != nil {
				t.Fatal(err)
			}
			if m.Verdict != v {
				t.Errorf("%d-D, h = %g: %s (%s), want %s", dims, h, m.Verdict, m.Why, v)
			}
			if m.Sigma != facts.Noise.PerSlice[1].Sigma || m.Confidence == noise.None || m.Slices != nil {
				t.Errorf("%d-D, h = %g: sigma %v (%s), %d slices; want the slice's own", dims, h, m.Sigma, m.Confidence, len(m.Slices))
			}
		}
	}
}

// The verdicts on a slice follow each other in this order, also between the strengths of
// TestVerdictsOfTheBundledCT: none comes back.
func TestVerdictsOfTheBundledCTAreInOrder(t *testing.T) {
	s, err := open.Bundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s = &series.Series{Meta: s.Meta, Volume: s.Volume.Crop(volume.Slices(s.Volume.Geometry, 4, 5))}
	facts := apptest.FoundFacts(t, s.Volume)
	order := []tune.Verdict{tune.Under, tune.Matched, tune.Over}
	at, seen := 0, map[tune.Verdict]bool{}
	for _, h := range []float64{4, 8, 10, 13} {
		q := PreviewRequest{Series: s, Recipe: apptest.MustRecipe("nlm", 2).With("h", denoise.Number(h)), Facts: facts, Plane: volume.Axial}
		m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), engines.CPU(), q), nil)
		if err != nil {
			t.Fatal(err)
		}
		k := slices.Index(order, m.Verdict)
		if k < at {
			t.Fatalf("h = %g: %s after %s: %s", h, m.Verdict, order[at], m.Why)
		}
		at, seen[m.Verdict] = k, true
		t.Logf("h = %g: %s: %s", h, m.Verdict, m.Why)
	}
	if len(seen) != len(order) {
		t.Errorf("only %v over the sweep", seen)
	}
}
