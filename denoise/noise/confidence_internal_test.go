package noise

import (
	"math"
	"slices"
	"strings"
	"testing"

	"quell/volume"
)

// scattered returns as many windows as n that do not overlap, with an sd of 1 in two of
// five and of r in the others, so that their quantiles 0.3 and 0.7 are 1 and r, times sd.
func scattered(how sampling, n int, sd, r float64) []window {
	ws := make([]window, n*how.parts[0]*how.parts[1]*how.parts[2])
	for i := range ws {
		ws[i] = window{sd: float32(sd), mean: 100, uneven: float32(100 + i%5)}
		if i%5 > 1 {
			ws[i].sd = float32(sd * r)
		}
	}
	return ws
}

// The confidence of differences falls with the scatter of the windows, with a sigma that
// is a small share of the range, and with few voxels.
func TestConfidenceOfDifferences(t *testing.T) {
	whole := windowsOf(volume.NewGeometry([3]int{64, 64, 50}, [3]float64{1, 1, 1}))
	low := windowsOf(volume.NewGeometry([3]int{64, 64, 11}, [3]float64{1, 1, 1}))
	slice := sliceWindows
	noise := func(s sampling) float64 { return s.pure(0.7) / s.pure(0.3) }
	for name, c := range map[string]struct {
		how        sampling
		windows    int
		scatter    float64
		valueRange float64
		want       Confidence
		why        string
		few        bool
	}{
		"even":                   {whole, 1000, 1.09 * noise(whole), 50, High, "", false},
		"uneven":                 {whole, 1000, 1.11 * noise(whole), 50, Fair, "from place to place", false},
		"still no texture":       {whole, 1000, 1.35 * noise(whole), 50, Fair, "from place to place", false},
		"texture":                {whole, 1000, 1.37 * noise(whole), 50, Low, "texture", false},
		"above 1 % of the range": {whole, 1000, 1, 99, High, "", false},
		"below 1 % of the range": {whole, 1000, 1, 101, Low, "cannot be told", false},
		"few windows":            {whole, 174, 1, 50, Fair, "few voxels", true},
		"just enough":            {whole, 175, 1, 50, High, "", false},
		"low windows":            {low, 1000, 1, 50, Fair, "few voxels", true},
		"windows of a slice":     {slice, 1050, 1, 50, High, "", false},
		"few windows of a slice": {slice, 1049, 1, 50, Fair, "few voxels", true},
		"too few":                {whole, minWindows - 1, 1, 50, None, "only 39 regions", false},
		"the fewest":             {whole, minWindows, 1, 50, Fair, "few voxels", true},
	} {
		ws := scattered(c.how, c.windows, c.how.pureMiddle(), c.scatter)
		f := Estimate{Model: Gaussian}.differencesFigure(ws, 0, c.how, c.valueRange)
		if f.Confidence != c.want || !strings.Contains(f.Why.String(), c.why) || (f.Why.String() == "") != (c.why == "") || f.few != c.few || f.Windows != c.windows {
			t.Errorf("%s: %+v; want %s", name, f, c.want)
		}
		if (f.Sigma == 0) != (c.want == None) || c.scatter == 1 && f.Sigma != 0 && math.Abs(f.Sigma-1) > 1e-6 {
			t.Errorf("%s: sigma %g", name, f.Sigma)
		}
	}
	ws := scattered(whole, 1000, 0, 1)
	if f := (Estimate{Model: Gaussian}).differencesFigure(ws, 0, whole, 50); f.Sigma != 0 || f.Confidence != High || f.Why.String() != "" {
		t.Errorf("no noise: %+v", f)
	}
	// The windows of the background do not count.
	ws = append(scattered(whole, 500, whole.pureMiddle(), 1), slices.Repeat([]window{{sd: 9, mean: 49}}, 500)...)
	if f := (Estimate{Model: Gaussian}).differencesFigure(ws, 50, whole, 50); f.Windows != 500 || math.Abs(f.Sigma-1) > 1e-6 {
		t.Errorf("foreground: %+v", f)
	}
}

