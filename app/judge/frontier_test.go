package judge_test

import (
	"context"
	"testing"

	"quell/app/engines"
	"quell/app/judge"
	"quell/denoise"
	"quell/denoise/verdict"
)

// Frontiers begin at the original, stop within the bounds, and are sorted by the noise left where the dial stops.
func TestFrontiers(t *testing.T) {
	q := judge.FrontierRequest{Series: evenSeries(t, 8), Engine: engines.CPU()}
	seen := 0
	all, err := judge.Frontiers(context.Background(), q, func(judge.Frontier) { seen++ })
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(denoise.Filters()) || seen == 0 || seen > len(all) {
		t.Fatalf("%d filters, %d told", len(all), seen)
	}
	before := 0.0
	for _, f := range all {
		if !f.Problem.IsZero() {
			continue
		}
		if len(f.Settings) != 11 || !f.Settings[0].Close(verdict.Unchanged(), 1e-6) {
			t.Fatalf("%s: %+v", f.Filter, f.Settings)
		}
		left := 1.0
		if f.Dial != nil {
			if left = f.Left(); !verdict.Usual.Within(f.Dial.Figures) {
				t.Errorf("%s: the dial leaves %+v", f.Filter, f.Dial)
			}
		}
		if left < before {
			t.Errorf("%s is out of order", f.Filter)
		}
		before = left
	}
}
