package tune

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"quell/internal/parallel"
	"quell/volume"
)

// A mean over the tissue hardly moves when one object of a few pixels fades, and the
// least error may even ask for it. So the objects that can be seen in the noise are
// looked at one by one. An object is what lies around an extremum of the result, on
// its side of the level halfway to the surroundings. With the means of v over it and
// over a ring around it
//
//	contrast = inside - ring
//
// is what the noisy slice shows, and the share of it that is in the residual is lost.
// The border, which every filter blurs a little, counts in neither.

// The radii in pixels within which an object must lie: its surroundings are there.
var surroundings = [...]int{4, 7, 11, 16}

const (
	// The ring, in pixels from the inside of an object, which ends a pixel before its
	// border.
	ringFrom, ringTo = 2, 4
	// fewestInside is how many pixels the inside of an object has at least.
	fewestInside = 5

	// seen is the standard error of a contrast, as a share of it, up to which it can be
	// read in the noise.
	seen = 0.07
	// even is the largest standard deviation of the inside and of the ring, as a share
	// of the contrast: more is another edge.
	even = 0.5
	// mostLost is the share of a contrast, less two standard errors, from which a
	// result is over: somewhat below the 15 % that matched stands for, as the extent of
	// an object is not known exactly.
	mostLost = 0.12
)

// object is a place that can be seen, with the share of its contrast that is lost.
type object struct {
	at   [3]int  // voxel of the region
	lost float64 // less two standard errors
}

// scene is a slice, or the mean of a few, in sigmas.
type scene struct {
	nx, ny    int
	slices    int
	effective float64   // pixels to one independent sample of the noise
	valid     []bool    // holds data
	use       []bool    // counts
	v, left   []float32 // the noisy slice and the residual
	after     []float32 // the result, blurred by a pixel
	blur      blurrer

	marks []int // of pixels that were visited, by the number of the visit
	visit int
	stack []int // of a flood
}

