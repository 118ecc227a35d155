package noise

import (
	"context"
	"math"
	"runtime"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// The estimator for white noise. Along every axis the sixth difference
//
//	d(v)_i = (v_{i-3} - 6 v_{i-2} + 15 v_{i-1} - 20 v_i + 15 v_{i+1} - 6 v_{i+2} + v_{i+3}) / sqrt(924)
//
// keeps the variance of white noise and passes nearly nothing of what is smooth over
// seven voxels; taken along two or three axes in turn, it also removes every edge that
// lies along one of them. sigma is found from the root mean square of these differences
// in windows of the foreground. Windows overlap by half along every axis, so that small
// volumes have many to choose from. What fine texture adds is kept small by the choice:
// the windows with the least variance about their mean, which texture raises as it
// raises the differences. The share of the differences in that variance is taken off, so
// that the choice leaves the noise of the chosen windows as it is. The mean of their
// middle half, divided by the same mean of pure noise of sigma 1, is taken.

// maxWindows bounds the windows of one estimate: more do not make it better.
const maxWindows = 1 << 17

// sampling says how a volume is measured by differences.
type sampling struct {
	of    difference
	block [3]int // voxels of a block
	parts [3]int // blocks of a window; its neighbours along an axis share all but one of them
	flat  bool   // no differences across slices
}

// The samplings of slices, and single differences if there is no room for windows.
var (
	sliceWindows = sampling{of: sixth, block: [3]int{4, 4, 1}, parts: [3]int{2, 2, 1}, flat: true}
	sliceVoxels  = sampling{of: fourth, block: [3]int{1, 1, 1}, parts: [3]int{1, 1, 1}, flat: true}
	volumeVoxels = sampling{of: fourth, block: [3]int{1, 1, 1}, parts: [3]int{1, 1, 1}}
)

// windowsOf returns the sampling of a volume: windows of 6 voxels along every axis,
// across few slices lower and wider ones. Differences across slices are worth it even
// if slices are thick, since they remove every edge that goes through several.
func windowsOf(g volume.Geometry) sampling {
	for _, of := range []difference{sixth, fourth} {
		if s, ok := windowsBy(of, g); ok {
			return s
		}
	}
	return sliceWindows
}

// windowsBy returns the sampling by a difference along every axis; ok is false if slices
// are too few for it.
func windowsBy(of difference, g volume.Geometry) (s sampling, ok bool) {
	switch n := g.Dims[2] - 2*of.reach(); {
	case n >= 6:
		return sampling{of: of, block: [3]int{3, 3, 3}, parts: [3]int{2, 2, 2}}, true
	case n >= 2:
		return sampling{of: of, block: [3]int{4, 4, n / 2}, parts: [3]int{2, 2, 2}}, true
	case n == 1:
		return sampling{of: of, block: [3]int{4, 4, 1}, parts: [3]int{2, 2, 1}}, true
	}
	return sampling{}, false
}

// single says whether the windows are single differences.
func (s sampling) single() bool { return s.size() == [3]int{1, 1, 1} }

// size returns the voxels of a window along each axis.
func (s sampling) size() [3]int {
	return [3]int{s.block[0] * s.parts[0], s.block[1] * s.parts[1], s.block[2] * s.parts[2]}
}

// independent returns how many adjacent windows hold as many voxels as n windows
// that overlap.
func (s sampling) independent(n int) int { return n / (s.parts[0] * s.parts[1] * s.parts[2]) }

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
	return pureNoise(s.of, s.size(), q)
}

// pureMiddle is the value for pure noise of middle.
func (s sampling) pureMiddle() float64 {
	const steps = 16
	sum := 0.0
	for k := range steps {
		sum += s.pure(0.25 + 0.5*(float64(k)+0.5)/steps)
	}
	return sum / steps
}

// shared returns the share that the differences have in the variance of white noise.
func (s sampling) shared() float64 {
	share := 1.0
	for _, r := range s.reach() {
		if r > 0 {
			share /= s.of.extent()
		}
	}
	return share
}

