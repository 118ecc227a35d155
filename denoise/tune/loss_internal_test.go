package tune

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// blob is an ellipse of a contrast in sigmas; a result loses a share of it.
type blob struct {
	x, y, rx, ry   float64
	contrast, lost float64
}

// fadedScene is slices of even tissue with blobs and noise of standard deviation 2, and a
// result that is free of noise but for what it lost.
func fadedScene(t *testing.T, slices int, blobs ...blob) Result {
	t.Helper()
	const sigma = 2
	truth := volume.New(volume.NewGeometry([3]int{72, 64, slices}, [3]float64{1, 1, 3}))
	after := volume.New(truth.Geometry)
	for i := range truth.Data {
		x, y := float64(i%72), float64(i/72%64)
		a, b := 100.0, 100.0
		for _, o := range blobs {
			dx, dy := (x-o.x)/o.rx, (y-o.y)/o.ry
			if d := dx*dx + dy*dy; d <= 1 {
				a, b = a+sigma*o.contrast, b+sigma*o.contrast*(1-o.lost-0.01*d) // highest in the middle
			}
		}
		truth.Data[i], after.Data[i] = float32(a), float32(b)
	}
	noisy, err := noise.AddNoise(t.Context(), truth, noise.Gaussian, sigma, 3)
	if err != nil {
		t.Fatal(err)
	}
	return Result{
		Input: denoise.Input{Volume: noisy}, After: after, Region: truth.Bounds(), Noise: noise.Known(sigma),
		Foreground: func(int) bool { return true },
	}
}

// worstOf returns the object that lost most; nil if none lost much.
func worstOf(t *testing.T, r Result) (worst *object) {
	t.Helper()
	all, err := r.faded(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o != nil && (worst == nil || o.lost > worst.lost) {
			worst = o
		}
	}
	return worst
}

func TestAnObjectThatFadesIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		slices int
		blobs  []blob
		want   *blob // nil: nothing is found
	}{
		"bright":                  {1, []blob{{30, 30, 6, 6, 8, 0.3}}, &blob{30, 30, 5, 5, 8, 0.3}},
		"dark":                    {1, []blob{{30, 30, 6, 6, -8, 0.3}}, &blob{30, 30, 5, 5, 8, 0.3}},
		"long":                    {1, []blob{{30, 30, 3.6, 9, 10, 0.3}}, &blob{30, 30, 2.6, 8, 10, 0.3}},
		"large":                   {1, []blob{{33, 32, 14.5, 14.5, 4, 0.3}}, &blob{33, 32, 13.5, 13.5, 4, 0.3}},
		"small":                   {1, []blob{{30, 30, 2.6, 2.6, 14, 0.4}}, &blob{30, 30, 1.6, 1.6, 14, 0.4}},
		"nothing lost":            {1, []blob{{30, 30, 6, 6, 8, 0}}, nil},
		"little lost":             {1, []blob{{30, 30, 6, 6, 8, 0.11}}, nil},
		"the worst of two":        {1, []blob{{20, 20, 6, 6, 8, 0.3}, {50, 44, 6, 6, 8, 0.5}}, &blob{50, 44, 5, 5, 8, 0.5}},
		"beside another":          {1, []blob{{20, 30, 4, 8, -9, 0}, {31, 30, 4, 8, -9, 0.4}}, &blob{31, 30, 3, 7, 9, 0.4}},
		"not to be seen":          {1, []blob{{30, 30, 4.5, 4.5, 2, 0.5}}, nil},
		"seen in several slices":  {3, []blob{{30, 30, 6, 6, 1.8, 0.5}}, &blob{30, 30, 5, 5, 1.8 * math.Sqrt(3), 0.5}},
		"not in one of them":      {1, []blob{{30, 30, 6, 6, 1.8, 0.5}}, nil},
		"an edge":                 {1, []blob{{0, 32, 30, 300, 12, 0.5}}, nil},
		"a line":                  {1, []blob{{36, 32, 1, 300, 12, 0.5}}, nil},
		"too large":               {1, []blob{{36, 32, 25, 25, 12, 0.5}}, nil},
		"at the rim of the slice": {1, []blob{{1, 32, 6, 6, 12, 0.5}}, nil},
		"a point":                 {1, []blob{{30, 30, 1, 1, 40, 0.5}}, nil},
	} {
		got := worstOf(t, fadedScene(t, c.slices, c.blobs...))
		if c.want == nil {
			if got != nil {
				t.Errorf("%s: %.2f lost at %v", name, got.lost, got.at)
			}
			continue
		}
		if got == nil {
			t.Errorf("%s: nothing is found", name)
			continue
		}
		// Of the inside and a ring as large as the ring of the program.
		inside, ring := math.Pi*c.want.rx*c.want.ry, math.Pi*((c.want.rx+4)*(c.want.ry+4)-(c.want.rx+2)*(c.want.ry+2))
		want := c.want.lost - 2*math.Sqrt(1/inside+1/ring)/math.Abs(c.want.contrast)
		if dx, dy := float64(got.at[0])-c.want.x, float64(got.at[1])-c.want.y; math.Abs(dx) > c.want.rx+1 || math.Abs(dy) > c.want.ry+1 || math.Abs(got.lost-want) > 0.06 {
			t.Errorf("%s: %.3f lost at %v; want %.3f at %g %g", name, got.lost, got.at, want, c.want.x, c.want.y)
		}
	}
}

