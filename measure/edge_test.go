package measure

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// blurred is a profile of an edge at a place, blurred by sigma, with samples every step mm.
func blurred(n int, step, at, sigma, height, noise float64) []Sample {
	random := rand.New(rand.NewPCG(1, 2))
	out := make([]Sample, n)
	for i := range out {
		x := step * float64(i)
		out[i] = Sample{x, 1000 + height*math.Erfc((at-x)/(sigma*math.Sqrt2))/2 + noise*random.NormFloat64()}
	}
	return out
}

func TestEdgeWidth(t *testing.T) {
	for _, c := range []struct{ step, at, sigma, height float64 }{
		{1, 20.3, 2, 100}, {0.5, 8, 0.7, -40}, {2, 35, 4, 1e-3}, {1, 15, 0.8, 1e5}, {0.25, 5, 1.5, 7},
	} {
		e, err := EdgeOf(blurred(41, c.step, c.at, c.sigma, c.height, 0))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if want := 2.5631 * c.sigma; !near(e.Width, want, 1e-3) || !near(e.At, c.at, 1e-3) || !near(e.Height, c.height, 2e-3) || e.Narrower {
			t.Errorf("%+v: %+v, want a width of %g", c, e, want)
		}
	}
}

// Under noise the width is right on average, and its standard error is the scatter of
// many fits.
func TestEdgeWidthWithNoise(t *testing.T) {
	const n, want = 200, 2.5631 * 3
	sum, squares, claimed := 0.0, 0.0, 0.0
	random := rand.New(rand.NewPCG(9, 9))
	for range n {
		p := blurred(60, 1, 29, 3, 100, 0)
		for i := range p {
			p[i].Value += 5 * random.NormFloat64()
		}
		e, err := EdgeOf(p)
		if err != nil {
			t.Fatal(err)
		}
		d := e.Width - want
		sum, squares, claimed = sum+d, squares+d*d, claimed+e.Error
	}
	sd := math.Sqrt(squares / n)
	if math.Abs(sum/n) > 3*sd/math.Sqrt(n) || math.Abs(claimed/n/sd-1) > 0.15 {
		t.Errorf("off by %g on average, SD %g, claimed %g", sum/n, sd, claimed/n)
	}
	if e, err := EdgeOf(blurred(60, 1, 29, 3, 100, 22)); err == nil || !strings.Contains(err.Error(), "too strong") {
		t.Errorf("%+v, %v; want that the noise is too strong", e, err)
	}
}

// A step between two voxels is as narrow as the samples can show, and said to be narrower.
func TestSharpEdge(t *testing.T) {
	p := blurred(20, 0.5, 0, 1, 0, 0)
	for i := range p {
		p[i].Value = 10 * float64(i/10)
	}
	e, err := EdgeOf(p)
	if err != nil || !e.Narrower || !near(e.Width, 2.5631*0.3*0.5, 1e-3) || !near(e.Height, 10, 0.02) || math.Abs(e.At-4.75) > 0.25 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestNoEdge(t *testing.T) {
	ridge := blurred(40, 1, 13, 1, 100, 0)
	for i, s := range blurred(40, 1, 26, 1, -100, 0) {
		ridge[i].Value += s.Value
	}
	gaps := blurred(12, 1, 5, 1, 100, 0)
	for i := range 5 {
		gaps[2*i].Value = math.NaN()
	}
	for _, c := range []struct {
		name string
		p    []Sample
		want string
	}{
		{"noise alone", blurred(40, 1, 20, 1, 0, 5), "stands out"},
		{"a constant", blurred(40, 1, 20, 1, 0, 0), "stands out"},
		{"weaker than the noise", blurred(40, 1, 20, 2, 5, 10), "stands out"},
		{"a ridge", ridge, "stands out"},
		{"a slope", blurred(40, 1, 20, 40, 100, 0), "both sides"},
		{"an edge that ends outside", blurred(20, 1, 18.5, 2, 100, 0), "both sides"},
		{"an edge that begins outside", blurred(20, 1, 1, 2, 100, 0), "both sides"},
		{"seven samples", blurred(7, 1, 3, 0.5, 100, 0), "too short"},
		{"gaps", gaps, "too short"},
		{"no line", nil, "too short"},
	} {
		if e, err := EdgeOf(c.p); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %+v, %v; want %q", c.name, e, err, c.want)
		}
	}
	if _, err := EdgeOf(blurred(8, 1, 3.4, 0.6, 100, 0)); err != nil {
		t.Errorf("eight samples: %v", err)
	}
}