// differences measures the windows of the slices z0 <= z < z1. Layers of windows
// along z are left out evenly if there would be more than most. The error is the
// context's.
func differences(ctx context.Context, v *volume.Volume, s sampling, z0, z1, most int) ([]window, error) {
	reach := s.reach()
	var blocks, count [3]int // of the volume, and of windows
	for c := range 3 {
		n := v.Dims[c]
		if c == 2 {
			n = z1 - z0
		}
		blocks[c] = (n - 2*reach[c]) / s.block[c]
		count[c] = blocks[c] - s.parts[c] + 1
		if n <= 2*reach[c] || count[c] < 1 {
			return nil, nil
		}
	}
	layers := min(count[2], max(1, most/(count[0]*count[1])))
	first := func(i int) int { return i * count[2] / layers } // block of layer i
	needed := make([]bool, blocks[2])
	for i := range layers {
		for p := range s.parts[2] {
			needed[first(i)+p] = true
		}
	}
	measured := make([][]sums, blocks[2])
	err := parallel.ForWorkers(ctx, blocks[2], runtime.GOMAXPROCS(0), func() func(int) error {
		d := differencer{of: s.of}
		return func(k int) error {
			if needed[k] {
				measured[k] = d.layer(v, s, blocks, z0+reach[2]+k*s.block[2])
			}
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	var all []window
	norm, shared := s.of.norm(reach), s.shared()
	for i := range layers {
		for y := range count[1] {
			for x := range count[0] {
				var of sums
				for p := range s.parts[2] {
					for q := range s.parts[1] {
						row := measured[first(i)+p][(y+q)*blocks[0]+x:][:s.parts[0]]
						for _, block := range row {
							of = of.plus(block)
						}
					}
				}
				if of.padded {
					continue
				}
				w := of.window(s, norm, shared)
				for c, block := range [3]int{x, y, first(i)} {
					w.at[c] = int32(reach[c] + block*s.block[c])
				}
				w.at[2] += int32(z0)
				all = append(all, w)
			}
		}
	}
	return all, nil
}

// differencer holds the memory of one goroutine.
type differencer struct {
	of   difference
	a, b []float32
}

// sums are what a block is measured by.
type sums struct {
	differences float64 // sum of squares
	squares     float64 // of the values
	values      float64 // sum of them
	padded      bool    // the differences read padding
}

func (m sums) plus(o sums) sums {
	return sums{m.differences + o.differences, m.squares + o.squares, m.values + o.values, m.padded || o.padded}
}

// layer measures the blocks with z as their first slice.
func (d *differencer) layer(v *volume.Volume, s sampling, blocks [3]int, z int) []sums {
	nx, reach := v.Dims[0], s.reach()
	measured := make([]sums, blocks[0]*blocks[1])
	along := make([]float32, blocks[0]*s.block[0])
	for k := range s.block[2] {
		e := d.plane(v, reach, z+k)
		for y := range blocks[1] * s.block[1] {
			row := (reach[1] + y) * nx
			d.of.along(along, e[row:row+nx], reach[0])
			values := v.Plane(z + k)[row+reach[0]:][:len(along)]
			of := measured[y/s.block[1]*blocks[0]:][:blocks[0]]
			for x := range of {
				from := x * s.block[0]
				of[x].add(along[from:from+s.block[0]], values[from:from+s.block[0]])
			}
		}
	}
	if v.Mask == nil {
		return measured
	}
	for i := range measured {
		at := [3]int{reach[0] + i%blocks[0]*s.block[0], reach[1] + i/blocks[0]*s.block[1], z}
		var box volume.Region
		for c := range 3 {
			box.Min[c], box.Max[c] = at[c]-reach[c], at[c]+s.block[c]+reach[c]
		}
		measured[i].padded = !allValid(v, box)
	}
	return measured
}

// add counts voxels by their differences and values.
func (m *sums) add(differences, values []float32) {
	var d, squares, sum float64
	for i, a := range differences {
		b := float64(values[i])
		d += float64(a) * float64(a)
		squares += b * b
		sum += b
	}
	m.differences += d
	m.squares += squares
	m.values += sum
}

// window turns the sums of a window into figures. norm is the variance of the
// differences on white noise of sigma 1, shared the share that they have in it.
func (m sums) window(s sampling, norm, shared float64) window {
	size := s.size()
	n := float64(size[0] * size[1] * size[2])
	mean := m.values / n
	variance := max(m.squares/n-mean*mean, 0)
	noise := m.differences / (n * norm)
	return window{
		sd:     float32(math.Sqrt(noise)),
		mean:   float32(mean),
		spread: float32(math.Sqrt(variance)),
		uneven: float32(math.Sqrt(max(variance-shared*noise, 0))),
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

// manyWindows is how many adjacent windows make a figure of sixth differences that scatters
// little: its standard deviation is about 1 %.
const manyWindows = 2000

// refine replaces the figure of fewer windows by the lesser of what fourth and second
// differences read. They reach less far, so that more windows have room, and neighbours among them
// share less noise: they scatter by a third to a half less. Anatomy adds to both, here
// more to the one and there to the other, so that the lesser is nearer. The error is the context's.
func (e *Estimate) refine(ctx context.Context, v *volume.Volume, d measurement) error {
	switch {
	case e.Windows >= manyWindows, d.how.flat, e.Sigma == 0:
		return nil
	case e.Method != methodDifferences, e.Confidence == Low: // texture and what correlated noise shares raise these figures more
		return nil
	}
	least := math.Inf(1)
	for _, of := range []difference{fourth, second} {
		how, _ := windowsBy(of, v.Geometry) // there is room, as there was for how
		ws, err := differences(ctx, v, how, 0, v.Dims[2], maxWindows)
		if err != nil {
			return err
		}
		if f := e.differencesFigure(ws, d.cut, how, d.valueRange); f.Confidence != None {
			least = min(least, f.Sigma)
		}
	}
	if !math.IsInf(least, 1) {
		e.Sigma = least
	}
	return nil
}

// The limits of single differences.
const (
	// singleRise is of second differences over fourth ones, beyond chance: above, texture is part of the figure. Texture
	// that raises them by 8 %, and has at most half of its power in fourth ones, raises the figure by a tenth at most.
	singleRise   = 1.08
	singleChance = 2 // over the root of the number of voxels
)

// judgeSingle looks for texture in the figure of a volume with no room for windows. Noise reads the same by second and by
// fourth differences, or less by second ones if neighbours share it; what is smoother than noise reads more. The noise is
// unknown if they rise, or if the figure is an upper bound. The error is the context's.
func (e *Estimate) judgeSingle(ctx context.Context, v *volume.Volume, d measurement) error {
	if e.Confidence == None || e.Sigma == 0 {
		return nil
	}
	how := sampling{of: second, block: d.how.block, parts: d.how.parts, flat: d.how.flat}
	ws, err := differences(ctx, v, how, 0, v.Dims[2], math.MaxInt)
	if err != nil {
		return err
	}
	all := e.sigmas(foreground(ws, d.cut))
	if len(all) == 0 {
		return nil
	}
	wider := quantile(all, 0.5) / how.pure(0.5)
	if e.Confidence == Low || wider/e.Sigma > singleRise+singleChance/math.Sqrt(float64(len(all))) {
		e.Confidence, e.atMost, e.few = Low, max(wider, e.Sigma), false
		e.Why = message.New(message.NoiseTexture, "the volume is small, and texture or structure may be part of the figure: it is an upper bound")
	}
	return nil
}
