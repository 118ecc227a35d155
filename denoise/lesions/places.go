package lesions

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/volume"
)

const (
	// evenSide is the least side, in pixels, of the window that must be even about a lesion.
	evenSide = 13
	// evenFactor is how much the local SD of even tissue may exceed noise that is known within 5 %, and fairFactor
	// noise that is known less well.
	evenFactor, fairFactor = 1.25, 1.5
	// quietShare is the share of the windows that show the noise if it is not known.
	quietShare = 0.1
	// blocks is the number of blocks along a side of a window whose means show anatomy: an edge of one sigma raises their variance
	// more than fivefold, and the SD by a tenth.
	blocks = 4
	// scatter bounds the SD, and the variance of the means, of a window, in distances of the 5th to the 20th percentile above
	// the latter: 95 % of windows of noise alone, 80 % by the means.
	scatterSD, scatterSlow = 3.0, 5.0
	// mostSlices bounds the slices in which places are looked for.
	mostSlices = 48
	// candidateStep is the distance of the windows that are looked at, in pixels.
	candidateStep = 2
)

// candidate is a window about a voxel.
type candidate struct {
	at   [3]int
	sd   float64
	slow float64 // variance of the means of blocks
}

// search says what places must be like.
type search struct {
	counts    func(i int) bool // voxels of the foreground that are filtered
	noise     noise.Estimate
	sigmas    *volume.Volume // sigma for each voxel, nil for none; SDs then count in units of it
	side      int            // of the region about a place
	slices    int            // of the longest lesion, odd
	most      int
	seed      uint64
	noiseOnly bool // regions are to hold no anatomy that a strong filter would leave
}

