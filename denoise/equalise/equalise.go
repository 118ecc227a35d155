// Package equalise takes what a filter removed by spatial frequency, in the place of one share for all:
//
//	result = v - W * (v - u)
//
// with v the original and u the result of a filter. W is a short kernel with the frequency response
//
//	W(fx, fy, fz) = sum_k sum_j w_kj B_k(fx) B_k(fy) cos(2 pi j fz),   B_k(f) = prod_(i<k) cos^2(2^i pi f)
//
// of frequencies in cycles per voxel: B_k are binomial filters of one, 3, 7 and 15 taps, j counts slices. [Kernel] applies
// weights, [Solve] finds those with the least noise within the bounds of a reader.
package equalise

import (
	"math"

	"quell/internal/message"
)

const (
	// Levels is the number of the B_k.
	Levels = 4
	// Slices is the number of the distances j from 0 on.
	Slices = 4
	// largest bounds a weight: beyond it the sums cancel each other.
	largest = 100
)

// Weights are the w_kj, level by level: one for a share that is the same at all frequencies, Levels of them within slices, or
// Levels times Slices.
type Weights []float64

// Share returns the weights that take the same share at all frequencies.
func Share(share float64) Weights { return Weights{share} }

// levels and slices are those of the kernel.
func (w Weights) levels() int { return min(len(w), Levels) }
func (w Weights) slices() int { return max(len(w)/Levels, 1) }

// at returns a weight.
func (w Weights) at(k, j int) float64 { return w[k*w.slices()+j] }

// Reach returns how far around a voxel the kernel reads, in voxels along each axis.
func (w Weights) Reach() [3]int {
	r := 1<<(w.levels()-1) - 1
	return [3]int{r, r, w.slices() - 1}
}

// Check reports numbers that are no weights of slices, or of volumes.
func (w Weights) Check(volumes bool) error {
	if n := len(w); n != 1 && n != Levels && (n != Levels*Slices || !volumes) {
		return message.Errorf(message.RecipeValue, "an equaliser of %d numbers; %d are needed", n, Levels*map[bool]int{false: 1, true: Slices}[volumes])
	}
	for _, x := range w {
		if !(math.Abs(x) <= largest) {
			return message.Errorf(message.RecipeValue, "the equaliser contains %g; numbers of %d to %d are possible", x, -largest, largest)
		}
	}
	return nil
}

// Taps returns W in the slice j slices away, row by row, in a square as wide as [Weights.Reach]: the definition of the kernel.
func (w Weights) Taps(j int) []float64 {
	radius := w.Reach()[0]
	side := 2*radius + 1
	taps := make([]float64, side*side)
	share := 0.5 // of one of the two slices at that distance
	if j == 0 {
		share = 1
	}
	for k := range w.levels() {
		b := binomial(k)
		for y, by := range b {
			for x, bx := range b {
				at := (y+radius-len(b)/2)*side + x + radius - len(b)/2
				taps[at] += share * w.at(k, j) * by * bx
			}
		}
	}
	return taps
}

// binomial returns the taps of B_k.
func binomial(k int) []float64 {
	taps := []float64{1}
	for i := range k {
		step := 1 << i
		wide := make([]float64, len(taps)+2*step)
		for x, t := range taps {
			wide[x] += t / 4
			wide[x+step] += t / 2
			wide[x+2*step] += t / 4
		}
		taps = wide
	}
	return taps
}

// Response returns W at a frequency in cycles per voxel.
func (w Weights) Response(fx, fy, fz float64) (sum float64) {
	b := 1.0
	for k := range w.levels() {
		if k > 0 {
			cx, cy := math.Cos(float64(int(1)<<(k-1))*math.Pi*fx), math.Cos(float64(int(1)<<(k-1))*math.Pi*fy)
			b *= cx * cx * cy * cy
		}
		for j := range w.slices() {
			sum += w.at(k, j) * b * math.Cos(2*math.Pi*float64(j)*fz)
		}
	}
	return sum
}