// Single differences are what a small volume has: fair at best, low if their tail is
// longer than the tail of noise.
func TestConfidenceOfSingleDifferences(t *testing.T) {
	// |x| of a standard normal x at evenly spaced probabilities.
	noise := func(tail float64) []window {
		ws := make([]window, 1000)
		for i := range ws {
			p := (float64(i) + 0.5) / 1000
			ws[i].sd = float32(math.Sqrt2 * math.Erfinv(p))
			if p > 0.8 {
				ws[i].sd *= float32(tail)
			}
		}
		return ws
	}
	for name, c := range map[string]struct {
		tail, valueRange float64
		want             Confidence
	}{
		"noise": {1, 50, Fair}, "a tail": {1.23, 50, Fair}, "a longer tail": {1.27, 50, Low}, "1 % of the range": {1, 99, Fair}, "less": {1, 101, Low},
	} {
		f := Estimate{Model: Gaussian}.differencesFigure(noise(c.tail), 0, volumeVoxels, c.valueRange)
		if f.Confidence != c.want || math.Abs(f.Sigma-1) > 0.01 || f.few != (c.want == Fair || c.want == Low) || !strings.HasPrefix(f.Why.String(), "the volume is small") {
			t.Errorf("%s: %+v; want %s", name, f, c.want)
		}
	}
	if f := (Estimate{Model: Gaussian}).differencesFigure(make([]window, 100), 0, volumeVoxels, 50); f.Sigma != 0 || f.Confidence != High || f.few {
		t.Errorf("no noise: %+v", f)
	}
}

// A figure of soft tissue needs windows, and is high if most are near the mode.
func TestConfidenceOfTissue(t *testing.T) {
	tissue := func(n int, even float64) []window {
		ws := make([]window, n)
		for i := range ws {
			ws[i].sd = 10
			if float64(i) >= even*float64(n) {
				ws[i].sd = 20 + float32(i%200)
			}
		}
		return ws
	}
	for name, c := range map[string]struct {
		windows int
		even    float64
		want    Confidence
		why     string
	}{
		"too few": {minWindows - 1, 1, None, "only 39 regions of soft tissue"}, "few": {10 * minWindows, 1, Fair, "few"}, "enough": {10*minWindows + 1, 1, High, ""},
		"even": {1000, 0.56, High, ""}, "uneven": {1000, 0.54, Fair, "few"},
	} {
		f := tissueFigure(tissue(c.windows, c.even))
		if f.Confidence != c.want || f.Windows != c.windows || !strings.Contains(f.Why.String(), c.why) || (f.Why.String() == "") != (c.why == "") {
			t.Errorf("%s: %+v; want %s", name, f, c.want)
		}
		if c.want != None && math.Abs(f.Sigma/10-1) > 0.02 {
			t.Errorf("%s: sigma %g; want 10", name, f.Sigma)
		}
	}
	near := Figure{Sigma: 100}
	ws := []window{{sd: 75}, {sd: 75.1}, {sd: 100}, {sd: 132.9}, {sd: 133}}
	if got := near.near(ws); got != 0.6 {
		t.Errorf("%g of the windows are near; want those between 75 and 133", got)
	}
}

func TestRangeAndMedianOfSlices(t *testing.T) {
	figures := []Figure{
		{Sigma: 1, Confidence: Low, Windows: 10}, {Sigma: 3, Confidence: Fair, Windows: 30}, {Sigma: 7, Confidence: High, Windows: 20},
		{Sigma: 0.1, Confidence: None, Windows: 90}, {Sigma: 9, Confidence: Low, Windows: 20},
	}
	if lo, hi := sliceRange(figures); lo != 3 || hi != 7 {
		t.Errorf("from %g to %g; want those that are at least fair, 3 to 7", lo, hi)
	}
	// 80 windows: 10 at 1, 30 at 3, 20 at 7, 20 at 9.
	if got := weightedMedian(figures); got != 3 {
		t.Errorf("median %g, want 3", got)
	}
	figures[0].Windows = 9
	if got := weightedMedian(figures); got != 7 {
		t.Errorf("median %g, want 7", got)
	}
	if got := weightedMedian(figures[3:4]); got != 0 {
		t.Errorf("median of nothing %g", got)
	}
}

