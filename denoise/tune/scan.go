package tune

import (
	"context"
	"math"
	"runtime"

	"quell/denoise/noise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// A mean over a volume does not see one lesion. So what a result differs by, from its input or
// from what its recipe makes, is looked at place by place: the sums over discs of every radius
// and over every number of slices that a small lesion may have, relative to the standard
// deviation that the noise itself gives such a sum.

// The discs of the scan: their largest radius in pixels, and the most slices that they reach over.
const (
	mostRadius = 5
	mostSlices = 3
)

// Change says what became of the contrast at a place.
type Change string

// The changes.
const (
	Removed Change = "removed" // what stood out there is weaker or gone
	Added   Change = "added"   // what stands out there did not, or less
)

// Finding is a place at which something was removed or added.
type Finding struct {
	Change Change  `json:"change"` // of the contrast to its surroundings: a bright object out of a dark one may add to that
	Darker bool    `json:"darker"` // the result is darker there than it should be, else brighter: of what sign the change is
	Z      float64 `json:"z"`      // its sum over the disc, in standard errors of the noise, without sign
	Radius int     `json:"radius"` // of the disc, in pixels
	Slices int     `json:"slices"` // that it reaches over, from Place.Slice on
	Place  Place   `json:"place"`  // its middle, in the first of the slices
	// Recipe says that the result was compared with what its recipe makes; otherwise the
	// residual shows the place.
	Recipe bool `json:"recipe"`
}

// disc is the word for a place that was found.
const disc = "a disc"

// AsMessage returns "at x 120, y 88 in slice 5, 8 pixels wide, over 2 slices, now darker".
func (f Finding) AsMessage() message.Message {
	at := message.Text("at x %d, y %d in slice %d, %d pixels wide", f.Place.X+1, f.Place.Y+1, f.Place.Slice+1, 2*f.Radius)
	if f.Slices > 1 {
		at = message.Text("%s, over %d slices", at, f.Slices)
	}
	if f.Darker {
		return message.Text("%s, now darker", at)
	}
	return message.Text("%s, now brighter", at)
}

// String returns the message in English.
func (f Finding) String() string { return f.AsMessage().String() }

// spot is a disc of a region and the sum over it, in standard errors.
type spot struct {
	at             [3]int // voxel of the region, in the first slice
	radius, slices int
	z              float64 // with its sign
}

// finding returns what was found there, in the voxels of the input.
func (s spot) finding(region volume.Region, t turn) *Finding {
	return &Finding{Change: t.change, Darker: t.darker, Z: math.Abs(s.z), Radius: s.radius, Slices: s.slices, Place: Place{
		X: region.Min[0] + s.at[0], Y: region.Min[1] + s.at[1], Slice: region.Min[2] + s.at[2], What: disc,
	}}
}

// stronger says whether a spot stands out more than another. Of equal ones the first does.
func (s spot) stronger(than spot) bool { return math.Abs(s.z) > math.Abs(than.z) }

// strongest returns the disc whose sum stands out most; its z is 0 if every sum is 0. The error
// is the context's.
func (r residue) strongest(ctx context.Context) (spot, error) {
	per := make([]spot, r.Dims[2])
	err := parallel.ForWorkers(ctx, r.Dims[2], runtime.GOMAXPROCS(0), func() func(int) error {
		d, sums := newDiscs(r.Dims[0], r.Dims[1]), make([]float64, r.SliceVoxels())
		pile, data, use := make([]float32, r.SliceVoxels()), make([]float32, r.SliceVoxels()), make([]bool, r.SliceVoxels())
		return func(z int) error {
			clear(pile)
			for n := 1; n <= mostSlices && z+n <= r.Dims[2]; n++ {
				r.slice(z+n-1, data, use)
				for i, a := range data {
					pile[i] += a
				}
				d.load(pile)
				for radius := 1; radius <= mostRadius; radius++ {
					d.sums(sums, radius)
					scale := 1 / math.Sqrt(float64(n)*discVariance(radius, r.correlation))
					for i, a := range sums {
						if s := (spot{[3]int{i % r.Dims[0], i / r.Dims[0], z}, radius, n, a * scale}); s.stronger(per[z]) {
							per[z] = s
						}
					}
				}
			}
			return nil
		}
	})
	var most spot
	for _, s := range per {
		if s.stronger(most) {
			most = s
		}
	}
	return most, err
}

// halfWidth returns how far a disc reaches to either side, dy rows from its middle.
func halfWidth(radius, dy int) int { return int(math.Sqrt(float64(radius*radius - dy*dy))) }

// discVariance returns the variance of the sum of noise of sigma 1 over a disc of one slice.
func discVariance(radius int, c *noise.Correlation) float64 {
	sum := 0.0
	for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
		for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
			if rho := c.Rho(dx, dy, 0); rho != 0 {
				sum += rho * float64(overlap(radius, dx, dy))
			}
		}
	}
	return max(sum, 1)
}

