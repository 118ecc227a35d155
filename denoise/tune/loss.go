package tune

import (
	"context"
	"math"
	"runtime"

	"quell/internal/message"
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
	effective float64 // pixels to one independent sample of the noise
	valid     []bool  // holds data
	counts    func(i int) bool
	v, left   []float32 // the noisy slice and the residual
	after     []float32 // the result, blurred by a pixel
	result    []float32 // the result
	// One row: sums over the slices.
	sums, sumsLeft []float64
	blur           blurrer

	circles [len(surroundings)][]place // a pixel beyond the radii
	marks   []int32                    // of pixels that were visited, by the number of the visit
	visit   int32
	found   []place // of a flood
	stack   []place // of a flood: pixels with neighbours that were not looked at
}

// place is a pixel relative to an extremum, and its index in the slice or relative to the index
// of the extremum.
type place struct{ x, y, at int32 }

// beside is the neighbours of a pixel in a slice of that width.
func beside(nx int) [4]place {
	return [...]place{{1, 0, 1}, {-1, 0, -1}, {0, 1, int32(nx)}, {0, -1, -int32(nx)}}
}

// faded returns the object of each slice that lost most, of the objects that lost
// more than mostLost; nil if there is none. The error is the context's.
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
	s := &scene{
		nx: nx, ny: ny, effective: effective, valid: make([]bool, n), sums: make([]float64, nx), sumsLeft: make([]float64, nx),
		v: make([]float32, n), left: make([]float32, n), after: make([]float32, n), result: make([]float32, n),
		blur: newBlurrer(nx, ny), marks: make([]int32, n),
	}
	const points = 24
	for k, radius := range surroundings {
		for p := range points {
			sin, cos := math.Sincos(2 * math.Pi * float64(p) / points)
			x, y := int32(math.Round(float64(radius+1)*cos)), int32(math.Round(float64(radius+1)*sin))
			s.circles[k] = append(s.circles[k], place{x, y, y*int32(nx) + x})
		}
	}
	return s
}

// fill takes the mean of slices from..to of the region. A pixel is valid if it is
// valid in all of them.
func (s *scene) fill(r Result, v *volume.Volume, from, to int) {
	s.slices = to - from + 1
	shares := make([]float64, 0, s.slices) // of a voxel in the mean, in sigmas
	for z := from; z <= to; z++ {
		shares = append(shares, 1/(r.Noise.Slice(r.Region.Min[2]+z).Sigma*float64(s.slices)))
	}
	a, left := s.sums, s.sumsLeft
	for y := range s.ny {
		valid := s.valid[y*s.nx:][:s.nx]
		clear(a)
		clear(left)
		for x := range valid {
			valid[x] = true
		}
		for k, share := range shares {
			first, filtered := v.Index(r.Region.Min[0], r.Region.Min[1]+y, r.Region.Min[2]+from+k), r.After.Index(0, y, from+k)
			after := r.After.Data[filtered:][:s.nx]
			for x, value := range v.Data[first:][:s.nx] {
				a[x] += float64(value) * share
				left[x] += (float64(value) - float64(after[x])) * share
			}
			if v.Mask != nil {
				for x, holds := range v.Mask[first:][:s.nx] {
					valid[x] = valid[x] && holds
				}
			}
		}
		for x, valid := range valid {
			k := y*s.nx + x
			s.v[k], s.left[k], s.result[k] = float32(a[x]), float32(left[x]), float32(a[x]-left[x])
			if !valid {
				s.v[k], s.left[k], s.result[k] = 0, 0, 0
			}
		}
	}
	s.counts = func(k int) bool {
		if !s.valid[k] {
			return false
		}
		first := v.Index(r.Region.Min[0]+k%s.nx, r.Region.Min[1]+k/s.nx, r.Region.Min[2]+from)
		for z := range s.slices {
			if !r.Foreground(first + z*v.SliceVoxels()) {
				return false
			}
		}
		return true
	}
	s.blur.blur(s.after, s.result, 1)
}

