package noise

import (
	"math"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/volume"
)

// What second differences say of a figure of 10 by the sixth difference.
func TestJudgementOfColour(t *testing.T) {
	const even = 2500 // noise rises by up to 1.02 by chance
	for name, c := range map[string]struct {
		r          float64
		even       int
		sigma      float64 // of the figure that comes out
		confidence Confidence
		why        string
		most       float64
	}{
		"white":                          {10, even, 10, High, "", 0},
		"hardly coloured":                {10.14, even, 10, High, "", 0},
		"coloured or by chance":          {10.19, even, 10, High, "", 0},
		"hardly by chance":               {10.21, even, 10, Fair, "slightly correlated", 0},
		"coloured":                       {11, even, 10, Fair, "slightly correlated", 0},
		"smoothed":                       {13.1, even, 10, Low, "interpolated or filtered", 12},
		"doubtful":                       {11.6, even, 10, Low, "interpolated or filtered", 12},
		"less than doubtful":             {11.4, even, 10, Fair, "slightly correlated", 0},
		"hardly any windows, doubtful":   {12.2, 16, 10, Low, "interpolated or filtered", 12},
		"hardly any, less than doubtful": {12.1, 16, 10, Fair, "slightly correlated", 0},
	} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: High}, Method: methodDifferences}
		e.judge(c.r, c.even, 12, 2)
		if math.Abs(e.Sigma-c.sigma) > 1e-9 || e.Confidence != c.confidence || !strings.Contains(e.Why.String(), c.why) || (e.Why.String() == "") != (c.why == "") {
			t.Errorf("%s: %+v; want %g, %s", name, e.Figure, c.sigma, c.confidence)
		}
		if e.atMost != c.most {
			t.Errorf("%s: at most %g, want %g", name, e.atMost, c.most)
		}
	}
	// Fair and low figures keep their reason.
	e := Estimate{Figure: Figure{Sigma: 10, Confidence: Low, Why: message.Verbatim("own")}}
	if e.judge(10.5, 100, 0, 1); e.Confidence != Low || e.Why.String() != "own" {
		t.Errorf("%+v", e.Figure)
	}
	// Of a low figure that is not negligible, anatomy shows where less even windows read more and even ones hold more than noise.
	for name, c := range map[string]struct {
		was             Confidence
		negligible      bool
		anatomy, spread float64
		most            float64
	}{
		"anatomy": {Low, false, 1.26, 26, 26}, "less": {Low, false, 1.24, 26, 0}, "noise alone in even windows": {Low, false, 1.26, 24, 0},
		"negligible": {Low, true, 1.26, 26, 0}, "fair": {Fair, false, 1.26, 26, 0},
	} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: c.was}, Negligible: c.negligible}
		e.judge(10, even, c.spread, c.anatomy)
		if e.Confidence != c.was || e.atMost != c.most || e.Sigma != 10 || (e.Why.String() == "") != (c.most == 0) {
			t.Errorf("%s: %+v", name, e.Figure)
		}
	}
	// An image that was smoothed may hold more noise than the negligible figure says.
	for name, c := range map[string]struct {
		r      float64
		spread float64
		want   bool
	}{
		"white": {10, 12, true}, "smoothed": {13.1, 12, false},
	} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: High}, Negligible: true}
		if e.judge(c.r, even, c.spread, 2); e.Negligible != c.want || e.Negligible == (e.atMost > 0) {
			t.Errorf("%s: negligible %v, at most %g", name, e.Negligible, e.atMost)
		}
	}
	e = Estimate{Figure: Figure{Confidence: High}}
	if e.judge(1, even, 0, 1); e.Confidence != High || e.Sigma != 0 {
		t.Errorf("no noise: %+v", e.Figure)
	}
}

// Second differences read white noise as its sigma.
func TestReadingsOfWhiteNoise(t *testing.T) {
	for _, slices := range []int{13, 1} {
		v := volume.New(volume.NewGeometry([3]int{62, 55, slices}, [3]float64{1, 1, 1}))
		for i := range v.Data {
			v.Data[i] = float32(100 + 10*Normal(4, uint64(i), 0))
		}
		how := windowsOf(v.Geometry)
		ws, err := differences(t.Context(), v, how, 0, slices, maxWindows)
		if err != nil {
			t.Fatal(err)
		}
		e := Estimate{Model: Gaussian}
		if r, err := e.secondDifferences(t.Context(), v, ws, how); err != nil || math.Abs(r-10) > 0.5 {
			t.Errorf("%d slices: %g, %v; want 10", slices, r, err)
		}
	}
}
