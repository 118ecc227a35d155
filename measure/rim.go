package measure

import (
	"math"

	"quell/internal/message"
)

// Rim is the course of an edge in a region of a slice: around a disc, or straight. It is
// safe for concurrent use.
type Rim struct {
	Round  bool
	Radius float64 // mm, of a disc
	Blur   float64 // mm, of the Gaussian edge that fits best; less than zone / blurs

	pixels    []int     // of the region
	distances []float64 // of them from the edge, in mm, signed
	sectors   []int     // parts of the edge that they are nearest to
	zone      float64   // mm to either side that the edge takes
	pixel     float64   // mm, the larger distance of pixels
	bins      int       // in the zone
}

const (
	// sectors is how many parts of the edge are compared for the standard errors.
	sectors = 8
	// fines is how many bins of the distance lie in a pixel.
	fines = 8
	// blurs and leastZone are how far the edge goes to either side, in its blur and in pixels.
	blurs, leastZone = 5, 4
	// fitted is how many pixels the place of the edge is fitted to, at most.
	fitted = 4000
	// leastTotal is the least contrast over noise, times the root of the number of
	// pixels about the edge. A search among white noise alone finds edges of about 5, and
	// higher ones among correlated noise.
	leastTotal = 15
	// unevenEdge is the share of the height by which the pixels about the edge may deviate from
	// what depends on the distance alone, apart from noise. An edge with a place that varies by
	// 0.3 of its blur has 0.06.
	unevenEdge = 0.06
	// otherShape is the same for the deviation from a blurred step; a sharp kernel's
	// overshoot has less.
	otherShape = 0.1
)

// RimOf finds the edge in a region: of an ellipse the edge of the disc in it, of a rectangle
// a straight one. An error says why there is none that can be measured.
func RimOf(s Slice, o Outline) (*Rim, error) {
	if o.Shape != Ellipse && o.Shape != Box {
		return nil, message.Errorf(message.MeasureShape, "an MTF needs an elliptical ROI around a disc, or a rectangular one across a straight edge")
	}
	r := &Rim{Round: o.Shape == Ellipse, pixel: max(s.Pixel[0], s.Pixel[1])}
	var at [2][]float64 // mm
	var vs []float64
	for _, i := range o.Pixels(s.Width, s.Height) {
		if s.Mask != nil && !s.Mask[i] {
			return nil, message.Errorf(message.MeasurePadding, "padding lies in the ROI")
		}
		r.pixels = append(r.pixels, i)
		at[0], at[1] = append(at[0], float64(i%s.Width)*s.Pixel[0]), append(at[1], float64(i/s.Width)*s.Pixel[1])
		vs = append(vs, float64(s.Values[i]))
	}
	if len(vs) < leastEven {
		return nil, message.Errorf(message.MeasureFew, "%d pixels are too few for an edge; at least %d are needed", len(vs), leastEven)
	}
	lo, hi := o.Bounds()
	middle := [2]float64{(lo[0] + hi[0]) / 2 * s.Pixel[0], (lo[1] + hi[1]) / 2 * s.Pixel[1]}
	for c := range at { // small numbers about the middle
		for i := range at[c] {
			at[c][i] -= middle[c]
		}
	}
	half := math.Min((hi[0]-lo[0])*s.Pixel[0], (hi[1]-lo[1])*s.Pixel[1]) / 2
	place := r.fit(at, vs, half)
	r.locate(at, place)
	return r, r.check(s, vs)
}

// geometry is the place of an edge in mm from the middle of a region: the centre of a disc,
// or the angle of the normal in the first number; then the radius or the distance; and blur.
type geometry struct {
	shape    [2]float64
	at, blur float64
}

// along returns the distance of a point along the radius or the normal.
func (g geometry) along(round bool, x, y float64) float64 {
	if round {
		return math.Hypot(x-g.shape[0], y-g.shape[1])
	}
	sin, cos := math.Sincos(g.shape[0])
	return x*cos + y*sin
}

// fit returns the place of the edge that fits the values best.
func (r *Rim) fit(at [2][]float64, vs []float64, half float64) (best geometry) {
	least := math.Inf(1)
	var xs, few []float64
	try := func(g geometry, stride int) bool {
		if g.blur < narrowest*r.pixel || r.Round && (g.at < 2*r.pixel || math.Hypot(g.shape[0], g.shape[1]) > half) || math.Abs(g.at) > 2*half {
			return false
		}
		xs, few = xs[:0], few[:0]
		for i := 0; i < len(vs); i += stride {
			xs, few = append(xs, g.along(r.Round, at[0][i], at[1][i])), append(few, vs[i])
		}
		if _, squares := fitHeight(xs, few, g.at, g.blur); squares < least {
			best, least = g, squares
			return true
		}
		return false
	}
	coarse, fine := len(vs)/(fitted/4)+1, len(vs)/fitted+1
	for _, blur := range []float64{r.pixel, 3 * r.pixel} {
		if r.Round {
			for k := range 9 * 5 * 5 {
				offset := func(k int) float64 { return float64(k-2) / 8 * half }
				try(geometry{[2]float64{offset(k % 5), offset(k / 5 % 5)}, float64(k/25+1) / 10 * half, blur}, coarse)
			}
			continue
		}
		for k := range 24 * 9 {
			try(geometry{[2]float64{math.Pi * float64(k%24) / 24}, float64(k/24-4) / 5 * half, blur}, coarse)
		}
	}
	least = math.Inf(1) // of all pixels
	try(best, fine)
	unit := [2]float64{1, 1}
	if !r.Round { // an angle, by which the ends of the edge move as far
		unit = [2]float64{1 / half, 0}
	}
	for d, f := half/16, 1.3; d > 1e-4*r.pixel; {
		moved := false
		for c, u := range unit {
			for _, step := range []float64{d * u, -d * u} {
				g := best
				g.shape[c] += step
				moved = moved || step != 0 && try(g, fine)
			}
		}
		for _, g := range []geometry{
			{best.shape, best.at + d, best.blur}, {best.shape, best.at - d, best.blur},
			{best.shape, best.at, best.blur * f}, {best.shape, best.at, max(best.blur/f, narrowest*r.pixel)},
		} {
			moved = try(g, fine) || moved
		}
		if !moved {
			d, f = d/2, math.Sqrt(f)
		}
	}
	return best
}

