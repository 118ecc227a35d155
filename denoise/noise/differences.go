package noise

import (
	"context"
	"math"

	"quell/internal/parallel"
	"quell/volume"
)

// The estimator for white noise. Along every axis the sixth difference
//
//	d(v)_i = (v_{i-3} - 6 v_{i-2} + 15 v_{i-1} - 20 v_i + 15 v_{i+1} - 6 v_{i+2} + v_{i+3}) / sqrt(924)
//
// keeps the variance of white noise and passes nearly nothing of what is smooth
// over seven voxels; taken along two or three axes in turn, it also removes every
// edge that lies along one of them. sigma is found from the root mean square of
// these differences in windows of the foreground. What fine texture adds is kept
// small by the choice of windows: the evenest fifth, by the means of their octants
// (quadrants in a slice). Those means and the differences share no frequencies, so
// that the choice leaves the noise of the chosen windows as it is, and its median
// over them, divided by that of pure noise of sigma 1, is taken.

// maxWindows bounds the windows of one estimate: more do not make it better.
const maxWindows = 1 << 14

// sampling says how a volume is measured by differences.
type sampling struct {
	of   difference
	size [3]int // of a window, in voxels
	flat bool   // no differences across slices
}

// The samplings of slices, and single differences where there is no room for
// windows.
var (
	sliceWindows = sampling{of: sixth, size: [3]int{7, 7, 1}, flat: true}
	sliceVoxels  = sampling{of: fourth, size: [3]int{1, 1, 1}, flat: true}
	volumeVoxels = sampling{of: fourth, size: [3]int{1, 1, 1}}
)

// windowsOf returns the sampling of a volume: windows of 7 voxels along every axis,
// fewer across few slices. Differences across slices are worth it even where
// slices are thick, since they remove every edge that goes through several.
func windowsOf(g volume.Geometry) sampling {
	for _, of := range []difference{sixth, fourth} {
		if n := g.Dims[2] - 2*of.reach(); n > 0 {
			return sampling{of: of, size: [3]int{7, 7, min(n, 7)}}
		}
	}
	return sliceWindows
}

// single says whether the windows are single differences.
func (s sampling) single() bool { return s.size == [3]int{1, 1, 1} }

// reach returns how far around a window its differences read.
func (s sampling) reach() [3]int {
	r := [3]int{s.of.reach(), s.of.reach(), s.of.reach()}
	if s.flat {
		r[2] = 0
	}
	return r
}

// pure returns a quantile of the windows' root mean squares on white noise of sigma
// 1.
func (s sampling) pure(q float64) float64 {
	if s.single() {
		return math.Sqrt2 * math.Erfinv(q) // of |x| of a standard normal x
	}
	return pureNoise(s.of, s.size, q)
}

// differences measures the windows of the slices z0 <= z < z1. Layers of windows
// along z are left out evenly where there would be more than most. The error is
// the context's.
func differences(ctx context.Context, v *volume.Volume, s sampling, z0, z1, most int) ([]window, error) {
	size, reach := s.size, s.reach()
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
		d := differencer{of: s.of}
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
	of   difference
	a, b []float32
}

// sums are what a window is measured by.
type sums struct {
	differences float64    // sum of squares
	squares     float64    // of the values
	octants     [8]float64 // sums of the values
}

// layer measures the windows whose first slice is z.
func (d *differencer) layer(v *volume.Volume, size, reach, count [3]int, z int) []window {
	nx := v.Dims[0]
	measured := make([]sums, count[0]*count[1])
	along := make([]float32, count[0]*size[0])
	for s := range size[2] {
		e := d.plane(v, reach, z+s)
		for y := range count[1] * size[1] {
			row := (reach[1] + y) * nx
			d.of.along(along, e[row:row+nx], reach[0])
			values := v.Plane(z + s)[row+reach[0]:][:len(along)]
			octant := half(s, size[2])<<2 | half(y%size[1], size[1])<<1
			for wx := range count[0] {
				x := wx * size[0]
				m := &measured[y/size[1]*count[0]+wx]
				middle, end := x+(size[0]+1)/2, x+size[0]
				m.add(octant, along[x:middle], values[x:middle])
				m.add(octant|1, along[middle:end], values[middle:end])
			}
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
			if allValid(v, box) {
				w := measured[wy*count[0]+wx].window(size, d.of.norm(reach))
				w.at = [3]int32{int32(first[0]), int32(first[1]), int32(first[2])}
				ws = append(ws, w)
			}
		}
	}
	return ws
}

