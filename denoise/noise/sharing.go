package noise

import (
	"cmp"
	"context"
	"math"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// sharing is what windows of even tissue have in common with those one and two slices on.
// Noise of separate slices is their own; anatomy that runs through them and the streaks of few
// views are in both.
type sharing struct {
	rho       [3]float64 // correlation of what fits leave, by the distance in slices
	structure float64    // share of the variance that is structure and no noise
	shown     bool       // windows two slices apart lie at enough places to show it
}

// mostShared bounds the windows that are compared.
const mostShared = 20000

// share compares the even windows of side n, in the order of surfaceFits, with those above them. Slices that overlap share
// noise as well. A slice profile that reaches beyond the next slice makes the correlation fall
// about linearly, from 1 to rho(1) to rho(2) = 2 rho(1) - 1; what rho(2) is above that, and above
// chance, is structure.
func share(ctx context.Context, v *volume.Volume, even []window, n int) (sharing, error) {
	s := sharing{rho: [3]float64{1, 0, 0}}
	surface := surfaces(n, 2)
	step := 1 + (len(even)-1)/mostShared
	found := make([][3]sharedPair, (len(even)+step-1)/step) // by distance in slices
	err := parallel.For(ctx, len(found), func(i int) error {
		found[i] = pairsOf(v, even, i*step, n, surface)
		return nil
	})
	if err != nil {
		return s, err
	}
	var both, alone, pairs [3]float64
	for _, of := range found { // in order: the same bits on any number of cores
		for dz, p := range of {
			both[dz] += p.both
			alone[dz] += p.alone
			pairs[dz] += p.count
		}
	}
	for dz := 1; dz <= 2; dz++ {
		if pairs[dz] >= minWindows && alone[dz] > 0 {
			s.rho[dz] = min(max(both[dz]/alone[dz], 0), 1)
		}
	}
	s.shown = pairs[2] >= minWindows
	// Windows share pixels: each adds the square of the step. Of the noise of a soft kernel about
	// eight pixels are one sample.
	chance := 2 * math.Sqrt(8/max(pairs[2]*float64(fitStep(n)*fitStep(n)), 1))
	if structure := s.rho[2] - max(2*s.rho[1]-1, 0); structure > chance {
		s.structure = structure
	}
	return s, nil
}

// sharedPair is what a pair of windows has in common, and the mean of what each has alone; count is 0 if there is
// no pair.
type sharedPair struct{ both, alone, count float64 }

// pairsOf compares window i with those one and two slices on.
func pairsOf(v *volume.Volume, even []window, i, n int, surface [][]float64) (pairs [3]sharedPair) {
	var own []float64
	for dz := 1; dz <= 2; dz++ {
		above := even[i].above(dz)
		if !holds(even, above) {
			continue
		}
		if own == nil {
			own = residual(v, even[i].at, n, surface)
		}
		other := residual(v, above, n, surface)
		pairs[dz] = sharedPair{product(own, other), (product(own, own) + product(other, other)) / 2, 1}
	}
	return pairs
}

// limit lowers the confidence of a figure if neighbouring slices share much of it that slices two
// apart do not, or if there are too few slices to show it.
func (s sharing) limit(f *Figure) {
	between := s.noise()[1]
	why := message.New(message.NoiseCorrelated, "neighbouring slices share %.0f %% of it: slices overlap, or fine anatomy is part of the figure", 100*between)
	switch {
	case between > 0.4:
		f.limit(Figure{Confidence: Low, Why: why})
	case between > 0.1:
		f.limit(Figure{Confidence: Fair, Why: why})
	case !s.shown: // one kind of evidence
		f.limit(Figure{Confidence: Fair, Why: message.New(message.NoiseTexture, "too few slices show what neighbours share: anatomy or streaks may be part of the figure")})
	}
}

// noise returns the correlation of the noise across slices.
func (s sharing) noise() (across [3]float64) {
	across[0] = 1
	for dz := 1; dz <= 2; dz++ {
		across[dz] = max(s.rho[dz]-s.structure, 0) / max(1-s.structure, 1e-9)
	}
	return across
}

// holds says whether one of the windows, which are in the order that surfaceFits finds them in,
// is at a place.
func holds(ws []window, at [3]int32) bool {
	_, found := slices.BinarySearchFunc(ws, at, func(w window, at [3]int32) int {
		return cmp.Or(cmp.Compare(w.at[2], at[2]), cmp.Compare(w.at[1], at[1]), cmp.Compare(w.at[0], at[0]))
	})
	return found
}

// above returns the place of the window dz slices on.
func (w window) above(dz int) [3]int32 { return [3]int32{w.at[0], w.at[1], w.at[2] + int32(dz)} }
