package judge_test

import (
	"context"
	"math"
	"testing"

	"quell/app/engines"
	"quell/app/judge"
	"quell/denoise"
	"quell/denoise/lesions"
)

// Frontiers are those of single runs, and sorted by the noise left where the dial stops.
func TestFrontiers(t *testing.T) {
	q := judge.LesionRequest{Series: evenSeries(t, 8), Engine: engines.CPU(), Seed: 1, Places: 20, Sizes: []float64{4}}
	seen := 0
	all, err := judge.Frontiers(context.Background(), q, func(judge.Frontier) { seen++ })
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != len(denoise.Filters()) || seen != len(all) {
		t.Fatalf("%d filters, %d told", len(all), seen)
	}
	before := 0.0
	for _, f := range all {
		if f.Settings == nil || len(f.Settings) != 21 || f.Settings[0].Kept != 1 || math.Abs(f.Settings[0].Noise-1) > 1e-9 {
			t.Fatalf("%s: %s, %+v", f.Filter, f.Problem, f.Settings)
		}
		left := 1.0
		if f.Dial != nil {
			if left = f.Dial.Noise; f.Dial.Kept < lesions.UsualBounds.Kept-0.002 || f.Dial.Texture < lesions.UsualBounds.Texture-0.002 {
				t.Errorf("%s: the dial leaves %+v", f.Filter, f.Dial)
			}
		}
		if left < before {
			t.Errorf("%s is out of order", f.Filter)
		}
		before = left
	}
	q.Recipe = all[0].Recipe
	p, err := judge.Lesions(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	if s, ok := p.Strongest(); !ok || s != *all[0].Dial {
		t.Errorf("%+v, alone %+v", all[0].Dial, s)
	}
	q.Series = evenSeries(t, 0)
	if _, err := judge.Frontiers(context.Background(), q, nil); err == nil {
		t.Error("without noise there is no error")
	}
}
