package lesions_test

import (
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/measure/detect"
)

// around is a figure with an interval of that half width.
func around(value, half float64) detect.Interval {
	return detect.Interval{Value: value, Lo: value - half, Hi: value + half}
}

func lesionRow(size, before, kept, eye, channels, half float64) lesions.Row {
	return lesions.Row{
		Lesion:   lesions.Lesion{Shape: lesions.Disc, Size: size, Contrast: 10},
		Kept:     around(kept, half),
		Eye:      lesions.Seen{Before: around(before, 0.5), Ratio: around(eye, half)},
		Channels: lesions.Seen{Before: around(before, 0.5), Ratio: around(channels, half)},
	}
}

func TestVisibilityOnBothSides(t *testing.T) {
	const half = 0.02
	for _, c := range []struct {
		name                        string
		before, kept, eye, channels float64
		want                        lesions.Verdict
	}{
		{"all kept", 3, 0.99, 1, 1, lesions.Spared},
		{"kept at its bound", 3, 0.85, 1, 1, lesions.Spared},
		{"kept just below", 3, 0.84, 1, 1, lesions.Unclear},
		{"kept below by its interval", 3, 0.825, 1, 1, lesions.Over},
		{"d' through the eye at its bound", 3, 0.9, 0.9, 1, lesions.Spared},
		{"d' through the eye just below", 3, 0.9, 0.89, 1, lesions.Unclear},
		{"d' through the eye below", 3, 0.9, 0.87, 1, lesions.Over},
		{"d' of the channels just below", 3, 0.9, 1, 0.89, lesions.Unclear},
		{"d' of the channels below", 3, 0.9, 1, 0.87, lesions.Over},
		{"not visible before", 2.99, 0.3, 0.3, 0.3, lesions.Unknown},
	} {
		p := lesions.Panel{Rows: []lesions.Row{lesionRow(4, c.before, c.kept, c.eye, c.channels, half)}}
		got := p.Visibility()
		if got.Verdict != c.want || got.Why.IsZero() || (got.Worst == nil) != (c.want == lesions.Unknown) {
			t.Errorf("%s: %s, %s", c.name, got.Verdict, got.Why)
		}
	}
}

func TestTheWorstVisibleLesionDecides(t *testing.T) {
	p := lesions.Panel{Unit: "HU", Rows: []lesions.Row{
		lesionRow(2, 1, 0.2, 0.2, 0.2, 0.01), // not visible
		lesionRow(3, 4, 0.7, 1, 1, 0.01),
		lesionRow(4, 5, 0.6, 1, 1, 0.01),
		lesionRow(8, 9, 0.84, 1, 1, 0.02),
	}}
	got := p.Visibility()
	if got.Verdict != lesions.Over || got.Worst.Size != 4 {
		t.Errorf("%s: %s", got.Verdict, got.Why)
	}
	if want := "A lesion of 4 mm at 10 HU, which is visible before, keeps 60 % of its contrast and 100 % of its d'."; got.Why.String() != want {
		t.Errorf("why is %q", got.Why)
	}
	if want := "Discs of 8 mm at 10 HU keep 84 %; of 4 mm, 60 %; of 3 mm, 70 %; of 2 mm, 20 %."; p.String() != want {
		t.Errorf("the sentence is %q", p.String())
	}
}

func measured(t *testing.T, q lesions.Request) lesions.Panel {
	t.Helper()
	p, err := lesions.Measure(t.Context(), cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A lesion is visible if it is at the places or in the noise alone. In even tissue both say the same.
func TestVisibleInTheNoise(t *testing.T) {
	for inNoise, want := range map[float64]bool{lesions.VisibleFrom: true, lesions.VisibleFrom - 0.01: false} {
		if got := (lesions.Row{InNoise: inNoise}).Visible(); got != want {
			t.Errorf("d' of %g in the noise: %v", inNoise, got)
		}
	}
	v := flat(t, [3]int{150, 150, 1})
	q := request(v, recipe(t, "gaussian", 2, map[string]denoise.Value{"sigma-spatial": denoise.Number(1)}), lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 10})
	p := measured(t, q)
	near(t, "d' in the noise alone", p.Rows[0].InNoise, p.Rows[0].Eye.Before.Value, 0.2)
	q.Noise = noise.Estimate{}
	if p = measured(t, q); p.Rows[0].InNoise != 0 {
		t.Errorf("noise that is not known: %g", p.Rows[0].InNoise)
	}
}

// Of a size that no usual contrast shows the next stronger one that is visible decides, of a panel of all contrasts as of
// one that is measured.
func TestStrongerLesionsOfHiddenSizes(t *testing.T) {
	for name, c := range map[string]struct {
		small, large float64 // d' before of a sigma
		rows         int
		want         lesions.Verdict
	}{
		"both sizes at usual contrasts": {1.5, 3, 4, lesions.Spared},
		"small at 3 sigma, and faded":   {1, 3, 5, lesions.Over},
		"small at 4 sigma, and kept":    {0.75, 3, 6, lesions.Spared},
		"small at none":                 {0.7, 3, 6, lesions.Spared},
		"large at 3 sigma":              {0.1, 1, 7, lesions.Spared},
		"both at 3 sigma":               {1, 1, 6, lesions.Over},
		"none at any":                   {0.1, 0.2, 8, lesions.Unknown},
	} {
		sizes := []float64{3, 8}
		of := func(sizes, contrasts []float64) (p lesions.Panel, err error) {
			for _, x := range contrasts {
				for _, size := range sizes {
					kept, per := 1.0, map[float64]float64{3: c.small, 8: c.large}[size]
					if size == 3 && x == 3 {
						kept = 0.7 // it fades at 3 sigma alone
					}
					r := lesionRow(size, per*x, kept, 1, 1, 0.01)
					r.Sigmas = x
					p.Rows = append(p.Rows, r)
				}
			}
			return p, nil
		}
		p, err := lesions.Visibly(sizes, of)
		if err != nil || len(p.Rows) != c.rows || p.Visibility().Verdict != c.want {
			t.Errorf("%s: %d rows, %s, %v", name, len(p.Rows), p.Visibility().Verdict, err)
		}
		all, _ := of(sizes, []float64{0.5, 1, 2, 3, 4})
		if u := all.Usual(); len(u.Rows) != c.rows || u.Visibility().Verdict != c.want {
			t.Errorf("%s, of all contrasts: %d rows, %s", name, len(u.Rows), u.Visibility().Verdict)
		}
	}
}
