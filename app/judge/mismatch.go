package judge

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/volume"
)

// Mismatch is what makes a result of another program no denoised image of its input: its voxels lie elsewhere, or its
// values mean something else.
type Mismatch struct {
	Kind  string  `json:"kind"`            // moved, turned, slices, units or clipped
	By    [3]int  `json:"by"`              // moved: by so many voxels along x, y and z
	Slice int     `json:"slice,omitempty"` // slices: the first that is another one, from 0
	From  int     `json:"from,omitempty"`  // slices: the one of the input that it is
	Scale float64 `json:"scale,omitempty"` // units, clipped: times the input
	Add   float64 `json:"add,omitempty"`   // and more
	Low   float64 `json:"low,omitempty"`   // clipped: the ends, in units of the input
	High  float64 `json:"high,omitempty"`
	why   message.Message
}

const (
	// closer is the share of the squared difference from the input below which another place of it explains a result, and another
	// that below which another slice does.
	closer, another = 0.9, 0.6
	// alike is the share of the variance that squares may be off at a place: slices of air are like one another.
	alike = 0.3
	// straight is the share below which a straight line of the values does. It changes them by leastUnits sigmas at least, and
	// leaves mostNoise of the variance of the noise in homogeneous squares, or the share texture of all variance, as denoising does.
	straight, leastUnits, mostNoise, texture = 0.3, 0.25, 0.5, 0.02
	// tissue is the share of the variance that squares and those beside them have in common, from which their line has a slope:
	// noise is in one of them, and does not bend it.
	tissue = 0.5
	// steady is how far in sigmas the middle half of the changes lies apart at most to either side of a value that is added, or firm
	// as its share.
	steady, firm = 0.6, 0.2
	// unsteady is the error of a slope.
	unsteady = 0.02
	// leastClipped is the share of voxels at an end of the values from which a result is clipped.
	leastClipped = 0.001
	// sampled is how many voxels are compared, and coarse the side of the square whose mean counts too.
	sampled, coarse = 20000, 4
)

// match compares voxels of a result with voxels of its input.
type match struct {
	before, after *volume.Volume
	at            [][3]int // voxels of the result
}

// place is a voxel of the input for one of the result: after swapping x and y, and turning axes round, moved.
type place struct {
	swap bool
	turn [3]bool
	by   [3]int
}

func (p place) of(c, dims [3]int) [3]int {
	if p.swap {
		c[0], c[1] = c[1], c[0]
	}
	for k := range c {
		if c[k] -= p.by[k]; p.turn[k] {
			c[k] = dims[k] - 1 - c[k]
		}
	}
	return c
}

// mismatched returns what a whole result is in place of a denoised input; nil if it may be one.
func mismatched(before, after *volume.Volume, sigma noise.Figure, counts func(i int) bool) *Mismatch {
	m := match{before: before, after: after}
	n := after.SliceVoxels()
	for k := range min(sampled, len(after.Data)) {
		_, share := math.Modf(float64(k) * math.Phi) // spread evenly, along no axis
		if i := int(share * float64(len(after.Data))); before.Valid(i) {
			m.at = append(m.at, [3]int{i % n % after.Dims[0], i % n / after.Dims[0], i / n})
		}
	}
	var out *Mismatch
	if p := m.best(); p.swap || p.turn != [3]bool{} {
		out = &Mismatch{Kind: "turned", why: message.New(message.VerdictMismatch, "The result is turned or mirrored: its voxels are those of the input in another direction.")}
	} else if p.by != [3]int{} {
		out = &Mismatch{Kind: "moved", By: p.by, why: message.New(message.VerdictMismatch, "The result is moved by %d, %d and %d voxels along x, y and z.", p.by[0], p.by[1], p.by[2])}
	} else if z, from := m.slices(); z != from {
		out = &Mismatch{Kind: "slices", Slice: z, From: from, why: message.New(message.VerdictMismatch, "The slices of the result are in another order: slice %d is slice %d of the input.", z+1, from+1)}
	} else {
		out = m.values(sigma, counts)
	}
	return out
}

// value returns the mean of the square that begins at c.
func value(v *volume.Volume, c [3]int, side int) float64 {
	sum := 0.0
	for y := range side {
		for _, x := range v.Data[v.Index(c[0], c[1]+y, c[2]):][:side] {
			sum += float64(x)
		}
	}
	return sum / float64(side*side)
}

// line is the straight line by which one value follows another, and how far it is off.
type line struct{ n, x, y, xx, xy, yy float64 }

