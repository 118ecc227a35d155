package run_test

import (
	"strings"
	"testing"

	"quell/app/run"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/phantom"
	"quell/series"
)

// TestProposeFilter: the filter with the largest expected gain comes first, in the dimensionality that was asked
// for. Unknown, weak, roughly known and varying noise give no gain, but a sentence.
func TestProposeFilter(t *testing.T) {
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 144, 9}, Spacing: [3]float64{1.6, 1.6, 4}})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := noise.AddNoise(t.Context(), clean, noise.Gaussian, 10, 5)
	if err != nil {
		t.Fatal(err)
	}
	s := &series.Series{Volume: v}
	known := noise.Known(10)
	got, err := run.ProposeFilter(t.Context(), cpu.New(), run.GainRequest{Series: s, Noise: &known, Dims: 2})
	if err != nil || len(got.Gains) != 7 || got.Gains[0].Filter != got.Filter || !got.Why.IsZero() {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, g := range got.Gains {
		if g.Dims != 2 || g.AtLeast > got.Gains[0].AtLeast+1 {
			t.Errorf("%+v after %+v", g, got.Gains[0])
		}
	}
	if text := got.String(); !strings.HasPrefix(text, got.Filter+": over ") || !strings.Contains(text, " dB expected (") {
		t.Errorf("says %q", text)
	}
	for _, x := range []struct {
		name   string
		change func(e *noise.Estimate)
		want   message.Kind
	}{
		{"unknown", func(e *noise.Estimate) { e.Confidence = noise.None; e.Why = message.Text("it is too small") }, message.NoiseUnknown},
		{"at most", func(e *noise.Estimate) { e.High = 30; e.Why = message.Text("it was smoothed") }, message.NoiseUnknown},
		{"rough", func(e *noise.Estimate) { e.Confidence = noise.Low }, message.NoiseUnknown},
		{"weak", func(e *noise.Estimate) { e.Negligible = true }, message.NoiseWeak},
		{"varies", func(e *noise.Estimate) { e.Why = message.New(message.NoiseVaries, "it differs") }, message.NoiseVaries},
	} {
		e := noise.Known(10)
		x.change(&e)
		got, err := run.ProposeFilter(t.Context(), cpu.New(), run.GainRequest{Series: s, Noise: &e})
		if err != nil || got.Filter != "" || got.Gains != nil || got.Why.Kind() != x.want || got.String() != "" {
			t.Errorf("%s: %+v (%s), %v", x.name, got, got.Why.Kind(), err)
		}
	}
}
