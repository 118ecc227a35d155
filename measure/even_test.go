package measure

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// patch is a picture 32 wide of a ground with Gaussian noise of SD sigma, and its pixels.
func patch(height int, sigma float64, ground func(x, y float64) float64) (values []float32, pixels []int) {
	random := rand.New(rand.NewPCG(3, 5))
	for y := range height {
		for x := range 32 {
			pixels = append(pixels, len(values))
			values = append(values, float32(ground(float64(x), float64(y))+sigma*random.NormFloat64()))
		}
	}
	return values, pixels
}

func level(float64, float64) float64 { return 1000 }

func slope(x, y float64) float64 { return 1000 + 3*x - 2*y }

// A slope of the background has no part in the noise.
func TestEvenNoise(t *testing.T) {
	for _, ground := range []func(x, y float64) float64{level, slope} {
		values, pixels := patch(32, 5, ground)
		sigma, err := EvenNoise(values, nil, pixels, 32)
		if err != nil || math.Abs(sigma/5-1) > 0.05 {
			t.Errorf("%g, %v; want 5 within 5 %%", sigma, err)
		}
	}
	// The SD about a plane, in closed form: a checkerboard of +1 and -1.
	values, pixels := patch(32, 0, func(x, y float64) float64 { return 7 + 2*float64((int(x)+int(y))%2) })
	if sigma, err := EvenNoise(values, nil, pixels, 32); err != nil || !near(sigma, math.Sqrt(1024./1021), 1e-4) {
		t.Errorf("checkerboard: %g, %v; want %g", sigma, err, math.Sqrt(1024./1021))
	}
}

func TestEvenNoiseKeepsSilent(t *testing.T) {
	bright := func(x, y float64) float64 {
		if x < 3 && y < 12 {
			return 1040
		}
		return 1000
	}
	edge := func(x, y float64) float64 {
		if x < 16 {
			return 1010
		}
		return 1000
	}
	bowl := func(x, y float64) float64 { return 1000 + 0.05*((x-16)*(x-16)+(y-16)*(y-16)) }
	for _, c := range []struct {
		name   string
		height int
		sigma  float64
		ground func(x, y float64) float64
		want   string
	}{
		{"an edge", 32, 4, edge, "not homogeneous"},
		{"a bowl", 32, 4, bowl, "a bend"},
		{"something bright", 32, 4, bright, "not homogeneous"},
		{"no noise", 32, 0, level, "on a plane"},
		{"a slope without noise", 32, 0, slope, "on a plane"},
		{"few pixels", 3, 4, level, "96 pixels are too few"},
	} {
		values, pixels := patch(c.height, c.sigma, c.ground)
		if sigma, err := EvenNoise(values, nil, pixels, 32); err == nil || !strings.Contains(err.Error(), c.want) || sigma != 0 {
			t.Errorf("%s: %g, %v; want %q", c.name, sigma, err, c.want)
		}
	}
	// An outlier alone spoils the SD, not the plane.
	values, pixels := patch(32, 4, level)
	values[500] = 1100
	if sigma, err := EvenNoise(values, nil, pixels, 32); err == nil {
		t.Errorf("with an outlier: %g", sigma)
	}
	values[500] = 900
	if sigma, err := EvenNoise(values, nil, pixels, 32); err == nil {
		t.Errorf("with a dark outlier: %g", sigma)
	}
}

// Exactly 100 pixels serve, of a row as of a square, and padding does not count.
func TestEvenNoiseOfFewPixels(t *testing.T) {
	values, pixels := patch(4, 5, level)
	mask := make([]bool, len(values))
	for i := range mask {
		mask[i] = i < 100
	}
	if sigma, err := EvenNoise(values, mask, pixels, 32); err != nil || sigma < 4 || sigma > 6 {
		t.Errorf("%g, %v", sigma, err)
	}
	mask[0] = false
	if _, err := EvenNoise(values, mask, pixels, 32); err == nil {
		t.Error("99 pixels were measured")
	}
	// One row: nothing depends on y, and no division by 0.
	values, pixels = patch(4, 5, level)
	if sigma, err := EvenNoise(values, nil, pixels, 128); err != nil || sigma < 4 || sigma > 6 {
		t.Errorf("a row: %g, %v", sigma, err)
	}
}
