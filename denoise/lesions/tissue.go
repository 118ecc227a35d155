package lesions

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/volume"
)

// What any filter u of the voxels y keeps of a faint signal s is the mean of its derivative (Stein):
//
//	E u' = Cov(u, y) Cov(y, y)^-1
//
// so that the covariance of result and input in homogeneous tissue says what an inserted lesion would keep, without
// inserting it and without another run. With the template q = Cov(y, y)^-1 s over the lesion,
//
//	kept = sum (q * y) (s * u) / sum (q * y) (s * y)
//
// over all positions in the regions. A position is a sample, so that few regions serve.

const (
	// LeastRegions is the least number of homogeneous regions for figures.
	LeastRegions = 5
	// ridge is the share of the variance that is added to the covariance before it is inverted: frequencies without
	// noise say nothing.
	ridge = 0.02
	// strongest is the contrast, in standard deviations of the noise, at which an object of a size may be visible.
	strongest = 4
	// mostInSlice is how many regions the figures of a single slice have at most.
	mostInSlice = 32
	// otherRegions is the number of regions of another measurement, which the intervals cover.
	otherRegions = 20
	// modelError is the error of the method for faint lesions: within that, it agrees with inserted ones.
	modelError = 0.02
)

// regionSides are the sides of homogeneous regions in pixels that are tried one after another: the last for tissue as
// narrow as that of a lung.
var regionSides = []int{21, evenSide, 9}

// Tissue are the homogeneous regions of a volume, and what is in them: chosen once, they serve every result.
type Tissue struct {
	in       denoise.Input
	noise    noise.Estimate
	At       [][3]int // the middles
	Lesion   Lesion   // the smallest that is visible
	side     int      // of the regions in pixels
	depth    int      // slices of a region
	spectrum spectrum
	regions  []region
	probes   []*probe // of lesions of rising size
	first    *probe   // of Lesion
}

// region is a homogeneous region before filtering.
type region struct {
	box    volume.Region
	slices [][]float64    // less their ground
	waves  [][]complex128 // their transforms
	scale  float64        // of the noise there
	ground []float64      // the slopes and bends of the ground that was taken off, over its slices
}

// probe measures what is kept of a lesion.
type probe struct {
	Lesion
	values  []float64   // the lesion of contrast 1, in its support, slice by slice
	support int         // its side in pixels
	seen    float64     // the share of its energy that is left of it in a region less the ground
	q       [][]float64 // by region and position: the template over the voxels
	own     []float64   // by region: the sum of q times the lesion over the voxels
	visible bool        // in the noise, at the contrast of strongest
}

// FindTissue chooses homogeneous regions in a part of a volume; the zero value of part is all of it. Without enough of
// them the tissue has none, and figures are not known. The error is the context's.
func FindTissue(ctx context.Context, in denoise.Input, part volume.Region, n noise.Estimate, foreground func(i int) bool) (*Tissue, error) {
	v, most := in.Volume, usualPlaces
	if part == (volume.Region{}) {
		part = v.Bounds()
	}
	if part.Dims()[2] == 1 {
		n.Figure, most = n.Slice(part.Min[2]), mostInSlice
	}
	masked := in.Masked()
	inside := func(i int) bool { return masked.Valid(i) && (foreground == nil || foreground(i)) }
	t := &Tissue{in: in, noise: n}
	try := func(side, depth int) (err error) {
		t.side, t.depth = side, depth
		t.At, err = placesIn(ctx, v, part, search{counts: inside, noise: n, sigmas: in.Noise, side: side, slices: depth, most: most, seed: UsualSeed})
		return err
	}
	lengths, discs, spheres := []int{1}, UsualSizes(v.Geometry), sizesOf(v.Geometry, 4, 6, 8)
	if discs[0] >= 2*v.Spacing[2] && part.Dims()[2] >= 3 {
		lengths = []int{3, 1}
	}
search:
	for k, side := range regionSides {
		for _, depth := range lengths {
			if err := try(side, depth); err != nil {
				return nil, err
			}
			if len(t.At) >= LeastPlaces || k == len(regionSides)-1 && len(t.At) >= LeastRegions {
				break search
			}
		}
	}
	if len(t.At) < LeastRegions {
		t.At = nil
		return t, nil
	}
	t.cut()
	if t.depth > 1 {
		discs = spheres // of about the mass of the discs in their slices
	}
	for i, size := range discs {
		if i > 0 && t.supportOf(size)+2 > t.side {
			break
		}
		p := t.probe(size)
		if t.probes = append(t.probes, p); t.first == nil || !t.first.visible {
			t.first, t.Lesion = p, p.Lesion
		}
	}
	return t, ctx.Err()
}

