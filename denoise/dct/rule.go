package dct

import "math"

// Rule gives the part that is removed from the coefficients of a block, and what the block
// counts. The mean of the block, its first coefficient, always stays.
//
// Without a pilot it is a hard threshold: a coefficient of magnitude Threshold s or
// less is removed, with s its standard deviation in noise of sigma 1, and the block weighs
// 1 / the number of coefficients that stay. With one it is Wiener's: a coefficient keeps
// the share g = P^2 / (P^2 + (Sigma s)^2) of itself, with P the coefficient of the same
// block of the pilot, and the block weighs 1 / sum g^2.
type Rule struct {
	Threshold float64 // of orthonormal coefficients of white noise, in the volume's unit
	Sigma     float64 // of the noise, with a pilot

	Spectrum *Spectrum // of the noise in blocks of the filter's size; nil if it is white
}

// removed replaces orthonormal coefficients by their removed parts, in place,
// and returns the weight of the block. deviations are those of the spectrum, pilot is nil
// for a hard threshold.
func (r Rule) removed(c, pilot, deviations []float64) (weight float64) {
	if pilot == nil {
		kept := 1.0
		for k := 1; k < len(c); k++ {
			if math.Abs(c[k]) > r.Threshold*deviations[k] {
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
			q := pilot[k] / (r.Sigma * deviations[k])
			gain = 1 - 1/(1+q*q)
		}
		gains += gain * gain
		c[k] *= 1 - gain
	}
	c[0] = 0
	return 1 / gains
}

// Limits are the thresholds of the coefficients of a block in the unit of the fast forms,
// x fastest.
func (r Rule) Limits(size [3]int) []float32 {
	_, scale := Units(size)
	var limits []float32
	for _, s := range r.Spectrum.deviations(size) {
		limits = append(limits, float32(min(r.Threshold*s*scale, math.MaxFloat32)))
	}
	return limits
}

// Gain is the factor of a coefficient of the pilot, in the unit of the fast forms, whose
// standard deviation in noise of sigma 1 is s: one over the deviation in the noise; 0 if
// there is none.
func (r Rule) Gain(size [3]int, s float64) float32 {
	if r.Sigma == 0 {
		return 0
	}
	_, scale := Units(size)
	return float32(min(1/(r.Sigma*s*scale), math.MaxFloat32))
}