// placesIn returns the middles of regions of even tissue in a part of the volume that do not overlap, at most s.most, in an
// order that depends on the seed. A region counts as even if every voxel of it is of the foreground and the SD within each slice hardly exceeds
// the noise, see [search.limit].
func placesIn(ctx context.Context, v *volume.Volume, part volume.Region, s search) (at [][3]int, err error) {
	half := s.slices / 2
	zs := spread(part.Min[2]+half, part.Max[2]-half, s.seed)
	found := make([][]candidate, len(zs))
	err = parallel.For(ctx, len(zs), func(k int) error {
		for dz := -half; dz <= half; dz++ {
			of := windows(v, zs[k]+dz, s)
			if dz == -half {
				found[k] = of
				continue
			}
			found[k] = both(found[k], of, zs[k])
		}
		for i := range found[k] {
			found[k][i].at[2] = zs[k]
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	all := slices.Concat(found...)
	most := s.limit(all)
	all = slices.DeleteFunc(all, func(c candidate) bool { return !(c.sd <= most) })
	if s.noiseOnly {
		all = usual(usual(all, scatterSD, func(c candidate) float64 { return c.sd }), scatterSlow, func(c candidate) float64 { return c.slow })
	}
	random := rand.New(rand.NewPCG(s.seed, 1))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for _, c := range all {
		if len(at) == s.most {
			break
		}
		if !slices.ContainsFunc(at, func(o [3]int) bool { return s.overlap(c.at, o) }) {
			at = append(at, c.at)
		}
	}
	return at, nil
}

// usual leaves out candidates of which a figure exceeds what noise alone scatters, by the candidates with the least.
func usual(all []candidate, scatter float64, figure func(candidate) float64) []candidate {
	if len(all) == 0 {
		return nil
	}
	values := make([]float64, len(all))
	for i, c := range all {
		values[i] = figure(c)
	}
	slices.Sort(values)
	least, low := values[len(values)/20], values[len(values)/5]
	return slices.DeleteFunc(all, func(c candidate) bool { return figure(c) > low+scatter*(low-least) })
}

// spread returns at most mostSlices of the slices from to to-1, evenly spaced.
func spread(from, to int, seed uint64) (zs []int) {
	n := max(to-from, 0)
	step := max((n+mostSlices-1)/mostSlices, 1)
	first := 0
	if n > 0 {
		first = int(seed % uint64(min(step, n)))
	}
	for z := first; z < n; z += step {
		zs = append(zs, from+z)
	}
	return zs
}

// overlap reports whether the regions about two places share voxels.
func (s search) overlap(a, b [3]int) bool {
	return abs(a[0]-b[0]) < s.side && abs(a[1]-b[1]) < s.side && abs(a[2]-b[2]) < s.slices
}

func abs(n int) int { return max(n, -n) }

// limit returns the largest local SD of even tissue: by the noise map or the estimate of the noise, and if there
// is neither by what the quietest tenth of all regions shows, at most what the noise may be.
func (s search) limit(all []candidate) float64 {
	most, _, unknown := s.noise.Unknown()
	switch {
	case s.sigmas != nil:
		return fairFactor
	case !unknown && s.noise.Sigma > 0 && s.noise.Confidence == noise.High:
		return evenFactor * s.noise.Sigma
	case !unknown && s.noise.Sigma > 0 && s.noise.Confidence != "":
		return fairFactor * s.noise.Sigma
	case len(all) == 0:
		return 0
	}
	sds := make([]float64, len(all))
	for i, c := range all {
		sds[i] = c.sd
	}
	slices.Sort(sds)
	quiet := evenFactor * sds[int(quietShare*float64(len(sds)))]
	if most > 0 {
		return min(quiet, most)
	}
	return quiet
}

// both returns the windows of a and b at the same place, with the larger SD.
func both(a, b []candidate, z int) (out []candidate) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch p, q := a[i].at, b[j].at; {
		case p[1] == q[1] && p[0] == q[0]:
			out = append(out, candidate{[3]int{p[0], p[1], z}, max(a[i].sd, b[j].sd), max(a[i].slow, b[j].slow)})
			i, j = i+1, j+1
		case p[1] < q[1] || p[1] == q[1] && p[0] < q[0]:
			i++
		default:
			j++
		}
	}
	return out
}

// windows returns the windows of slice z of which every voxel counts, row by row, with their SD.
func windows(v *volume.Volume, z int, s search) (out []candidate) {
	nx, ny := v.Dims[0], v.Dims[1]
	plane := v.Plane(z)
	var origin float64 // near the values, so that their squares lose nothing
	for _, x := range plane {
		origin += float64(x) / float64(len(plane))
	}
	type sums struct{ n, sum, squares float64 }
	table := make([]sums, (nx+1)*(ny+1))
	for y := range ny {
		var row sums
		for x := range nx {
			if i := v.Index(x, y, z); v.Valid(i) && s.counts(i) {
				d := float64(plane[y*nx+x]) - origin
				row.n, row.sum, row.squares = row.n+1, row.sum+d, row.squares+float64(d*d)
			}
			above := table[y*(nx+1)+x+1]
			table[(y+1)*(nx+1)+x+1] = sums{above.n + row.n, above.sum + row.sum, above.squares + row.squares}
		}
	}
	h, full := s.side/2, float64(s.side*s.side)
	total := func(x, y, side int) sums {
		a, b := table[y*(nx+1)+x], table[y*(nx+1)+x+side]
		c, d := table[(y+side)*(nx+1)+x], table[(y+side)*(nx+1)+x+side]
		return sums{d.n - b.n - c.n + a.n, d.sum - b.sum - c.sum + a.sum, d.squares - b.squares - c.squares + a.squares}
	}
	own := 1.0 // of the noise of the slice, which may differ from that of the volume
	if of := s.noise.Slice(z).Sigma; s.sigmas == nil && s.noise.Sigma > 0 && of > 0 {
		own = of / s.noise.Sigma
	}
	for y := h; y+h < ny; y += candidateStep {
		for x := h; x+h < nx; x += candidateStep {
			of := total(x-h, y-h, s.side)
			if of.n < full {
				continue
			}
			if variance := (of.squares - of.sum*of.sum/full) / (full - 1); variance > 0 {
				unit := own
				if s.sigmas != nil {
					unit *= float64(s.sigmas.At(x, y, z))
				}
				var means sums
				block := s.side / blocks
				for k := range blocks * blocks {
					mean := total(x-h+k%blocks*block, y-h+k/blocks*block, block).sum / float64(block*block)
					means.sum, means.squares = means.sum+mean, means.squares+mean*mean
				}
				slow := max(means.squares/(blocks*blocks)-means.sum*means.sum/(blocks*blocks*blocks*blocks), 0)
				out = append(out, candidate{[3]int{x, y, z}, math.Sqrt(variance) / unit, slow / (unit * unit)})
			}
		}
	}
	return out
}
