package bench

import (
	"context"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/filter/bilateral"
	"quell/denoise/filter/nlm"
	"quell/denoise/tile"
	"quell/volume"
)

// scalarEngine runs the straightforward program that the papers compare a GPU with: loops
// over voxels, neighbours and patches, one float32 operation after another, without vector
// instructions and without sums that pairs share. It reads a copy of the volume that is
// mirrored at the edges, so that no loop computes an address. Rows of voxels are divided
// among its threads. Other filters than nlm and bilateral are their own float64 formulas,
// voxel by voxel.
type scalarEngine struct{ threads int }

// Info names the engine as the CPU that it is.
func (s scalarEngine) Info() denoise.Info {
	info := cpu.New(cpu.Threads(s.threads)).Info()
	info.Cores = s.threads
	return info
}

// Plan is the plan of a program that nothing plans.
func (s scalarEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{Slabs: 1}, nil
}

// Run filters a region.
func (s scalarEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	g := in.Volume.Geometry
	program, err := r.Bind(g)
	if err != nil {
		return nil, err
	}
	line, err := scalarLine(program, in.Volume, region)
	if err != nil {
		return nil, err
	}
	d := region.Dims()
	out := volume.New(volume.NewGeometry(d, g.Spacing))
	var next, done atomic.Int64
	var report sync.Mutex
	var wait sync.WaitGroup
	for range s.threads {
		wait.Go(func() {
			for {
				n := int(next.Add(1)) - 1
				if n >= d[1]*d[2] || ctx.Err() != nil {
					return
				}
				line(out.Data[n*d[0]:(n+1)*d[0]], region.Min[1]+n%d[1], region.Min[2]+n/d[1])
				if progress != nil {
					report.Lock()
					progress(done.Add(int64(d[0])), int64(len(out.Data)))
					report.Unlock()
				}
			}
		})
	}
	wait.Wait()
	return out, ctx.Err()
}

// scalarLine returns the function that filters the voxels of a region in row (y, z).
func scalarLine(p denoise.Program, v *volume.Volume, region volume.Region) (func(to []float32, y, z int), error) {
	if v.Mask != nil {
		return nil, fmt.Errorf("the scalar program takes no mask: %w", denoise.ErrUnsupported)
	}
	x0 := region.Min[0]
	switch q := p.Params.(type) {
	case nlm.Params:
		if q.LK > 0 || q.Rician || q.Select != nil {
			return nil, fmt.Errorf("the scalar program has Gaussian weights of all neighbours: %w", denoise.ErrUnsupported)
		}
		return newScalarNLM(q, v, region).line(x0), nil
	case bilateral.Params:
		return scalarBilateral(q, v, x0), nil
	}
	if len(p.Passes) != 1 {
		return nil, fmt.Errorf("there is no scalar program of %s: %w", p.Recipe.Filter, denoise.ErrUnsupported)
	}
	fields := []denoise.Field{denoise.FieldOf(v)}
	return func(to []float32, y, z int) {
		for i := range to {
			to[i] = float32(p.Passes[0].Reference(fields, x0+i, y, z))
		}
	}, nil
}

// scalarNanoseconds is about the time of a voxel in one thread.
func scalarNanoseconds(p denoise.Program) float64 {
	switch q := p.Params.(type) {
	case nlm.Params:
		return tile.Count(q.SearchRadius) * (15 + 1.5*tile.Count(q.PatchRadius))
	case bilateral.Params:
		return tile.Count(q.Radius) * 12
	}
	const slower = 60 // than the passes of the CPU engine
	nanoseconds := 0.0
	for _, pass := range p.Passes {
		nanoseconds += slower * pass.CPU.Nanoseconds
	}
	return nanoseconds
}

// window returns the neighbours of a voxel along one axis that lie in the volume.
func window(at, radius, n int) (from, to int) { return max(-radius, -at), min(radius, n-1-at) }