// What does not count is not looked at, and correlated noise hides more.
func TestAnObjectMustBeToBeSeen(t *testing.T) {
	scene := func() Result { return fadedScene(t, 1, blob{30, 30, 6, 6, 5, 0.5}) }
	if worstOf(t, scene()) == nil {
		t.Fatal("nothing is found")
	}
	outside := scene()
	outside.Foreground = func(i int) bool { return i%72 > 40 }
	if o := worstOf(t, outside); o != nil {
		t.Errorf("in the background: %+v", o)
	}
	most := scene()
	most.Foreground = func(i int) bool { return i%72 > 27 }
	if worstOf(t, most) == nil {
		t.Error("an object of which the larger part counts is not found")
	}
	padded := scene()
	padded.Input.Mask = make([]bool, len(padded.After.Data))
	for i := range padded.Input.Mask {
		padded.Input.Mask[i] = i%72 != 38 || i/72 != 30
	}
	if o := worstOf(t, padded); o == nil {
		t.Error("beside a masked voxel nothing is found")
	}
	for i := range padded.Input.Mask {
		padded.Input.Mask[i] = i%72 > 40
	}
	if o := worstOf(t, padded); o != nil {
		t.Errorf("in padding: %+v", o)
	}
	correlated := scene()
	correlated.Noise.Correlation = &noise.Correlation{Across: [3]float64{1}}
	for i := range correlated.Noise.Correlation.InPlane {
		for j := range correlated.Noise.Correlation.InPlane[i] {
			correlated.Noise.Correlation.InPlane[i][j] = 0.5
		}
	}
	if o := worstOf(t, correlated); o != nil {
		t.Errorf("in noise of which a sample covers 20 pixels: %+v", o)
	}
	louder := scene()
	louder.Noise = noise.Known(8)
	if o := worstOf(t, louder); o != nil {
		t.Errorf("in noise four times as strong: %+v", o)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := scene().faded(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Of a region the place is that in the volume, and each slice has its own verdict.
func TestWhatFadedIsOver(t *testing.T) {
	faded := []*object{nil, {at: [3]int{3, 4, 1}, lost: 0.2}, {at: [3]int{5, 6, 2}, lost: 0.4}, {at: [3]int{7, 8, 3}, lost: 0.3}}
	region := volume.Region{Min: [3]int{10, 20, 30}, Max: [3]int{50, 60, 34}}
	judged := func(v Verdict) Judgement {
		j := Judgement{Verdict: v, Why: message.Verbatim("before")}
		for _, v := range []Verdict{Matched, Matched, Under, Unknown} {
			j.Slices = append(j.Slices, SliceJudgement{Verdict: v, Why: message.Verbatim("before")})
		}
		return j
	}
	j := judged(Matched)
	j.fade(faded, region)
	if j.Verdict != Over || j.Lost != 0.4 || *j.Place != (Place{X: 15, Y: 26, Slice: 32, What: "an object"}) || !strings.Contains(j.Why.String(), "an object at x 16, y 27 in slice 33 lost over 40 %") {
		t.Errorf("%+v at %v", j, j.Place)
	}
	for z, want := range []Verdict{Matched, Over, Under, Unknown} {
		if s := j.Slices[z]; s.Verdict != want || (s.Why.String() != "before") != (want == Over) || want == Over && !strings.Contains(s.Why.String(), "20 %") {
			t.Errorf("slice %d: %+v", z, s)
		}
	}
	under := judged(Under)
	under.fade(faded, region)
	if under.Verdict != Under || under.Why.String() != "before" || under.Lost != 0.4 {
		t.Errorf("a result that is under became %+v", under)
	}
	none := judged(Matched)
	none.fade(make([]*object, 4), region)
	if none.Verdict != Matched || none.Lost != 0 || none.Place != nil || none.Slices[1].Verdict != Matched {
		t.Errorf("where nothing faded: %+v", none)
	}
	single := Judgement{Verdict: Matched}
	single.fade(faded[1:2], region)
	if single.Verdict != Over || single.Lost != 0.2 {
		t.Errorf("of one slice: %+v", single)
	}
}

// A result of the best strength is matched, and over if one object in it lost contrast.
func TestJudgeSeesWhatFaded(t *testing.T) {
	for lost, want := range map[float64]Verdict{0: Matched, 0.4: Over} {
		r := fadedScene(t, 1, blob{30, 30, 5, 5, 5, lost})
		recipe, err := denoise.NewRecipe("gaussian", 2)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Search(t.Context(), cpu.New(), r.Input, recipe, r.Noise, Options{Foreground: r.Foreground})
		if err != nil {
			t.Fatal(err)
		}
		recipe, err = WithStrength(recipe, c.Points[c.Best].Strength, r.After.Geometry).ResolveFor(t.Context(), r.Input)
		if err != nil {
			t.Fatal(err)
		}
		r.Recipe, r.Made = &recipe, true
		j, err := Judge(t.Context(), cpu.New(), r)
		if err != nil {
			t.Fatal(err)
		}
		if j.Verdict != want || (j.Lost > 0) != (want == Over) {
			t.Errorf("%g lost: %s, %.2f lost: %s", lost, j.Verdict, j.Lost, j.Why)
		}
	}
}

// Structure beyond the estimated error overrules matched, and nothing else.
func TestStructureBeyondTheErrorIsOver(t *testing.T) {
	curve := &Curve{Points: []Point{{Strength: 1, Risk: Risk{MSE: 0.8}}, {Strength: 2, Risk: Risk{MSE: 0.4}}, {Strength: 3, Risk: Risk{MSE: 0.42}}}, Best: 1}
	for _, c := range []struct {
		verdict   Verdict
		structure float64
		curve     *Curve
		want      Verdict
	}{
		{Matched, 0.519, curve, Matched}, {Matched, 0.521, curve, Over}, {Under, 2, curve, Under}, {Matched, 2, nil, Matched}, {Matched, 0, curve, Matched},
	} {
		j := Judgement{Verdict: c.verdict, Why: message.Verbatim("before"), Structure: c.structure, Curve: c.curve, Place: &Place{X: 7, Slice: 2, What: edges}}
		j.weigh(3)
		if j.Verdict != c.want || (j.Why.String() != "before") != (c.want == Over) {
			t.Errorf("%s with structure %g: %s: %s", c.verdict, c.structure, j.Verdict, j.Why)
		}
	}
	// Structure that is less than the error says nothing beyond it, nor does a figure without a place.
	for name, j := range map[string]Judgement{
		"less than the error": {Verdict: Matched, Structure: 0.79, Curve: curve, Place: &Place{}},
		"no place":            {Verdict: Matched, Structure: 2, Curve: curve},
	} {
		if j.weigh(1); j.Verdict != Matched {
			t.Errorf("%s: %s: %s", name, j.Verdict, j.Why)
		}
	}
}
