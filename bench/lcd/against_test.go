package lcd_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"quell/bench/lcd"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/measure"
	"quell/series"
	"quell/volume"
)

// A result of the program itself has the figures of its filter; a blur empties the high bands, and a moved result is none.
func TestAgainst(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{130, 120, 3}, [3]float64{0.8, 0.8, 0.8}))
	for i := range v.Data {
		if x, y := i%130, i/130%120; x > 10 && x < 120 && y > 10 && y < 110 {
			v.Data[i] = 200
		}
	}
	v, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 8, 5)
	if err != nil {
		t.Fatal(err)
	}
	s, e := &series.Series{Volume: v}, cpu.New()
	against := func(other *volume.Volume, names ...string) lcd.Comparison {
		b, err := lcd.Against(t.Context(), e, s, other, names)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	run := func(r denoise.Recipe) *volume.Volume {
		out, err := e.Run(t.Context(), r, denoise.Input{Volume: v}, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	r, err := denoise.NewRecipe("gaussian", 3)
	if err != nil {
		t.Fatal(err)
	}
	b := against(run(r.With("sigma-spatial", denoise.Number(1))), "bilateral")
	if len(b.Rows) != 2 || b.Rows[1].Filter != "bilateral" || !b.Problem.IsZero() {
		t.Fatalf("%+v", b)
	}
	blurred, quell := b.Rows[0], b.Rows[1]
	if high := blurred.Bands[9]; !(high < 0.05) || blurred.Judgement == verdict.Good || !(blurred.NoiseRemoved > quell.NoiseRemoved) {
		t.Errorf("a blur: %+v", blurred)
	}
	if quell.Judgement != verdict.Good || !math.IsNaN(float64(quell.Bands[0])) || slices.ContainsFunc(quell.Bands[1:], func(x measure.Float) bool { return !(x > 0.2 && x < 1.05) }) {
		t.Errorf("the filter: %+v", quell)
	}
	own := against(run(quell.Recipe), "bilateral").Rows
	if !own[0].Close(quell.Figures, 1e-4) || math.Abs(float64(own[0].Bands[5]-quell.Bands[5])) > 1e-4 {
		t.Errorf("its own result: %+v\n%+v", own[0], own[1])
	}
	moved := v.Clone()
	copy(moved.Data[2:], v.Data)
	if b := against(moved, "bilateral"); b.Problem.IsZero() || b.Rows[0].Judgement != verdict.Unknown {
		t.Errorf("moved by two pixels: %+v", b)
	}
	var text strings.Builder
	if err := b.WriteMarkdown(&text); err != nil || !strings.Contains(text.String(), "\n| the other | – | 0.") || !strings.Contains(text.String(), "\n| bilateral | ") {
		t.Errorf("%v: %s", err, text.String())
	}
}
