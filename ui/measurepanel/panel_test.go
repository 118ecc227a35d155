package measurepanel

import (
	"math"
	"testing"

	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/measure"
)

func measured() app.Measures {
	return app.Measures{
		NoiseSigma: 5.03, ResidualSD: 5.07, ResidualMean: -0.001, Structure: -0.029, Verdict: app.Matched,
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
		"Structure in residual": "−0.029", "Verdict": "matched", "MSE": "25.7", "PSNR": "54.80 dB", "SSIM": "0.999",
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
	if p.advice.Text == verdictHelp[app.Matched] || p.advice.Text == "" {
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
