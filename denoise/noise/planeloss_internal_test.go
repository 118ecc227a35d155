package noise

import (
	"math"
	"testing"
)

// The gain must be that of the fit itself: of the expected sum of squares after a
// plane fit, computed voxel pair by voxel pair.
func TestPlaneGainOfCorrelatedNoise(t *testing.T) {
	var c Correlation
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			c.InPlane[dy+MaxLag][dx+MaxLag] = math.Exp(-0.3*float64(dx*dx)) * math.Cos(0.4*float64(dy)) * math.Exp(-0.2*float64(dy*dy))
		}
	}
	c.Across[0] = 1
	for _, n := range []int{7, 9, 11} {
		count := float64(n * n)
		middle := float64(n-1) / 2
		axis := 0.0 // sum of (i - middle)^2 over the window
		for i := range n {
			axis += float64(n) * (float64(i) - middle) * (float64(i) - middle)
		}
		rest := 0.0
		for a := range n * n {
			for b := range n * n {
				ax, ay, bx, by := float64(a%n)-middle, float64(a/n)-middle, float64(b%n)-middle, float64(b/n)-middle
				kept := -(1/count + ax*bx/axis + ay*by/axis)
				if a == b {
					kept++
				}
				rest += kept * c.Rho(b%n-a%n, b/n-a/n, 0)
			}
		}
		want := math.Sqrt((count - 3) / rest)
		if got := planeGain(&c, n); math.Abs(got/want-1) > 1e-9 || got < 1.02 {
			t.Errorf("side %d: gain %.9f, want %.9f", n, got, want)
		}
	}
	var white Correlation
	white.InPlane[MaxLag][MaxLag], white.Across[0] = 1, 1
	for _, n := range []int{7, 11} {
		if got := planeGain(&white, n); math.Abs(got-1) > 1e-12 || planeGain(nil, n) != 1 {
			t.Errorf("white noise, side %d: gain %v, want 1", n, got)
		}
	}
}
