package judge

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/internal/message"
)

// The contrast of a result that equals its input is of no size.
func TestUnchangedHasNoObject(t *testing.T) {
	m := Measures{Assessment: Assessment{Verdict: Verdict{Figures: verdict.Unchanged()}}}
	if f := Shares(m)[1]; f.Kind != "contrast_kept" || f.Line() != "100 %" {
		t.Errorf("%q", f.Line())
	}
	if m.ObjectSize = 2; !strings.HasSuffix(Shares(m)[1].Line(), "of objects of 2 mm, the smallest that are visible") {
		t.Errorf("%q", Shares(m)[1].Line())
	}
}

// A new figure is one entry: it is listed, written in words and a key of the JSON.
func TestANewFigureIsOneEntry(t *testing.T) {
	defer func(before []entry) { entries = before }(entries)
	entries = append(entries, entry{"toy", message.Text("Toy"), func(Measures) (value, low, high float64) { return 0.5, 0.4, 0.6 }, percent, nil})
	m := Measures{Assessment: Assessment{Verdict: Verdict{Judgement: verdict.Unknown, Figures: verdict.None()}, Sigma: 3, SigmaLow: 2.9, SigmaHigh: 3.1, SigmaConfidence: noise.High, Unit: "HU"}}
	all := FiguresOf(m)
	if last := all[len(all)-1]; last.Kind != "toy" || last.Line() != "50 % (40 to 60)" || len(Shares(m)) != 1 {
		t.Errorf("%+v", all)
	}
	if f := all[0]; f.Line() != "3 HU (2.9 to 3.1), confidence high" {
		t.Errorf("sigma is %q", f.Line())
	}
	text, err := json.Marshal(m)
	if err != nil || !strings.Contains(string(text), `"toy":0.5`) || !strings.Contains(string(text), `"toy_high":0.6`) || !strings.Contains(string(text), `"noise_removed":null`) {
		t.Errorf("%s, %v", text, err)
	}
	if (Figure{Value: math.Inf(1), Low: math.NaN(), High: math.NaN(), Unit: "dB"}).Text() != "∞ dB" {
		t.Error("an infinite PSNR")
	}
}