// locate finds the distance of every pixel from the edge, and the part of the edge.
func (r *Rim) locate(at [2][]float64, g geometry) {
	r.Blur = g.blur
	if r.Round {
		r.Radius = g.at
	}
	r.zone = max(blurs*g.blur, leastZone*r.pixel)
	r.bins = 2 * int(math.Ceil(r.zone*fines/r.pixel))
	r.zone = float64(r.bins/2) * r.pixel / fines
	sin, cos := math.Sincos(g.shape[0])
	part := make([]float64, len(r.pixels))
	first, last := math.Inf(1), math.Inf(-1)
	for i := range part {
		x, y := at[0][i], at[1][i]
		r.distances = append(r.distances, g.along(r.Round, x, y)-g.at)
		part[i] = y*cos - x*sin
		if r.Round {
			part[i] = math.Atan2(y-g.shape[1], x-g.shape[0])
		}
		if math.Abs(r.distances[i]) <= r.zone {
			first, last = min(first, part[i]), max(last, part[i])
		}
	}
	for _, p := range part {
		k := int(sectors * (p - first) / (last - first))
		r.sectors = append(r.sectors, min(max(k, 0), sectors-1))
	}
}

// check returns why the edge in a slice cannot be measured.
func (r *Rim) check(s Slice, vs []float64) error {
	if r.Round && r.Radius < r.zone+r.pixel {
		return message.Errorf(message.MeasureFew, "the disc in the ROI is too small for its blur, or there is none")
	}
	var inside, outside [sectors]bool
	for i, d := range r.distances {
		inside[r.sectors[i]] = inside[r.sectors[i]] || r.Round || d < -r.zone-r.pixel // the middle of a disc is few pixels
		outside[r.sectors[i]] = outside[r.sectors[i]] || d > r.zone+r.pixel
	}
	if inside != [sectors]bool{0: true, true, true, true, true, true, true, true} || outside != inside {
		return message.Errorf(message.MeasureEdge, "the ROI does not reach the level on both sides of an edge everywhere along it")
	}
	e := r.spread(s)
	esf, widest, ok := e.total().esf()
	if !ok || widest > fines/2 {
		return message.Errorf(message.MeasureEdge, "a straight edge along the rows, columns or diagonals of pixels cannot be sampled finely; it must be slanted")
	}
	// Deviations of the pixels from what their distance alone gives, away from the edge and about
	// it.
	var beside, about float64
	var besides, abouts int
	for i, d := range r.distances {
		if k := r.bin(d); k >= 0 {
			about, abouts = about+(vs[i]-esf.values[k])*(vs[i]-esf.values[k]), abouts+1
		} else if math.Abs(d) <= 2*r.zone {
			level := esf.levels[0]
			if d > 0 {
				level = esf.levels[1]
			}
			beside, besides = beside+(vs[i]-level)*(vs[i]-level), besides+1
		}
	}
	beside, about = beside/float64(besides), about/float64(abouts)
	height := math.Abs(esf.height())
	if height*math.Sqrt(float64(abouts)) < leastTotal*math.Sqrt(beside) || height == 0 {
		return message.Errorf(message.MeasureNoise, "the contrast of the edge is too low for the noise about it")
	}
	if about > 1.5*beside+(unevenEdge*height)*(unevenEdge*height) {
		return message.Errorf(message.MeasureShape, "the edge is not as the ROI asks: an ellipse goes around a disc, a rectangle across a straight edge")
	}
	// What remains of a blurred step, in steps of a pixel.
	squares, noise, n := 0.0, 0.0, 0
	sums := e.total()
	for k := 0; k+fines <= r.bins; k += fines {
		sum, count := 0.0, 0.0
		for j := k; j < k+fines; j++ {
			d := (float64(j)+0.5)*r.pixel/fines - r.zone
			step := esf.levels[0] + esf.height()*math.Erfc(-d/(r.Blur*math.Sqrt2))/2
			sum, count = sum+esf.values[j]-step, count+sums.counts[j]
		}
		squares, noise, n = squares+sum*sum/(fines*fines), noise+beside/max(count, 1), n+1
	}
	if squares/float64(n) > (otherShape*height)*(otherShape*height)+4*noise/float64(n) {
		return message.Errorf(message.MeasureEdge, "what lies in the ROI is not one edge between two levels")
	}
	return nil
}

// bin returns the bin of a distance; -1 outside the zone.
func (r *Rim) bin(d float64) int {
	k := int(math.Floor((d + r.zone) * fines / r.pixel))
	if k >= r.bins {
		return -1
	}
	return max(k, -1)
}
