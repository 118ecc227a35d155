package tune

import (
	"context"
	"math"
	"runtime"
	"slices"

	"quell/denoise/noise"
	"quell/internal/convolve"
	"quell/internal/parallel"
	"quell/volume"
)

// What an eye sees in a residual is what noise alone would not show there: a place
// with a mean other than 0 over the size of a small object, or with more power than
// the noise, as along an edge. Both are tested in every voxel against the
// distribution that the noise itself would give, white or correlated, at scales of
// a few voxels to a few centimetres of a fine grid.

// The scales in voxels of the Gaussian windows that means are taken over; a disc is
// seen best in a window of half its radius.
var meanScales = [...]float64{1, 2, 4}

// powerScale is the scale of the window over which the power is taken.
const powerScale = 2

// significant is by how many standard deviations a window must differ from noise:
// in a volume of 10^7 voxels some ten windows do so by chance.
const significant = 5

// residue is the residual of a region in sigmas. It is found slice by slice, when it is looked
// at: as a volume it would take as much memory as the result.
type residue struct {
	volume.Geometry
	correlation *noise.Correlation
	// slice writes the residual of slice z, 0 if a voxel does not count, and which voxels
	// count. It is called by several goroutines.
	slice func(z int, data []float32, use []bool)
}

// structure is what is found in a residual.
type structure struct {
	slices []share
	bands  []Band // the spectrum of the residual
}

// structure looks for structure in the residual, and writes its amplitudes in sigmas if it
// finds any to found, zeros before, unless that is nil. The error is the context's.
func (r residue) structure(ctx context.Context, found *volume.Volume) (structure, error) {
	s := structure{slices: make([]share, r.Dims[2])}
	powers := make([]bandPower, r.Dims[2])
	var least [len(meanScales)]float32
	for k, s := range meanScales {
		least[k] = float32(significant * r.spread(s))
	}
	mostPower := float32(r.powerLimit())
	err := parallel.ForWorkers(ctx, r.Dims[2], runtime.GOMAXPROCS(0), func() func(int) error {
		n := r.SliceVoxels()
		b := newBlurrer(r.Dims[0], r.Dims[1])
		data, counts, amplitudes := make([]float32, n), make([]bool, n), make([]float32, n)
		smooth, inner := make([]float32, n), make([]float32, n)
		return func(z int) error {
			r.slice(z, data, counts)
			from, to := usedRows(counts, r.Dims[0])
			if from == to {
				return nil
			}
			// Beyond these rows there is 0, as outside the slice.
			plane, use, out := data[from:to], counts[from:to], amplitudes[from:to]
			smooth, inner := smooth[:to-from], inner[:to-from]
			clear(out)
			b.inner(inner, use)
			b.load(plane)
			for k, s := range meanScales {
				b.means(smooth, s)
				powers[z].add(k, smooth, inner)
				least := least[k]
				for i, m := range smooth {
					if (m > least || m < -least) && use[i] {
						out[i] = max(out[i], m, -m)
					}
				}
			}
			b.square()
			b.means(smooth, powerScale)
			for i, p := range smooth {
				if p > mostPower && use[i] {
					out[i] = max(out[i], float32(math.Sqrt(float64(p-1))))
				}
			}
			own := shareOf(plane, out, use)
			own.at += from
			s.slices[z] = own
			if found != nil && own.peak > 0 { // memory that is not written to takes none
				copy(found.Plane(z)[from:to], out)
			}
			return nil
		}
	})
	if err != nil {
		return structure{}, err
	}
	s.bands = r.spectrum(powers)
	return s, nil
}

// spread returns the standard deviation of a windowed mean of noise of sigma 1.
func (r residue) spread(scale float64) float64 {
	return math.Sqrt(r.overlapped(scale, func(rho float64) float64 { return rho }))
}

// powerLimit returns what the windowed power of noise of sigma 1 hardly ever
// exceeds. It is distributed as chi squared over its degrees of freedom; its cube
// root is normal (Wilson, Hilferty 1931).
func (r residue) powerLimit() float64 {
	freedom := 1 / r.overlapped(powerScale, func(rho float64) float64 { return rho * rho })
	v := 2 / (9 * freedom)
	root := 1 - v + significant*math.Sqrt(v)
	return root * root * root
}

// overlapped returns the sum over pairs of voxels of a window, weighted as they
// are in it, of a function of their correlation.
func (r residue) overlapped(scale float64, f func(rho float64) float64) float64 {
	kx, ky := window(scale, r.Dims[0]), window(scale, r.Dims[1])
	sum := 0.0
	for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
		for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
			sum += shifted(kx, dx) * shifted(ky, dy) * f(r.correlation.Rho(dx, dy, 0))
		}
	}
	return max(sum, 1e-6)
}

