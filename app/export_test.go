package app_test

import (
	"path/filepath"
	"slices"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/denoise/noise"
)

func TestNoisyExportIsReproducible(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "in.nii")
	apptest.PutNii(t, in, 6, 5, 4)
	s := opentest.Reopen(t, in)
	n := job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: 42}
	var values [][]float32
	for _, name := range []string{"a.nii", "b.nii"} {
		report, err := app.DoOn(t.Context(), app.On{Series: s}, job.Job{Noise: &n, Output: job.Output{Path: filepath.Join(dir, name)}}, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, opentest.Reopen(t, report.Output).Volume.Data)
		if _, err := files.LoadRecipe(report.Record); job.ExitCode(err) != job.ExitInput {
			t.Errorf("a record of noise was taken as a recipe: %v", err)
		}
	}
	if !slices.Equal(values[0], values[1]) || slices.Equal(values[0], s.Volume.Data) {
		t.Error("the same seed must give the same, changed, values")
	}
}
