package measurepanel

import (
	"math"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/measure"
)

func measured() app.Measures {
	return app.Measures{
		Assessment: app.Assessment{
			Sigma: 5.03, SigmaConfidence: noise.High, ResidualSD: 5.07, ResidualMean: -0.001,
			Judgement: tune.Judgement{
				Verdict: tune.Matched, Why: "As good as it gets.", Confidence: noise.Fair, Structure: 0.029,
				Place: &tune.Place{X: 7, Y: 9, Slice: 4, What: "edges"},
			},
		},
		Change: measure.Comparison{MSE: 25.7, PSNR: 54.8, SSIM: 0.9986},
	}
}

// cells returns the texts of one row.
func cells(p *Panel, label string, nth int) (slice, volume *widget.Label) {
	for _, r := range p.rows {
		if r.label.Text == label {
			if nth == 0 {
				return r.slice, r.volume
			}
			nth--
		}
	}
	return nil, nil
}

func TestNumbersOfSliceAndVolume(t *testing.T) {
	test.NewTempApp(t)
	p := New()
	p.Display(Snapshot{Slice: Column{Measures: measured(), Known: true, Current: true}, Sigma: 5, Unit: "HU"})
	for label, want := range map[string]string{
		"Residual SD": "5.07 HU", "Residual SD / σ": "1.01", "Residual mean": "0.00 HU",
		"Structure in residual": "0.029", "Verdict": "matched", "Its confidence": "fair", "MSE": "25.7", "PSNR": "54.80 dB", "SSIM": "0.999",
	} {
		slice, volume := cells(p, label, 0)
		if slice.Text != want || volume.Text != "–" {
			t.Errorf("%s: %q and %q; want %q and no number for the volume", label, slice.Text, volume.Text, want)
		}
	}
	if _, volume := cells(p, "Noise σ (estimate)", 0); volume.Text != "5.00 HU" {
		t.Errorf("the volume's noise is %q; want 5.00 HU, known before any run", volume.Text)
	}
}

func TestTrueErrorsNeedAReference(t *testing.T) {
	test.NewTempApp(t)
	p := New()
	m := measured()
	p.Display(Snapshot{Slice: Column{Measures: m, Known: true, Current: true}})
	if slice, _ := cells(p, "PSNR", 1); !slice.Hidden {
		t.Error("a row of true PSNR without a reference")
	}
	m.Start = &measure.Comparison{MSE: 400, PSNR: 20, SSIM: 0.5}
	m.Truth = &measure.Comparison{MSE: 12, PSNR: 37.29, SSIM: 0.93}
	p.Display(Snapshot{Slice: Column{Measures: m, Known: true, Current: true}, Reference: "the reference"})
	if slice, _ := cells(p, "PSNR", 1); slice.Hidden || slice.Text != "20.00 dB → 37.29 dB" {
		t.Errorf("PSNR %q, hidden %v; want from 20 to 37.29 dB", slice.Text, slice.Hidden)
	}
}

func TestOldNumbersAreGrey(t *testing.T) {
	test.NewTempApp(t)
	p := New()
	p.Display(Snapshot{Volume: Column{Measures: measured(), Known: true}})
	_, verdict := cells(p, "Verdict", 0)
	if verdict.Importance != widget.LowImportance {
		t.Error("a verdict on earlier parameters looks like one on these")
	}
	if strings.Contains(p.advice.Text, "As good") || p.advice.Text == "" {
		t.Errorf("the advice is %q; want it to say that the numbers are old", p.advice.Text)
	}
}

func TestNonFiniteNumbers(t *testing.T) {
	for x, want := range map[measure.Float]string{
		measure.Float(math.NaN()): "–", measure.Float(math.Inf(1)): "∞", 0: "0.000", -0.0001: "0.000", 12345.67: "12345.7",
	} {
		if got := number(x); got != want {
			t.Errorf("number(%g) is %q; want %q", float64(x), got, want)
		}
	}
	if got := decibel(measure.Float(math.Inf(1))); got != "∞" {
		t.Errorf("the PSNR of equal images is %q", got)
	}
}

// The panel says why, and where to look; slices are counted from 1 as in the window.
func TestTheVerdictIsExplained(t *testing.T) {
	test.NewTempApp(t)
	p := New()
	p.Display(Snapshot{Volume: Column{Measures: measured(), Known: true, Current: true}})
	if want := "As good as it gets. The residual shows the most structure at edges x 7, y 9 in slice 5."; p.advice.Text != want {
		t.Errorf("the advice is %q; want %q", p.advice.Text, want)
	}
	m := measured()
	m.Verdict, m.Why, m.Place, m.SigmaConfidence = tune.Unknown, "The noise is not known: too small.", nil, noise.None
	p.Display(Snapshot{Volume: Column{Measures: m, Known: true, Current: true}})
	for _, label := range []string{"Verdict", "Its confidence", "Noise σ (estimate)"} {
		if _, volume := cells(p, label, 0); volume.Text != "–" {
			t.Errorf("%s of an unknown noise is %q", label, volume.Text)
		}
	}
	if p.advice.Text != m.Why {
		t.Errorf("the advice is %q; want the reason", p.advice.Text)
	}
}