// half says in which half of n voxels voxel i lies; the first is the larger one.
func half(i, n int) int {
	if 2*i > n-1 {
		return 1
	}
	return 0
}

// add counts voxels of one octant by their differences and values.
func (m *sums) add(octant int, differences, values []float32) {
	var d, squares, sum float64
	for i, a := range differences {
		b := float64(values[i])
		d += float64(a) * float64(a)
		squares += b * b
		sum += b
	}
	m.differences += d
	m.squares += squares
	m.octants[octant] += sum
}

// window turns sums into figures. norm is the variance of the differences on white
// noise of sigma 1.
func (m sums) window(size [3]int, norm float64) window {
	n := float64(size[0] * size[1] * size[2])
	total := 0.0
	for _, o := range m.octants {
		total += o
	}
	mean := total / n
	parts, uneven := 0.0, 0.0
	for octant, sum := range m.octants {
		count := 1
		for c, bit := range [3]int{octant & 1, octant >> 1 & 1, octant >> 2} {
			if bit == 0 {
				count *= (size[c] + 1) / 2
			} else {
				count *= size[c] / 2
			}
		}
		if count > 0 {
			parts++
			uneven += (sum/float64(count) - mean) * (sum/float64(count) - mean)
		}
	}
	return window{
		sd:     float32(math.Sqrt(m.differences / (n * norm))),
		mean:   float32(mean),
		spread: float32(math.Sqrt(max(m.squares/n-mean*mean, 0))),
		uneven: float32(math.Sqrt(uneven / parts)),
	}
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
		for y := range ny {
			d.of.combine(d.a[y*nx:(y+1)*nx], func(k int) []float32 { return v.Plane(z + k)[y*nx : (y+1)*nx] })
		}
		from = d.a
	}
	for y := reach[1]; y < ny-reach[1]; y++ {
		d.of.combine(d.b[y*nx:(y+1)*nx], func(k int) []float32 { return from[(y+k)*nx : (y+k+1)*nx] })
	}
	return d.b
}

// Kept returns the share of white noise that a result keeps of its input: the
// covariance of their fourth differences over the variance of the input's, in
// the voxels that use marks. It underestimates what smooth filters keep. The
// error is the context's.
func Kept(ctx context.Context, before, after *volume.Volume, use func(i int) bool) (float64, error) {
	reach := sampling{of: fourth, flat: before.Dims[2] <= 2*fourth.reach()}.reach()
	for c := range 3 {
		if before.Dims[c] <= 2*reach[c] {
			return 0, nil
		}
	}
	type products struct{ both, alone float64 }
	layers := make([]products, before.Dims[2]-2*reach[2])
	err := parallel.ForWorkers(ctx, len(layers), len(layers), func() func(int) error {
		nx := before.Dims[0]
		b, a := differencer{of: fourth}, differencer{of: fourth}
		db, da := make([]float32, nx-2*reach[0]), make([]float32, nx-2*reach[0])
		return func(k int) error {
			z := k + reach[2]
			eb, ea := b.plane(before, reach, z), a.plane(after, reach, z)
			for y := reach[1]; y < before.Dims[1]-reach[1]; y++ {
				row := y * nx
				fourth.along(db, eb[row:row+nx], reach[0])
				fourth.along(da, ea[row:row+nx], reach[0])
				for i := range db {
					if use(before.Index(reach[0]+i, y, z)) {
						layers[k].both += float64(db[i]) * float64(da[i])
						layers[k].alone += float64(db[i]) * float64(db[i])
					}
				}
			}
			return nil
		}
	})
	if err != nil {
		return 0, err
	}
	var total products
	for _, s := range layers {
		total.both += s.both
		total.alone += s.alone
	}
	if total.alone == 0 {
		return 0, nil
	}
	return min(max(total.both/total.alone, 0), 1), nil
}
