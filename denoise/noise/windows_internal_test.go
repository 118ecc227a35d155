package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"quell/volume"
)

// Few slices are measured by shorter differences and lower windows.
func TestWindowsOfFewSlices(t *testing.T) {
	for slices, want := range map[int]sampling{
		1: sliceWindows, 4: sliceWindows,
		5: {of: fourth, size: [3]int{7, 7, 1}}, 6: {of: fourth, size: [3]int{7, 7, 2}},
		7: {of: sixth, size: [3]int{7, 7, 1}}, 12: {of: sixth, size: [3]int{7, 7, 6}},
		13: {of: sixth, size: [3]int{7, 7, 7}}, 100: {of: sixth, size: [3]int{7, 7, 7}},
	} {
		got := windowsOf(volume.NewGeometry([3]int{64, 64, slices}, [3]float64{1, 1, 1}))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d slices: %v, want %v", slices, got, want)
		}
	}
}

func TestDifferencesByTheirDefinition(t *testing.T) {
	x := make([]float32, 40)
	for i := range x {
		x[i] = float32((i*i*7)%23) - 5
	}
	for _, c := range []struct {
		d    difference
		taps []float64
	}{
		{second, []float64{1, -2, 1}},
		{fourth, []float64{1, -4, 6, -4, 1}},
		{sixth, []float64{1, -6, 15, -20, 15, -6, 1}},
		{difference{second.taps, 3}, []float64{1, 0, 0, -2, 0, 0, 1}},
	} {
		if c.d.reach() != len(c.taps)/2 {
			t.Errorf("%v: reach %d", c.d, c.d.reach())
		}
		got := make([]float32, 20)
		c.d.along(got, x, 10)
		squares := 0.0
		for _, w := range c.taps {
			squares += w * w
		}
		for i := range got {
			want := 0.0
			for k, w := range c.taps {
				want += w * float64(x[10+i+k-len(c.taps)/2])
			}
			if math.Abs(float64(got[i])-want) > 1e-3 {
				t.Errorf("%v at %d: %g, want %g", c.d, i, got[i], want)
			}
		}
		if n := c.d.norm([3]int{1, 1, 0}); n != squares*squares {
			t.Errorf("%v: norm %g, want %g", c.d, n, squares*squares)
		}
		for lag := range len(c.taps) + 2 {
			want := 0.0
			for k := 0; k+lag < len(c.taps); k++ {
				want += c.taps[k] * c.taps[k+lag] / squares
			}
			if got := c.d.correlation(lag); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: correlation %g at %d, want %g", c.d, got, lag, want)
			}
		}
	}
}

func windowsOfUnevenness(n int) []window {
	ws := make([]window, n)
	for i := range ws {
		ws[i].uneven = float32((i*37)%n) + 1 // 1 to n in another order
	}
	return ws
}

// A fifth; more where the noise covers the unevenness; up to a half of few.
func TestEvenestWindows(t *testing.T) {
	for _, c := range []struct {
		n     int
		sigma float64
		want  int
	}{{1000, 0, 200}, {1000, 150, 200}, {1000, 401, 400}, {1000, 1e9, 1000}, {700, 0, 150}, {200, 0, 100}, {60, 0, 30}} {
		got := evenest(windowsOfUnevenness(c.n), c.sigma)
		if len(got) != c.want || got[0].uneven != 1 || got[len(got)-1].uneven != float32(c.want) {
			t.Errorf("%d windows, sigma %g: %d chosen, want %d", c.n, c.sigma, len(got), c.want)
		}
	}
}

func TestMiddleIsTheMeanOfTheMiddleHalf(t *testing.T) {
	if got := middle([]float64{100, 3, 1, 5, -40, 4, 2, 6}); got != 3.5 {
		t.Errorf("%g, want 3.5", got)
	}
	if got := middle([]float64{7}); got != 7 {
		t.Errorf("of one value %g", got)
	}
}

