package equalise_test

import (
	"math"
	"testing"

	"quell/denoise/equalise"
)

// tissue is the noise of filtered backprojection, of power f exp(-(f/peak)^2), independent from slice to slice, of which a filter
// removed all but the share left, with discs of 3, 5, 7 and 10 mm in pixels of 0.7 mm that reach through so many slices.
func tissue(peak, left float64, slices int) equalise.Tissue {
	const side, depth, rings = 64, 16, 32
	n := equalise.Levels * equalise.Slices
	t := equalise.Tissue{Nyquist: 0.5}
	power := make([][]float64, rings+14)
	area, moment := make([]float64, len(power)), make([]float64, len(power))
	sizes := []float64{3 / 0.7, 5 / 0.7, 7 / 0.7, 10 / 0.7}
	lost, energy := make([][]float64, len(sizes)), make([]float64, len(sizes))
	for i := range lost {
		lost[i] = make([]float64, n)
	}
	for b := range power {
		power[b] = make([]float64, (n+1)*(n+1))
	}
	units := make([]equalise.Weights, n)
	for i := range units {
		units[i] = make(equalise.Weights, n)
		units[i][i] = 1
	}
	for y := range side {
		for x := range side {
			fx, fy := float64((x+side/2)%side-side/2)/side, float64((y+side/2)%side-side/2)/side
			f := math.Hypot(fx, fy)
			ring := int(f*side + 0.5)
			p := f * math.Exp(-f*f/peak/peak)
			for z := range depth {
				fz := float64(z) / depth
				of := 0.0
				for s := range slices {
					of += math.Cos(2 * math.Pi * fz * (float64(s) - float64(slices-1)/2))
				}
				r := make([]float64, n+1)
				r[0] = 1
				for i, u := range units {
					r[i+1] = (1 - left) * u.Response(fx, fy, fz)
				}
				if f > 0 {
					area[ring]++
					moment[ring] += f
					for i, a := range r {
						for j, b := range r {
							power[ring][i*(n+1)+j] += p * a * b
						}
					}
				}
				for k, d := range sizes {
					s := d * d / 4 * math.Pi
					if q := math.Pi * d * f; q > 0 {
						s *= 2 * math.J1(q) / q
					}
					e := s * s * of * of * math.Exp(-4*math.Pi*math.Pi*0.64*f*f)
					energy[k] += e
					for i := range units {
						lost[k][i] += e * r[i+1]
					}
				}
			}
		}
	}
	for b, a := range area {
		if a == 0 {
			continue
		}
		t.Frequency, t.Area = append(t.Frequency, moment[b]/a), append(t.Area, a)
		for i := range power[b] {
			power[b][i] /= a
		}
		t.Power = append(t.Power, power[b])
	}
	for k := range lost {
		for i := range lost[k] {
			lost[k][i] /= energy[k]
		}
	}
	t.Lost = lost
	return t
}

// The least noise is the one that SLSQP of SciPy 1.10 finds from several starts, and what weights leave is within the bounds.
func TestLeastNoise(t *testing.T) {
	for _, c := range []struct {
		peak   float64
		slices int
		bounds equalise.Bounds
		noise  float64
	}{
		{0.28, 1, equalise.Bounds{Kept: 0.9, Texture: 0.9, Floor: 0.25}, 0.7051},
		{0.28, 3, equalise.Bounds{Kept: 0.9, Texture: 0.9, Floor: 0.25}, 0.5372},
		{0.28, 3, equalise.Bounds{Kept: 0.9, Texture: 0.9}, 0.5223},
		{0.28, 3, equalise.Bounds{Kept: 0.9, Texture: 0.8, Floor: 0.1}, 0.4590},
		{0.15, 3, equalise.Bounds{Kept: 0.9, Texture: 0.9, Floor: 0.25}, 0.5956},
	} {
		of := tissue(c.peak, 0, c.slices)
		w, ok := of.Solve(c.bounds)
		left := of.Left(w)
		if !ok || math.Abs(left.Noise-c.noise) > 0.002 {
			t.Errorf("%+v: %.4f of the noise is left, %v", c, left.Noise, ok)
		}
		if left.Kept < c.bounds.Kept-0.002 || left.Texture < c.bounds.Texture-0.002 || left.Floor < c.bounds.Floor-0.002 {
			t.Errorf("%+v leaves %+v", c, left)
		}
	}
}

// What a filter leaves of the noise cannot be gone below, and bounds above it are not reached.
func TestAFilterThatLeavesMuch(t *testing.T) {
	of := tissue(0.28, 0.8, 3)
	w, ok := of.Solve(equalise.Bounds{Kept: 0.5, Texture: 0.5, Floor: 0.1})
	if left := of.Left(w); !ok || left.Noise < 0.77 || left.Noise > 0.8 {
		t.Errorf("%+v, %v", left, ok)
	}
	if _, ok := of.Solve(equalise.Bounds{Kept: 1.1, Texture: 0.5, Floor: 0.1}); ok {
		t.Error("more than all contrast is kept")
	}
}

// The frontier runs from the original to the filter alone. The strength is the share of the noise that the filter alone
// removes. Up to the bounds it keeps more contrast than one share for all frequencies.
func TestFrontier(t *testing.T) {
	of := tissue(0.28, 0.2, 3)
	bounds := equalise.Bounds{Kept: 0.9, Texture: 0.9, Floor: 0.25}
	f := equalise.NewFrontier(of, bounds)
	alone := make(equalise.Weights, equalise.Levels*equalise.Slices)
	alone[0] = 1
	full := of.Left(alone)
	for _, strength := range []float64{0, 1, 20, 45, 60, 90, 100} {
		w, left := f.At(strength)
		if want := 1 - strength/100*(1-full.Noise); math.Abs(left.Noise-want) > 1e-5 {
			t.Errorf("strength %g leaves %g of the noise; want %g", strength, left.Noise, want)
		}
		plain := make(equalise.Weights, len(w))
		plain[0] = w[0]
		if plain[0] = (1 - left.Noise) / 0.8; strength >= 20 && strength < 50 && of.Left(plain).Kept > left.Kept-0.02 {
			t.Errorf("strength %g keeps %.3f of the contrast, one share %.3f", strength, left.Kept, of.Left(plain).Kept)
		}
	}
	if w, _ := f.At(100); w[0] != 1 {
		t.Errorf("at 100: %v", w)
	}
	best := f.Strongest(bounds)
	_, at := f.At(best)
	_, above := f.At(best + 1)
	// 0.015 of each is kept in hand.
	if best < 50 || at.Kept < 0.912 || at.Texture < 0.912 || at.Floor < 0.262 || above.Kept >= 0.913 && above.Texture >= 0.913 && above.Floor >= 0.263 {
		t.Errorf("strength %g leaves %+v, one more %+v", best, at, above)
	}
	if s := f.Strongest(equalise.Bounds{}); s != 100 {
		t.Errorf("strength %g without bounds", s)
	}
}
