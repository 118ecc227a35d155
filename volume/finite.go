package volume

import "math"

// Finite reports whether all values are finite. x - x is 0, or NaN if x is not, which
// sums keep: there is one branch for eight values.
func Finite(values []float32) bool {
	for ; len(values) >= 8; values = values[8:] {
		v := (*[8]float32)(values)
		a, b := v[0]-v[0]+(v[1]-v[1]), v[2]-v[2]+(v[3]-v[3])
		c, d := v[4]-v[4]+(v[5]-v[5]), v[6]-v[6]+(v[7]-v[7])
		if a+b+(c+d) != 0 {
			return false
		}
	}
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
