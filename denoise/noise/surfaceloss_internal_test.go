package noise

import (
	"math"
	"testing"
)

// The gain must be the gain of the fit itself: of the expected sum of squares after
// a fit, computed voxel pair by voxel pair.
func TestGainOfCorrelatedNoise(t *testing.T) {
	var c Correlation
	for dy := -MaxLag; dy <= MaxLag; dy++ {
		for dx := -MaxLag; dx <= MaxLag; dx++ {
			c.InPlane[dy+MaxLag][dx+MaxLag] = math.Exp(-0.3*float64(dx*dx)) * math.Cos(0.4*float64(dy)) * math.Exp(-0.2*float64(dy*dy))
		}
	}
	c.Across[0] = 1
	for _, n := range []int{7, 9, 11} {
		count, middle := float64(n*n), float64(n-1)/2
		axis, bent := 0.0, 0.0 // sums of x^2 and of (x^2 - its mean)^2 along an axis
		for i := range n {
			x := float64(i) - middle
			axis += x * x
			curve := x*x - (count-1)/12
			bent += curve * curve
		}
		rest, uneven := 0.0, 0.0
		for a := range n * n {
			for b := range n * n {
				ax, ay, bx, by := float64(a%n)-middle, float64(a/n)-middle, float64(b%n)-middle, float64(b/n)-middle
				curve := func(x float64) float64 { return x*x - (count-1)/12 }
				width := float64(n)
				surface := (ax*bx+ay*by)/(axis*width) + ax*ay*bx*by/(axis*axis) + (curve(ax)*curve(bx)+curve(ay)*curve(by))/(bent*width)
				kept := -1/count - surface
				if a == b {
					kept++
				}
				rest += kept * c.Rho(b%n-a%n, b/n-a/n, 0)
				uneven += surface * c.Rho(b%n-a%n, b/n-a/n, 0) / 5
			}
		}
		want := math.Sqrt((count - 6) / rest)
		if got := surfaceGain(&c, n); math.Abs(got/want-1) > 1e-9 || got < 1.02 {
			t.Errorf("side %d: gain %.9f, want %.9f", n, got, want)
		}
		if got := unevenGain(&c, n); math.Abs(got/math.Sqrt(uneven)-1) > 1e-9 {
			t.Errorf("side %d: surfaces of %.9f, want %.9f", n, got, math.Sqrt(uneven))
		}
	}
	var white Correlation
	white.InPlane[MaxLag][MaxLag], white.Across[0] = 1, 1
	for _, n := range []int{7, 11} {
		if got := surfaceGain(&white, n); math.Abs(got-1) > 1e-12 || surfaceGain(nil, n) != 1 {
			t.Errorf("white noise, side %d: gain %v, want 1", n, got)
		}
	}
}
