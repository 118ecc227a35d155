package verdict_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"quell/denoise/verdict"
	"quell/measure"
)

func figures(noise, contrast, texture float64) verdict.Figures {
	s := func(x float64) verdict.Share { return verdict.Share{Value: x, Low: x, High: x} }
	f := verdict.Of(s(noise), s(contrast), s(texture))
	f.ObjectSize, f.Regions = 2.1, 40
	return f
}

// Every bound has a word on either side.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		noise, contrast, texture float64
		want                     verdict.Word
	}{
		{0, 1, 1, verdict.Nothing},
		{0.049, 1, 1, verdict.Nothing},
		{0.049, 0.84, 1, verdict.Fades},
		{0, 1, 0.84, verdict.Texture},
		{0.05, 1, 1, verdict.Little},
		{0.149, 0.85, 0.85, verdict.Little},
		{0.15, 0.85, 0.85, verdict.Good},
		{0.5, 0.85, 0.85, verdict.Good},
		{0.5, 0.849, 0.85, verdict.Fades},
		{0.1, 0.849, 1, verdict.Fades},
		{0.5, 0.46, 0.3, verdict.Fades},
		{0.5, 0.85, 0.849, verdict.Texture},
		{-0.2, 1.2, 1.1, verdict.Nothing},
	} {
		f := figures(c.noise, c.contrast, c.texture)
		word, why := verdict.Usual.Judge(f)
		if word != c.want || why.String() == "" {
			t.Errorf("%v is %s, want %s: %s", c, word, c.want, why)
		}
		if word == verdict.Good && !verdict.Usual.Within(f) {
			t.Errorf("%v is good and not within", c)
		}
	}
	if word, _ := verdict.Usual.Judge(verdict.None()); word != verdict.Unknown {
		t.Errorf("without figures it is %s", word)
	}
	if word, _ := verdict.Usual.Judge(verdict.Unchanged()); word != verdict.Nothing {
		t.Errorf("an equal result is %s", word)
	}
}

// The interval of what is kept decides too: a low end far under the bound is no ground for a judgement.
func TestWideIntervals(t *testing.T) {
	sure := verdict.Share{Value: 0.9, Low: 0.88, High: 0.92}
	removed := verdict.Share{Value: 0.4, Low: 0.3, High: 0.5}
	for _, c := range []struct {
		contrast, texture verdict.Share
		want              verdict.Word
	}{
		{sure, sure, verdict.Good},
		{verdict.Share{Value: 0.95, Low: 0.75, High: 1}, sure, verdict.Good},
		{verdict.Share{Value: 0.95, Low: 0.749, High: 1}, sure, verdict.Unknown},
		{verdict.Share{Value: 1, Low: 0, High: 1}, sure, verdict.Unknown},
		{verdict.Share{Value: 0.8, Low: 0, High: 1}, sure, verdict.Fades},
		{sure, verdict.Share{Value: 0.95, Low: 0.75, High: 1}, verdict.Good},
		{sure, verdict.Share{Value: 0.95, Low: 0.749, High: 1}, verdict.Unknown},
	} {
		f := verdict.Of(removed, c.contrast, c.texture)
		if word, why := verdict.Usual.Judge(f); word != c.want || verdict.Usual.Within(f) != (c.want == verdict.Good) {
			t.Errorf("%+v is %s, want %s: %s", c, word, c.want, why)
		}
	}
}

func TestFiguresAsJSON(t *testing.T) {
	text, err := json.Marshal(figures(1.5, -0.2, 0.5))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"noise_removed":1,`, `"contrast_kept":0,`, `"texture_kept_low":0.5,`, `"object_mm":2.1`, `"regions":40`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s has no %s", text, want)
		}
	}
	if text, err = json.Marshal(verdict.None()); err != nil || !strings.Contains(string(text), `"noise_removed":null`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Of results within the bounds the one with less noise is better, and any of them is better than one outside.
func TestBetter(t *testing.T) {
	order := []verdict.Figures{
		verdict.None(), figures(0.9, 0.4, 0.5), figures(0.5, 0.84, 1), figures(0.1, 1, 1), figures(0.3, 0.9, 0.9),
	}
	for i, a := range order {
		for k, b := range order {
			if got := verdict.Usual.Better(a, b); got != (i > k) {
				t.Errorf("%d better than %d: %v", i, k, got)
			}
		}
	}
	words := []verdict.Word{verdict.Good, verdict.Little, verdict.Nothing, verdict.Unknown, verdict.Texture, verdict.Fades}
	for i, a := range words {
		for k, b := range words {
			if a.Worse(b) != (i > k) {
				t.Errorf("%s worse than %s: %v", a, b, a.Worse(b))
			}
		}
	}
}

// A slice with few regions differs from its series only if its interval says so, with room for the many slices.
func TestFiguresOfASlice(t *testing.T) {
	whole := figures(0.3, 0.9, 0.95)
	for low, want := range map[float64]verdict.Word{0.74: verdict.Fades, 0.73: verdict.Good} {
		f := verdict.Of(verdict.Share{Value: 0.25, Low: 0.2, High: 0.3}, verdict.Share{Value: 0.8, Low: low, High: 1.6 - low}, verdict.Share{Value: 0.95, Low: 0.9, High: 1})
		if word, why := verdict.Usual.Judge(f.In(whole)); word != want {
			t.Errorf("low %g: %s, %s", low, word, why)
		}
	}
}

// Parts about the bound of little have the word of all; one that differs by more than chance has its own.
func TestPooledFigures(t *testing.T) {
	part := func(removed, half float64) verdict.Figures {
		f := figures(0, 0.95, 0.95)
		f.NoiseRemoved, f.NoiseRemovedLow, f.NoiseRemovedHigh = measure.Float(removed), measure.Float(removed-half), measure.Float(removed+half)
		return f
	}
	parts := []verdict.Figures{part(0.14, 0.03), part(0.16, 0.03), part(0.145, 0.03), part(0.165, 0.03), part(0.3, 0.03), verdict.Unchanged(), verdict.None()}
	all := verdict.Pooled(parts)
	if got := all.Noise(); math.Abs(got.Value-0.182) > 1e-9 || math.Abs(got.High-got.Low-0.06) > 1e-9 {
		t.Errorf("%+v", got)
	}
	for i, want := range []verdict.Word{verdict.Good, verdict.Good, verdict.Good, verdict.Good, verdict.Good, verdict.Nothing, verdict.Unknown} {
		if word, why := verdict.Usual.Judge(parts[i].In(all)); word != want {
			t.Errorf("part %d: %s, %s", i, word, why)
		}
	}
	if got := verdict.Pooled(parts[5:]); got.Noise().Known() {
		t.Errorf("%+v of no regions", got)
	}
	if got, _ := verdict.Usual.Judge(part(0.1, 0.03).In(all)); got != verdict.Little {
		t.Errorf("far below: %s", got)
	}
}
