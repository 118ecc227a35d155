package output

import (
	"reflect"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/series"
)

// TestNoiseIsNoted: each noisy series has a finding of its own and the findings of the
// original.
func TestNoiseIsNoted(t *testing.T) {
	s := apptest.Wavy(4, 4, 2)
	s.Findings = append(make([]series.Finding, 0, 9), series.Finding{Kind: series.Gap, Text: message.Verbatim("A gap.")})
	var noisy [2]*series.Series
	for i := range noisy {
		var err error
		if noisy[i], err = run.AddNoise(t.Context(), s, job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	for i, n := range noisy {
		want := series.Finding{Severity: series.Note, Kind: series.Noise, Text: message.Text("Holds added %s.", job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: uint64(i)})}
		if len(n.Findings) != 2 || n.Findings[0].Kind != series.Gap || !reflect.DeepEqual(n.Findings[1], want) {
			t.Errorf("findings %+v", n.Findings)
		}
	}
	if len(s.Findings) != 1 {
		t.Errorf("the original has %d findings", len(s.Findings))
	}
	r := apptest.MustRecipe("median", 2)
	text := describe(&run.Run{Source: noisy[1], Recipe: r, Resolved: r})
	if want := "Noise filtered by Quell " + job.Version() + ": " + r.String() + ". Holds added gaussian noise, sigma 3, seed 1. Not for clinical use."; text != want {
		t.Errorf("%q, want %q", text, want)
	}
}
