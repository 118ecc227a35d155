package volume

import "math"

// Finite reports whether all values are finite. A sum is not finite if a value is not: there is one addition for each value, and
// sums of large values, which overflow, are looked at again.
func Finite(values []float32) bool {
	for ; len(values) >= 16; values = values[16:] {
		v := (*[16]float32)(values)
		a, b := v[0]+v[4]+v[8]+v[12], v[1]+v[5]+v[9]+v[13]
		c, d := v[2]+v[6]+v[10]+v[14], v[3]+v[7]+v[11]+v[15]
		if sum := a + b + (c + d); sum-sum != 0 && !eachFinite(v[:]) {
			return false
		}
	}
	return eachFinite(values)
}

func eachFinite(values []float32) bool {
	for _, x := range values {
		if x-x != 0 {
			return false
		}
	}
	return true
}

// MaskNonFinite makes padding of the voxels that are not finite: their mask is false, which is that of no other
// voxel, and their value the lowest of the others. It returns how many others there are; if none, the values are
// infinite.
func (v *Volume) MaskNonFinite() (valid int) {
	v.Mask = make([]bool, len(v.Data))
	lowest := float32(math.Inf(1))
	for i, x := range v.Data {
		if v.Mask[i] = x-x == 0; v.Mask[i] {
			lowest = min(lowest, x)
			valid++
		}
	}
	for i, finite := range v.Mask {
		if !finite {
			v.Data[i] = lowest
		}
	}
	return valid
}
