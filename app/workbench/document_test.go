package workbench_test

import (
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise/noise"
)

func TestDocument(t *testing.T) {
	s := apptest.Wavy(6, 5, 4)
	d := workbench.NewDocument(s)
	facts := apptest.FoundFacts(t, s.Volume)
	d.SetFacts(s.Volume, facts)
	if got, ok := d.Facts(); !ok || got.Lo != facts.Lo || got.Hi != facts.Hi || got.Noise.Sigma != facts.Noise.Sigma {
		t.Errorf("facts %v, %v", got, ok)
	}
	n := job.AddedNoise{Model: noise.Gaussian, Sigma: 5, Seed: 1}
	noisy, err := run.AddNoise(t.Context(), s, n)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisy, n)
	if d.Series() != noisy || d.Reference() != s || d.Clean() != s {
		t.Error("the clean original is not the reference")
	}
	if _, ok := d.Facts(); ok {
		t.Error("the facts of the clean volume are used for the noisy one")
	}
	d.SetFacts(s.Volume, facts) // finished late
	if _, ok := d.Facts(); ok {
		t.Error("late facts of another volume were accepted")
	}
	if err := d.SetReference(apptest.Wavy(6, 5, 4)); err == nil {
		t.Error("the clean original was replaced as reference")
	}
	again := job.AddedNoise{Model: noise.Rician, Sigma: 9, Seed: 2}
	noisier, err := run.AddNoise(t.Context(), d.Clean(), again)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisier, again)
	if d.Reference() != s {
		t.Error("noise was added twice: the reference is not the clean series")
	}
	if d.SetRun(&run.Run{Source: noisy}) {
		t.Error("a run of another series was shown")
	}
	r := apptest.MustRecipe("median", 2)
	if !d.SetRun(&run.Run{Source: noisier, Recipe: r}) {
		t.Error("a run of the series is not shown")
	}
	d.RemoveNoise()
	if d.Series() != s || d.Reference() != nil || d.Run() != nil {
		t.Error("removing the noise does not bring the original back")
	}

	if err := d.SetReference(apptest.Wavy(6, 5, 3)); err == nil || !strings.Contains(err.Error(), "6 x 5 x 4") {
		t.Errorf("a reference of other dims: %v", err)
	}
	shifted := apptest.Wavy(6, 5, 4)
	shifted.Volume.Affine[0][3] += 1
	if err := d.SetReference(shifted); err == nil {
		t.Error("a reference at another position was accepted")
	}
	shifted.Volume.Affine[0][3] = s.Volume.Affine[0][3] + 1.1*open.GridTolerance
	if err := d.SetReference(shifted); err == nil {
		t.Error("a reference just outside the tolerance was accepted")
	}
	shifted.Volume.Affine[0][3] = s.Volume.Affine[0][3] + 0.9*open.GridTolerance
	if err := d.SetReference(shifted); err != nil {
		t.Error(err)
	}
	if _, err := run.AddNoise(t.Context(), s, job.AddedNoise{Model: "pink", Sigma: 1}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("an unknown noise model: %v", err)
	}
}

// Noise that was measured in a mark takes the place of the estimate, for its own voxels.
func TestGivenNoise(t *testing.T) {
	s := apptest.Wavy(6, 5, 4)
	d := workbench.NewDocument(s)
	given := workbench.Edit{Noise: &workbench.GivenNoise{Sigma: 7, Voxels: 900, Of: s.Volume}}
	d.Edits().Push(workbench.Edit{})
	d.Edits().Push(given)
	if _, ok := d.Facts(); ok {
		t.Error("facts are known before they were found")
	}
	facts := apptest.FoundFacts(t, s.Volume)
	d.SetFacts(s.Volume, facts)
	got, _ := d.Facts()
	estimated, ok := d.Estimated()
	if got.Noise.Sigma != 7 || !ok || estimated.Noise.Sigma != facts.Noise.Sigma || d.GivenNoise() != given.Noise {
		t.Errorf("sigma %g, estimated %g", got.Noise.Sigma, estimated.Noise.Sigma)
	}
	d.Edits().Undo()
	if got, _ := d.Facts(); got.Noise.Sigma != facts.Noise.Sigma || d.GivenNoise() != nil {
		t.Errorf("sigma %g after undo", got.Noise.Sigma)
	}
	d.Edits().Redo()
	n := job.AddedNoise{Model: noise.Gaussian, Sigma: 5, Seed: 1}
	noisy, err := run.AddNoise(t.Context(), s, n)
	if err != nil {
		t.Fatal(err)
	}
	d.SetNoisy(noisy, n)
	if d.GivenNoise() != nil {
		t.Error("the noise of the clean voxels is used for the noisy ones")
	}
}
