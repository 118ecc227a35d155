package measure

import "math"

// CrossPower are the spectra of several fields of noise in the same squares, and of each pair of them, over rings of the
// frequency plane as in [NPSOf], free of what the ground took. Powers are in no unit: they are for ratios.
type CrossPower struct {
	Frequency []float64   // of each ring, cycles/mm
	Area      []float64   // of the ring in the plane of frequencies
	Nyquist   float64     // cycles/mm, of the axis with the larger pixels
	Power     [][]float64 // of a ring the matrix of the fields, row by row: the real part of the mean of F_i conj(F_j)
}

// CrossPowerOf adds up places; at each the fields are patches of one size, the same at all places. The first ring
// with power is the first that is returned.
func CrossPowerOf(places [][]Patch) (out CrossPower) {
	first := places[0][0]
	width, height, n := first.Width, first.Height, len(places[0])
	du, dv := 1/(float64(width)*first.Pixel[0]), 1/(float64(height)*first.Pixel[1])
	step := max(du, dv)
	out.Nyquist = min(1/(2*first.Pixel[0]), 1/(2*first.Pixel[1]))
	rings := int(math.Hypot(du*float64(width/2), dv*float64(height/2))/step+0.5) + 1
	power := make([][]float64, rings)
	frequency, area, left := make([]float64, rings), make([]float64, rings), make([]float64, rings)
	ground := groundShare(width, height)
	for k := range power {
		power[k] = make([]float64, n*n)
	}
	transforms := make([][]complex128, n)
	for _, fields := range places {
		for i, p := range fields {
			transforms[i] = dft(p)
		}
		for at := range width * height {
			f := math.Hypot(du*float64(wrapped(at%width, width)), dv*float64(wrapped(at/width, height)))
			if f == 0 {
				continue
			}
			k := int(f/step + 0.5)
			frequency[k] += f
			area[k]++
			left[k] += 1 - ground[at]
			for i, a := range transforms {
				for j, b := range transforms[:i+1] {
					power[k][i*n+j] += real(a[at])*real(b[at]) + imag(a[at])*imag(b[at])
				}
			}
		}
	}
	for k, m := range power {
		if area[k] == 0 || m[0] == 0 {
			continue
		}
		for i := range n {
			for j := range i + 1 {
				m[i*n+j] /= left[k]
				m[j*n+i] = m[i*n+j]
			}
		}
		out.Frequency, out.Area, out.Power = append(out.Frequency, frequency[k]/area[k]), append(out.Area, area[k]), append(out.Power, m)
	}
	return out
}
