package sadct

import "math/bits"

// maxReach is how far a support reaches from its centre at most, maxSide its largest
// extent.
const (
	maxReach = maxLength - 1
	maxSide  = 2*maxReach + 1
)

// support is the set of pixels around a centre over which it is transformed, column by
// column: bit maxReach + dy of s[maxReach + dx] is set for the pixel at (dx, dy).
type support [maxSide]uint32

// pixels returns the number of pixels.
func (s *support) pixels() int {
	n := 0
	for _, column := range s {
		n += bits.OnesCount32(column)
	}
	return n
}

// has reports whether the pixel at (dx, dy) from the centre belongs to the support.
func (s *support) has(dx, dy int) bool {
	return dx >= -maxReach && dx <= maxReach && dy >= -maxReach && dy <= maxReach &&
		s[maxReach+dx]>>(maxReach+dy)&1 != 0
}

// sector calls f with every pixel (dx, dy) of the triangle between an axis of length
// a and a diagonal next to it of length b, given their steps: in row e of steps along
// the diagonal, the pixels from the diagonal to the straight line that joins the ends
// of both.
func sector(axis, diagonal [2]int, a, b int, f func(dx, dy int)) {
	for e := range b {
		last := a - 1
		if b > 1 {
			last = ((a-1)*(b-1) - e*(a-b)) / (b - 1) // of numbers that are not negative: rounded down
		}
		for i := e; i <= last; i++ {
			f(e*diagonal[0]+(i-e)*axis[0], e*diagonal[1]+(i-e)*axis[1])
		}
	}
}

// polygon returns the support of these lengths in the eight directions: the union of
// the eight sectors.
func polygon(lengths [8]int) (s support) {
	for d := range 8 {
		next := (d + 1) % 8
		axis, diagonal := d, next
		if d%2 == 1 {
			axis, diagonal = next, d
		}
		sector(directions[axis], directions[diagonal], lengths[axis], lengths[diagonal], s.add)
	}
	return s
}

func (s *support) add(dx, dy int) { s[maxReach+dx] |= 1 << (maxReach + dy) }

// shapes are the sectors of a list of scales, from which supports are put together:
// shapes[d][i][k] is the one between directions d and d + 1, with scales of the
// indices i and k.
type shapes [8][8][8]support

func newShapes(scales []int) *shapes {
	var all shapes
	for d := range 8 {
		for i := range 8 {
			for k := range 8 {
				here, next := scales[min(i, len(scales)-1)], scales[min(k, len(scales)-1)]
				if d%2 == 0 {
					sector(directions[d], directions[(d+1)%8], here, next, all[d][i][k].add)
				} else {
					sector(directions[(d+1)%8], directions[d], next, here, all[d][i][k].add)
				}
			}
		}
	}
	return &all
}

// of returns the support of the packed indices of the eight directions; only columns up
// to reach from the centre are touched.
func (all *shapes) of(s *support, packed, reach int) {
	columns := s[maxReach-reach : maxReach+reach+1]
	clear(columns)
	here := packed & 7
	for d := range 8 {
		next := packed >> (3 * ((d + 1) % 8)) & 7
		for i, column := range all[d][here][next][maxReach-reach : maxReach+reach+1] {
			columns[i] |= column
		}
		here = next
	}
}
