package run

import (
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/tune"
	"quell/internal/message"
)

// A strength that should not be relied on is given with the reason, in the report of a run too.
func TestDoubts(t *testing.T) {
	curve := func(best int, mse ...float64) tune.Curve {
		c := tune.Curve{Param: "h", Best: best}
		for i, x := range mse {
			c.Points = append(c.Points, tune.Point{Value: denoise.Number(float64(i + 1)), Risk: tune.Risk{MSE: x}})
		}
		return c
	}
	low := noise.Figure{Sigma: 3, Confidence: noise.Low, Why: message.Verbatim("it is texture")}
	const gains, trusts = "No strength lowers the estimated error", "The estimate of the noise has low confidence (it is texture), and the strength goes with it"
	for name, c := range map[string]struct {
		tuned Tuned
		want  []string
	}{
		"none":           {Tuned{Curve: curve(1, 0.9, 0.5, 0.7)}, nil},
		"fair":           {Tuned{Curve: curve(1, 0.9, 0.5, 0.7), Noise: noise.Figure{Confidence: noise.Fair}}, nil},
		"no gain":        {Tuned{Curve: curve(0, 0.95, 1, 2)}, []string{gains}},
		"low confidence": {Tuned{Curve: curve(1, 0.9, 0.5, 0.7), Noise: low}, []string{trusts}},
		"last":           {Tuned{Curve: curve(2, 0.9, 0.5, 0.4)}, []string{"The best strength, h 3, is the strongest that was tried"}},
		"first":          {Tuned{Curve: curve(0, 0.2, 0.5, 0.7)}, []string{"The best strength, h 1, is the weakest that was tried"}},
		"both":           {Tuned{Curve: curve(2, 0.9, 0.5, 0.4), Noise: low}, []string{trusts, "The best strength, h 3, is the strongest"}},
		"none of worth":  {Tuned{Curve: curve(0, 0.96, 1, 2), Noise: low}, []string{gains, trusts}},
	} {
		got := c.tuned.doubts()
		if len(got) != len(c.want) {
			t.Errorf("%s: %q; want %q", name, got, c.want)
			continue
		}
		for i, want := range c.want {
			if !strings.HasPrefix(got[i].String(), want) {
				t.Errorf("%s: %q; want %q", name, got[i], want)
			}
		}
	}
}