func (l *line) add(x, y float64) {
	l.n, l.x, l.y, l.xx, l.xy, l.yy = l.n+1, l.x+x, l.y+y, l.xx+x*x, l.xy+x*y, l.yy+y*y
}

// spread returns the variances of x and y, and their covariance.
func (l line) spread() (vx, vy, xy float64) {
	return l.xx/l.n - l.x*l.x/(l.n*l.n), l.yy/l.n - l.y*l.y/(l.n*l.n), l.xy/l.n - l.x*l.y/(l.n*l.n)
}

// off returns the shares of the variance that are off the best line at a place, of voxels and of squares.
func (m match) off(p place, voxels [][3]int) (out [2]float64) {
	dims := m.before.Dims
	for k, side := range [2]int{1, coarse} {
		var l line
		for _, c := range voxels {
			from, to := p.of(c, dims), c
			for i := range 2 {
				if to[i] += side; p.turn[i] {
					from[i] -= side - 1
				}
			}
			end := [3]int{from[0] + side, from[1] + side, from[2] + 1}
			if min(from[0], from[1], from[2]) >= 0 && inside(end, dims) && inside(to, dims) {
				l.add(value(m.before, from, side), value(m.after, c, side))
			}
		}
		vx, vy, xy := l.spread()
		if out[k] = 1; vx > 0 && vy > 0 {
			out[k] -= xy * xy / (vx * vy)
		}
		if l.n < float64(len(voxels))/2 {
			out[k] = math.Inf(1)
		}
	}
	return out
}

func inside(end, dims [3]int) bool {
	return end[0] <= dims[0] && end[1] <= dims[1] && end[2] <= dims[2]
}

// explains reports whether differences are clearly less than those at the voxel itself, at one scale, and not more at the other.
func explains(off, own [2]float64, closer float64) bool {
	return off[1] < alike && min(off[0]/own[0], off[1]/own[1]) < closer && off[0] < own[0]*1.02 && off[1] < own[1]*1.02
}

// best returns the place at which the result is most like its input.
func (m match) best() (best place) {
	own := m.off(place{}, m.at)
	least := own
	try := func(p place) {
		if off := m.off(p, m.at); explains(off, own, closer) && off[0]*least[1]+off[1]*least[0] < 2*least[0]*least[1] {
			best, least = p, off
		}
	}
	for axis := range 3 {
		for _, by := range []int{-3, -2, -1, 1, 2, 3} {
			p := place{}
			p.by[axis] = by
			try(p)
		}
	}
	for k := 1; k < 16; k++ {
		p := place{swap: k&1 != 0, turn: [3]bool{k&2 != 0, k&4 != 0, k&8 != 0}}
		if !p.swap || m.before.Dims[0] == m.before.Dims[1] {
			try(p)
		}
	}
	return best
}

// slices returns the first slice of the result that is another one of the input, and which; both are 0 if there is none.
func (m match) slices() (z, from int) {
	of := make([][][3]int, m.after.Dims[2])
	for _, c := range m.at {
		of[c[2]] = append(of[c[2]], c)
	}
	for z, voxels := range of {
		if len(voxels) < 100 {
			continue
		}
		own := m.off(place{}, voxels)
		for other := range of {
			p := place{by: [3]int{0, 0, z - other}}
			if other != z && explains(m.off(p, voxels), own, another) {
				var all [][3]int
				for i := 0; i < m.after.SliceVoxels(); i += 7 {
					all = append(all, [3]int{i % m.after.Dims[0], i / m.after.Dims[0], z})
				}
				if explains(m.off(p, all), m.off(place{}, all), another) {
					return z, other
				}
			}
		}
	}
	return 0, 0
}

// square is the mean of a square of the input, of the result, and of the square of the input beside it; how far those around differ.
type square struct{ x, y, beside, spread float64 }

// squares returns the more homogeneous half of the squares: at edges denoising changes more than the noise.
func (m match) squares(lo, hi float32, counts func(i int) bool) (all []square) {
	for _, c := range m.at {
		beside := [3]int{c[0] + coarse, c[1], c[2]}
		if c[1] < coarse || !inside([3]int{c[0] + 2*coarse, c[1] + 2*coarse, c[2] + 1}, m.after.Dims) || !counts(m.before.Index(c[0], c[1], c[2])) || !counts(m.before.Index(beside[0], beside[1], beside[2])) {
			continue
		}
		if a := m.after.At(c[0], c[1], c[2]); a > lo && a < hi {
			least, most := math.Inf(1), math.Inf(-1)
			for k := range 4 {
				x := value(m.before, [3]int{c[0] + k%2*coarse, c[1] + (k/2*2-1)*coarse, c[2]}, coarse)
				least, most = min(least, x), max(most, x)
			}
			all = append(all, square{value(m.before, c, coarse), value(m.after, c, coarse), value(m.before, beside, coarse), most - least})
		}
	}
	slices.SortFunc(all, func(a, b square) int { return cmp.Compare(a.spread, b.spread) })
	return all[:len(all)/2]
}