// cut takes the regions out of the volume.
func (t *Tissue) cut() {
	h := t.side / 2
	t.spectrum = newSpectrum(t.side, [2]float64{t.in.Volume.Spacing[0], t.in.Volume.Spacing[1]})
	for _, c := range t.At {
		r := region{scale: 1, box: volume.Region{
			Min: [3]int{c[0] - h, c[1] - h, c[2] - t.depth/2}, Max: [3]int{c[0] + h + 1, c[1] + h + 1, c[2] + t.depth/2 + 1},
		}}
		if t.in.Noise != nil {
			r.scale = float64(t.in.Noise.At(c[0], c[1], c[2]))
		} else if sigma := t.noise.Slice(c[2]).Sigma; sigma > 0 {
			r.scale = sigma
		}
		r.slices, r.ground = t.patches(voxels(t.in.Volume, [3]int{}, r.box), r.scale)
		for _, p := range r.slices {
			r.waves = append(r.waves, t.spectrum.transform(p))
		}
		t.regions = append(t.regions, r)
	}
}

// voxels returns a box of a volume whose first voxel is origin.
func voxels(v *volume.Volume, origin [3]int, box volume.Region) []float64 {
	values := make([]float64, 0, box.Voxels())
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			from := v.Index(box.Min[0]-origin[0], y-origin[1], z-origin[2])
			for _, x := range v.Data[from : from+box.Max[0]-box.Min[0]] {
				values = append(values, float64(x))
			}
		}
	}
	return values
}

// patches returns the voxels of a region slice by slice, less the ground, and the sum of the grounds, each less its mean.
// It changes values.
func (t *Tissue) patches(values []float64, scale float64) (out [][]float64, grounds []float64) {
	n := t.side * t.side
	grounds = make([]float64, n)
	floats.Scale(1/scale, values)
	for len(values) > 0 {
		t.takeGround(values[:n], grounds)
		out, values = append(out, values[:n]), values[n:]
	}
	return out, grounds
}

// takeGround takes the surface of second order off values, and adds it less its mean to grounds unless that is nil.
func (t *Tissue) takeGround(values, grounds []float64) {
	for k, term := range t.spectrum.ground {
		height := floats.Dot(values, term)
		floats.AddScaled(values, -height, term)
		if k > 0 && grounds != nil {
			floats.AddScaled(grounds, height, term)
		}
	}
}

// supportOf returns the side in pixels of the square that holds a disc.
func (t *Tissue) supportOf(size float64) int {
	_, large := Lesion{Size: size}.pixels(t.in.Volume.Geometry)
	return 2*int(large/2+2*blur) + 1
}

