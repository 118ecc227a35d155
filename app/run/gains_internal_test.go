package run

import (
	"testing"

	"quell/denoise"
	"quell/denoise/tune"
)

func gainOf(filter string, db, careful, atLeast, steps float64) tune.Gain {
	return tune.Gain{Recipe: denoise.Recipe{Filter: filter, Dims: 2}, DB: db, Careful: careful, AtLeast: atLeast, Steps: steps}
}

// TestTies: of gains that differ by a tenth the one of fewer steps comes first; by more the larger one.
func TestTies(t *testing.T) {
	for _, x := range []struct {
		behind float64
		want   string
	}{{0.09, "fast"}, {0.11, "slow"}} {
		got := proposalOf([]tune.Gain{gainOf("other", 0.5, 0.4, 0.3, 1), gainOf("fast", 3-x.behind, 2.9-x.behind, 2.8, 20), gainOf("slow", 3, 2.9, 2.8, 500)})
		if got.Filter != x.want || got.Gains[0].Filter != x.want || got.Gains[2].Filter != "other" {
			t.Errorf("%.2f dB behind: %+v", x.behind, got)
		}
	}
}

// TestGainTexts: a gain known to 0.3 dB is a number, one known less well a bound of whole decibels, and
// none that may be below 1 dB.
func TestGainTexts(t *testing.T) {
	got := proposalOf([]tune.Gain{gainOf("odct", 1.94, 1.9, 1.65, 1), gainOf("nlm", 1.9, 1.85, 1.59, 2), gainOf("lpa", 1.5, 1.4, 0.9, 3)}).String()
	if want := "odct: 1.9 dB expected (nlm over 1 dB)"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	got = proposalOf([]tune.Gain{gainOf("lpa", 1.5, 1.4, 0.9, 3)}).String()
	if got != "" {
		t.Errorf("%q of a gain that may be below 1 dB", got)
	}
}
