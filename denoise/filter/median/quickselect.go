package median

import (
	"quell/denoise"
	"quell/volume"
)

// neighbourhood appends the values around (x, y, z) that are used.
func neighbourhood(values []float32, p Params, in *denoise.Field, x, y, z int) []float32 {
	at := volume.Region{Min: [3]int{x, y, z}, Max: [3]int{x + 1, y + 1, z + 1}}
	r := in.Around(at, p.Radius)
	for jz := r.Min[2]; jz < r.Max[2]; jz++ {
		for jy := r.Min[1]; jy < r.Max[1]; jy++ {
			from := in.Index(r.Min[0], jy, jz)
			to := from + r.Dims()[0]
			if in.Mask == nil {
				values = append(values, in.Data[from:to]...)
				continue
			}
			for i := from; i < to; i++ {
				if in.Mask[i] {
					values = append(values, in.Data[i])
				}
			}
		}
	}
	return values
}

// median returns the middle value of s, or the mean of the two in the middle. It
// reorders s.
func median(s []float32) float32 {
	n := len(s)
	upper := quickselect(s, n/2)
	if n%2 == 1 {
		return upper
	}
	// quickselect leaves no value above upper before position n/2.
	lower := s[0]
	for _, v := range s[1 : n/2] {
		lower = max(lower, v)
	}
	return mean(lower, upper)
}

// mean is rounded once.
func mean(a, b float32) float32 { return float32((float64(a) + float64(b)) / 2) }

// quickselect returns the k-th smallest value of s, counted from 0, and leaves
// nothing larger before position k and nothing smaller after it (Hoare 1961, with
// the median of three as pivot).
func quickselect(s []float32, k int) float32 {
	lo, hi := 0, len(s)-1
	for lo < hi {
		mid := (lo + hi) / 2
		if s[mid] < s[lo] {
			s[mid], s[lo] = s[lo], s[mid]
		}
		if s[hi] < s[lo] {
			s[hi], s[lo] = s[lo], s[hi]
		}
		if s[hi] < s[mid] {
			s[hi], s[mid] = s[mid], s[hi]
		}
		pivot := s[mid]
		i, j := lo, hi
		for i <= j {
			for s[i] < pivot {
				i++
			}
			for pivot < s[j] {
				j--
			}
			if i <= j {
				s[i], s[j] = s[j], s[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			return s[k]
		}
	}
	return s[k]
}
