package noise

import (
	"math"
	"slices"

	"quell/volume"
)

// window is one window of the volume: its place and what was measured in it.
type window struct {
	at   [3]int32 // its first voxel
	sd   float32  // standard deviation of the noise in it, before any correction
	mean float32  // of its voxels
	// uneven is what structure raises and the noise in sd has no part in: of differences the
	// standard deviation of the voxels about their mean, without the share that the
	// differences have in noise; of surface fits the root mean square of what the terms took, in units
	// of the noise that makes them.
	uneven float32
	spread float32 // of differences alone: standard deviation of the voxels about their mean
}

// The windows that evenest chooses.
const (
	evenestShare = 0.15
	fewEven      = 150             // differences: a figure from fewer scatters
	fewLevel     = 10 * minWindows // the same of surface fits
	// tolerableTexture is how uneven a window may be if the noise covers its
	// texture, in sigmas; noise alone makes it 1.
	tolerableTexture = 2
)

// evenest returns the windows that are not more uneven than most, and at least the evenest of them, a share of all and few.
// Structure that raises the standard deviation of a window mostly raises its unevenness as well, in which the noise that is
// measured has no part.
func evenest(ws []window, most float64, few int) []window {
	share := max(evenestShare, min(float64(few)/max(float64(len(ws)), 1), 1))
	limit := float32(max(most, quantile(unevennesses(ws), share)))
	return keep(func(w window) bool { return w.uneven <= limit }, ws)
}

func unevennesses(ws []window) []float64 {
	out := make([]float64, len(ws))
	for i, w := range ws {
		out[i] = float64(w.uneven)
	}
	return out
}

// keep returns the windows, of one slice or more, that a condition holds for.
func keep(holds func(window) bool, ws ...[]window) []window {
	n := 0
	for _, of := range ws {
		for _, w := range of {
			if holds(w) {
				n++
			}
		}
	}
	kept := make([]window, 0, n)
	for _, of := range ws {
		for _, w := range of {
			if holds(w) {
				kept = append(kept, w)
			}
		}
	}
	return kept
}

// count returns how many windows there are.
func count(ws ...[]window) (n int) {
	for _, of := range ws {
		n += len(of)
	}
	return n
}

// otsuBins is the usual number of bins.
const otsuBins = 256

// threshold separates the windows into two classes by their means (Otsu 1979)
// and returns the value between them. The brightest 2 % are clipped first, so
// that fat or vessels do not form the upper class alone.
func threshold(ws []window) float64 {
	if len(ws) == 0 {
		return 0
	}
	means := make([]float64, len(ws))
	for i, w := range ws {
		means[i] = float64(w.mean)
	}
	lo, hi := slices.Min(means), nth(means, len(means)*98/100)
	if !(lo < hi) {
		return math.Inf(-1) // one class: everything is foreground
	}
	width := (hi - lo) / otsuBins
	var bins [otsuBins]float64
	total, moment := 0.0, 0.0
	for _, m := range means {
		b := min(int((m-lo)/width), otsuBins-1)
		bins[b]++
		total++
		moment += float64(b)
	}
	best, cut := -1.0, 0
	below, belowMoment := 0.0, 0.0
	for b, n := range bins[:otsuBins-1] {
		below += n
		belowMoment += n * float64(b)
		above := total - below
		if below == 0 || above == 0 {
			continue
		}
		d := belowMoment/below - (moment-belowMoment)/above
		if between := below * above * d * d; between > best {
			best, cut = between, b
		}
	}
	return lo + (float64(cut)+1)*width
}

// quantile returns the q-quantile of x, which it rearranges.
func quantile(x []float64, q float64) float64 {
	if len(x) == 0 {
		return 0
	}
	at := q * float64(len(x)-1)
	i := int(at)
	a := nth(x, i)
	if i+1 >= len(x) {
		return a
	}
	return a + (at-float64(i))*(slices.Min(x[i+1:])-a)
}

// nth returns the value that place n of x has in order; it rearranges x so that none before is larger, and none
// behind smaller (Hoare 1961).
func nth(x []float64, n int) float64 {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot, i, j := x[(lo+hi)/2], lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for pivot < x[j] {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case n <= j:
			hi = j
		case n >= i:
			lo = i
		default:
			return x[n]
		}
	}
	return x[n]
}

// middle returns the mean of the middle half of x, which it rearranges: of noise it is the
// median, and scatters less. It is 0 of none.
func middle(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	from, to := len(x)/4, len(x)-len(x)/4
	nth(x, from)
	x = x[from:]
	nth(x, to-from-1)
	sum := 0.0
	for _, a := range x[:to-from] {
		sum += a
	}
	return sum / float64(to-from)
}

// logMode returns the most frequent value of x: the peak of the density of
// log x, from a histogram of 3 % bins smoothed over 9 %. For the sample standard
// deviation of normal values that peak lies at the true one, whatever the number
// of samples. Values of 0 count as the smallest bin.
func logMode(x []float64) float64 {
	const width, smooth = 0.03, 3
	lo, hi := math.Inf(1), 0.0
	zeros := 0
	for _, v := range x {
		if v > 0 {
			lo, hi = min(lo, v), max(hi, v)
		} else {
			zeros++
		}
	}
	if 2*zeros >= len(x) {
		return 0
	}
	lo = max(lo, hi*1e-9)
	n := int(math.Log(hi/lo)/width) + 1
	bins := make([]float64, n+6*smooth+1)
	for _, v := range x {
		if v < lo {
			continue
		}
		bins[int(math.Log(v/lo)/width)+3*smooth]++
	}
	best, at := -1.0, 0
	density := make([]float64, len(bins))
	for b := range bins {
		for k := -3 * smooth; k <= 3*smooth; k++ {
			if b+k >= 0 && b+k < len(bins) {
				density[b] += bins[b+k] * math.Exp(-0.5*float64(k*k)/(smooth*smooth))
			}
		}
		if density[b] > best {
			best, at = density[b], b
		}
	}
	// A parabola through the peak and its neighbours.
	shift := 0.0
	if at > 0 && at < len(bins)-1 {
		a, b, c := density[at-1], density[at], density[at+1]
		if d := a - 2*b + c; d < 0 {
			shift = 0.5 * (a - c) / d
		}
	}
	return lo * math.Exp((float64(at-3*smooth)+0.5+shift)*width)
}

// allValid says whether the box holds no padding.
func allValid(v *volume.Volume, r volume.Region) bool {
	if v.Mask == nil {
		return true
	}
	for z := r.Min[2]; z < r.Max[2]; z++ {
		for y := r.Min[1]; y < r.Max[1]; y++ {
			if slices.Contains(v.Mask[v.Index(r.Min[0], y, z):v.Index(r.Max[0]-1, y, z)+1], false) {
				return false
			}
		}
	}
	return true
}
