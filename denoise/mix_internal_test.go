package denoise

import "testing"

// A recipe mixes below strength 100 only, after all other passes, and one from before the
// parameter is at full strength.
func TestMixtures(t *testing.T) {
	old := withStrength(t, nil).With("amount", Number(3)).With(stabiliseName, Number(0))
	delete(old.Params, strengthName)
	for _, c := range []struct {
		r      Recipe
		passes int
		share  float64
		text   string
	}{
		{old, 1, 0, "probe 3-D amount=3"},
		{old.With(strengthName, Number(100)), 1, 0, "probe 3-D amount=3"},
		{old.With(strengthName, Number(99)), 2, 0.99, "probe 3-D amount=3 strength=99"},
		{old.With(strengthName, Number(0)).With(stabiliseName, Number(2)), 4, 0, "probe 3-D amount=3 stabilise=2 strength=0"},
	} {
		r, err := c.r.Resolve(unitGrid, Facts{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := r.Bind(unitGrid)
		if err != nil {
			t.Fatal(err)
		}
		last := p.Passes[len(p.Passes)-1]
		if len(p.Passes) != c.passes || p.Share != c.share || (last.Name == MixWithVoxels) != (c.r.Mixed() < 1) || c.r.String() != c.text {
			t.Errorf("%s: %d passes, %s last, share %g", c.r, len(p.Passes), last.Name, p.Share)
		}
		if got := p.Normalised(2).Passes; got[len(got)-1].Name != MultiplyBySigma {
			t.Errorf("%s: %s is last under a noise map", c.r, got[len(got)-1].Name)
		}
	}
	for _, bad := range []float64{-1, 101} {
		if err := old.With(strengthName, Number(bad)).Validate(); err == nil {
			t.Errorf("strength %g is accepted", bad)
		}
	}
}
