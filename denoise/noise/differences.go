package noise

import (
	"context"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// The estimator for white noise. Along every axis the fourth difference
//
//	d(v)_i = (v_{i-2} - 4 v_{i-1} + 6 v_i - 4 v_{i+1} + v_{i+2}) / sqrt(70)
//
// keeps the variance of white noise and passes nearly nothing of what is smooth
// over five voxels; taken along two or three axes in turn, it also removes every
// edge that lies along one of them. sigma is found from the root mean square of
// these differences in windows of the foreground: its 0.2-quantile over the
// windows, divided by that of pure noise of sigma 1, so that windows with
// structure do not raise it.

// The fourth difference, and how far it reaches.
var fourth = [5]float32{1, -4, 6, -4, 1}

const (
	fourthReach = 2
	fourthNorm  = 70 // sum of the squares
)

// windowQuantile is the share of windows below the value that is taken.
const (
	windowQuantile       = 0.2
	windowQuantileNormal = -0.8416212335729143 // the normal quantile of it
)

// maxWindows bounds the windows of one estimate: more do not make it better.
const maxWindows = 1 << 16

// sampling says how a volume is measured by differences.
type sampling struct {
	size     [3]int  // of a window, in voxels
	flat     bool    // no differences across slices
	quantile float64 // of the windows' root mean squares, which is taken
	pure     float64 // the same quantile of pure noise of sigma 1
}

// The samplings: windows of a volume and of one slice, and single differences
// where there is no room for windows.
var (
	volumeWindows = sampling{size: [3]int{7, 7, 7}, quantile: windowQuantile, pure: pureNoise([3]int{7, 7, 7}, windowQuantileNormal)}
	sliceWindows  = sampling{size: [3]int{13, 13, 1}, flat: true, quantile: windowQuantile, pure: pureNoise([3]int{13, 13, 1}, windowQuantileNormal)}
	volumeVoxels  = sampling{size: [3]int{1, 1, 1}, quantile: 0.5, pure: medianOfNormal}
	sliceVoxels   = sampling{size: [3]int{1, 1, 1}, flat: true, quantile: 0.5, pure: medianOfNormal}
)

// medianOfNormal is the median of |x| of a standard normal x.
const medianOfNormal = 0.6744897501960817

// differences measures the windows of the slices z0 <= z < z1. Layers of windows
// along z are left out evenly where there would be more than most. The error is
// the context's.
func differences(ctx context.Context, v *volume.Volume, s sampling, z0, z1, most int) ([]window, error) {
	size, reach := s.size, [3]int{fourthReach, fourthReach, fourthReach}
	if s.flat {
		reach[2] = 0
	}
	var count [3]int
	for c := range 3 {
		n := v.Dims[c]
		if c == 2 {
			n = z1 - z0
		}
		count[c] = (n - 2*reach[c]) / size[c]
		if count[c] < 1 {
			return nil, nil
		}
	}
	perLayer := count[0] * count[1]
	layers := min(count[2], max(1, most/perLayer))
	found := make([][]window, layers)
	err := parallel.ForWorkers(ctx, layers, layers, func() func(int) error {
		var d differencer
		return func(i int) error {
			layer := i * count[2] / layers
			found[i] = d.layer(v, size, reach, count, z0+reach[2]+layer*size[2])
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	var all []window
	for _, ws := range found {
		all = append(all, ws...)
	}
	return all, nil
}

// differencer holds the memory of one goroutine.
type differencer struct {
	a, b []float32
}

// layer measures the windows whose first slice is z.
func (d *differencer) layer(v *volume.Volume, size, reach, count [3]int, z int) []window {
	nx := v.Dims[0]
	squares := make([]float64, count[0]*count[1])
	sums := make([]float64, count[0]*count[1])
	for s := z; s < z+size[2]; s++ {
		e := d.plane(v, reach, s)
		for wy := range count[1] {
			for y := reach[1] + wy*size[1]; y < reach[1]+(wy+1)*size[1]; y++ {
				row, values := e[y*nx:(y+1)*nx], v.Plane(s)[y*nx:(y+1)*nx]
				for wx := range count[0] {
					at := wy*count[0] + wx
					for x := reach[0] + wx*size[0]; x < reach[0]+(wx+1)*size[0]; x++ {
						d := along(row, x)
						squares[at] += d * d
						sums[at] += float64(values[x])
					}
				}
			}
		}
	}
	n := float64(size[0] * size[1] * size[2])
	norm := n
	for c := range 3 {
		if reach[c] > 0 {
			norm *= fourthNorm
		}
	}
	var ws []window
	for wy := range count[1] {
		for wx := range count[0] {
			first := [3]int{reach[0] + wx*size[0], reach[1] + wy*size[1], z}
			var box volume.Region
			for c := range 3 {
				box.Min[c], box.Max[c] = first[c]-reach[c], first[c]+size[c]+reach[c]
			}
			if !allValid(v, box) {
				continue
			}
			at := wy*count[0] + wx
			ws = append(ws, window{
				at:   [3]int32{int32(first[0]), int32(first[1]), int32(first[2])},
				sd:   float32(math.Sqrt(squares[at] / norm)),
				mean: float32(sums[at] / n),
			})
		}
	}
	return ws
}

// plane returns the differences of slice z along y and, if reach[2] > 0, along z;
// those along x are left to along.
func (d *differencer) plane(v *volume.Volume, reach [3]int, z int) []float32 {
	nx, ny := v.Dims[0], v.Dims[1]
	if d.a == nil {
		d.a, d.b = make([]float32, nx*ny), make([]float32, nx*ny)
	}
	from := v.Plane(z)
	if reach[2] > 0 {
		combine(d.a, func(k int) []float32 { return v.Plane(z + k) })
		from = d.a
	}
	for y := reach[1]; y < ny-reach[1]; y++ {
		combine(d.b[y*nx:(y+1)*nx], func(k int) []float32 { return from[(y+k)*nx : (y+k+1)*nx] })
	}
	return d.b
}

// along returns the fourth difference of row around x.
func along(row []float32, x int) float64 {
	return float64(row[x-2]) - 4*float64(row[x-1]) + 6*float64(row[x]) - 4*float64(row[x+1]) + float64(row[x+2])
}

// combine writes the fourth difference of five rows or planes to dst.
func combine(dst []float32, at func(k int) []float32) {
	m2, m1, m0, p1, p2 := at(-2), at(-1), at(0), at(1), at(2)
	for i := range dst {
		dst[i] = fourth[0]*m2[i] + fourth[1]*m1[i] + fourth[2]*m0[i] + fourth[3]*p1[i] + fourth[4]*p2[i]
	}
}

// pureNoise returns the quantile, given by its normal quantile z, of the root mean
// square that windows of this size have on white noise of sigma 1.
//
// The mean square is distributed nearly as chi squared over its degrees of
// freedom, n^3 over the sum of the squared correlations between differences;
// its quantile is that of Wilson and Hilferty (1931).
func pureNoise(size [3]int, z float64) float64 {
	// The autocorrelation of the fourth difference.
	rho := [5]float64{1, -56.0 / 70, 28.0 / 70, -8.0 / 70, 1.0 / 70}
	freedom := 1.0
	for _, n := range size {
		if n == 1 {
			continue
		}
		sum := 1.0
		for k := 1; k < min(len(rho), n); k++ {
			sum += 2 * (1 - float64(k)/float64(n)) * rho[k] * rho[k]
		}
		freedom *= float64(n) / sum
	}
	t := 2 / (9 * freedom)
	return math.Sqrt(math.Pow(1-t+z*math.Sqrt(t), 3))
}

// Kept returns the share of white noise that a result keeps of its input: the
// covariance of their fourth differences over the variance of the input's, in
// the voxels that use marks. It underestimates what smooth filters keep. The
// error is the context's.
func Kept(ctx context.Context, before, after *volume.Volume, use func(i int) bool) (float64, error) {
	flat := before.Dims[2] <= 2*fourthReach
	var reach [3]int
	for c := range 3 {
		if c < 2 || !flat {
			reach[c] = fourthReach
		}
		if before.Dims[c] <= 2*reach[c] {
			return 0, nil
		}
	}
	type sums struct{ both, alone float64 }
	layers := make([]sums, before.Dims[2]-2*reach[2])
	err := parallel.ForWorkers(ctx, len(layers), len(layers), func() func(int) error {
		var b, a differencer
		return func(k int) error {
			z := k + reach[2]
			eb, ea := b.plane(before, reach, z), a.plane(after, reach, z)
			for y := reach[1]; y < before.Dims[1]-reach[1]; y++ {
				for x := reach[0]; x < before.Dims[0]-reach[0]; x++ {
					if i := y*before.Dims[0] + x; use(before.Index(x, y, z)) {
						d := along(eb, i)
						layers[k].both += d * along(ea, i)
						layers[k].alone += d * d
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return 0, err
	}
	var total sums
	for _, s := range layers {
		total.both += s.both
		total.alone += s.alone
	}
	if total.alone == 0 {
		return 0, nil
	}
	return min(max(total.both/total.alone, 0), 1), nil
}
