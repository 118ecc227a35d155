package noise

import (
	"math"
	"testing"

	"quell/volume"
)

// TestAgrees: what a file states is that of the data within 8 %, in one of its readings.
func TestAgrees(t *testing.T) {
	a := Acquisition{Matrix: [2]int{160, 100}, Of: [2]int{160, 160}}
	for name, c := range map[string]struct {
		of   volume.Encoding
		want bool
	}{
		"the same":             {volume.Encoding{{160}, {100}}, true},
		"8 % more":             {volume.Encoding{{160}, {108}}, true},
		"9 % more":             {volume.Encoding{{160}, {109}}, false},
		"8 % less":             {volume.Encoding{{160}, {92}}, true},
		"9 % less":             {volume.Encoding{{160}, {91}}, false},
		"in another reading":   {volume.Encoding{{160}, {160, 0, 100}}, true},
		"more than the pixels": {volume.Encoding{{320}, {100}}, true},
		"of one axis":          {volume.Encoding{{}, {100}}, true},
		"nothing":              {volume.Encoding{}, true},
		"all phases":           {volume.Encoding{{160}, {160}}, false},
		"a smaller readout":    {volume.Encoding{{128}, {100}}, false},
	} {
		if _, got := a.agrees(c.of); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestEdge: the largest step of a profile is an edge.
func TestEdge(t *testing.T) {
	const n = 64
	profile := func(at func(k int) float64) []float64 {
		p := make([]float64, n)
		for k := range p {
			p[k] = at(k)
		}
		return p
	}
	step := func(first int, ratio float64) func(k int) float64 {
		return func(k int) float64 {
			if k >= first {
				return 1
			}
			return ratio
		}
	}
	for name, c := range map[string]struct {
		of   func(k int) float64
		want int // 0: none
	}{
		"a step":            {step(40, 4), 40},
		"twice":             {step(40, 1.95), 40},
		"less":              {step(40, 1.85), 0},
		"near the end":      {step(n-3, 4), n - 3},
		"too near":          {step(n-1, 4), 0},
		"low":               {step(26, 4), 26},
		"too low":           {step(20, 4), 0},
		"even":              {func(int) float64 { return 1 }, 0},
		"a step on a slope": {func(k int) float64 { return step(40, 4)(k) * math.Exp(-float64(k)/40) }, 40},
	} {
		got, ok := edgeOf(profile(c.of))
		if ok != (c.want > 0) || ok && got != c.want {
			t.Errorf("%s: %d, %v, want %d", name, got, ok, c.want)
		}
	}
}

// TestJudgeTexture: less even windows read as much as the evenest ones, or texture is part of the figure.
func TestJudgeTexture(t *testing.T) {
	windows := func(n int, third, fourth float32) []window {
		ws := make([]window, n)
		for i := range ws {
			ws[i] = window{sd: 10, uneven: float32(i)}
			switch {
			case 4*i >= 3*n:
				ws[i].sd *= fourth
			case 2*i >= n:
				ws[i].sd *= third
			}
		}
		return ws
	}
	for name, c := range map[string]struct {
		ws   []window
		want Confidence // None: refused
	}{
		"noise":              {windows(400, 1, 1), High},
		"a little more":      {windows(400, 1.025, 1), High},
		"more":               {windows(400, 1.04, 1), Fair},
		"as much as chance":  {windows(400, 1.09, 1), Fair},
		"texture":            {windows(400, 1.11, 1), None},
		"edges":              {windows(400, 1, 1.17), High},
		"edges with texture": {windows(400, 1, 1.19), None},
		"few":                {windows(4*minWindows-1, 1, 1), None},
	} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: High, Windows: 100}}
		switch ok := e.judgeTexture(measurement{windows: c.ws, valueRange: 200}); {
		case ok != (c.want != None), ok && e.Confidence != c.want:
			t.Errorf("%s: %v, %s", name, ok, e.Confidence)
		}
	}
}

// TestWeakNoise: noise of a small share of the range is at most fair, and has a figure of many windows alone.
func TestWeakNoise(t *testing.T) {
	even := make([]window, 400)
	for i := range even {
		even[i].sd = 10
	}
	for _, c := range []struct {
		valueRange float64
		windows    int
		want       Confidence // None: refused
	}{
		{10 / sureShare * 0.99, 100, High}, {10 / sureShare * 1.01, 100, Fair},
		{10 / weakShare * 1.01, 99, None}, {10 / weakShare * 0.99, 99, High},
	} {
		e := Estimate{Figure: Figure{Sigma: 10, Confidence: High, Windows: c.windows}}
		if ok := e.judgeTexture(measurement{windows: even, valueRange: c.valueRange}); ok != (c.want != None) || ok && e.Confidence != c.want {
			t.Errorf("%+v: %v, %s", c, ok, e.Confidence)
		}
	}
}

// TestHandy: transforms of the number take little time, and it is at most 6 % less.
func TestHandy(t *testing.T) {
	for n, want := range map[int]int{128: 125, 127: 125, 109: 105, 97: 97, 89: 89, 45: 45, 9: 9} {
		if got := handy(n); got != want {
			t.Errorf("%d: %d, want %d", n, got, want)
		}
	}
}
