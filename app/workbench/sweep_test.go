package workbench

import (
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/volume"
)

// Over the strength of non-local means the noise removed rises and the contrast kept falls on the bundled CT, and the
// verdict goes from nothing to objects that fade.
func TestVerdictsOfTheBundledCTAreInOrder(t *testing.T) {
	s, err := open.Bundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s = &series.Series{Meta: s.Meta, Volume: s.Volume.Crop(volume.Slices(s.Volume.Geometry, 4, 5))}
	facts := apptest.FoundFacts(t, s.Volume)
	before := verdict.Unchanged()
	seen := map[verdict.Word]bool{}
	for _, strength := range []float64{0, 5, 20, 40, 60, 100} {
		r := apptest.MustRecipe("nlm", 2).With(denoise.MixStrength.Name, denoise.Number(strength))
		q := PreviewRequest{Series: s, Recipe: r, Facts: facts, Plane: volume.Axial}
		m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), engines.CPU(), q), nil)
		if err != nil {
			t.Fatal(err)
		}
		if strength > 0 && (m.NoiseRemoved <= before.NoiseRemoved || m.ContrastKept >= before.ContrastKept) {
			t.Errorf("strength %g: %+v after %+v", strength, m.Assessment.Figures, before)
		}
		if strength == 0 && m.Judgement != verdict.Nothing {
			t.Errorf("strength 0: %s, %s", m.Judgement, m.Why)
		}
		before, seen[m.Judgement] = m.Assessment.Figures, true
		t.Logf("strength %g: %s: %s", strength, m.Judgement, m.Why)
	}
	if !seen[verdict.Nothing] || !seen[verdict.Fades] {
		t.Errorf("only %v over the sweep", seen)
	}
}
