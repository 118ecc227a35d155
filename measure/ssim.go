package measure

import (
	"context"
	"math"
	"sync"

	"quell/internal/parallel"
	"quell/volume"
)

// The Gaussian weights and the constants of Wang et al. 2004, section III-B.
const (
	ssimRadius = 5   // 11 samples along each axis
	ssimSigma  = 1.5 // voxels
	ssimK1     = 0.01
	ssimK2     = 0.03
)

// ssimWeights are the Gaussian weights from the centre outwards; they are symmetric.
var ssimWeights = func() (w [ssimRadius + 1]float64) {
	sum := 0.0
	for d := range w {
		w[d] = math.Exp(-0.5 * float64(d*d) / (ssimSigma * ssimSigma))
		sum += 2 * w[d]
	}
	sum -= w[0]
	for d := range w {
		w[d] /= sum
	}
	return w
}()

// stripRows is the number of rows of a strip: enough to make the 10 extra rows at its
// edges cheap, few enough for 11 blurred slices of it to stay in the cache.
const stripRows = 32

// strip computes SSIM on a strip of rows, slice after slice, so that at most 11 slices
// of these rows are in memory.
type strip struct {
	nx, w  int                  // voxels in a row, and SSIM values
	rows   int                  // rows of SSIM values
	ring   [][numFields]plane   // the last blurred slices, by z modulo their number
	across [numFields]plane     // rows blurred along x, 10 more than rows
	line   [numFields][]float64 // one row before the blur
	out    [numFields][]float64 // one row of local means
	shift  float64
	c1, c2 float64
}

// SSIM is computed from the local means of these fields. Values are shifted towards
// zero before they are squared, which leaves the variances as they are and keeps
// their digits.
const (
	fieldX = iota
	fieldY
	fieldXX
	fieldYY
	fieldXY
	numFields
)

type plane []float64

