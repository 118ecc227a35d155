package dct

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The deviations are those of the transform of noise with that correlation.
func TestSpectrumIsThatOfTheNoise(t *testing.T) {
	size := [3]int{5, 4, 3}
	// Sums of neighbours of white noise, weighted 3 and 4 fifths along each axis.
	lag := func(d int) float64 { return map[int]float64{0: 1, 1: 0.48}[max(d, -d)] }
	s := NewSpectrum(size, func(d [3]int) float64 { return lag(d[0]) * lag(d[1]) * lag(d[2]) })
	var bases [3]*basis
	for c, n := range size {
		bases[c] = newBasis(n)
	}
	random := rand.New(rand.NewPCG(9, 1))
	squares := make([]float64, 60)
	const blocks = 6000
	for range blocks {
		wide := [3]int{size[0] + 1, size[1] + 1, size[2] + 1}
		white := make([]float64, wide[0]*wide[1]*wide[2])
		for i := range white {
			white[i] = random.NormFloat64()
		}
		var noise []float64
		for z := range size[2] {
			for y := range size[1] {
				for x := range size[0] {
					sum := 0.0
					for k := range 8 {
						w := 1.0
						for c := range 3 {
							w *= []float64{0.6, 0.8}[k>>c&1]
						}
						sum += w * white[((z+k>>2)*wide[1]+y+k>>1&1)*wide[0]+x+k&1]
					}
					noise = append(noise, sum)
				}
			}
		}
		for i, c := range transform(noise, bases) {
			squares[i] += c * c / blocks
		}
	}
	for i, want := range s.deviations(size) {
		if got := math.Sqrt(squares[i]); math.Abs(got/want-1) > 0.05 {
			t.Errorf("coefficient %d has the deviation %.3f; want %.3f", i, got, want)
		}
	}
}

// White noise has a deviation of 1 everywhere, and a correlation that none can have is
// bounded.
func TestSpectrumOfExtremes(t *testing.T) {
	size := [3]int{8, 8, 4}
	white := func(d [3]int) float64 {
		if d == [3]int{} {
			return 1
		}
		return 0
	}
	for i, s := range NewSpectrum(size, white).deviations(size) {
		if math.Abs(s-1) > 1e-12 {
			t.Errorf("white noise: coefficient %d has the deviation %g", i, s)
		}
	}
	least := math.Sqrt(leastPower)
	impossible := NewSpectrum(size, func(d [3]int) float64 { return map[bool]float64{true: 1, false: -1}[d == [3]int{}] })
	if got := impossible.Within[0][0]; got != least {
		t.Errorf("less power than none: %g; want %g", got, least)
	}
	for _, power := range []float64{leastPower * 0.99, leastPower, leastPower * 1.01} {
		if got, want := deviation(power), math.Sqrt(max(power, leastPower)); got != want {
			t.Errorf("power %g: %g; want %g", power, got, want)
		}
	}
}

// A spectrum of white noise gives the bits that no spectrum gives, with vector code and
// without it, for a threshold and for Wiener's gains; another changes them.
func TestWhiteSpectrumChangesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 7))
	d := [3]int{40, 13, 9}
	noise := func(int, int, int) float64 { return 100 * random.NormFloat64() }
	in, pilot := field(d, noise), field(d, noise)
	for n := 2; n <= Largest; n++ {
		size := [3]int{n, n, n}
		var white, other Spectrum
		for i := range Largest {
			white.Across[i], other.Across[i] = 1, 1+0.1*float64(i)
			for k := range Largest {
				white.Within[i][k], other.Within[i][k] = 1, 1+0.05*float64(i*k)
			}
		}
		for _, f := range []Filter{
			{In: in, Size: size, Rule: Rule{Threshold: 100}},
			{In: in, Pilot: &pilot, Size: size, Rule: Rule{Sigma: 100}},
		} {
			want := filtered(f, d)
			f.Rule.Spectrum = &white
			if !slices.Equal(filtered(f, d), want) {
				t.Errorf("blocks of %d, pilot %v: white noise gives other bits", n, f.Pilot != nil)
			}
			f.Rule.Spectrum = &other
			got := filtered(f, d)
			if slices.Equal(got, want) {
				t.Errorf("blocks of %d, pilot %v: the spectrum has no effect", n, f.Pilot != nil)
			}
			reference := Reference(size, f.Rule)
			for i := 0; i < len(got); i += 173 {
				if want := reference(&f.In, f.Pilot, i%d[0], i/d[0]%d[1], i/d[0]/d[1]); math.Abs(float64(got[i])-want) > 1e-2 {
					t.Errorf("blocks of %d, pilot %v: voxel %d is %g; want %g", n, f.Pilot != nil, i, got[i], want)
				}
			}
		}
	}
}
