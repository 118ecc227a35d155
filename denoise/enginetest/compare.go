package enginetest

import (
	"context"
	"fmt"
	"math"

	"quell/volume"
)

// Two engines agree if no voxel differs by more than MaxDiff and the root
// mean square of all differences is at most RMSDiff, both times the range of
// the input.
const (
	MaxDiff = 1e-4
	RMSDiff = 1e-5
)

// Margin is how much of the tolerance a comparison used; 1 is all of it.
type Margin struct{ Max, RMS float64 }

// Agree compares a result with the expected one by the rule above and returns
// the margin. Padding must agree to the bit; a NaN never agrees.
func Agree(got, want *volume.Volume, valueRange float64) (Margin, error) {
	var m Margin
	if got.Dims != want.Dims || len(got.Data) != len(want.Data) {
		return m, fmt.Errorf("%v voxels; want %v", got.Dims, want.Dims)
	}
	sum, n := 0.0, 0
	for i, w := range want.Data {
		g := got.Data[i]
		if got.Valid(i) != want.Valid(i) {
			return m, fmt.Errorf("voxel %d: valid is %v; want %v", i, got.Valid(i), want.Valid(i))
		}
		if !want.Valid(i) {
			if g != w {
				return m, fmt.Errorf("voxel %d is padding and was changed from %v to %v", i, w, g)
			}
			continue
		}
		d := math.Abs(float64(g) - float64(w))
		if !(d <= MaxDiff*valueRange) {
			return m, fmt.Errorf("voxel %d is %v; want %v: %.3g of the range apart, allowed are %g", i, g, w, d/valueRange, MaxDiff)
		}
		m.Max = max(m.Max, d/(MaxDiff*valueRange))
		sum += d * d
		n++
	}
	if n == 0 {
		return m, nil // all padding
	}
	m.RMS = math.Sqrt(sum/float64(n)) / (RMSDiff * valueRange)
	if !(m.RMS <= 1) {
		return m, fmt.Errorf("root mean square difference is %.3g of the range; allowed are %g", m.RMS*RMSDiff, RMSDiff)
	}
	return m, nil
}

// rangeOf returns the range that tolerances are relative to: for a volume of one
// value, with range 0, a hundredth of that value.
func rangeOf(v *volume.Volume) float64 {
	lo, hi, _ := v.Range(context.Background()) // without a cancel there is no error
	return max(float64(hi)-float64(lo), math.Abs(float64(hi))/100)
}
