package noise

import (
	"math"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/volume"
)

// What readings of distant voxels say of a figure of 10 by the sixth difference.
func TestJudgementOfColour(t *testing.T) {
	const even, valueRange = 2500, 500 // noise rises by up to 1.02 by chance
	read := func(one, two, three float64) [4]reading {
		return [4]reading{{}, {one, 1}, {two, 1}, {three, 1}}
	}
	scattered := func(r [4]reading, two, three float64) [4]reading {
		r[2].spread, r[3].spread = two, three
		return r
	}
	for name, c := range map[string]struct {
		r          [4]reading
		even       int
		valueRange float64
		sigma      float64 // of the figure that comes out
		confidence Confidence
		why        string
	}{
		"white":                              {read(10, 10, 10), even, valueRange, 10, High, ""},
		"hardly coloured":                    {read(10.14, 14, 14), even, valueRange, 10, High, ""},
		"coloured or by chance":              {read(10.19, 14, 14), even, valueRange, 10, High, ""},
		"hardly by chance":                   {read(10.21, 11.1, 11.1), even, valueRange, 10, Fair, "slightly correlated"},
		"coloured":                           {read(11, 14, 14), even, valueRange, 14, Fair, "is correlated"},
		"two distant readings":               {read(11, 12, 15), even, valueRange, math.Sqrt(12 * 15), Fair, "is correlated"},
		"correlated over two voxels":         {read(11, 12, 15.7), even, valueRange, 15.7, Fair, "is correlated"},
		"the farthest scatters":              {scattered(read(11, 12, 15.7), 1, 1.26), even, valueRange, 12, Fair, "is correlated"},
		"it scatters less":                   {scattered(read(11, 12, 15.7), 1, 1.24), even, valueRange, 15.7, Fair, "is correlated"},
		"few windows":                        {read(11, 14, 14), fewForColour - 1, valueRange, 10, Fair, "slightly correlated"},
		"the fewest":                         {read(11, 14, 14), fewForColour, valueRange, 14, Fair, "is correlated"},
		"no rise at step 2":                  {read(11, 11.1, 11.1), even, valueRange, 10, Fair, "slightly correlated"},
		"a rise":                             {read(11, 11.3, 11.3), even, valueRange, 11.3, Fair, "is correlated"},
		"texture rises more":                 {read(11, 17, 17), even, valueRange, 10, Fair, "slightly correlated"},
		"a short kernel":                     {read(11, 16.8, 16.8), even, valueRange, 16.8, Fair, "is correlated"},
		"step 2 scatters":                    {scattered(read(11, 14, 14), 1.16, 1.16), even, valueRange, 10, Fair, "slightly correlated"},
		"step 2 scatters less":               {scattered(read(11, 14, 14), 1.14, 1), even, valueRange, 14, Fair, "is correlated"},
		"a small share of the range":         {read(11, 14, 14), even, 1401, 10, Fair, "slightly correlated"},
		"a larger share of the range":        {read(11, 14, 14), even, 1399, 14, Fair, "is correlated"},
		"smoothed":                           {scattered(read(13.1, 20, 30), 2, 2), even, valueRange, 10, Low, "up to 30"},
		"not that smoothed":                  {scattered(read(12.9, 40, 30), 2, 2), even, valueRange, 10, Fair, "slightly correlated"},
		"twice as much at step 3":            {scattered(read(10, 10, 20.1), 2, 1), even, valueRange, 10, Low, "up to 20"},
		"less than twice":                    {scattered(read(10, 10, 19.9), 2, 1), even, valueRange, 10, High, ""},
		"twice, but it scatters":             {scattered(read(10, 10, 20.1), 2, 1.16), even, valueRange, 10, High, ""},
		"twice, but a small share of range":  {scattered(read(10, 10, 20.1), 2, 1), even, 2011, 10, High, ""},
		"the larger of the distant readings": {scattered(read(14, 35, 20), 2, 2), even, valueRange, 10, Low, "up to 35"},
	} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: High}, Method: methodDifferences}
		gain := e.judge(c.r, c.even, c.valueRange)
		if math.Abs(e.Sigma-c.sigma) > 1e-9 || math.Abs(gain-c.sigma/10) > 1e-9 || e.Confidence != c.confidence || !strings.Contains(e.Why.String(), c.why) || (e.Why.String() == "") != (c.why == "") {
			t.Errorf("%s: %+v, gain %g; want %g, %s", name, e.Figure, gain, c.sigma, c.confidence)
		}
		if (e.Method == methodDistant) != strings.HasPrefix(c.why, "is") {
			t.Errorf("%s: by %s", name, e.Method)
		}
	}
	// Fair and low figures keep their reason.
	e := Estimate{Figure: Figure{Sigma: 10, Confidence: Low, Why: message.Verbatim("own")}}
	if e.judge(read(10.5, 10, 10), 100, valueRange); e.Confidence != Low || e.Why.String() != "own" {
		t.Errorf("%+v", e.Figure)
	}
	// An image that was smoothed may hold more noise than the negligible figure says.
	for name, c := range map[string]struct {
		r    [4]reading
		want bool
	}{"white": {read(10, 10, 10), true}, "smoothed": {scattered(read(13.1, 10, 10), 2, 2), false}, "distant": {scattered(read(10, 10, 20.1), 2, 1), false}} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: High}, Negligible: true}
		if e.judge(c.r, even, valueRange); e.Negligible != c.want {
			t.Errorf("%s: negligible %v", name, e.Negligible)
		}
	}
	e = Estimate{Figure: Figure{Confidence: High}}
	if gain := e.judge(read(1, 1, 1), even, valueRange); gain != 1 || e.Confidence != High || e.Sigma != 0 {
		t.Errorf("no noise: %+v, gain %g", e.Figure, gain)
	}
}

// The readings of white noise are its sigma at every step; a window counts if the
// differences find voxels on all sides, and of many every second, third ... one.
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
		for step := 1; step <= 3; step++ {
			r, err := e.secondDifferences(t.Context(), v, ws, how, step)
			if err != nil || math.Abs(r.sigma-10) > 0.5 || math.Abs(r.spread-1) > 0.12 {
				t.Errorf("%d slices, step %d: %+v, %v; want 10 and 1", slices, step, r, err)
			}
		}
		if r, err := e.secondDifferences(t.Context(), v, ws, how, 60); err != nil || r.sigma != 0 || !math.IsInf(r.spread, 1) {
			t.Errorf("beyond the volume: %+v, %v", r, err)
		}
	}
}