// faded returns the object of each slice that lost most, of those that lost more than
// mostLost; nil where there is none. The error is the context's.
func (r Result) faded(ctx context.Context) ([]*object, error) {
	d := r.Region.Dims()
	worst := make([]*object, d[2])
	v := r.Input.Masked()
	err := parallel.ForWorkers(ctx, d[2], runtime.GOMAXPROCS(0), func() func(int) error {
		s := newScene(d[0], d[1], r.Noise.Correlation.Effective())
		return func(z int) error {
			for _, span := range [...]int{0, 1} { // slices to either side that are averaged
				if span > 0 && d[2] == 1 {
					continue
				}
				s.fill(r, v, max(z-span, 0), min(z+span, d[2]-1))
				if o := s.faded(); o != nil && (worst[z] == nil || o.lost > worst[z].lost) {
					o.at[2] = z
					worst[z] = o
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			return nil
		}
	})
	return worst, err
}

func newScene(nx, ny int, effective float64) *scene {
	n := nx * ny
	return &scene{
		nx: nx, ny: ny, effective: effective, valid: make([]bool, n), use: make([]bool, n),
		v: make([]float32, n), left: make([]float32, n), after: make([]float32, n),
		blur: newBlurrer(nx, ny), marks: make([]int, n),
	}
}

// fill takes the mean of slices from..to of the region. A pixel is valid where it is
// so in all of them.
func (s *scene) fill(r Result, v *volume.Volume, from, to int) {
	s.slices = to - from + 1
	result := make([]float32, len(s.v))
	for y := range s.ny {
		for x := range s.nx {
			k := y*s.nx + x
			valid, use, a, left := true, true, 0.0, 0.0
			for z := from; z <= to; z++ {
				i := v.Index(r.Region.Min[0]+x, r.Region.Min[1]+y, r.Region.Min[2]+z)
				valid, use = valid && v.Valid(i), use && r.Foreground(i)
				sigma := r.Noise.Slice(r.Region.Min[2]+z).Sigma * float64(s.slices)
				a += float64(v.Data[i]) / sigma
				left += (float64(v.Data[i]) - float64(r.After.At(x, y, z))) / sigma
			}
			s.valid[k], s.use[k] = valid, valid && use
			s.v[k], s.left[k], result[k] = float32(a), float32(left), float32(a-left)
			if !valid {
				s.v[k], s.left[k], result[k] = 0, 0, 0
			}
		}
	}
	s.blur.blur(s.after, result, 1)
}

// faded returns the object that lost most, if that is more than mostLost.
func (s *scene) faded() (worst *object) {
	for y := 2; y < s.ny-2; y++ {
		for x := 2; x < s.nx-2; x++ {
			if !s.valid[y*s.nx+x] || !s.extremum(x, y) {
				continue
			}
			for _, radius := range surroundings {
				if lost := s.lost(x, y, radius); lost > mostLost && (worst == nil || lost > worst.lost) {
					worst = &object{at: [3]int{x, y, 0}, lost: lost}
				}
			}
		}
	}
	return worst
}

// extremum says whether a pixel is higher, or lower, than all within two pixels. Of
// equal ones it is the first.
func (s *scene) extremum(x, y int) bool {
	at := y*s.nx + x
	above, below := true, true
	for j := y - 2; j <= y+2; j++ {
		for i := x - 2; i <= x+2 && (above || below); i++ {
			next := j*s.nx + i
			if next == at {
				continue
			}
			equal := s.after[next] == s.after[at] && next > at
			above, below = above && (equal || s.after[at] > s.after[next]), below && (equal || s.after[at] < s.after[next])
		}
	}
	return above || below
}

// lost returns the share of the contrast of the object around an extremum that is
// lost, less two standard errors; 0 where there is no object within a radius or it
// cannot be seen.
func (s *scene) lost(x, y, radius int) float64 {
	around, ok := s.level(x, y, radius)
	if !ok {
		return 0
	}
	top := float64(s.after[y*s.nx+x])
	// Not even the largest object of this radius could be seen.
	area := math.Pi * float64(radius*radius)
	if math.Abs(top-around) < 0.5*math.Sqrt(s.variance()*s.effective/area)/seen {
		return 0
	}
	half, side := (top+around)/2, 1.0
	if top < around {
		side = -1
	}
	beyond := func(i int) bool { return side*(float64(s.after[i])-half) > 0 }
	object, ok := s.flood(x, y, radius, beyond)
	if !ok {
		return 0
	}
	inside, ring, whole := s.areas(object, beyond)
	if inside.n < fewestInside || 2*ring.n < whole || 2*(inside.use+ring.use) < inside.n+ring.n {
		return 0
	}
	contrast := inside.v/inside.n - ring.v/ring.n
	size := math.Abs(contrast)
	se := math.Sqrt(s.variance()*s.effective*(1/inside.n+1/ring.n)) / size
	if !(se <= seen) || contrast*side < 0 || inside.spread(s.variance()) > even*size || ring.spread(s.variance()) > even*size {
		return 0
	}
	return (inside.left/inside.n-ring.left/ring.n)/contrast - 2*se
}

// variance is that of the noise.
func (s *scene) variance() float64 { return 1 / float64(s.slices) }

// level returns the mean of the result on a circle, where all of it holds data.
func (s *scene) level(x, y, radius int) (float64, bool) {
	const points = 24
	sum := 0.0
	for k := range points {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / points)
		i, j := x+int(math.Round(float64(radius+1)*cos)), y+int(math.Round(float64(radius+1)*sin))
		if i < 0 || j < 0 || i >= s.nx || j >= s.ny || !s.valid[j*s.nx+i] {
			return 0, false
		}
		sum += float64(s.after[j*s.nx+i])
	}
	return sum / points, true
}

// flood returns the pixels that hang together with one and belong; ok is false where
// they reach farther than a radius.
func (s *scene) flood(x, y, radius int, belongs func(i int) bool) (pixels []int, ok bool) {
	s.visit++
	s.stack = append(s.stack[:0], y*s.nx+x)
	s.marks[y*s.nx+x] = s.visit
	for k := 0; k < len(s.stack); k++ {
		i, j := s.stack[k]%s.nx, s.stack[k]/s.nx
		if (i-x)*(i-x)+(j-y)*(j-y) > radius*radius {
			return nil, false
		}
		for _, d := range [...][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
			if i+d[0] < 0 || j+d[1] < 0 || i+d[0] >= s.nx || j+d[1] >= s.ny {
				return nil, false
			}
			next := (j+d[1])*s.nx + i + d[0]
			if s.marks[next] != s.visit && belongs(next) {
				s.marks[next] = s.visit
				s.stack = append(s.stack, next)
			}
		}
	}
	return s.stack, true
}

// area is what the pixels of an area add up to.
type area struct{ n, use, v, squares, left float64 }

func (s *scene) add(a *area, i int) {
	v := float64(s.v[i])
	a.n, a.v, a.squares, a.left = a.n+1, a.v+v, a.squares+v*v, a.left+float64(s.left[i])
	if s.use[i] {
		a.use++
	}
}

// spread returns the standard deviation beyond that of noise of a variance.
func (a area) spread(variance float64) float64 {
	mean := a.v / a.n
	return math.Sqrt(max(a.squares/a.n-mean*mean-variance, 0))
}

// areas returns the inside of an object, whose pixels bear the mark of this visit,
// and the ring around it without what other objects have of it; the whole ring has that
// many pixels.
func (s *scene) areas(object []int, beyond func(i int) bool) (inside, ring area, whole float64) {
	visit := s.visit
	var core []int
	for _, i := range object {
		within := i%s.nx > 0 && i%s.nx < s.nx-1 && i >= s.nx && i < len(s.v)-s.nx
		for _, next := range [...]int{i - 1, i + 1, i - s.nx, i + s.nx} {
			within = within && s.marks[next] == visit
		}
		if within && s.valid[i] {
			core = append(core, i)
			s.add(&inside, i)
		}
	}
	s.visit++
	gap := s.visit
	s.eachNear(core, ringFrom, func(i int) { s.marks[i] = gap })
	s.visit++
	s.eachNear(core, ringTo, func(i int) {
		if s.marks[i] != gap && s.marks[i] != s.visit {
			s.marks[i] = s.visit
			whole++
			if s.valid[i] && !beyond(i) {
				s.add(&ring, i)
			}
		}
	})
	return inside, ring, whole
}

// eachNear calls f for the pixels within a distance of others, some of them often.
func (s *scene) eachNear(pixels []int, distance int, f func(i int)) {
	for _, p := range pixels {
		x, y := p%s.nx, p/s.nx
		for j := max(y-distance, 0); j <= min(y+distance, s.ny-1); j++ {
			for i := max(x-distance, 0); i <= min(x+distance, s.nx-1); i++ {
				if (i-x)*(i-x)+(j-y)*(j-y) <= distance*distance {
					f(j*s.nx + i)
				}
			}
		}
	}
}

// fade takes what faded into account: a matched result in which an object did is over.
func (j *Judgement) fade(faded []*object, region volume.Region) {
	var worst *object
	for z, o := range faded {
		if o == nil {
			continue
		}
		if worst == nil || o.lost > worst.lost {
			worst = o
		}
		if z < len(j.Slices) && j.Slices[z].Verdict == Matched {
			j.Slices[z].Verdict = Over
			j.Slices[z].Why = fmt.Sprintf("An object in it lost over %.0f %% of its contrast.", 100*o.lost)
		}
	}
	if worst == nil {
		return
	}
	j.Lost = worst.lost
	j.Place = &Place{X: region.Min[0] + worst.at[0], Y: region.Min[1] + worst.at[1], Slice: region.Min[2] + worst.at[2], What: anObject}
	if j.Verdict == Matched {
		j.Verdict = Over
		j.Why = fmt.Sprintf("The error is near the least that this filter reaches, but %s lost over %.0f %% of its contrast.", j.Place, 100*worst.lost)
	}
}
