package volume

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