// probe returns what measures a disc.
func (t *Tissue) probe(size float64) *probe {
	p := &probe{Lesion: Lesion{Shape: Disc, Size: size, Contrast: 1, Slices: t.depth}, support: min(t.supportOf(size), t.side-2), visible: true}
	p.values = p.solid(t.in.Volume.Geometry, p.support)
	n := len(p.values)
	covariance, count := mat.NewSymDense(n, nil), 0.0
	window := make([]float64, n)
	for _, r := range t.regions {
		t.each(p, func(x, y int) {
			if (x|y)&1 != 0 { // neighbours add little
				return
			}
			t.window(window, p, r.slices, x, y)
			covariance.SymRankOne(covariance, 1, mat.NewVecDense(n, window))
			count++
		})
	}
	lesion := mat.NewVecDense(n, p.values)
	variance := mat.Trace(covariance) / float64(n)
	var template mat.VecDense
	if template.CloneFromVec(lesion); variance > 0 {
		template.MulVec(covariance, lesion)
		energy := mat.Dot(lesion, lesion)
		p.visible = strongest*math.Sqrt(variance/count)*energy/math.Sqrt(mat.Dot(lesion, &template)/count) >= VisibleFrom
		for i := range n {
			covariance.SetSym(i, i, covariance.At(i, i)+ridge*variance)
		}
		var factor mat.Cholesky
		if !factor.Factorize(covariance) || factor.SolveVecTo(&template, lesion) != nil {
			template.CloneFromVec(lesion)
		}
	}
	p.seen = t.seenShare(p)
	for _, r := range t.regions {
		var qs []float64
		own := 0.0
		t.each(p, func(x, y int) {
			t.window(window, p, r.slices, x, y)
			q := floats.Dot(window, template.RawVector().Data)
			n := p.support * p.support
			qs, own = append(qs, q), own+q*floats.Dot(window[t.depth/2*n:][:n], p.plane(t.depth/2))
		})
		p.q, p.own = append(p.q, qs), append(p.own, own)
	}
	return p
}

// seenShare returns the share of the energy of a lesion, over all positions, that is left less the ground.
func (t *Tissue) seenShare(p *probe) float64 {
	left, all := 0.0, 0.0
	t.each(p, func(x, y int) {
		values := make([]float64, t.side*t.side)
		for k, a := range p.plane(t.depth / 2) {
			values[(y+k/p.support)*t.side+x+k%p.support] = a
			all += a * a
		}
		t.takeGround(values, nil)
		left += floats.Dot(values, values)
	})
	return left / all
}

// plane returns a slice of the lesion.
func (p *probe) plane(z int) []float64 {
	n := p.support * p.support
	return p.values[z*n:][:n]
}

// each visits the first pixels of all windows of a probe within a region.
func (t *Tissue) each(p *probe, visit func(x, y int)) {
	for y := 0; y+p.support <= t.side; y++ {
		for x := 0; x+p.support <= t.side; x++ {
			visit(x, y)
		}
	}
}

// window copies the window at a pixel of a region.
func (t *Tissue) window(dst []float64, p *probe, slices [][]float64, x, y int) {
	dst = dst[:0]
	for _, plane := range slices {
		for row := y; row < y+p.support; row++ {
			dst = append(dst, plane[row*t.side+x:][:p.support]...)
		}
	}
}

// response adds to sums what the k-th region of a result has of a probe.
func (t *Tissue) response(to *sums, p *probe, k int, slices [][]float64, ground []float64) {
	i := 0
	to.own = p.own[k]
	t.each(p, func(x, y int) {
		response := 0.0
		plane, lesion := slices[t.depth/2], p.plane(t.depth/2)
		for row := range p.support {
			response += floats.Dot(plane[(y+row)*t.side+x:][:p.support], lesion[row*p.support:][:p.support])
		}
		to.kept += p.q[k][i] * response
		i++
	})
	to.flat, to.slope = floats.Dot(t.regions[k].ground, ground), floats.Dot(t.regions[k].ground, t.regions[k].ground)
}

// Sample is what a result did in the regions of a tissue.
type Sample struct {
	tissue *Tissue
	sums   []sums
}

// sums are those of a region, which add up over regions.
type sums struct {
	kept, own float64
	// flat and slope are the products of the grounds before with those after, and before.
	flat, slope float64
	// variance, moment and weight are those of the spectra before and after.
	variance, moment, weight [2]float64
}

func (s *sums) add(o sums) {
	s.kept, s.own, s.flat, s.slope = s.kept+o.kept, s.own+o.own, s.flat+o.flat, s.slope+o.slope
	for k := range 2 {
		s.variance[k], s.moment[k], s.weight[k] = s.variance[k]+o.variance[k], s.moment[k]+o.moment[k], s.weight[k]+o.weight[k]
	}
}

