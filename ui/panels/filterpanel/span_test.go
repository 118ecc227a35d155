package filterpanel

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
)

var facts = denoise.Facts{Lo: -1000, Hi: 2000, Noise: noise.Known(8), PseudoSigma: 9}

func TestSpansAreUsableAndInsideTheDomain(t *testing.T) {
	for _, facts := range []denoise.Facts{{}, facts, {Lo: 0, Hi: 1}, {Lo: 0, Hi: 1, Noise: noise.Known(0.003)}, {Lo: 5, Hi: 5}, {Lo: 0, Hi: 4e6, Noise: noise.Known(9e4)}} {
		for _, f := range denoise.Filters() {
			for _, p := range f.Params {
				if p.Kind == denoise.Choice || p.Kind == denoise.Switch {
					continue
				}
				s := SpanFor(p, p.Default, facts)
				if !(s.Lo < s.Hi) || !(s.Step > 0) || s.Step > s.Hi-s.Lo {
					t.Errorf("%s %s on %+v: span %+v", f.Name, p.Name, facts, s)
				}
				if p.Default.IsPercent() {
					continue
				}
				for _, x := range []float64{s.Lo, s.Hi, s.snap((s.Lo + s.Hi) / 2)} {
					v := denoise.Number(x)
					if p.Kind == denoise.Ints {
						v = denoise.List(int(x))
					}
					if err := p.Check(v); err != nil {
						t.Errorf("%s %s: the slider reaches %g: %v", f.Name, p.Name, x, err)
					}
				}
			}
		}
	}
}

func TestValueSpansFollowTheNoise(t *testing.T) {
	f, err := denoise.FilterByName("nlm")
	if err != nil {
		t.Fatal(err)
	}
	h, _ := f.Param("h")
	if s := SpanFor(h, denoise.Sigmas(1), facts); s != (Span{h.Lo, h.Hi, h.Step}) {
		t.Errorf("in sigmas the strength's span is %+v; want the parameter's own", s)
	}
	if s := SpanFor(h, denoise.Sigmas(9), facts); s.Hi != 9 || s.Step != h.Step {
		t.Errorf("9 sigma gives the span %+v; want it to reach the value", s)
	}
	if s := SpanFor(h, denoise.Auto, facts); s.Hi != 50 || s.Step != 0.5 {
		t.Errorf("with sigma 8 the strength's span is %+v; want up to 50 in steps of 0.5", s)
	}
	// A series in thousandths gets a slider in thousandths.
	if s := SpanFor(h, denoise.Auto, denoise.Facts{Hi: 1, Noise: noise.Known(0.003)}); s.Hi != 0.02 {
		t.Errorf("with sigma 0.003 the span is %+v; want up to 0.02", s)
	}
	if s := SpanFor(h, denoise.Number(400), facts); s.Hi != 400 {
		t.Errorf("a typed 400 gives the span %+v; want it to reach the value", s)
	}
}

// A typed value may be a hundred times the slider's top, in each of its units.
func TestTypedValuesReachBeyondTheSliderToAPoint(t *testing.T) {
	nlm, _ := denoise.FilterByName("nlm")
	h, _ := nlm.Param("h")
	lpa, _ := denoise.FilterByName("lpa")
	gamma, _ := lpa.Param("gamma")
	bilateral, _ := denoise.FilterByName("bilateral")
	spatial, _ := bilateral.Param("spatial-sigma")
	unknown := denoise.Facts{}
	for _, c := range []struct {
		p      denoise.Param
		last   denoise.Value // that is taken
		beyond denoise.Value
		f      denoise.Facts
	}{
		{h, denoise.Number(5000), denoise.Number(5001), facts},
		{h, denoise.Sigmas(100 * h.Hi), denoise.Sigmas(100*h.Hi + 1), facts},
		{h, denoise.Number(1e9), denoise.Sigmas(1e9), unknown},
		{h, denoise.Percent(5000), denoise.Percent(5001), facts},
		{gamma, denoise.Auto, denoise.Number(100*gamma.Hi + 1), facts},
		{spatial, denoise.Number(100 * spatial.Hi), denoise.Number(100*spatial.Hi + 1), unknown},
	} {
		if err := checkReach(c.p, c.last, c.f); err != nil {
			t.Errorf("%s = %s: %v", c.p.Name, c.last, err)
		}
		if checkReach(c.p, c.beyond, c.f) == nil {
			t.Errorf("%s = %s is taken", c.p.Name, c.beyond)
		}
	}
}

func TestSnapLeavesNoBinaryDigits(t *testing.T) {
	s := Span{0.2, 5, 0.1}
	for x, want := range map[float64]float64{0.29: 0.3, 1.7000001: 1.7, 9: 5, -3: 0.2} {
		if got := s.snap(x); got != want {
			t.Errorf("snap(%g) is %v; want %v", x, got, want)
		}
	}
}

func TestNice(t *testing.T) {
	for x, want := range map[float64]float64{48: 50, 50: 50, 51: 100, 0.018: 0.02, 3: 5, 1: 1, 0: 1} {
		if got := nice(x); math.Abs(got-want) > 1e-12 {
			t.Errorf("nice(%g) is %g; want %g", x, got, want)
		}
	}
	if nice(math.Inf(1)) != 1 || nice(math.NaN()) != 1 {
		t.Error("nice of an infinite or undefined number is not 1")
	}
}

