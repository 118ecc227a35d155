package lcd_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"quell/bench/lcd"
	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
)

func TestAFewImages(t *testing.T) {
	r, err := lcd.Run(context.Background(), lcd.Options{Images: 5, Task: lcd.CT(), Levels: []float64{100}, Filters: []string{"gaussian"}, Seed: 1, Engine: cpu.New()})
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
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "gaussian  14, 3 mm") {
		t.Errorf("%v: %s", err, text.String())
	}
	text.Reset()
	if err := r.WriteMarkdown(&text); err != nil || strings.Count(text.String(), "\n| gaussian | ") != 1 || !strings.Contains(text.String(), "| as it is | 1.00 | 1.00, 1.00, 1.00, 1.00 | ") {
		t.Errorf("%v: %s", err, text.String())
	}
}

// Without a list of filters those run that filter slice by slice: slab has no 2-D form.
func TestFiltersOfImages(t *testing.T) {
	for _, task := range []lcd.Task{lcd.CT(), lcd.MR()} {
		r, err := lcd.Run(t.Context(), lcd.Options{Images: 4, Task: task, Levels: task.Levels[:1], Seed: 1, Engine: cpu.New()})
		if err != nil {
			t.Fatal(err)
		}
		ran := map[string]bool{}
		for _, c := range r.Cells {
			ran[c.Filter] = true
		}
		for _, f := range denoise.Filters() {
			if ran[f.Name] != slices.Contains(f.Dims, 2) {
				t.Errorf("%s: %s ran: %t", task.Name, f.Name, ran[f.Name])
			}
		}
	}
}

// In white noise of a known SD the d' of a matched filter is known: contrast times the root of the
// energy of the insert, over the SD. Rician noise is Gaussian at this SNR.
func TestInsertsInAHead(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	r, err := lcd.Run(context.Background(), lcd.Options{Task: lcd.MR(), Images: 40, Levels: []float64{20}, Filters: []string{}, Seed: 1, Engine: cpu.New()})
	if err != nil {
		t.Fatal(err)
	}
	sd := 165. / 20
	if len(r.Cells) != 4 || math.Abs(r.SD[0].SD/sd-1) > 0.02 {
		t.Fatalf("%d cells, noise %.3g; want 4, %.3g", len(r.Cells), r.SD[0].SD, sd)
	}
	for _, c := range r.Cells {
		d := c.Insert.Diameter / 0.9
		want := c.Insert.Contrast / sd * math.Sqrt(math.Pi/4*d*d)
		if got := c.Observers["NPW"].SNR; !(got.Lo < want && want < got.Hi) || !(math.Abs(got.Value/want-1) < 0.3) {
			t.Errorf("%g, %g mm: d' %.2f (%.2f to %.2f); want %.2f", c.Insert.Contrast, c.Insert.Diameter, got.Value, got.Lo, got.Hi, want)
		}
	}
}

// Spheres in a head: gaussian where the dial stops keeps what the dial promises, in white noise that it did not see.
func TestSpheres(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	r, err := lcd.RunSolid(t.Context(), lcd.SolidOptions{MR: true, Quick: true, Spacing: 2, Volumes: 2, Seed: 1, Filters: []string{"gaussian"}, Engine: cpu.New()})
	if err != nil || len(r.Rows) != 1 || len(r.Inserts) != 6 {
		t.Fatalf("%+v, %v", r, err)
	}
	row := r.Rows[0]
	if sd := 165. / 20; math.Abs(row.SD/sd-1) > 0.03 {
		t.Errorf("noise of %.3g, want %.3g", row.SD, sd)
	}
	if row.Problem != "" || row.Noise > 0.9 || row.Noise < 0.45 || row.Texture < 0.9 || len(row.Recipe.Equaliser) == 0 || len(row.Bands) != len(r.Edges)-1 || slices.Min(row.Bands) < 0.2 {
		t.Errorf("%+v", row)
	}
	if row.Promised == nil || math.Abs(row.Promised.Noise-row.Noise) > 0.03 || row.Promised.Texture < 0.9 {
		t.Errorf("promised %+v, found %+v", row.Promised, row)
	}
	// The dial protects 2.4 mm, 3 pixels; the smallest sphere has 2 mm.
	if len(row.Kept) != 6 || row.Kept[0] < 0.7 || slices.Min(row.Kept[1:4]) < 0.8 || slices.Max(row.Kept) > 1.2 || len(row.Seen["NPW"]) != 6 {
		t.Errorf("%+v", row)
	}
	var text strings.Builder
	if err := r.WriteMarkdown(&text); err != nil || strings.Count(text.String(), "\n| gaussian | ") != 1 {
		t.Errorf("%v: %s", err, text.String())
	}
}
