package lcd_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"quell/bench/lcd"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
)

func TestAFewImages(t *testing.T) {
	r, err := lcd.Run(context.Background(), lcd.Options{Images: 5, Doses: []float64{100}, Filters: []string{"gaussian"}, Seed: 1, Engine: cpu.New()})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != 8 || len(r.SD) != 1 {
		t.Fatalf("%d cells of %d doses", len(r.Cells), len(r.SD))
	}
	if sd := r.SD[0].SD; math.Abs(sd-23.3) > 1.5 {
		t.Errorf("noise of %.3g HU at full dose, want about 23.3", sd)
	}
	for i, c := range r.Cells {
		plain := i < 4
		if plain != (c.Filter == "") || plain != (math.Abs(c.Kept.Value-1) < 1e-6) || plain != (c.Noise == 1) || len(c.Observers) != len(lcd.Observers) {
			t.Errorf("%+v", c)
		}
		if !plain && !(c.Kept.Value > 0.6 && c.Kept.Value < 1 && c.Noise < 0.9) {
			t.Errorf("a blur keeps %.2f of %g mm, and %.2f of the noise", c.Kept.Value, c.Insert.Diameter, c.Noise)
		}
	}
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "gaussian  14 HU, 3 mm") {
		t.Errorf("%v: %s", err, text.String())
	}
}
