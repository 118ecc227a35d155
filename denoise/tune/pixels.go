package tune

import "math/bits"

// pixels are some of those around an extremum, which is 0, 0: a word for each row and a bit for
// each column. They lie at most middle - ringTo from it along either axis, so that what is near
// them fits as well.
type pixels [2*middle + 1]uint64

// middle is the row and the bit of the extremum.
const middle = 24

func (p *pixels) set(x, y int)   { p[middle+y] |= 1 << (middle + x) }
func (p *pixels) unset(x, y int) { p[middle+y] &^= 1 << (middle + x) }

// each calls f for the pixels row by row.
func (p *pixels) each(f func(x, y int) bool) {
	for y, row := range p {
		for ; row != 0; row &= row - 1 {
			if !f(bits.TrailingZeros64(row)-middle, y-middle) {
				return
			}
		}
	}
}

// inner returns the pixels with all four neighbours among them.
func (p *pixels) inner() (out pixels) {
	for y := 1; y < len(p)-1; y++ {
		out[y] = p[y] & (p[y] << 1) & (p[y] >> 1) & p[y-1] & p[y+1]
	}
	return out
}

// near returns those within a distance of any of them, ringTo at most.
func (p *pixels) near(distance int) (out pixels) {
	for y, row := range p {
		if row == 0 {
			continue
		}
		wide := 0 // pixels to either side that are within the distance, so many rows away
		for away := distance; away >= 0; away-- {
			for ; (wide+1)*(wide+1)+away*away <= distance*distance; wide++ {
				row |= row<<1 | row>>1
			}
			out[y-away] |= row
			out[y+away] |= row
		}
	}
	return out
}

// remove removes others.
func (p *pixels) remove(others pixels) {
	for y := range p {
		p[y] &^= others[y]
	}
}

// clip removes those outside a slice of nx by ny pixels in which the extremum is at x, y.
func (p *pixels) clip(x, y, nx, ny int) {
	columns := ^uint64(0) << max(middle-x, 0) & (^uint64(0) >> max(63-(middle+nx-1-x), 0))
	for k := range p {
		if row := y + k - middle; row < 0 || row >= ny {
			p[k] = 0
		}
		p[k] &= columns
	}
}