// values returns the units or the window of a result that the input does not have; nil if both have one unit.
func (m match) values(sigma noise.Figure, counts func(i int) bool) *Mismatch {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, c := range m.at {
		x := m.after.At(c[0], c[1], c[2])
		lo, hi = min(lo, x), max(hi, x)
	}
	all := m.squares(lo, hi, counts)
	if len(all) < 100 {
		return nil
	}
	var squares, after, before line
	for _, s := range all {
		squares.add(s.x, s.y)
		after.add(s.beside, s.y)
		before.add(s.beside, s.x)
	}
	vx, vy, xy := squares.spread()
	n, noisy := squares.n, sigma.Sigma
	if !(noisy > 0) {
		noisy = 0.005 * float64(hi-lo)
	}
	scale, unsure := 1.0, noisy
	_, _, shared := before.spread()
	if _, _, follows := after.spread(); shared > tissue*vx {
		scale = follows / shared
	}
	mean, apart, off := (squares.y-squares.x)/n, vx+vy-2*xy, vy-2*scale*xy+scale*scale*vx
	own, add := apart+mean*mean, 0.0
	if own > leastUnits*noisy*leastUnits*noisy && off < straight*own && off < scale*scale*max(mostNoise*noisy*noisy, texture*vx) {
		add, unsure = (squares.y-scale*squares.x)/n, noisy+unsteady*float64(hi-lo)/math.Abs(scale)
	} else {
		scale, add = 1, added(all, noisy)
	}
	if out := m.clipped(lo, hi, scale, add, noisy, unsure); out != nil || scale == 1 && add == 0 {
		return out
	}
	return &Mismatch{Kind: "units", Scale: scale, Add: add, why: message.New(message.VerdictMismatch, "The result has other units: its values are %s times those of the input, and %s more.", figureOf(scale), figureOf(add))}
}

// added returns what the darker half of the squares and the brighter have more, by their medians: the less of both, and 0 if
// it is none of all. A filter that smears them brings both nearer to one another.
func added(all []square, sigma float64) (add float64) {
	slices.SortFunc(all, func(a, b square) int { return cmp.Compare(a.beside, b.beside) })
	for k, half := range [2][]square{all[:len(all)/2], all[len(all)/2:]} {
		slices.SortFunc(half, func(a, b square) int { return cmp.Compare(a.y-a.x, b.y-b.x) })
		change := func(quarters int) float64 { s := half[len(half)*quarters/4]; return s.y - s.x }
		more := change(2)
		if math.Abs(more) < leastUnits*sigma || (change(3)-change(1))/2 > max(steady*sigma, firm*math.Abs(more)) || add*more < 0 {
			return 0
		}
		if k == 0 || math.Abs(more) < math.Abs(add) {
			add = more
		}
	}
	return add
}

// clipped returns the window whose ends hold values that the input has beyond; nil if there is none. An end that only
// noise exceeds, as in air, is none.
func (m match) clipped(lo, hi float32, scale, add, sigma, unsure float64) *Mismatch {
	share := 0.0
	for k, end := range [2]float32{lo, hi} {
		n, beyond, sum, sign := 0, 0, 0.0, float64(2*k-1)
		for _, c := range m.at {
			if m.after.At(c[0], c[1], c[2]) == end {
				over := sign * (scale*value(m.before, c, 1) + add - float64(end)) / math.Abs(scale)
				if n, sum = n+1, sum+over; over > unsure {
					beyond++
				}
			}
		}
		if beyond >= 10 && sum > sigma*float64(n) {
			share += float64(beyond) / float64(len(m.at))
		}
	}
	if share < leastClipped {
		return nil
	}
	low, high := (float64(lo)-add)/scale, (float64(hi)-add)/scale
	return &Mismatch{Kind: "clipped", Scale: scale, Add: add, Low: low, High: high, why: message.New(message.VerdictMismatch, "The result is clipped to a window from %s to %s: %.1f %% of its voxels lie beyond in the input.", figureOf(low), figureOf(high), 100*share)}
}

func figureOf(x float64) message.Figure { return message.Figure(fmt.Sprintf("%.4g", x)) }
