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
	"quell/measure"
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
	// narrowError is the error of texture for each time that the usual side of a region is longer: narrow ones lack slow noise.
	narrowError = 0.1
	// leastSeen is the least that is kept of the part of a lesion that is seen, by which what is kept of the rest is found.
	leastSeen = 0.01
	// rounding is a share of the power that may be rounding.
	rounding = 1e-9
)

// lossError is the error of each figure relative to what was removed or lost: anatomy that is left in a region is kept, noise is
// not, and slow noise is taken for anatomy.
var lossError = [3]float64{0.12, 0.15, 0.3}

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
	mid      int      // the slice of a region in which a lesion is looked at
	alone    bool     // no other slice of a result is read
	spectrum spectrum
	regions  []region
	probes   []*probe // of lesions of rising size
	first    *probe   // of Lesion
	once     *once
}

// region is a homogeneous region before filtering.
type region struct {
	box    volume.Region
	slices [][]float64    // less their ground
	waves  [][]complex128 // their transforms
	scale  float64        // of the noise there
}

// probe measures what is kept of a lesion.
type probe struct {
	Lesion
	values   []float64   // the lesion of contrast 1, in its support, slice by slice
	support  int         // its side in pixels
	template []float64   // Cov(y, y)^-1 s
	ground               // what is taken off it with the ground
	q        [][]float64 // by region and position: the template over the voxels
	own      []float64   // by region: the sum of q times the lesion over the voxels
	visible  bool        // in the noise, at the contrast of strongest
}

// ground is the part of a lesion that a surface of second order takes off it. Anatomy and edges outside a region, after a
// wide filter, are of this kind too, so that the share of it that a result keeps follows from the part that is seen.
type ground struct {
	share float64   // of the energy of the lesion
	slow  float64   // its mean squared frequency over that of the part that is seen
	off   []float64 // the part of a lesion in the middle of a region
}

// kept returns the contrast kept of a lesion of which that is kept of the part that is seen: the response falls as the
// exponential of the squared frequency, from 1 at frequency 0, as every filter keeps a constant.
func (g ground) kept(seen float64) float64 {
	return (1-g.share)*seen + g.share*g.rest(seen)
}

// rest returns the contrast kept of the part that is not seen.
func (g ground) rest(seen float64) float64 { return math.Pow(min(max(seen, leastSeen), 1), g.slow) }

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
	t := &Tissue{in: in, noise: n, once: newOnce()}
	try := func(side, depth int) (err error) {
		t.side, t.depth, t.mid = side, depth, depth/2
		t.At, err = placesIn(ctx, v, part, search{counts: inside, noise: n, sigmas: in.Noise, side: side, slices: depth, most: most, seed: UsualSeed, noiseOnly: true})
		return err
	}
	lengths, discs, spheres := []int{1}, UsualSizes(v.Geometry), sizesOf(v.Geometry, 4, 6, 8)
	if discs[0] >= 2*v.Spacing[2] && part.Dims()[2] >= 3 {
		lengths = []int{3, 1}
	}
search:
	for _, depth := range lengths { // a lesion's length counts more than the width of a region
		for k, side := range regionSides {
			narrow := k == len(regionSides)-1
			if narrow && depth > 1 {
				break
			}
			if err := try(side, depth); err != nil {
				return nil, err
			}
			if len(t.At) >= LeastPlaces || narrow && len(t.At) >= LeastRegions {
				break search
			}
		}
	}
	if len(t.At) < LeastRegions {
		t.At = nil
		return t, nil
	}
	t.spectrum = newSpectrum(t.side, [2]float64{v.Spacing[0], v.Spacing[1]})
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
	for _, c := range t.At {
		r := region{scale: 1, box: volume.Region{
			Min: [3]int{c[0] - h, c[1] - h, c[2] - t.depth/2}, Max: [3]int{c[0] + h + 1, c[1] + h + 1, c[2] + t.depth/2 + 1},
		}}
		if t.in.Noise != nil {
			r.scale = float64(t.in.Noise.At(c[0], c[1], c[2]))
		} else if sigma := t.noise.Slice(c[2]).Sigma; sigma > 0 {
			r.scale = sigma
		}
		r.slices = t.patches(voxels(t.in.Volume, r.box), r.scale)
		for _, p := range r.slices {
			r.waves = append(r.waves, t.spectrum.transform(p))
		}
		t.regions = append(t.regions, r)
	}
}

