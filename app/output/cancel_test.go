package output

import (
	"context"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise/noise"
)

// TestCancelled: everything that reads a whole volume returns the error of a
// context that has ended.
func TestCancelled(t *testing.T) {
	s := apptest.Wavy(16, 12, 8)
	r := &run.Run{Source: s, Region: s.Volume.Bounds(), Result: s.Volume.Clone(), Recipe: apptest.MustRecipe("median", 2)}
	for what, work := range map[string]func(ctx context.Context) error{
		"noise": func(ctx context.Context) error {
			_, err := run.AddNoise(ctx, s, job.AddedNoise{Model: noise.Gaussian, Sigma: 1})
			return err
		},
		"measures": func(ctx context.Context) error { _, err := judge.Measure(ctx, nil, r, nil); return err },
		"measures with a reference": func(ctx context.Context) error {
			_, err := judge.Measure(ctx, nil, r, s)
			return err
		},
		"pictures": func(ctx context.Context) error { _, err := savePictures(ctx, r, t.TempDir()); return err },
	} {
		if err := work(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := work(ctx); job.ExitCode(err) != job.ExitCancelled {
			t.Errorf("%s after a cancel: %v", what, err)
		}
	}
}