// structuralSimilarity returns the mean SSIM of test and ref (Wang et al. 2004,
// eq. 13): Gaussian weights of sigma 1.5 cut off at 11 samples, K1 = 0.01, K2 = 0.03,
// population covariances, L = span. dims 2 goes slice by slice; dims 3 weighs 11^3
// voxels. The mean is over the voxels of counted (nil: all) that are at least 5 from
// every border; their neighbours are read even if they do not count. It is NaN if
// there is no such voxel or span is 0.
//
// scikit-image's structural_similarity gives the same number with
// gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=span.
func structuralSimilarity(ctx context.Context, ref, test *volume.Volume, span float64, counted []bool, dims int) (float64, error) {
	w, h, d := ref.Dims[0]-2*ssimRadius, ref.Dims[1]-2*ssimRadius, ref.Dims[2]
	if dims == 3 {
		d -= 2 * ssimRadius
	}
	if w < 1 || h < 1 || d < 1 || span == 0 {
		return math.NaN(), ctx.Err()
	}
	lo, hi, err := ref.Range(ctx)
	if err != nil {
		return 0, err
	}
	shift := (float64(lo) + float64(hi)) / 2

	strips := (h + stripRows - 1) / stripRows
	// In two dimensions slices are independent: one task per strip and slice.
	tasks, slices := strips, ref.Dims[2]
	if dims == 2 {
		tasks, slices = strips*ref.Dims[2], 1
	}
	type part struct {
		sum float64
		n   int
	}
	parts := make([]part, tasks)
	pool := sync.Pool{New: func() any { return newStrip(ref.Dims[0], min(stripRows, h), dims) }}
	err = parallel.For(ctx, tasks, func(i int) error {
		y0 := i % strips * stripRows
		s := pool.Get().(*strip)
		defer pool.Put(s)
		s.rows = min(stripRows, h-y0)
		s.shift, s.c1, s.c2 = shift, ssimK1*span*(ssimK1*span), ssimK2*span*(ssimK2*span)
		first := i / strips
		for z := first; z < first+slices && ctx.Err() == nil; z++ {
			s.blur(ref.Plane(z), test.Plane(z), y0, s.ring[(z-first)%len(s.ring)])
			centre := z - len(s.ring)/2
			if z-first+1 < len(s.ring) {
				continue
			}
			for y := range s.rows {
				s.localMeans(y, z-first)
				at := ref.Index(ssimRadius, y0+y+ssimRadius, centre)
				sum, n := s.sum(counted, at)
				parts[i].sum += sum
				parts[i].n += n
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return 0, err
	}
	var all part
	for _, p := range parts {
		all.sum += p.sum
		all.n += p.n
	}
	return all.sum / float64(all.n), nil
}

func newStrip(nx, rows, dims int) *strip {
	s := &strip{nx: nx, w: nx - 2*ssimRadius, rows: rows}
	depth := 1
	if dims == 3 {
		depth = 2*ssimRadius + 1
	}
	s.ring = make([][numFields]plane, depth)
	for f := range numFields {
		for z := range s.ring {
			s.ring[z][f] = make(plane, rows*s.w)
		}
		s.across[f] = make(plane, (rows+2*ssimRadius)*s.w)
		s.line[f] = make([]float64, nx)
		s.out[f] = make([]float64, s.w)
	}
	return s
}

// blur computes the five fields of rows y0 to y0+rows+10 of one slice and their local
// means over 11 x 11 voxels.
func (s *strip) blur(ref, test []float32, y0 int, dst [numFields]plane) {
	for y := range s.rows + 2*ssimRadius {
		at := (y0 + y) * s.nx
		rowX, rowY := ref[at:at+s.nx], test[at:at+s.nx]
		for i := range rowX {
			x, y := float64(rowX[i])-s.shift, float64(rowY[i])-s.shift
			s.line[fieldX][i], s.line[fieldY][i] = x, y
			s.line[fieldXX][i], s.line[fieldYY][i], s.line[fieldXY][i] = x*x, y*y, x*y
		}
		for f, line := range s.line {
			blurRow(s.across[f][y*s.w:(y+1)*s.w], line)
		}
	}
	for f := range numFields {
		var rows [2*ssimRadius + 1][]float64
		for y := range s.rows {
			for k := range rows {
				rows[k] = s.across[f][(y+k)*s.w : (y+k+1)*s.w]
			}
			blurAcross(dst[f][y*s.w:(y+1)*s.w], &rows)
		}
	}
}

// localMeans writes the local means of row y into s.out; z is the last slice that
// went into the ring.
func (s *strip) localMeans(y, z int) {
	for f := range numFields {
		if len(s.ring) == 1 {
			copy(s.out[f], s.ring[0][f][y*s.w:])
			continue
		}
		var rows [2*ssimRadius + 1][]float64
		for k := range rows {
			p := s.ring[(z+1+k)%len(s.ring)][f]
			rows[k] = p[y*s.w : (y+1)*s.w]
		}
		blurAcross(s.out[f], &rows)
	}
}

// sum adds up SSIM over the counted voxels of one row; at is the index of the first.
func (s *strip) sum(counted []bool, at int) (sum float64, n int) {
	for i := range s.w {
		if counted != nil && !counted[at+i] {
			continue
		}
		mx, my := s.out[fieldX][i], s.out[fieldY][i]
		vx := s.out[fieldXX][i] - mx*mx
		vy := s.out[fieldYY][i] - my*my
		vxy := s.out[fieldXY][i] - mx*my
		mx, my = mx+s.shift, my+s.shift
		sum += (2*mx*my + s.c1) * (2*vxy + s.c2) / ((mx*mx + my*my + s.c1) * (vx + vy + s.c2))
		n++
	}
	return sum, n
}

// blurRow writes the weighted means along src; dst is 10 shorter.
func blurRow(dst, src []float64) {
	w := &ssimWeights
	for i := range dst {
		v := src[i : i+11 : i+11]
		dst[i] = w[0]*v[5] + w[1]*(v[4]+v[6]) + w[2]*(v[3]+v[7]) + w[3]*(v[2]+v[8]) + w[4]*(v[1]+v[9]) + w[5]*(v[0]+v[10])
	}
}

// blurAcross writes the weighted means over 11 rows.
func blurAcross(dst []float64, rows *[11][]float64) {
	w := &ssimWeights
	n := len(dst)
	r0, r1, r2, r3, r4, r5 := rows[0][:n], rows[1][:n], rows[2][:n], rows[3][:n], rows[4][:n], rows[5][:n]
	r6, r7, r8, r9, r10 := rows[6][:n], rows[7][:n], rows[8][:n], rows[9][:n], rows[10][:n]
	for i := range dst {
		dst[i] = w[0]*r5[i] + w[1]*(r4[i]+r6[i]) + w[2]*(r3[i]+r7[i]) + w[3]*(r2[i]+r8[i]) + w[4]*(r1[i]+r9[i]) + w[5]*(r0[i]+r10[i])
	}
}