// faded returns the object that lost most, if that is more than mostLost.
func (s *scene) faded() (worst *object) {
	for y := 2; y < s.ny-2; y++ {
		for x := 2; x < s.nx-2; x++ {
			if !s.valid[y*s.nx+x] || !s.extremum(x, y) {
				continue
			}
			for k := range surroundings {
				if lost := s.lost(x, y, k); lost > mostLost && (worst == nil || lost > worst.lost) {
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
	v := s.after[at]
	l, r, u, d := s.after[at-1], s.after[at+1], s.after[at-s.nx], s.after[at+s.nx]
	if (l > v || r > v || u > v || d > v) && (l < v || r < v || u < v || d < v) {
		return false // most pixels
	}
	above, below := true, true
	for _, j := range [...]int{y, y - 1, y + 1, y - 2, y + 2} {
		for k, w := range s.after[j*s.nx+x-2 : j*s.nx+x+3] {
			next := j*s.nx + x - 2 + k
			equal := v == w && next >= at
			above, below = above && (equal || v > w), below && (equal || v < w)
		}
		if !above && !below {
			return false
		}
	}
	return true
}

// lost returns the share of the contrast of the object around an extremum that is lost, less
// two standard errors; 0 if there is no object within the k-th of the radii or it cannot be
// seen.
func (s *scene) lost(x, y, k int) float64 {
	around, ok := s.level(x, y, k)
	if !ok {
		return 0
	}
	radius, top := surroundings[k], float64(s.after[y*s.nx+x])
	// Not even the largest object of this radius could be seen.
	area := math.Pi * float64(radius*radius)
	if math.Abs(top-around) < 0.5*math.Sqrt(s.variance()*s.effective/area)/seen {
		return 0
	}
	half, side := (top+around)/2, 1.0
	if top < around {
		side = -1
	}
	object, ok := s.flood(x, y, radius, half, side)
	if !ok {
		return 0
	}
	inside, ring, whole := s.areas(object, func(i int) bool { return side*(float64(s.after[i])-half) > 0 })
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

// variance is the variance of the noise.
func (s *scene) variance() float64 { return 1 / float64(s.slices) }

// level returns the mean of the result on the k-th circle, if all of it is in the slice and
// holds data.
func (s *scene) level(x, y, k int) (float64, bool) {
	if r := surroundings[k] + 1; x < r || y < r || x+r >= s.nx || y+r >= s.ny {
		return 0, false
	}
	sum := 0.0
	for _, p := range s.circles[k] {
		i := y*s.nx + x + int(p.at)
		if !s.valid[i] {
			return 0, false
		}
		sum += float64(s.after[i])
	}
	return sum / float64(len(s.circles[k])), true
}

// flood returns the pixels that hang together with an extremum on its side of a level: 1 is
// above, -1 below. ok is false if they reach farther than a radius, a pixel beyond which is in
// the slice. The way to such a pixel is short if the last pixel found is the next to go on from:
// most floods in noise have one.
func (s *scene) flood(x, y, radius int, level, side float64) (pixels []place, ok bool) {
	s.visit++
	visit, limit, steps := s.visit, int32(radius*radius), beside(s.nx)
	first := place{0, 0, int32(y*s.nx + x)}
	s.marks[first.at] = visit
	stack, found := append(s.stack[:0], first), append(s.found[:0], first)
	for ok = true; ok && len(stack) > 0; {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, d := range steps {
			q := place{p.x + d.x, p.y + d.y, p.at + d.at}
			if s.marks[q.at] == visit || side*(float64(s.after[q.at])-level) <= 0 {
				continue
			}
			if q.x*q.x+q.y*q.y > limit {
				ok = false
				break
			}
			s.marks[q.at] = visit
			stack, found = append(stack, q), append(found, q)
		}
	}
	s.stack, s.found = stack, found
	return found, ok
}

// area is what the pixels of an area add up to.
type area struct{ n, use, v, squares, left float64 }

func (s *scene) add(a *area, i int) {
	v := float64(s.v[i])
	a.n, a.v, a.squares, a.left = a.n+1, a.v+v, a.squares+v*v, a.left+float64(s.left[i])
	if s.counts(i) {
		a.use++
	}
}

// spread returns the standard deviation beyond the one of noise of a variance.
func (a area) spread(variance float64) float64 {
	mean := a.v / a.n
	return math.Sqrt(max(a.squares/a.n-mean*mean-variance, 0))
}

// areas returns the inside of an object, of which the first pixel is the extremum, and the ring
// around it without what other objects have of it; the whole ring has that many pixels. An inside
// that is too small has none.
func (s *scene) areas(object []place, beyond func(i int) bool) (inside, ring area, whole float64) {
	at := int(object[0].at)
	var all pixels
	for _, p := range object {
		all.set(int(p.x), int(p.y))
	}
	core := all.inner()
	for x, y := range core.each {
		if i := at + y*s.nx + x; s.valid[i] {
			s.add(&inside, i)
		} else {
			core.unset(x, y)
		}
	}
	if inside.n < fewestInside {
		return inside, area{}, 0
	}
	// What is near the core and not in it is near its edge.
	around := core.near(ringTo)
	around.remove(core.near(ringFrom))
	around.clip(at%s.nx, at/s.nx, s.nx, s.ny)
	for x, y := range around.each {
		whole++
		if i := at + y*s.nx + x; s.valid[i] && !beyond(i) {
			s.add(&ring, i)
		}
	}
	return inside, ring, whole
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
			j.Slices[z].Why = message.New(message.VerdictStructure, "An object in it lost over %.0f %% of its contrast.", 100*o.lost)
		}
	}
	if worst == nil {
		return
	}
	j.Lost = worst.lost
	j.Place = &Place{X: region.Min[0] + worst.at[0], Y: region.Min[1] + worst.at[1], Slice: region.Min[2] + worst.at[2], What: anObject}
	if j.Verdict == Matched {
		j.Verdict = Over
		j.Why = message.New(message.VerdictStructure, "The error is near the least that this filter reaches, but %s lost over %.0f %% of its contrast.", j.Place, 100*worst.lost)
	}
}
