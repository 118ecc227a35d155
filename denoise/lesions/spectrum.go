package lesions

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"quell/measure"
)

const (
	// slowest is the frequency, in cycles per pixel, below which edges outside a region show in it after a wide filter.
	slowest = 0.5
	// slowRings is the number of rings below it.
	slowRings = 10
)

// spectrum takes the figures of square patches from their transforms. The mean frequency is that of AAPM TG-233, the sum
// of f NPS(f) over that of NPS(f), along the radial curve up to the Nyquist frequency of the larger pixels.
type spectrum struct {
	side           int
	moment, weight []float64   // of each frequency of the plane
	squared        []float64   // of each frequency
	ring           []int       // of each frequency, by slowest
	ground         [][]float64 // orthonormal terms up to second order, the constant first
}

func newSpectrum(side int, pixel [2]float64) spectrum {
	s := spectrum{side: side, moment: make([]float64, side*side), weight: make([]float64, side*side), squared: make([]float64, side*side), ring: make([]int, side*side)}
	wrapped := func(k int) float64 {
		if k > side/2 {
			k -= side
		}
		return float64(k) / float64(side)
	}
	step := max(1/pixel[0], 1/pixel[1]) / float64(side)
	nyquist := min(1/pixel[0], 1/pixel[1]) / 2
	rings := map[int][]int{}
	at := make([]float64, side*side)
	for i := 1; i < side*side; i++ {
		s.squared[i] = math.Pow(wrapped(i%side), 2) + math.Pow(wrapped(i/side), 2)
		s.ring[i] = int(math.Sqrt(s.squared[i]) / slowest * slowRings)
		at[i] = math.Hypot(wrapped(i%side)/pixel[0], wrapped(i/side)/pixel[1])
		ring := int(at[i]/step + 0.5)
		rings[ring] = append(rings[ring], i)
	}
	for _, ring := range rings {
		n, mean := float64(len(ring)), 0.0
		for _, i := range ring {
			mean += at[i] / n
		}
		for _, i := range ring {
			if mean <= nyquist {
				s.moment[i], s.weight[i] = mean/n, 1/n
			}
		}
	}
	for _, power := range [][2]int{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1}, {0, 2}} {
		term := make([]float64, side*side)
		for i := range term {
			x, y := float64(i%side-side/2), float64(i/side-side/2)
			term[i] = math.Pow(x, float64(power[0])) * math.Pow(y, float64(power[1]))
		}
		for _, other := range s.ground {
			floats.AddScaled(term, -floats.Dot(term, other), other)
		}
		floats.Scale(1/math.Sqrt(floats.Dot(term, term)), term)
		s.ground = append(s.ground, term)
	}
	return s
}

// transform returns the discrete transform of a patch in two dimensions.
func (s spectrum) transform(values []float64) []complex128 {
	return measure.Transform(measure.Patch{Width: s.side, Height: s.side, Values: values})
}

// add adds the powers of a patch before and after.
func (s spectrum) add(to *sums, before, after []complex128) {
	for i := range before {
		if k := s.ring[i]; k < slowRings {
			a, b := before[i], after[i]
			to.slow[k][0] += real(a)*real(a) + imag(a)*imag(a)
			to.slow[k][1] += real(b)*real(b) + imag(b)*imag(b)
			to.slow[k][2] += real(a)*real(b) + imag(a)*imag(b)
		}
		for k, c := range [2]complex128{before[i], after[i]} {
			p := real(c)*real(c) + imag(c)*imag(c)
			to.variance[k], to.moment[k], to.weight[k] = to.variance[k]+p, to.moment[k]+s.moment[i]*p, to.weight[k]+s.weight[i]*p
		}
	}
}
