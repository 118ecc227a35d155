package judge

import (
	"fmt"
	"math"

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
	// leaves mostNoise of the variance of the noise in squares, as denoising does.
	straight, leastUnits, mostNoise = 0.3, 0.25, 0.5
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

// fit returns y = scale x + add by the ratio of the standard deviations, which noise in x and y alike does not bend, and
// the share of the variance of y that is off the best line.
func (l line) fit() (scale, add, off float64) {
	vx, vy, xy := l.xx/l.n-l.x*l.x/(l.n*l.n), l.yy/l.n-l.y*l.y/(l.n*l.n), l.xy/l.n-l.x*l.y/(l.n*l.n)
	if !(vx > 0 && vy > 0) {
		return 1, 0, 1
	}
	scale = math.Copysign(math.Sqrt(vy/vx), xy)
	return scale, (l.y - scale*l.x) / l.n, 1 - xy*xy/(vx*vy)
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
		if _, _, out[k] = l.fit(); l.n < float64(len(voxels))/2 {
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

// values returns the units or the window of a result that the input does not have; nil if both have one unit.
func (m match) values(sigma noise.Figure, counts func(i int) bool) *Mismatch {
	lo, hi := float32(math.Inf(1)), float32(math.Inf(-1))
	for _, c := range m.at {
		x := m.after.At(c[0], c[1], c[2])
		lo, hi = min(lo, x), max(hi, x)
	}
	var squares line
	own, change := 0.0, line{}
	for _, c := range m.at {
		if c[0]+coarse > m.after.Dims[0] || c[1]+coarse > m.after.Dims[1] || !counts(m.before.Index(c[0], c[1], c[2])) {
			continue
		}
		if a := m.after.At(c[0], c[1], c[2]); a > lo && a < hi {
			x, y := value(m.before, c, coarse), value(m.after, c, coarse)
			squares.add(x, y)
			change.add(y-x, 0)
			own += (x - y) * (x - y)
		}
	}
	if squares.n < 100 {
		return nil
	}
	scale, add, off := squares.fit()
	n, noisy := squares.n, sigma.Sigma
	off *= (squares.yy - squares.y*squares.y/n) / n
	if !(noisy > 0) {
		noisy = 0.005 * float64(hi-lo)
	}
	mean, most := change.x/n, mostNoise*noisy*noisy
	other := own/n > leastUnits*noisy*leastUnits*noisy && off < straight*own/n && off < most*scale*scale
	if !other {
		scale, add = 1, 0
	}
	if !other && math.Abs(mean) > leastUnits*noisy && change.xx/n-mean*mean < most {
		other, add = true, mean
	}
	if out := m.clipped(lo, hi, scale, add, noisy); out != nil {
		return out
	}
	if !other {
		return nil
	}
	return &Mismatch{Kind: "units", Scale: scale, Add: add, why: message.New(message.VerdictMismatch, "The result has other units: its values are %s times those of the input, and %s more.", figureOf(scale), figureOf(add))}
}

// clipped returns the window whose ends hold values that the input has beyond; nil if there is none.
func (m match) clipped(lo, hi float32, scale, add, sigma float64) *Mismatch {
	beyond := [2]int{}
	for _, c := range m.at {
		a, b := m.after.At(c[0], c[1], c[2]), scale*value(m.before, c, 1)+add
		switch {
		case a == lo && b < float64(lo)-sigma*math.Abs(scale):
			beyond[0]++
		case a == hi && b > float64(hi)+sigma*math.Abs(scale):
			beyond[1]++
		}
	}
	if share := float64(beyond[0]+beyond[1]) / float64(len(m.at)); share >= leastClipped && beyond[0]+beyond[1] >= 20 {
		low, high := (float64(lo)-add)/scale, (float64(hi)-add)/scale
		return &Mismatch{Kind: "clipped", Scale: scale, Add: add, Low: low, High: high, why: message.New(message.VerdictMismatch, "The result is clipped to a window from %s to %s: %.1f %% of its voxels lie beyond in the input.", figureOf(low), figureOf(high), 100*share)}
	}
	return nil
}

func figureOf(x float64) message.Figure { return message.Figure(fmt.Sprintf("%.4g", x)) }