// backgrounds makes windows of a background, and brighter ones.
func backgrounds(rayleigh, centred, zero, other int) []window {
	var ws []window
	for _, c := range []struct {
		n int
		w window
	}{{rayleigh, window{mean: 1.9, spread: 1}}, {centred, window{mean: 0.3, spread: 1}}, {zero, window{}}, {other, window{mean: 4, spread: 1}}, {500, window{mean: 100, spread: 1}}} {
		ws = append(ws, slices.Repeat([]window{c.w}, c.n)...)
	}
	return ws
}

// even makes windows of spread 1 with either mean.
func even(a, b float32) []window {
	return append(slices.Repeat([]window{{mean: a, spread: 1}}, 50), slices.Repeat([]window{{mean: b, spread: 1}}, 50)...)
}

func TestModelOfBackgrounds(t *testing.T) {
	const cut = 50
	for name, c := range map[string]struct {
		ws    []window
		lo    float64
		model Model
		known bool
	}{
		"Rayleigh":                       {backgrounds(50, 0, 0, 50), 0, Rician, true},
		"few windows of Rayleigh":        {backgrounds(40, 0, 0, 60), 0, Gaussian, false},
		"two in five of Rayleigh":        {backgrounds(41, 0, 0, 59), 0, Rician, true},
		"of those that are not 0":        {backgrounds(41, 0, 50, 60), 0, Rician, true},
		"Rayleigh, but negative values":  {backgrounds(90, 0, 0, 0), -1, Gaussian, false},
		"around 0":                       {backgrounds(0, 50, 0, 50), -1, Gaussian, true},
		"few windows around 0":           {backgrounds(0, 40, 0, 60), -1, Gaussian, false},
		"two in five around 0":           {backgrounds(0, 41, 0, 59), -1, Gaussian, true},
		"near 0, but never negative":     {backgrounds(0, 90, 0, 0), 0, Gaussian, false},
		"half set to 0":                  {backgrounds(90, 0, 91, 0), 0, Gaussian, false},
		"less than half set to 0":        {backgrounds(90, 0, 89, 0), 0, Rician, true},
		"too few windows":                {backgrounds(minWindows-1, 0, 0, 0), 0, Gaussian, false},
		"just enough windows":            {backgrounds(minWindows, 0, 0, 0), 0, Rician, true},
		"a background somewhere else":    {backgrounds(0, 0, 0, 90), -1, Gaussian, false},
		"none":                           {backgrounds(0, 0, 0, 0), 0, Gaussian, false},
		"nearly Rayleigh":                {even(1.91*1.17, 1.92*0.83), 0, Rician, true},
		"hardly Rayleigh":                {even(1.91*1.19, 1.91*1.19), 0, Gaussian, false},
		"nearly around 0":                {even(-0.49, 0.49), -1, Gaussian, true},
		"hardly around 0":                {even(-0.51, 0.51), -1, Gaussian, false},
		"as bright as half the cut":      {slices.Repeat([]window{{mean: 25, spread: 13}}, 90), 0, Gaussian, false},
		"less bright":                    {slices.Repeat([]window{{mean: 24.9, spread: 13}}, 90), 0, Rician, true},
		"negative mean, as of any noise": {slices.Repeat([]window{{mean: -0.4, spread: 1}}, 90), -3, Gaussian, true},
	} {
		if m, known := model(c.ws, cut, c.lo); m != c.model || known != c.known {
			t.Errorf("%s: %s, known %v", name, m, known)
		}
	}
}

// A slice is not surer than its volume, and keeps a reason of its own.
func TestLimitOfConfidence(t *testing.T) {
	for _, c := range []struct{ slice, volume, want Confidence }{
		{High, Fair, Fair}, {High, Low, Low}, {Fair, High, Fair}, {Low, Fair, Low}, {High, None, High}, {None, High, None},
	} {
		f := Figure{Confidence: c.slice, Why: "own"}
		f.limit(Figure{Confidence: c.volume, Why: "the volume's"})
		why := "own"
		if c.want != c.slice {
			why = "the volume's"
		}
		if f.Confidence != c.want || f.Why != why {
			t.Errorf("%s within %s: %+v", c.slice, c.volume, f)
		}
	}
}