// shifted returns the product of a window with itself d voxels on.
func shifted(k []float32, d int) float64 {
	d = max(d, -d)
	sum := 0.0
	for i := d; i < len(k); i++ {
		sum += float64(k[i]) * float64(k[i-d])
	}
	return sum
}

// window returns Gaussian weights of a sum of 1 along an axis of n voxels; an axis
// of one voxel has no neighbours to weigh.
func window(scale float64, n int) []float32 {
	reach := int(math.Ceil(2.5 * scale))
	if n == 1 {
		reach = 0
	}
	k := make([]float32, 2*reach+1)
	sum := 0.0
	for i := range k {
		d := float64(i-reach) / scale
		sum += math.Exp(-0.5 * d * d)
		k[i] = float32(math.Exp(-0.5 * d * d))
	}
	for i := range k {
		k[i] /= float32(sum)
	}
	return k
}

// blurrer takes windowed means of slices. Outside a slice there is 0.
type blurrer struct {
	nx, ny, width int       // pixels of a slice, and values of a row: whole groups of lanes
	used          int       // rows that source holds
	source        []float64 // the slice or rows of it, each between zeros
	rows          []float64 // the same blurred along x, between rows of zeros
	out           []float64 // one row
	offsets       []int
}

// margin is the reach of the widest window.
var margin = len(window(meanScales[len(meanScales)-1], 2)) / 2

func newBlurrer(nx, ny int) blurrer {
	width := convolve.RoundUp(nx)
	return blurrer{
		nx: nx, ny: ny, width: width,
		source: make([]float64, ny*(width+2*margin)), rows: make([]float64, (ny+2*margin)*width), out: make([]float64, width),
		offsets: make([]int, 2*margin+1),
	}
}

// usedRows returns the pixels from the first row of nx in which any counts to the end of the
// last; 0, 0 if none does.
func usedRows(use []bool, nx int) (from, to int) {
	from = slices.Index(use, true)
	if from < 0 {
		return 0, 0
	}
	to = len(use)
	for !use[to-1] {
		to--
	}
	return from / nx * nx, (to + nx - 1) / nx * nx
}

// load makes rows of a slice what means are taken of.
func (b *blurrer) load(src []float32) {
	b.used = len(src) / b.nx
	for y := range b.used {
		row := b.row(y)
		for x, a := range src[y*b.nx:][:len(row)] {
			row[x] = float64(a)
		}
	}
}

// square squares the source, in the precision of slices.
func (b *blurrer) square() {
	for y := range b.used {
		row := b.row(y)
		for x, a := range row {
			row[x] = float64(float32(a * a)) // exact before it is rounded
		}
	}
}

// row returns the pixels of a row of the source.
func (b *blurrer) row(y int) []float64 { return b.source[y*(b.width+2*margin)+margin:][:b.nx] }

// means writes the windowed means of the source to dst.
func (b *blurrer) means(dst []float32, scale float64) {
	clear(b.rows[(margin+b.used)*b.width : (2*margin+b.used)*b.width]) // of more rows before
	kx, ky := weights(window(scale, b.nx)), weights(window(scale, b.ny))
	offsets := b.steps(len(kx), 1)
	for y := range b.used {
		row := b.rows[(margin+y)*b.width:][:b.width]
		if y > 0 && slices.Equal(b.row(y), b.row(y-1)) { // of a mask, which is made of blocks
			copy(row, b.rows[(margin+y-1)*b.width:])
			continue
		}
		convolve.Row(row, b.source[y*(b.width+2*margin)+margin-len(kx)/2:], offsets, kx)
	}
	offsets = b.steps(len(ky), b.width)
	for y := range b.used {
		convolve.Row(b.out, b.rows[(margin+y-len(ky)/2)*b.width:], offsets, ky)
		row := dst[y*b.nx:][:b.nx]
		for x, a := range b.out[:len(row)] {
			row[x] = float32(a)
		}
	}
}

// steps returns n offsets that far apart.
func (b *blurrer) steps(n, apart int) []int {
	for k := range n {
		b.offsets[k] = k * apart
	}
	return b.offsets[:n]
}

func weights(window []float32) []float64 {
	w := make([]float64, len(window))
	for i, a := range window {
		w[i] = float64(a)
	}
	return w
}

// share is what the voxels of a slice, or of all, add up to.
type share struct {
	voxels int
	found  float64 // sum of squares of the structure, in sigmas
	peak   float32 // the strongest structure of a slice, in sigmas
	at     int     // its pixel, the first of equal ones
}

func (s share) structure() float64 { return s.found / math.Max(float64(s.voxels), 1) }

// total adds up shares.
func total(per []share) (t share) {
	for _, s := range per {
		t.voxels, t.found = t.voxels+s.voxels, t.found+s.found
	}
	return t
}
