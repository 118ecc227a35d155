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
	At       [][3]int // the middles
	Lesion   Lesion   // the smallest that is visible
	side     int      // of the regions in pixels
	depth    int      // slices of a region
	regions  []region
	lesion   []float64 // the lesion of contrast 1, in its support
	support  int       // its side in pixels
	spectrum spectrum
	seen     float64 // the share of its energy that is left of it in a region less the ground
}

// region is a homogeneous region before filtering.
type region struct {
	box    volume.Region
	slices [][]float64    // less their ground
	waves  [][]complex128 // their transforms
	scale  float64        // of the noise there; 1 without a map
	q      []float64      // by position: the template over the voxels
	own    float64        // the sum of q times the lesion over the voxels
	ground []float64      // the slopes and bends of the ground that was taken off, over its slices
}

// FindTissue chooses homogeneous regions in a part of a volume; the zero value of part is all of it. Without enough of
// them the tissue has none, and figures are not known. The error is the context's.
func FindTissue(ctx context.Context, in denoise.Input, part volume.Region, n noise.Estimate, foreground func(i int) bool) (*Tissue, error) {
	v := in.Volume
	if part == (volume.Region{}) {
		part = v.Bounds()
	}
	masked := in.Masked()
	inside := func(i int) bool { return masked.Valid(i) && (foreground == nil || foreground(i)) }
	t := &Tissue{in: in}
	pixels := UsualSizes(v.Geometry)
	try := func(side, depth int) (err error) {
		t.side, t.depth = side, depth
		t.At, err = placesIn(ctx, v, part, search{counts: inside, noise: n, sigmas: in.Noise, side: side, slices: depth, most: usualPlaces, seed: UsualSeed})
		return err
	}
	lengths := []int{1}
	if l, err := (Lesion{Shape: Disc, Size: pixels[0], Contrast: 1}).in(v.Geometry); err == nil && l.Slices == 3 && part.Dims()[2] >= 3 {
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
	for i, size := range pixels {
		if visible, err := t.take(size); err != nil {
			return nil, err
		} else if visible || i == len(pixels)-1 || t.supportOf(pixels[i+1])+2 > t.side {
			break
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
		}
		r.slices, r.ground = t.patches(t.in.Volume, [3]int{}, r)
		for _, p := range r.slices {
			r.waves = append(r.waves, t.spectrum.transform(p))
		}
		t.regions = append(t.regions, r)
	}
}

// patches returns a region of a volume whose first voxel is origin, slice by slice, less the ground, and the sum of
// the grounds, each less its mean.
func (t *Tissue) patches(v *volume.Volume, origin [3]int, r region) (out [][]float64, grounds []float64) {
	grounds = make([]float64, t.side*t.side)
	for z := r.box.Min[2]; z < r.box.Max[2]; z++ {
		values := make([]float64, 0, t.side*t.side)
		for y := r.box.Min[1]; y < r.box.Max[1]; y++ {
			from := v.Index(r.box.Min[0]-origin[0], y-origin[1], z-origin[2])
			for _, x := range v.Data[from : from+t.side] {
				values = append(values, float64(x)/r.scale)
			}
		}
		t.takeGround(values, grounds)
		out = append(out, values)
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

// take makes a disc the one that is measured, and reports whether it is visible in the noise.
func (t *Tissue) take(size float64) (visible bool, err error) {
	t.Lesion = Lesion{Shape: Disc, Size: size, Contrast: 1, Slices: t.depth}
	t.support = min(t.supportOf(size), t.side-2)
	t.lesion = t.Lesion.profile(t.in.Volume.Geometry, t.support, blur)
	n := t.support * t.support * t.depth
	covariance, count := mat.NewSymDense(n, nil), 0.0
	window := make([]float64, n)
	for _, r := range t.regions {
		t.each(func(x, y int) {
			if (x|y)&1 != 0 { // neighbours add little
				return
			}
			t.window(window, r.slices, x, y)
			covariance.SymRankOne(covariance, 1, mat.NewVecDense(n, window))
			count++
		})
	}
	s := mat.NewVecDense(n, nil)
	for i := range n {
		s.SetVec(i, t.lesion[i%len(t.lesion)])
	}
	trace := 0.0
	for i := range n {
		trace += covariance.At(i, i)
	}
	variance := trace / float64(n)
	if !(variance > 0) {
		return true, nil // every result keeps all of nothing
	}
	var template mat.VecDense
	template.MulVec(covariance, s)
	energy := mat.Dot(s, s)
	index := strongest * math.Sqrt(variance/count) * energy / math.Sqrt(mat.Dot(s, &template)/count)
	for i := range n {
		covariance.SetSym(i, i, covariance.At(i, i)+ridge*variance)
	}
	var factor mat.Cholesky
	if !factor.Factorize(covariance) {
		template.CopyVec(s)
	} else if err := factor.SolveVecTo(&template, s); err != nil {
		template.CopyVec(s)
	}
	t.seen = t.seenShare()
	for i := range t.regions {
		r := &t.regions[i]
		r.q, r.own = nil, 0
		t.each(func(x, y int) {
			t.window(window, r.slices, x, y)
			q, own := 0.0, 0.0
			for k, a := range window {
				q, own = q+a*template.AtVec(k), own+a*s.AtVec(k)
			}
			r.q, r.own = append(r.q, q), r.own+q*own
		})
	}
	return index >= VisibleFrom, nil
}

// seenShare returns the share of the energy of the lesion, over all positions, that is left less the ground.
func (t *Tissue) seenShare() float64 {
	left, all := 0.0, 0.0
	t.each(func(x, y int) {
		values := make([]float64, t.side*t.side)
		for k, a := range t.lesion {
			values[(y+k/t.support)*t.side+x+k%t.support] = a
			all += a * a
		}
		t.takeGround(values, nil)
		left += floats.Dot(values, values)
	})
	return left / all
}

// each visits the first pixels of all windows within a region.
func (t *Tissue) each(visit func(x, y int)) {
	for y := 0; y+t.support <= t.side; y++ {
		for x := 0; x+t.support <= t.side; x++ {
			visit(x, y)
		}
	}
}

// window copies the window at a pixel of a region.
func (t *Tissue) window(dst []float64, slices [][]float64, x, y int) {
	dst = dst[:0]
	for _, p := range slices {
		for row := y; row < y+t.support; row++ {
			dst = append(dst, p[row*t.side+x:][:t.support]...)
		}
	}
}

// Sample is what a result did in the regions of a tissue. Strengths of a mixture of result and input follow from it.
type Sample struct {
	tissue *Tissue
	sums   []sums
}

// sums are those of a region, which add up over regions.
type sums struct {
	kept, own float64
	// flat and slope are the products of the grounds before with those after, and before.
	flat, slope float64
	// variance, moment and weight are those of the spectra before and after, and of the cross-spectrum.
	variance, moment, weight [3]float64
}

func (s *sums) add(o sums) {
	s.kept, s.own, s.flat, s.slope = s.kept+o.kept, s.own+o.own, s.flat+o.flat, s.slope+o.slope
	for k := range 3 {
		s.variance[k], s.moment[k], s.weight[k] = s.variance[k]+o.variance[k], s.moment[k]+o.moment[k], s.weight[k]+o.weight[k]
	}
}

// Of returns what a result did, which has the voxels of a part of the volume; regions outside it do not count.
func (t *Tissue) Of(after *volume.Volume, part volume.Region) Sample {
	var boxes []*volume.Volume
	var origins [][3]int
	for _, r := range t.regions {
		if !contains(part, r.box) {
			boxes, origins = append(boxes, nil), append(origins, [3]int{})
			continue
		}
		boxes, origins = append(boxes, after), append(origins, part.Min)
	}
	return t.sample(boxes, origins)
}

func contains(part, box volume.Region) bool {
	for c := range 3 {
		if box.Min[c] < part.Min[c] || box.Max[c] > part.Max[c] {
			return false
		}
	}
	return true
}

// Run filters the regions alone, by a resolved recipe. The error is the context's or the engine's.
func (t *Tissue) Run(ctx context.Context, e denoise.Engine, recipe denoise.Recipe) (Sample, error) {
	program, err := recipe.Bind(t.in.Volume.Geometry)
	if err != nil {
		return Sample{}, err
	}
	in := Request{Input: t.in}.input()
	crops, origins := make([]crop, len(t.regions)), make([][3]int, len(t.regions))
	for i, r := range t.regions {
		crops[i], origins[i] = cropOf(in, r.box, [3]int{}, program), r.box.Min
	}
	after, err := runAll(ctx, e, recipe, program.Lattice, crops)
	if err != nil {
		return Sample{}, err
	}
	return t.sample(after, origins), nil
}

// sample takes the sums of results, each with the voxel of its first.
func (t *Tissue) sample(after []*volume.Volume, origins [][3]int) Sample {
	s := Sample{tissue: t}
	var ratios []float64
	for i, r := range t.regions {
		if after[i] == nil {
			continue
		}
		u, ground := t.patches(after[i], origins[i], r)
		own := sums{own: r.own}
		k := 0
		t.each(func(x, y int) {
			response := 0.0
			for _, p := range u {
				for row := range t.support {
					for col, a := range p[(y+row)*t.side+x:][:t.support] {
						response += a * t.lesion[row*t.support+col]
					}
				}
			}
			own.kept += r.q[k] * response
			k++
		})
		for k, a := range r.ground {
			own.flat, own.slope = own.flat+a*ground[k], own.slope+a*a
		}
		for z, p := range u {
			t.spectrum.add(&own, r.waves[z], t.spectrum.transform(p))
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

// mixed returns a sum over the spectrum of the mixture of a share of the result.
func mixed(s [3]float64, share float64) float64 {
	return (1-share)*(1-share)*s[0] + 2*share*(1-share)*s[2] + share*share*s[1]
}

// figures are noise removed, contrast and texture kept of a mixture.
func (s sums) figures(share, seen float64) [3]float64 {
	removed, kept, texture := 0.0, 1.0, 1.0
	if s.variance[0] > 0 {
		removed = 1 - math.Sqrt(max(mixed(s.variance, share), 0)/s.variance[0])
		texture = mixed(s.moment, share) / mixed(s.weight, share) / (s.moment[0] / s.weight[0])
	}
	if s.own > 0 {
		of := s.kept / s.own
		if s.slope > 0 { // what the ground took off is kept as its slopes are
			of = seen*of + (1-seen)*s.flat/s.slope
		}
		kept = 1 - share*(1-of)
	}
	return [3]float64{removed, kept, texture}
}

// Figures returns the figures of the result itself.
func (s Sample) Figures() verdict.Figures { return s.At(100) }

// At returns the figures of a strength from 0, the input, to 100, the result.
func (s Sample) At(strength float64) verdict.Figures {
	n, share := len(s.sums), strength/100
	if n < LeastRegions {
		return verdict.None()
	}
	var all sums
	for _, o := range s.sums {
		all.add(o)
	}
	values := all.figures(share, s.tissue.seen)
	var squares [3]float64
	for i := range s.sums { // jackknife
		var rest sums
		for k, o := range s.sums {
			if k != i {
				rest.add(o)
			}
		}
		for k, x := range rest.figures(share, s.tissue.seen) {
			squares[k] += (x - values[k]) * (x - values[k])
		}
	}
	var shares [3]verdict.Share
	for k, x := range values {
		variance := squares[k] * float64(n-1) / float64(n)
		// Another measurement has regions of its own.
		half := studentOf(n-1) * math.Sqrt(variance*(1+float64(n)/otherRegions))
		half = math.Hypot(half, share*modelError)
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

// Strongest returns the highest whole strength of a mixture that stays within the bounds with all below it, and its
// figures; 0 if only the input does.
func (s Sample) Strongest(b verdict.Bounds) (strength float64, f verdict.Figures) {
	f = s.At(0)
	for next := 1.0; next <= 100; next++ {
		of := s.At(next)
		if !b.Within(of) {
			break
		}
		strength, f = next, of
	}
	return strength, f
}