// A volume without a unit is a CT if more than 2 % of its voxels are air.
func TestAirMakesACT(t *testing.T) {
	of := func(n, air int, value float32) *volume.Volume {
		v := volume.New(volume.NewGeometry([3]int{n, 10, 10}, [3]float64{1, 1, 1}))
		step := max(1, len(v.Data)/100000)
		for i := range air {
			v.Data[i*step*7%len(v.Data)] = value
		}
		return v
	}
	for name, c := range map[string]struct {
		v    *volume.Volume
		want bool
	}{
		"2 %": {of(100, 200, -1000), false}, "above": {of(100, 201, -1000), true}, "of many": {of(3000, 2001, -1000), true}, "too few of many": {of(3000, 2000, -1000), false},
		"-1099": {of(100, 999, -1099), true}, "-1100": {of(100, 999, -1100), false}, "-901": {of(100, 999, -901), true}, "-900": {of(100, 999, -900), false},
	} {
		if _, got := Hounsfield(c.v); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
		c.v.Unit = "HU"
		if _, ct := Hounsfield(c.v); !ct {
			t.Errorf("%s in HU is no CT", name)
		}
		c.v.Unit = "Bq/ml"
		if _, ct := Hounsfield(c.v); ct {
			t.Errorf("%s in another unit is a CT", name)
		}
	}
	padded := of(100, 999, -1000)
	padded.Mask = make([]bool, len(padded.Data))
	if _, ct := Hounsfield(padded); ct {
		t.Error("padding counts as air")
	}
}

// Values that are negligible relative to the others do not make the mode, however
// many agree.
func TestLogModeIgnoresResidues(t *testing.T) {
	x := slices.Repeat([]float64{1e-12}, 60)
	for i := range 55 {
		x = append(x, 4*math.Exp(0.1*(float64(i)/27-1)))
	}
	if got := logMode(x); math.Abs(got-4) > 0.3 {
		t.Errorf("mode %g, want 4", got)
	}
}

// A correlation needs windows near sigma, and holds what slices share.
func TestCorrelationWithinItsSlices(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{90, 90, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(10 * Normal(1, uint64(i%8100), 0)) // both slices alike
	}
	ws, err := surfaceFits(t.Context(), v, softTissue(0), correlationSide)
	if err != nil {
		t.Fatal(err)
	}
	// Of two slices nothing is known of voxels two slices apart: they count as independent.
	s, err := share(t.Context(), v, ws, correlationSide)
	if err != nil {
		t.Fatal(err)
	}
	c := correlate(v, [][]window{ws}, 10)
	if across := s.noise(); c == nil || math.Abs(across[1]-1) > 1e-6 || across[0] != 1 || across[2] != 0 || s.structure != 0 {
		t.Fatalf("%+v of %+v; want 1, 1, 0 across", c, s)
	}
	if r := c.Rho(1, 0, 0); math.Abs(r) > 0.03 || c.Rho(0, 0, 2) != 0 {
		t.Errorf("rho of the next pixel %g, two slices on %g; want 0", r, c.Rho(0, 0, 2))
	}
	if e := c.Effective(); e < 1 || e > 1.05 {
		t.Errorf("a sample covers %g voxels; want 1", e)
	}
	if correlate(v, [][]window{ws}, 100) != nil || correlate(v, [][]window{ws[:minWindows-1]}, 10) != nil {
		t.Error("a correlation without windows near sigma")
	}
	if correlate(v, [][]window{ws[:minWindows]}, 10) == nil {
		t.Errorf("no correlation of %d windows", minWindows)
	}
}

// Soft tissue of a CT is the foreground; elsewhere what is above 0.6 of the threshold
// between the classes. Both are decided for 5 x 5 pixels, from the voxels that hold data.
func TestForegroundOfBlocks(t *testing.T) {
	for _, unit := range []string{"HU", ""} {
		v := volume.New(volume.NewGeometry([3]int{60, 12, 2}, [3]float64{1, 1, 1}))
		v.Unit = unit
		levels := []float32{-31, -30, 0, 130, 131, 1000, -31, -30, 0, 130, 131, 1000}
		if unit == "" {
			levels = []float32{0, 0, 0, 0, 0, 59, 61, 100, 100, 100, 100, 100}
		}
		for i := range v.Data {
			v.Data[i] = levels[i%60/5]
		}
		v.Mask = slices.Repeat([]bool{true}, len(v.Data))
		v.Mask[7], v.Data[7] = false, 1e6 // padding does not change its block
		use, err := Foreground(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		least := float32(0.6 * threshold(blocks(levels)))
		for i := range v.Data {
			level := levels[i%60/5]
			want := level >= -30 && level <= 130
			if unit == "" {
				want = level >= least
			}
			if use(i) != (want && i != 7) {
				t.Errorf("unit %q, voxel %d of %g: %v", unit, i, level, use(i))
			}
		}
		if unit == "" && (least <= 0 || least > 60) {
			t.Errorf("the foreground begins at %g", least)
		}
	}
}

// blocks are windows of these means.
func blocks(means []float32) []window {
	ws := make([]window, len(means))
	for i, m := range means {
		ws[i].mean = m
	}
	return ws
}