// scalarBilateral is the bilateral filter, with a table of the spatial weights.
func scalarBilateral(p bilateral.Params, v *volume.Volume, x0 int) func(to []float32, y, z int) {
	taps := [3][]float64{p.Taps(0), p.Taps(1), p.Taps(2)}
	edge := [3]int{2*p.Radius[0] + 1, 2*p.Radius[1] + 1, 2*p.Radius[2] + 1}
	table := make([]float32, edge[0]*edge[1]*edge[2])
	for i := range table {
		table[i] = float32(taps[0][i%edge[0]] * taps[1][i/edge[0]%edge[1]] * taps[2][i/(edge[0]*edge[1])])
	}
	scale := float32(-0.5 / (p.SigmaRange * p.SigmaRange))
	return func(to []float32, y, z int) {
		for i := range to {
			x := x0 + i
			centre := v.Data[v.Index(x, y, z)]
			var num, den float32
			fromZ, toZ := window(z, p.Radius[2], v.Dims[2])
			fromY, toY := window(y, p.Radius[1], v.Dims[1])
			fromX, toX := window(x, p.Radius[0], v.Dims[0])
			for dz := fromZ; dz <= toZ; dz++ {
				for dy := fromY; dy <= toY; dy++ {
					row := v.Data[v.Index(x+fromX, y+dy, z+dz):]
					weights := table[((dz+p.Radius[2])*edge[1]+dy+p.Radius[1])*edge[0]+p.Radius[0]+fromX:]
					for k := range toX - fromX + 1 {
						d := row[k] - centre
						w := weights[k] * float32(math.Exp(float64(scale*d*d)))
						num += w * d
						den += w
					}
				}
			}
			to[i] = centre + num/den
		}
	}
}

// scalarNLM is non-local means.
type scalarNLM struct {
	p          nlm.Params
	dims       [3]int    // of the volume
	padded     []float32 // a region with an apron of search and patch radius
	origin     [3]int    // of it, in the volume
	row, slice int       // distances in padded
	weights    []float32 // of a patch, x fastest, over h^2
	offsets    []int     // of the voxels of a patch in padded
}

func newScalarNLM(p nlm.Params, v *volume.Volume, region volume.Region) *scalarNLM {
	s := &scalarNLM{p: p, dims: v.Dims}
	var size [3]int
	for c := range 3 {
		reach := p.SearchRadius[c] + p.PatchRadius[c]
		s.origin[c], size[c] = region.Min[c]-reach, region.Dims()[c]+2*reach
	}
	s.row, s.slice = size[0], size[0]*size[1]
	s.padded = make([]float32, s.slice*size[2])
	for i := range s.padded {
		x, y, z := s.origin[0]+i%s.row, s.origin[1]+i/s.row%size[1], s.origin[2]+i/s.slice
		s.padded[i] = v.At(volume.Mirror(x, v.Dims[0]), volume.Mirror(y, v.Dims[1]), volume.Mirror(z, v.Dims[2]))
	}
	tap := func(c, k int) float64 {
		if p.PatchRadius[c] == 0 {
			return 1
		}
		return p.Taps[k+p.PatchRadius[c]]
	}
	r := p.PatchRadius
	for kz := -r[2]; kz <= r[2]; kz++ {
		for ky := -r[1]; ky <= r[1]; ky++ {
			for kx := -r[0]; kx <= r[0]; kx++ {
				s.weights = append(s.weights, float32(tap(0, kx)*tap(1, ky)*tap(2, kz)/(p.H*p.H)))
				s.offsets = append(s.offsets, kz*s.slice+ky*s.row+kx)
			}
		}
	}
	return s
}

func (s *scalarNLM) line(x0 int) func(to []float32, y, z int) {
	return func(to []float32, y, z int) {
		for i := range to {
			to[i] = s.voxel(x0+i, y, z)
		}
	}
}

func (s *scalarNLM) voxel(x, y, z int) float32 {
	at := (z-s.origin[2])*s.slice + (y-s.origin[1])*s.row + x - s.origin[0]
	centre := s.padded[at]
	fromZ, toZ := window(z, s.p.SearchRadius[2], s.dims[2])
	fromY, toY := window(y, s.p.SearchRadius[1], s.dims[1])
	fromX, toX := window(x, s.p.SearchRadius[0], s.dims[0])
	var num, den, most float64
	for oz := fromZ; oz <= toZ; oz++ {
		for oy := fromY; oy <= toY; oy++ {
			for ox := fromX; ox <= toX; ox++ {
				if ox == 0 && oy == 0 && oz == 0 {
					continue
				}
				there := at + oz*s.slice + oy*s.row + ox
				var sum float32
				for k, offset := range s.offsets {
					d := s.padded[at+offset] - s.padded[there+offset]
					sum += s.weights[k] * d * d
				}
				w := math.Exp(-max(0, float64(sum)-s.p.Cut([3]int{ox, oy, oz})/(s.p.H*s.p.H)))
				num += w * float64(s.padded[there]-centre)
				den += w
				most = max(most, w)
			}
		}
	}
	if s.p.Centre == nlm.CentreOne {
		most = 1
	}
	if den+most == 0 {
		return centre
	}
	return float32(float64(centre) + num/(den+most))
}
