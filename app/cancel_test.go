package app

import (
	"context"
	"testing"

	"quell/denoise/noise"
)

// TestCancelled: everything that reads a whole volume returns the error of a
// context that has ended.
func TestCancelled(t *testing.T) {
	s := wavy(16, 12, 8)
	run := &Run{Source: s, Region: s.Volume.Bounds(), Result: s.Volume.Clone(), Recipe: mustRecipe("median", 2)}
	for what, work := range map[string]func(ctx context.Context) error{
		"noise": func(ctx context.Context) error {
			_, err := AddNoise(ctx, s, Noise{Model: noise.Gaussian, Sigma: 1})
			return err
		},
		"measures": func(ctx context.Context) error { _, err := MeasureRun(ctx, nil, run, nil); return err },
		"measures with a reference": func(ctx context.Context) error {
			_, err := MeasureRun(ctx, nil, run, s)
			return err
		},
		"pictures": func(ctx context.Context) error { _, err := savePictures(ctx, run, t.TempDir()); return err },
	} {
		if err := work(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := work(ctx); ExitCode(err) != ExitCancelled {
			t.Errorf("%s after a cancel: %v", what, err)
		}
	}
}