// What all slices have in common above the volume is taken off; what one has alone
// stays.
func TestSlicesAreCalibrated(t *testing.T) {
	e := Estimate{Figure: Figure{Sigma: 3, Confidence: High}}
	for _, s := range []float64{5, 5, 5, 8} {
		e.PerSlice = append(e.PerSlice, Figure{Sigma: s, Confidence: High, Windows: 100})
	}
	e.PerSlice = append(e.PerSlice, Figure{Confidence: None})
	e.calibrateSlices(1)
	if got := e.PerSlice[0].Sigma; math.Abs(got-3) > 1e-9 {
		t.Errorf("a usual slice has %g, want 3", got)
	}
	if got, want := e.PerSlice[3].Sigma, math.Sqrt(64-16); math.Abs(got-want) > 1e-9 {
		t.Errorf("the noisy slice has %g, want %g", got, want)
	}
	if e.PerSlice[0].Confidence != Fair || e.PerSlice[0].Why == "" || e.PerSlice[4].Confidence != None {
		t.Errorf("confidences %+v", e.PerSlice)
	}
	// Slices below the volume stay; a gain multiplies.
	e = Estimate{Figure: Figure{Sigma: 6, Confidence: High}, PerSlice: []Figure{{Sigma: 2, Confidence: High, Windows: 1}}}
	e.calibrateSlices(2)
	if got := e.PerSlice[0]; got.Sigma != 4 || got.Confidence != High {
		t.Errorf("%+v, want 4, high", got)
	}
}

// Where structure made a broad mode, the lower flank is read; a sharp mode stays.
func TestFlank(t *testing.T) {
	var ws []window
	for i := range 1000 { // a tenth at 5, the rest spread from 5 to 20
		sd := float32(5)
		if i >= 100 {
			sd = 5 + 15*float32(i-100)/900
		}
		ws = append(ws, window{sd: sd})
	}
	f := Figure{Sigma: 12, Confidence: Fair}
	f.flank(ws, 20)
	if want := 5 / rootMeanSquare(20, 0.05); math.Abs(f.Sigma-want) > 0.01 || f.Confidence != Fair {
		t.Errorf("%+v, want %.2f, fair", f, want)
	}
	sharp := Figure{Sigma: 5, Confidence: High}
	sharp.flank(ws[:150], 20)
	if sharp.Sigma != 5 || sharp.Confidence != High {
		t.Errorf("a sharp mode became %+v", sharp)
	}
	for i := range ws { // one window in twenty near sigma, the others far above
		ws[i].sd = 50 + float32(i)
		if i < 60 {
			ws[i].sd = 5
		}
	}
	f = Figure{Sigma: 100, Confidence: Fair}
	if f.flank(ws, 20); f.Confidence != Low || f.Why == "" {
		t.Errorf("%+v, want low", f)
	}
}

func TestRootMeanSquare(t *testing.T) {
	// The median and the lower 5 % of chi squared with 20 degrees are 19.337 and 10.851.
	for q, want := range map[float64]float64{0.5: 19.337, 0.05: 10.851} {
		if got := rootMeanSquare(20, q); math.Abs(got-math.Sqrt(want/20)) > 0.001 {
			t.Errorf("%g: %g, want %g", q, got, math.Sqrt(want/20))
		}
	}
}

// White noise has as many degrees as pixels, less the plane; full correlation few.
func TestFreedomOfCorrelatedNoise(t *testing.T) {
	if got := (*Correlation)(nil).freedom(9); got != 78 {
		t.Errorf("white: %g, want 78", got)
	}
	var c Correlation
	for y := range c.InPlane {
		for x := range c.InPlane[y] {
			c.InPlane[y][x] = 1
		}
	}
	c.Across[0] = 1
	if got := c.freedom(9); got != 3 {
		t.Errorf("all alike: %g, want 3", got)
	}
}
