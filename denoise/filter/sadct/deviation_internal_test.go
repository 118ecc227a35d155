package sadct

import (
	"math"
	"testing"

	"quell/denoise"
	"quell/denoise/filter/correlation"
	"quell/denoise/noise"
	"quell/volume"
)

// The deviation of a coefficient of a rectangle is that of its basis function in the noise,
// b' R b, and 1 in white noise; it is bounded from below.
func TestDeviations(t *testing.T) {
	const side = 7
	for _, list := range [][]int{{60, 20, -10, -5}, {0, 0, 0, 0, 40}, {30, -20}, {100, 100, 100, 100}} {
		rho := rhoOf(correlation.New(list))
		d := newDeviations(rho, side)
		for m := 1; m <= side; m++ {
			for n := 1; n <= side; n++ {
				for k := range m {
					for l := range n {
						power := 0.0
						for i := range m * n {
							for j := range m * n {
								dx, dy := i%n-j%n, i/n-j/n
								if max(dx, -dx, dy, -dy) > Lags {
									continue
								}
								b := func(i int) float64 { return dct().exact[m][k*m+i/n] * dct().exact[n][l*n+i%n] }
								power += b(i) * b(j) * rho[max(dy, -dy)][max(dx, -dx)]
							}
						}
						if got, want := d.of(m, k, n)[l], math.Sqrt(max(power, LeastPower)); math.Abs(got-want) > 1e-9 {
							t.Fatalf("%v: coefficient (%d of %d, %d of %d) has the deviation %g; want %g", list, k, m, l, n, got, want)
						}
					}
				}
			}
		}
	}
	if rho := rhoOf(correlation.Correlation{}); rho != nil || newDeviations(rho, side) != nil {
		t.Error("white noise has deviations")
	}
}

// The variance of a weighted sum along an axis and along a diagonal; in white noise it is the
// sum of the squares, to the bit.
func TestVarianceAlongALine(t *testing.T) {
	rho := rhoOf(correlation.New([]int{60, 20, -10, -5}))
	g := weights(7)
	for diagonal, step := range []float64{1, math.Sqrt2} {
		c := correlation.New([]int{60, 20, -10, -5})
		want, white := 0.0, 0.0
		for j, a := range g {
			for k, b := range g {
				want += a * b * c.Within(step*math.Abs(float64(j-k)))
			}
			white += float64(a * a)
		}
		if got := rho.along(g, 1, diagonal); math.Abs(got-max(want, white*LeastPower)) > 1e-12 {
			t.Errorf("diagonal %d: %g; want %g", diagonal, got, want)
		}
		if got := (*Rho)(nil).along(g, 1, diagonal); got != white {
			t.Errorf("white noise: %g; want %g", got, white)
		}
	}
	impossible := &Rho{{1, -1, -1, -1, -1}}
	if got, want := impossible.along([]float64{1, 1, 1}, 1, 0), 3*LeastPower; got != want {
		t.Errorf("a correlation that none can have: %g; want %g", got, want)
	}
}

// Automatic sigma is the estimate, and in the correlated noise of a CT up to half as much
// again.
func TestAutoSigma(t *testing.T) {
	f := func(sigma float64, method string) denoise.Facts {
		f := denoise.Facts{Lo: -1000, Hi: 2000, Noise: noise.Known(sigma)}
		f.Noise.Method = method
		return f
	}
	const tissue = "surface fits"
	inSigmas := f(1, tissue)
	inSigmas.Usual = 16
	for name, c := range map[string]struct {
		f    denoise.Facts
		list denoise.Value
		want float64
	}{
		"usual": {f(8, tissue), denoise.List(30), 1.2 * 8}, "strong": {f(16, tissue), denoise.List(30), 16 * (1.2 + 0.1*math.Ln2)},
		"strongest": {f(1000, tissue), denoise.List(30), 1500}, "weakest": {f(0.1, tissue), denoise.List(30), 0.1},
		"white": {f(8, tissue), denoise.List(0), 8}, "no tissue": {f(200, "differences"), denoise.List(30), 200},
		"under a noise map": {inSigmas, denoise.List(30), 1.2 + 0.1*math.Ln2}, "none": {f(0, tissue), denoise.List(30), 0},
	} {
		r := denoise.Recipe{Filter: Filter.Name, Dims: 2}.With("correlation", c.list)
		if got := autoSigma(r, volume.Geometry{}, c.f); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g; want %g", name, got, c.want)
		}
	}
}
