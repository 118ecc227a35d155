package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"quell/internal/message"
	"quell/volume"
)

// Few slices are measured by shorter differences and lower windows.
func TestWindowsOfFewSlices(t *testing.T) {
	for slices, want := range map[int]sampling{
		1: sliceWindows, 4: sliceWindows,
		5: {of: fourth, block: [3]int{4, 4, 1}, parts: [3]int{2, 2, 1}}, 6: {of: fourth, block: [3]int{4, 4, 1}, parts: [3]int{2, 2, 2}},
		7: {of: sixth, block: [3]int{4, 4, 1}, parts: [3]int{2, 2, 1}}, 8: {of: sixth, block: [3]int{4, 4, 1}, parts: [3]int{2, 2, 2}},
		11: {of: sixth, block: [3]int{4, 4, 2}, parts: [3]int{2, 2, 2}}, 12: {of: sixth, block: [3]int{3, 3, 3}, parts: [3]int{2, 2, 2}},
		100: {of: sixth, block: [3]int{3, 3, 3}, parts: [3]int{2, 2, 2}},
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

// A share; more if the noise covers the unevenness; up to a half of few.
func TestEvenestWindows(t *testing.T) {
	for _, c := range []struct {
		n     int
		sigma float64
		want  int
	}{{2000, 0, 300}, {2000, 150, 300}, {2000, 201, 402}, {2000, 1e9, 2000}, {700, 0, 150}, {200, 0, 100}, {60, 0, 30}} {
		got := evenest(windowsOfUnevenness(c.n), tolerableTexture*c.sigma, min(c.n/2, fewEven))
		if len(got) != c.want || slices.Max(unevennesses(got)) != float64(c.want) {
			t.Errorf("%d windows, sigma %g: %d chosen, want %d", c.n, c.sigma, len(got), c.want)
		}
	}
}

func TestNth(t *testing.T) {
	for name, value := range map[string]func(i int) float64{
		"in order": func(i int) float64 { return float64(i) }, "reversed": func(i int) float64 { return -float64(i) },
		"equal": func(int) float64 { return 7 }, "few": func(i int) float64 { return float64(i*7919%5 - 2) }, "mixed": func(i int) float64 { return float64(i * 7919 % 1009) },
		"not a number": func(i int) float64 { return math.Sqrt(float64(i*7919%1009 - 100)) }, // which has no place: it has to end
	} {
		for _, n := range []int{1, 2, 3, 1000} {
			x := make([]float64, n)
			for i := range x {
				x[i] = value(i)
			}
			want := slices.Clone(x)
			slices.Sort(want)
			for _, k := range []int{0, n / 3, n / 2, n - 1} {
				if got := nth(x, k); got != want[k] && name != "not a number" {
					t.Errorf("%d values %s: place %d has %g, want %g", n, name, k, got, want[k])
				}
			}
		}
	}
}

func TestMiddleIsTheMeanOfTheMiddleHalf(t *testing.T) {
	if got := middle([]float64{100, 3, 1, 5, -40, 4, 2, 6}); got != 3.5 {
		t.Errorf("%g, want 3.5", got)
	}
	if got := middle(nil); got != 0 {
		t.Errorf("of none %g", got)
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
		if m, known := model(c.ws, cut, c.lo, volumeVoxels); m != c.model || known != c.known {
			t.Errorf("%s: %s, known %v", name, m, known)
		}
	}
}

// A slice is not surer than its volume, and keeps a reason of its own.
func TestLimitOfConfidence(t *testing.T) {
	for _, c := range []struct{ slice, volume, want Confidence }{
		{High, Fair, Fair}, {High, Low, Low}, {Fair, High, Fair}, {Low, Fair, Low}, {High, None, High}, {None, High, None},
	} {
		f := Figure{Confidence: c.slice, Why: message.Verbatim("own")}
		f.limit(Figure{Confidence: c.volume, Why: message.Verbatim("the volume's")})
		why := "own"
		if c.want != c.slice {
			why = "the volume's"
		}
		if f.Confidence != c.want || f.Why.String() != why {
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
	e.calibrateSlices()
	if got := e.PerSlice[0].Sigma; math.Abs(got-3) > 1e-9 {
		t.Errorf("a usual slice has %g, want 3", got)
	}
	if got, want := e.PerSlice[3].Sigma, math.Sqrt(64-16); math.Abs(got-want) > 1e-9 {
		t.Errorf("the noisy slice has %g, want %g", got, want)
	}
	if e.PerSlice[0].Confidence != Fair || e.PerSlice[0].Why.String() == "" || e.PerSlice[4].Confidence != None {
		t.Errorf("confidences %+v", e.PerSlice)
	}
	// Slices below the volume stay.
	e = Estimate{Figure: Figure{Sigma: 6, Confidence: High}, PerSlice: []Figure{{Sigma: 2, Confidence: High, Windows: 1}}}
	e.calibrateSlices()
	if got := e.PerSlice[0]; got.Sigma != 2 || got.Confidence != High {
		t.Errorf("%+v, want 2, high", got)
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

// White noise has as many degrees as pixels, less the surface; full correlation few.
func TestFreedomOfCorrelatedNoise(t *testing.T) {
	if got := (*Correlation)(nil).freedom(9); got != 75 {
		t.Errorf("white: %g, want 75", got)
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

// Windows that overlap are the sums of the same blocks, and lie at the place of their
// voxels.
func TestWindowsOverlap(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{23, 20, 17}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(50 + Normal(8, uint64(i), 0))
	}
	overlapping := windowsOf(v.Geometry)
	beside := sampling{of: sixth, block: overlapping.size(), parts: [3]int{1, 1, 1}}
	ws, err := differences(t.Context(), v, overlapping, 0, 17, maxWindows)
	if err != nil {
		t.Fatal(err)
	}
	alone, err := differences(t.Context(), v, beside, 0, 17, maxWindows)
	if err != nil {
		t.Fatal(err)
	}
	// 17, 14 and 11 voxels: 5, 4 and 3 blocks of 3, and 2, 2 and 1 of 6.
	if len(ws) != 4*3*2 || len(alone) != 2*2*1 {
		t.Fatalf("%d windows that overlap and %d beside each other", len(ws), len(alone))
	}
	found := map[[3]int32]window{}
	for _, w := range ws {
		found[w.at] = w
	}
	alike := func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-4*math.Abs(float64(b)) }
	for _, w := range alone {
		o, ok := found[w.at]
		if !ok || !alike(o.sd, w.sd) || !alike(o.mean, w.mean) || !alike(o.spread, w.spread) || !alike(o.uneven, w.uneven) {
			t.Errorf("at %v: %+v, want %+v", w.at, o, w)
		}
		sum, squares := 0.0, 0.0
		for z := range 6 {
			for y := range 6 {
				for x := range 6 {
					a := float64(v.At(int(w.at[0])+x, int(w.at[1])+y, int(w.at[2])+z))
					sum, squares = sum+a, squares+a*a
				}
			}
		}
		variance := squares/216 - sum*sum/216/216
		uneven := math.Sqrt(variance - overlapping.shared()*float64(w.sd)*float64(w.sd))
		if !alike(w.mean, float32(sum/216)) || !alike(w.spread, float32(math.Sqrt(variance))) || !alike(w.uneven, float32(uneven)) {
			t.Errorf("at %v: %+v; want mean %g, spread %g, uneven %g", w.at, w, sum/216, math.Sqrt(variance), uneven)
		}
	}
	// Layers that are left out lie evenly; a window that reads padding does not count.
	few, err := differences(t.Context(), v, overlapping, 0, 17, 12)
	if err != nil || len(few) != 12 || few[0].at[2] != 3 {
		t.Errorf("%d windows in one layer, %v", len(few), err)
	}
	v.Mask = slices.Repeat([]bool{true}, len(v.Data))
	v.Mask[v.Index(0, 0, 0)] = false
	ws, err = differences(t.Context(), v, overlapping, 0, 17, maxWindows)
	if err != nil || len(ws) != 23 || ws[0].at == [3]int32{3, 3, 3} {
		t.Errorf("%d windows beside padding, %v; want all but the first", len(ws), err)
	}
}

// The differences have the share in the variance of white noise that makes the rest
// independent of them.
func TestShareOfDifferences(t *testing.T) {
	sum := func(n, k float64) float64 { // sum of the squared correlations of binomial coefficients
		return math.Exp(lgamma(2*n) - 2*lgamma(n) - 2*(lgamma(n)-2*lgamma(k)))
	}
	for _, c := range []struct {
		s    sampling
		want float64
	}{
		{volumeVoxels, math.Pow(1/sum(8, 4), 3)}, {sliceVoxels, math.Pow(1/sum(8, 4), 2)},
		{sliceWindows, math.Pow(1/sum(12, 6), 2)}, {windowsOf(volume.NewGeometry([3]int{60, 60, 60}, [3]float64{1, 1, 1})), math.Pow(1/sum(12, 6), 3)},
	} {
		if got := c.s.shared(); math.Abs(got/c.want-1) > 1e-9 {
			t.Errorf("%+v: share %g, want %g", c.s, got, c.want)
		}
	}
}

func lgamma(n float64) float64 { l, _ := math.Lgamma(n + 1); return l }

// The mean of the middle half of noise is read as it is measured.
func TestMiddleOfPureNoise(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{60, 60, 48}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(Normal(9, uint64(i), 0))
	}
	for _, s := range []sampling{windowsOf(v.Geometry), windowsOf(volume.NewGeometry([3]int{60, 60, 8}, [3]float64{1, 1, 1}))} {
		ws, err := differences(t.Context(), v, s, 0, 48, maxWindows)
		if err != nil {
			t.Fatal(err)
		}
		if got := middle(sds(ws)) / s.pureMiddle(); math.Abs(got-1) > 0.015 {
			t.Errorf("%+v: sigma %g, want 1", s, got)
		}
		if s.pureMiddle() <= s.pure(0.5) {
			t.Errorf("%+v: the mean of the middle half of a skewed distribution is above its median", s)
		}
	}
}

// Of windows of surface fits the ones count with slopes that noise covers, and at least a
// share of the levelest and as many as a figure needs.
func TestLevelWindows(t *testing.T) {
	sloping := func(n int) []window {
		ws := windowsOfUnevenness(n)
		for i := range ws {
			ws[i].uneven--
		}
		return ws
	}
	for _, c := range []struct {
		n    int
		most float64
		want int
	}{{4001, 0, 601}, {4001, 1500, 1501}, {4001, 1e9, 4001}, {2001, 0, 400}, {300, 0, 300}, {0, 1, 0}} {
		if got := evenest(sloping(c.n), c.most, fewLevel); len(got) != c.want {
			t.Errorf("%d windows, most %g: %d kept, want %d", c.n, c.most, len(got), c.want)
		}
	}
}

// The surface of a fit is in units of the noise that makes it, and not part of what it
// leaves; noise with a correlation gives it the power that is expected.
func TestSurfacesOfFits(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{9, 9, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		x, y := float32(i%9)-4, float32(i/9)-4
		v.Data[i] = 60 + 3*x - 4*y + 0.5*x*y + 0.25*x*x - 0.5*y*y
	}
	// The sums over 81 pixels: of x^2 540, of (x y)^2 3600 and of (x^2 - 20/3)^2 2772.
	want := math.Sqrt((25*540 + 0.25*3600 + 0.3125*2772) / 5)
	f := newFitter(9, 9)
	for y := range 9 {
		var values [9]float64
		for x := range values {
			values[x] = float64(v.Data[9*y+x])
		}
		f.of[y] = []rowFit{f.measure(values[:])}
	}
	if w := f.window(0); math.Abs(float64(w.uneven)-want) > 1e-3 || w.sd > 1e-2 || math.Abs(float64(w.mean)-60+20.0/12) > 1e-3 {
		t.Errorf("%+v; want a surface of %g and nothing else", w, want)
	}
	if got := unevenGain(nil, 9); math.Abs(got-1) > 1e-12 {
		t.Errorf("white noise: %g, want 1", got)
	}
	v = smoothNoise(3, [3]int{360, 360, 1})
	ws, err := surfaceFits(t.Context(), v, softTissue(0), 9)
	if err != nil {
		t.Fatal(err)
	}
	c := smoothCorrelation
	surface, rest := 0.0, 0.0
	for _, w := range ws {
		surface += float64(w.uneven) * float64(w.uneven) / float64(len(ws))
		rest += float64(w.sd) * float64(w.sd) / float64(len(ws))
	}
	if got := math.Sqrt(surface); math.Abs(got/unevenGain(&c, 9)-1) > 0.05 || got < 1.3 {
		t.Errorf("surfaces of %g in noise of sigma 1, want %g", got, unevenGain(&c, 9))
	}
	if got := math.Sqrt(rest) * surfaceGain(&c, 9); math.Abs(got-1) > 0.02 {
		t.Errorf("sigma %g, want 1", got)
	}
}

// Windows lie a third of their side apart, and wholly in tissue.
func TestPlacesOfFits(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{40, 36, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(40 + 10*Normal(1, uint64(i), 0))
		if x := i % 40; x >= 30 {
			v.Data[i] = 1000
		}
	}
	for _, n := range []int{9, 15} {
		ws, err := surfaceFits(t.Context(), v, softTissue(0), n)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for z := range int32(2) {
			for y := 0; y+n <= 36; y += n / 3 {
				for x := 0; x+n <= 40; x += n / 3 {
					// Means of 5 x 5 pixels are tissue from 2 to 27 and 33 along x and y.
					inside := x >= 2 && x+n-1 <= 27 && y >= 2 && y+n-1 <= 33
					if inside {
						count++
					}
					if at := [3]int32{int32(x), int32(y), z}; holds(ws, at) != inside {
						t.Errorf("side %d, window at %v: found %v, want %v", n, at, !inside, inside)
					}
				}
			}
		}
		if len(ws) != count {
			t.Errorf("side %d: %d windows, want %d", n, len(ws), count)
		}
		for _, w := range ws {
			r := residual(v, w.at, n, surfaces(n, 2))
			sd := math.Sqrt(product(r, r) / float64(n*n-6))
			if math.Abs(sd/float64(w.sd)-1) > 1e-5 {
				t.Fatalf("side %d, window at %v: standard deviation %g, want %g", n, w.at, w.sd, sd)
			}
		}
	}
	if ws, err := surfaceFits(t.Context(), v, softTissue(0), 37); ws != nil || err != nil {
		t.Errorf("%v, %v: windows that are larger than a slice", ws, err)
	}
}

// One pass for several sides finds what a pass for each does, and sums stand for means to the last bit.
func TestFitsOfSeveralSides(t *testing.T) {
	v := smoothNoise(5, [3]int{70, 61, 3})
	for i := range v.Data {
		v.Data[i] = 12*v.Data[i] + float32(i%70)
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i%4099 != 0
	}
	sides := []int{9, 11, correlationSide}
	found, err := fitSlices(t.Context(), v, softTissue(0), []int{0, 1, 2}, sides...)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range sides {
		alone, err := surfaceFits(t.Context(), v, softTissue(0), n)
		if err != nil || len(alone) == 0 || !slices.Equal(slices.Concat(found[i]...), alone) {
			t.Errorf("side %d: %d windows in a common pass, %d alone, %v", n, len(slices.Concat(found[i]...)), len(alone), err)
		}
	}
	for _, limit := range []float64{-30, 0, 130, 0.1, 1. / 3, -1023.7} {
		end := quotientEnd(limit, 25)
		if above := math.Nextafter(end, math.Inf(1)); end/25 > limit || above/25 <= limit {
			t.Errorf("the last quotient that is at most %g is that of %g", limit, end)
		}
	}
}

// smoothNoise is the mean of a voxel's noise with the noise of its right neighbour and of
// the voxels below both, with sigma 1.
func smoothNoise(seed uint64, dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	wide := [2]int{dims[0] + 1, dims[1] + 1}
	for i := range v.Data {
		x, y, z := i%dims[0], i/dims[0]%dims[1], i/(dims[0]*dims[1])
		for _, d := range [4][2]int{{0, 0}, {1, 0}, {0, 1}, {1, 1}} {
			v.Data[i] += float32(Normal(seed, uint64((z*wide[1]+y+d[1])*wide[0]+x+d[0]), 0) / 2)
		}
	}
	return v
}

// smoothCorrelation is its correlation.
var smoothCorrelation = func() (c Correlation) {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			c.InPlane[dy+MaxLag][dx+MaxLag] = math.Pow(0.5, float64(dx*dx+dy*dy))
		}
	}
	c.Across[0] = 1
	return c
}()

// The correlation that is measured is the correlation of the noise, not of what fits leave
// of it, and anatomy that is as smooth as the fit has no part in it.
func TestCorrelationIsRestored(t *testing.T) {
	v := smoothNoise(4, [3]int{400, 400, 1})
	for i := range v.Data {
		x, y := float64(i%400), float64(i/400)
		v.Data[i] = 10*v.Data[i] + float32(40+0.001*(x-200)*(y-200)-0.001*(x-200)*(x-200))
	}
	ws, err := surfaceFits(t.Context(), v, softTissue(0), correlationSide)
	if err != nil {
		t.Fatal(err)
	}
	c := correlate(v, [][]window{ws}, 10)
	if c == nil {
		t.Fatal("no correlation")
	}
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			if got, want := c.Rho(dx, dy, 0), smoothCorrelation.Rho(dx, dy, 0); math.Abs(got-want) > 0.045 {
				t.Errorf("rho of (%d, %d) is %.3f, want %.3f", dx, dy, got, want)
			}
		}
	}
	// Restored is what fits turn into the measured correlation.
	left := afterFit(&smoothCorrelation, correlationSide, wideSurfaces())
	measured := smoothCorrelation
	for y := range left {
		for x := range left[y] {
			measured.InPlane[y][x] = left[y][x] / left[MaxLag][MaxLag]
		}
	}
	before := measured.InPlane
	measured.restore(correlationSide, wideSurfaces(), restorations)
	squares, were := 0.0, 0.0
	for y := range left {
		for x := range left[y] {
			want := smoothCorrelation.InPlane[y][x]
			off := measured.InPlane[y][x] - want
			squares += off * off
			were += (before[y][x] - want) * (before[y][x] - want)
			if math.Abs(off) > 0.04 || measured.InPlane[y][x] != measured.InPlane[2*MaxLag-y][2*MaxLag-x] {
				t.Errorf("rho of (%d, %d) was off by %.4f, and is by %.4f once restored", x-MaxLag, y-MaxLag, before[y][x]-want, off)
			}
		}
	}
	if squares > 0.4*0.4*were {
		t.Errorf("rho was off by %.4f, and is by %.4f once restored", math.Sqrt(were/81), math.Sqrt(squares/81))
	}
}