func TestParseReadsWhatPeopleType(t *testing.T) {
	param := func(filter, name string) denoise.Param {
		f, err := denoise.FilterByName(filter)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := f.Param(name)
		if !ok {
			t.Fatalf("%s has no %s", filter, name)
		}
		return p
	}
	h, sigma, radius := param("nlm", "h"), param("bilateral", "sigma-range"), param("median", "radius")
	width := param("bilateral", "sigma-spatial")
	percent, sigmas := denoise.Percent(15), denoise.Sigmas(1.2)
	cases := []struct {
		p       denoise.Param
		text    string
		current denoise.Value
		want    denoise.Value
		bad     bool
	}{
		{h, "12.5", denoise.Auto, denoise.Number(12.5), false},
		{h, " 12,5 ", denoise.Auto, denoise.Number(12.5), false}, // a decimal comma
		{h, "auto", denoise.Number(3), denoise.Auto, false},
		{h, "-4", denoise.Auto, denoise.Value{}, true},
		{h, "lots", denoise.Auto, denoise.Value{}, true},
		{h, "", denoise.Auto, denoise.Value{}, true},
		{h, "15%", denoise.Auto, denoise.Value{}, true},
		{h, "1.2sigma", denoise.Number(3), sigmas, false},
		{h, "1,2 σ", denoise.Number(3), sigmas, false},
		{h, "1.2", denoise.Sigmas(4), sigmas, false}, // next to a σ
		{h, "17.5 HU", denoise.Sigmas(4), denoise.Number(17.5), false},
		{h, "17.5HU", percent, denoise.Number(17.5), false},
		{h, "-1", denoise.Sigmas(4), denoise.Value{}, true},
		{h, "auto", sigmas, denoise.Auto, false},
		{h, "sure", sigmas, denoise.SURE, false},
		{sigma, "15%", sigmas, percent, false},
		{sigma, "20", percent, denoise.Percent(20), false}, // next to a % sign
		{sigma, "20", denoise.Number(30), denoise.Number(20), false},
		{sigma, "20%", denoise.Number(30), denoise.Percent(20), false},
		{sigma, "120", percent, denoise.Value{}, true},
		{radius, "2", denoise.List(1), denoise.List(2), false},
		{radius, "2,2,1", denoise.List(1), denoise.List(2, 2, 1), false},
		{radius, "2,2", denoise.List(1), denoise.Value{}, true},
		{radius, "1.5", denoise.List(1), denoise.Value{}, true},
		{h, "coupe", sigmas, denoise.Word("coupe"), false},
		{sigma, "coupe", sigmas, denoise.Value{}, true},
		{h, "1;2", denoise.Auto, denoise.Value{}, true},
		{width, "1,5; 2", denoise.Number(1), denoise.Numbers(1.5, 2), false},
		{width, "1.5; 2; 3", denoise.Number(1), denoise.Numbers(1.5, 2, 3), false},
		{width, "1,5", denoise.Number(1), denoise.Number(1.5), false},
		{width, "1; 2; 3; 4", denoise.Number(1), denoise.Value{}, true},
		{width, "1; 0", denoise.Number(1), denoise.Value{}, true},
	}
	for _, c := range cases {
		got, err := parse(c.p, c.text, c.current, "HU")
		if (err != nil) != c.bad {
			t.Errorf("%s %q: error %v", c.p.Name, c.text, err)
		} else if err == nil && !got.Equal(c.want) {
			t.Errorf("%s %q is %v; want %v", c.p.Name, c.text, got, c.want)
		}
	}
}

func TestConvertBetweenUnits(t *testing.T) {
	f := denoise.Facts{Lo: -1000, Hi: 3000, Noise: noise.Known(8)}
	for _, c := range []struct {
		v    denoise.Value
		to   string
		want denoise.Value
	}{
		{denoise.Percent(15), "HU", denoise.Number(600)}, {denoise.Number(600), "%", denoise.Percent(15)},
		{denoise.Number(9000), "%", denoise.Percent(100)}, {denoise.Percent(1), "σ", denoise.Sigmas(5)},
		{denoise.Number(10), "σ", denoise.Sigmas(1.25)}, {denoise.Sigmas(1.25), "HU", denoise.Number(10)}, {denoise.Sigmas(5), "%", denoise.Percent(1)},
		{denoise.Sigmas(0), "HU", denoise.Sigmas(0)}, {denoise.Number(11.313708), "σ", denoise.Sigmas(1.414)},
		{denoise.Sigmas(2), "σ", denoise.Sigmas(2)}, {denoise.Auto, "σ", denoise.Auto}, {denoise.SURE, "HU", denoise.SURE},
	} {
		if got := convert(c.v, c.to, f); !got.Equal(c.want) {
			t.Errorf("%s in %s is %s; want %s", c.v, c.to, got, c.want)
		}
	}
	// Without noise and range there is no other unit.
	for _, v := range []denoise.Value{denoise.Number(3), denoise.Sigmas(2), denoise.Percent(4)} {
		for _, to := range []string{"HU", "σ", "%"} {
			if got := convert(v, to, denoise.Facts{}); !got.Equal(v) {
				t.Errorf("without facts %s in %s is %s", v, to, got)
			}
		}
	}
	f.Noise = noise.Estimate{}
	if got := convert(denoise.Percent(1), "σ", f); !got.Equal(denoise.Percent(1)) {
		t.Errorf("without noise 1 %% in sigmas is %s", got)
	}
}

// The ends of a slider are written without an exponent up to a million.
func TestShortNumbers(t *testing.T) {
	for x, want := range map[float64]string{0.05: "0.05", 2.3456: "2.35", 999: "999", 1000: "1000", 12345: "12345", 999999: "999999", 1e6: "1e+06"} {
		if got := short(x); got != want {
			t.Errorf("%g is written %q; want %q", x, got, want)
		}
	}
}