// overlap returns how many pixels a disc shares with itself, moved.
func overlap(radius, dx, dy int) (n int) {
	for y := max(-radius, -radius+dy); y <= min(radius, radius+dy); y++ {
		a, b := halfWidth(radius, y), halfWidth(radius, y-dy)
		n += max(min(a, b+dx)-max(-a, -b+dx)+1, 0)
	}
	return n
}

// discs takes sums over discs of a slice. Outside the slice there is 0.
type discs struct {
	nx, ny, width int
	upTo          []float64 // sums of the pixels before each of a row, with mostRadius pixels at either end
}

func newDiscs(nx, ny int) *discs {
	width := nx + 2*mostRadius + 1
	return &discs{nx: nx, ny: ny, width: width, upTo: make([]float64, width*ny)}
}

// load makes a slice what sums are taken of.
func (d *discs) load(src []float32) {
	for y := range d.ny {
		row, sum := d.upTo[y*d.width:][:d.width], 0.0
		for x := range row {
			row[x] = sum
			if k := x - mostRadius; k >= 0 && k < d.nx {
				sum += float64(src[y*d.nx+k])
			}
		}
	}
}

// sums writes the sums over the discs around every pixel.
func (d *discs) sums(dst []float64, radius int) {
	clear(dst)
	for y := range d.ny {
		out := dst[y*d.nx:][:d.nx]
		for dy := max(-radius, -y); dy <= min(radius, d.ny-1-y); dy++ {
			w := halfWidth(radius, dy)
			row := d.upTo[(y+dy)*d.width:][:d.width]
			to, from := row[mostRadius+w+1:][:d.nx], row[mostRadius-w:][:d.nx]
			for x := range out {
				out[x] += to[x] - from[x]
			}
		}
	}
}

// turn is what became of a place.
type turn struct {
	change Change
	darker bool
}

// turn says whether a volume that should look like another lost or gained contrast in a disc, and whether it is darker
// there: contrast is the mean over it less the mean over the ring around it.
func (s spot) turn(like, is func(x, y, z int) float64, dims [3]int) turn {
	var n, a, b [2]float64
	outer := s.radius + 3
	for z := s.at[2]; z < s.at[2]+s.slices; z++ {
		for y := max(s.at[1]-outer, 0); y <= min(s.at[1]+outer, dims[1]-1); y++ {
			for x := max(s.at[0]-outer, 0); x <= min(s.at[0]+outer, dims[0]-1); x++ {
				k, far := 0, (x-s.at[0])*(x-s.at[0])+(y-s.at[1])*(y-s.at[1])
				switch {
				case far <= s.radius*s.radius:
				case far > (s.radius+1)*(s.radius+1) && far <= outer*outer:
					k = 1
				default:
					continue
				}
				n[k], a[k], b[k] = n[k]+1, a[k]+like(x, y, z), b[k]+is(x, y, z)
			}
		}
	}
	t := turn{Removed, b[0] < a[0]}
	if n[1] > 0 && math.Abs(a[0]/n[0]-a[1]/n[1]) < math.Abs(b[0]/n[0]-b[1]/n[1]) {
		t.change = Added
	}
	return t
}
