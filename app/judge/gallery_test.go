package judge_test

import (
	"context"
	"errors"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/judge"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/verdict"
	"quell/internal/message"
	"quell/volume"
)

// If the noise cannot be estimated, no filter is marked as the best one.
func TestGalleryWithoutNoise(t *testing.T) {
	s := apptest.Grainy(t, 0)
	g, err := judge.ShowGallery(t.Context(), apptest.Some{Engine: cpu.New()}, judge.GalleryRequest{Series: s, Region: volume.Slices(s.Volume.Geometry, 1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	if g.Best != -1 {
		t.Errorf("the best is %s", g.Exhibits[g.Best].Filter)
	}
	for _, e := range g.Exhibits {
		if e.Filter != "lpa" && (e.Judgement == verdict.Good || e.Part.Dims[2] != 2 || e.Truth != nil) {
			t.Errorf("%s: %+v", e.Filter, e)
		}
	}
	for seconds, want := range map[float64]string{0.0031: "3.1 ms", 0.01: "10 ms", 0.987: "987 ms", 1: "1.0 s", 9.9: "9.9 s", 10: "10 s", 271: "271 s"} {
		if got := job.TimeText(seconds); got != want {
			t.Errorf("%g s is %q; want %q", seconds, got, want)
		}
	}
	if lines := (judge.Exhibit{Filter: "lpa", Problem: message.Verbatim("x")}).Labels(false); len(lines) != 2 || lines[1] != "cannot run" {
		t.Errorf("%q", lines)
	}
}

// A cancel ends the gallery, and a region beyond the series is refused.
func TestGalleryIsCancelled(t *testing.T) {
	s := apptest.Grainy(t, 10)
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	g, err := judge.ShowGallery(ctx, apptest.Some{Engine: cpu.New()}, judge.GalleryRequest{Series: s, Ready: func(judge.Exhibit) {
		if n++; n == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || g.Exhibits != nil || n != 2 {
		t.Errorf("%d exhibits, %v", n, err)
	}
	broken := apptest.EngineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) {
		return nil, engines.ErrFailed
	})
	if g, err := judge.ShowGallery(t.Context(), broken, judge.GalleryRequest{Series: s}); !errors.Is(err, engines.ErrFailed) || g.Exhibits != nil {
		t.Errorf("an engine that fails: %d exhibits, %v", len(g.Exhibits), err)
	}
	var usage *job.UsageError
	if _, err := judge.ShowGallery(t.Context(), cpu.New(), judge.GalleryRequest{Series: s, Region: volume.Region{Max: [3]int{1, 1, 99}}}); !errors.As(err, &usage) {
		t.Errorf("a region beyond the series: %v", err)
	}
}
