package judge_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"quell/app/engines"
	"quell/app/judge"
	"quell/denoise"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// evenSeries is a bright square of noise in a dark frame.
func evenSeries(t *testing.T, sigma float64) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{140, 130, 1}, [3]float64{0.8, 0.8, 3}))
	for i := range v.Data {
		if x, y := i%140, i/140; x > 10 && x < 130 && y > 10 && y < 120 {
			v.Data[i] = 200
		}
	}
	v, err := noise.AddNoise(context.Background(), v, noise.Gaussian, sigma, 5)
	if err != nil {
		t.Fatal(err)
	}
	return &series.Series{Volume: v}
}

func TestLesionsOfASeries(t *testing.T) {
	ctx := context.Background()
	r, err := denoise.NewRecipe("nlm", 2)
	if err != nil {
		t.Fatal(err)
	}
	q := judge.LesionRequest{Series: evenSeries(t, 8), Recipe: r, Engine: engines.CPU(), Seed: 1, IfVaries: true, Places: 30}
	p, err := judge.Lesions(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Rows) != 6 || p.Rows[0].Size != 2.4 || p.Rows[2].Size != 6.4 || p.Rows[0].Sigmas != 1 || p.Rows[5].Sigmas != 2 {
		t.Errorf("the rows are %+v", p.Rows)
	}
	if c := p.Rows[3].Contrast; math.Abs(c/16-1) > 0.1 {
		t.Errorf("2 sigma are %g, want about 16", c)
	}
	if !p.Recipe.Resolved() || p.Visibility().Verdict != lesions.Over {
		t.Errorf("%s: %s", p.Recipe, p.Visibility().Why)
	}

	q.Series = evenSeries(t, 0)
	if _, err := judge.Lesions(ctx, q); err == nil || !strings.Contains(err.Error(), "give the contrast of the lesions in the unit of the series") {
		t.Errorf("without noise the error is %v", err)
	}
	q.Series, q.Sizes = evenSeries(t, 8), []float64{30}
	if _, err := judge.Lesions(ctx, q); err == nil || !strings.Contains(err.Error(), "too little homogeneous tissue") {
		t.Errorf("large lesions: the error is %v", err)
	}
}
