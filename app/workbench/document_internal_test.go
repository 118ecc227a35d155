package workbench

import (
	"math"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
)

// TestDocumentWithoutNoise: there is nothing to remove, and the run stays.
func TestDocumentWithoutNoise(t *testing.T) {
	s := apptest.Wavy(4, 4, 2)
	d := NewDocument(s)
	run := &run.Run{Source: s}
	if !d.SetRun(run) {
		t.Fatal("the run is not shown")
	}
	if n, ok := d.Noise(); ok || n != (job.AddedNoise{}) {
		t.Errorf("noise %v", n)
	}
	d.SetFacts(s.Volume, denoise.Facts{})
	d.RemoveNoise()
	if _, known := d.Facts(); d.Run() != run || d.Clean() != s || !known {
		t.Error("removing noise that is not there changed the document")
	}
	ref := apptest.Wavy(4, 4, 2)
	if err := d.SetReference(ref); err != nil || d.Reference() != ref {
		t.Errorf("%v", err)
	}
	d.RemoveNoise()
	if d.Series() != s || d.Reference() != ref {
		t.Error("removing noise that is not there took the reference")
	}
	n := job.AddedNoise{Model: noise.Rician, Sigma: 2, Seed: 9}
	d.SetNoisy(ref, n)
	if got, ok := d.Noise(); !ok || got != n || d.Run() != nil {
		t.Errorf("noise %v, %v", got, ok)
	}
	if err := d.SetReference(s); err != nil { // it is the reference already
		t.Error(err)
	}
	if d.Edits() != &d.edits {
		t.Error("the history is a copy")
	}
	for n, ok := range map[job.AddedNoise]bool{{Model: noise.Gaussian}: true, {Model: noise.Gaussian, Sigma: -1}: false, {Model: noise.Gaussian, Sigma: math.Inf(1)}: false, {Model: noise.Gaussian, Sigma: math.NaN()}: false} {
		if err := n.Validate(); (err == nil) != ok || err != nil && job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%v: %v", n, err)
		}
	}
	if err := (job.AddedNoise{Model: "pink"}).Validate(); err == nil || err.Error() != `no noise model is called "pink"; there are gaussian and rician` {
		t.Errorf("an unknown model: %v", err)
	}
	if n.String() != "rician noise, sigma 2, seed 9" {
		t.Errorf("%q", n)
	}
}