// Of returns what a result did, which has the voxels of a part of the volume; regions outside it do not count.
func (t *Tissue) Of(after *volume.Volume, part volume.Region) Sample {
	if t == nil {
		return Sample{}
	}
	values := make([][]float64, len(t.regions))
	for i, r := range t.regions {
		if contains(part, r.box) {
			values[i] = voxels(after, part.Min, r.box)
		}
	}
	return t.sample(values)
}

func contains(part, box volume.Region) bool {
	for c := range 3 {
		if box.Min[c] < part.Min[c] || box.Max[c] > part.Max[c] {
			return false
		}
	}
	return true
}

// sample takes the sums of a result, by the voxels of the regions; nil for one that does not count.
func (t *Tissue) sample(after [][]float64) Sample {
	s := Sample{tissue: t}
	var ratios []float64
	for k, values := range after {
		if values == nil {
			continue
		}
		slices, ground := t.patches(values, t.regions[k].scale)
		var own sums
		t.response(&own, t.first, k, slices, ground)
		for z, plane := range slices {
			t.spectrum.add(&own, t.regions[k].waves[z], t.spectrum.transform(plane))
		}
		s.sums = append(s.sums, own)
		ratios = append(ratios, own.variance[1]/own.variance[0])
	}
	if len(ratios) == 0 {
		return s
	}
	usual := slices.Sorted(slices.Values(ratios))[(len(ratios)-1)/2]
	var kept []sums
	for i, own := range s.sums {
		if !(ratios[i] > leaks*usual && ratios[i] > 1) {
			kept = append(kept, own)
		}
	}
	s.sums = kept
	return s
}

// kept returns the contrast kept.
func (s sums) keptOf(seen float64) float64 {
	if !(s.own > 0) {
		return 1
	}
	of := s.kept / s.own
	if s.slope > 0 { // what the ground took off is kept as its slopes are
		of = seen*of + (1-seen)*s.flat/s.slope
	}
	return of
}

// figures are noise removed, contrast and texture kept.
func (s sums) figures(seen float64) [3]float64 {
	removed, texture := 0.0, 1.0
	if s.variance[0] > 0 {
		removed = 1 - math.Sqrt(s.variance[1]/s.variance[0])
		texture = s.moment[1] / s.weight[1] / (s.moment[0] / s.weight[0])
	}
	if s.weight[1] == 0 {
		texture = 1
	}
	return [3]float64{removed, s.keptOf(seen), texture}
}

// Figures returns the figures.
func (s Sample) Figures() verdict.Figures {
	n := len(s.sums)
	if n < LeastRegions {
		return verdict.None()
	}
	seen := s.tissue.first.seen
	var all sums
	for _, o := range s.sums {
		all.add(o)
	}
	values := all.figures(seen)
	var squares [3]float64
	for i := range s.sums { // jackknife
		var rest sums
		for k, o := range s.sums {
			if k != i {
				rest.add(o)
			}
		}
		for k, x := range rest.figures(seen) {
			squares[k] += (x - values[k]) * (x - values[k])
		}
	}
	var shares [3]verdict.Share
	for k, x := range values {
		variance := squares[k] * float64(n-1) / float64(n)
		// Another measurement has regions of its own.
		half := studentOf(n-1) * math.Sqrt(variance*(1+float64(n)/otherRegions))
		half = math.Hypot(half, modelError)
		shares[k] = verdict.Share{Value: x, Low: x - half, High: x + half}
	}
	f := verdict.Of(shares[0], shares[1], shares[2])
	f.ObjectSize, f.ObjectSlices, f.Regions = s.tissue.Lesion.Size, s.tissue.Lesion.Slices, n
	return f
}

// studentOf returns the quantile of Student's t for 95 %.
func studentOf(degrees int) float64 {
	n := float64(degrees)
	return 1.96 + 2.37/n + 2.82/(n*n) + 2.55/(n*n*n)
}