// voxels returns a box of a volume.
func voxels(v *volume.Volume, box volume.Region) (values []float64) {
	for _, x := range v.Crop(box).Data {
		values = append(values, float64(x))
	}
	return values
}

// patches returns the voxels of a region slice by slice, less the ground. It changes values.
func (t *Tissue) patches(values []float64, scale float64) (out [][]float64) {
	n := t.side * t.side
	floats.Scale(1/scale, values)
	for len(values) > 0 {
		t.takeGround(values[:n])
		out, values = append(out, values[:n]), values[n:]
	}
	return out
}

// takeGround takes the surface of second order off values.
func (t *Tissue) takeGround(values []float64) {
	for _, term := range t.spectrum.ground {
		floats.AddScaled(values, -floats.Dot(values, term), term)
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
	p.template, p.ground = template.RawVector().Data, t.groundOf(p)
	t.look(p, window)
	return p
}

// look finds what a probe has of the regions before filtering. It changes window, which holds one of its windows.
func (t *Tissue) look(p *probe, window []float64) {
	for _, r := range t.regions {
		var qs []float64
		own := 0.0
		t.each(p, func(x, y int) {
			t.window(window, p, r.slices, x, y)
			q := floats.Dot(window, p.template)
			n := p.support * p.support
			qs, own = append(qs, q), own+q*floats.Dot(window[t.mid*n:][:n], p.plane(t.mid))
		})
		p.q, p.own = append(p.q, qs), append(p.own, own)
	}
}

// groundOf returns what of a lesion, over all positions, is taken off with the ground.
func (t *Tissue) groundOf(p *probe) (g ground) {
	var energy, moment [2]float64 // of the part that is taken off, and of the rest
	add := func(k int, values []float64) {
		for i, c := range t.spectrum.transform(values) {
			power := real(c)*real(c) + imag(c)*imag(c)
			energy[k], moment[k] = energy[k]+power, moment[k]+power*t.spectrum.squared[i]
		}
	}
	t.each(p, func(x, y int) {
		values, off := make([]float64, t.side*t.side), make([]float64, t.side*t.side)
		for k, a := range p.plane(t.mid) {
			values[(y+k/p.support)*t.side+x+k%p.support] = a
		}
		floats.Add(off, values)
		t.takeGround(values)
		floats.Sub(off, values)
		if middle := (t.side - p.support) / 2; x == middle && y == middle {
			g.off = off
		}
		add(0, off)
		add(1, values)
	})
	g.share, g.slow = energy[0]/(energy[0]+energy[1]), moment[0]/energy[0]/(moment[1]/energy[1])
	return g
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

// response adds to sums what the slice of the k-th region of a result in which a lesion is looked at has of a probe.
func (t *Tissue) response(to *sums, p *probe, k int, plane []float64) {
	i, lesion := 0, p.plane(t.mid)
	to.own = p.own[k]
	t.each(p, func(x, y int) {
		response := 0.0
		for row := range p.support {
			response += floats.Dot(plane[(y+row)*t.side+x:][:p.support], lesion[row*p.support:][:p.support])
		}
		to.kept += p.q[k][i] * response
		i++
	})
}

// Sample is what a result did in the regions of a tissue.
type Sample struct {
	tissue *Tissue
	sums   []sums
}

// sums are those of a region, which add up over regions.
type sums struct {
	kept, own float64
	// variance, moment and weight are those of the spectra before and after.
	variance, moment, weight [2]float64
	// slow are the powers of each low ring of the frequencies before and after, and their product.
	slow [slowRings][3]float64
}

func (s *sums) add(o sums) {
	s.kept, s.own = s.kept+o.kept, s.own+o.own
	for k := range s.slow {
		for i := range s.slow[k] {
			s.slow[k][i] += o.slow[k][i]
		}
	}
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
		if box := t.read(r.box).Offset(part.Min); box.In(after.Geometry) {
			values[i] = voxels(after, box)
		}
	}
	return t.sample(values)
}

// sample takes the sums of a result, by the voxels of the regions; nil for one that does not count.
func (t *Tissue) sample(after [][]float64) Sample {
	s := Sample{tissue: t}
	var ratios []float64
	for k, values := range after {
		if values == nil {
			continue
		}
		slices, waves, mid := t.patches(values, t.regions[k].scale), t.regions[k].waves, t.mid
		if t.alone {
			waves, mid = waves[mid:], 0
		}
		var own sums
		t.response(&own, t.first, k, slices[mid])
		for z, plane := range slices {
			t.spectrum.add(&own, waves[z], t.spectrum.transform(plane))
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

// seen returns the contrast kept of the part of a lesion that is seen in regions less their ground.
func (s sums) seen() float64 {
	if !(s.own > 0) {
		return 1
	}
	return s.kept / s.own
}

// figures are noise removed, contrast and texture kept.
func (s sums) figures(off ground) [3]float64 {
	removed, texture := 0.0, 1.0
	if s.variance[0] > 0 {
		removed = 1 - math.Sqrt(s.variance[1]/s.variance[0])
		texture = s.moment[1] / s.weight[1] / (s.moment[0] / s.weight[0])
	}
	if s.weight[1] == 0 {
		texture = 1
	}
	return [3]float64{removed, off.kept(s.seen()), texture}
}

// mostRemoved returns the noise removed if what is slow in the result is noise only as far as it goes with that before: the
// rest may be of edges that a wide filter brought in.
func (s sums) mostRemoved() float64 {
	if !(s.variance[0] > 0) {
		return 0
	}
	left := s.variance[1]
	for _, ring := range s.slow {
		if ring[0] > 0 {
			left -= ring[1] - min(ring[2]*ring[2]/ring[0], ring[1])
		}
	}
	return 1 - math.Sqrt(max(left, 0)/s.variance[0])
}

// Bands returns the power of the noise in bands of 0.05 cycles per pixel over that before; NaN if the regions resolve no such band.
func (s Sample) Bands() (left []measure.Float) {
	var all sums
	for _, o := range s.sums {
		all.add(o)
	}
	for k, power := range all.slow {
		if left = append(left, measure.Float(power[1]/power[0])); power[0] < rounding*all.variance[0] {
			left[k] = measure.Float(math.NaN())
		}
	}
	return left
}

// Figures returns the figures.
func (s Sample) Figures() verdict.Figures {
	n := len(s.sums)
	if n < LeastRegions {
		return verdict.None()
	}
	off := s.tissue.first.ground
	var all sums
	for _, o := range s.sums {
		all.add(o)
	}
	values := all.figures(off)
	var squares [3]float64
	for i := range s.sums { // jackknife
		var rest sums
		for k, o := range s.sums {
			if k != i {
				rest.add(o)
			}
		}
		for k, x := range rest.figures(off) {
			squares[k] += (x - values[k]) * (x - values[k])
		}
	}
	var shares [3]verdict.Share
	for k, x := range values {
		variance := squares[k] * float64(n-1) / float64(n)
		// Another measurement has regions of its own.
		half := studentOf(n-1) * math.Sqrt(variance*(1+float64(n)/otherRegions))
		changed := 1 - min(x, 1)
		switch k {
		case 0:
			changed = max(x, 0)
		case 2:
			half = math.Hypot(half, narrowError*float64(regionSides[0]-s.tissue.side)/float64(s.tissue.side))
		}
		half = math.Hypot(math.Hypot(half, modelError), lossError[k]*changed)
		shares[k] = verdict.Share{Value: x, Low: x - half, High: x + half}
	}
	shares[0].High = max(shares[0].High, all.mostRemoved()+modelError)
	f := verdict.Of(shares[0], shares[1], shares[2])
	f.ObjectSize, f.ObjectSlices, f.Regions = s.tissue.Lesion.Size, s.tissue.Lesion.Slices, n
	return f
}

// studentOf returns the quantile of Student's t for 95 %.
func studentOf(degrees int) float64 {
	n := float64(degrees)
	return 1.96 + 2.37/n + 2.82/(n*n) + 2.55/(n*n*n)
}
