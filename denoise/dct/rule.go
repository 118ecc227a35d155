package dct

import "math"

// Rule says what is removed from the coefficients of a block, and what the block
// counts. The mean of the block, its first coefficient, always stays.
//
// Without a pilot it is a hard threshold: a coefficient of magnitude Threshold or
// less is removed, and the block weighs 1 / the number of coefficients that stay.
// With one it is Wiener's: a coefficient keeps the share g = P^2 / (P^2 + Sigma^2)
// of itself, with P the coefficient of the same block of the pilot, and the block
// weighs 1 / sum g^2.
type Rule struct {
	Threshold float64 // of orthonormal coefficients, in the volume's unit
	Sigma     float64 // of the noise, with a pilot
}

// removed replaces orthonormal coefficients by what is removed of them, in place,
// and returns the weight of the block. pilot is nil for a hard threshold.
func (r Rule) removed(c, pilot []float64) (weight float64) {
	if pilot == nil {
		kept := 1.0
		for k := 1; k < len(c); k++ {
			if math.Abs(c[k]) > r.Threshold {
				kept, c[k] = kept+1, 0
			}
		}
		c[0] = 0
		return 1 / kept
	}
	gains := 1.0
	for k := 1; k < len(c); k++ {
		gain := 1.0
		if r.Sigma > 0 {
			q := pilot[k] / r.Sigma
			gain = 1 - 1/(1+q*q)
		}
		gains += gain * gain
		c[k] *= 1 - gain
	}
	c[0] = 0
	return 1 / gains
}

// Limit is the threshold of coefficients in the unit of the fast forms.
func (r Rule) Limit(size [3]int) float32 {
	_, scale := Units(size)
	return float32(min(r.Threshold*scale, math.MaxFloat32))
}
