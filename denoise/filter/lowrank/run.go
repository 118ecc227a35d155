package lowrank

import (
	"context"
	"math"
	"runtime"

	"quell/denoise"
	"quell/internal/parallel"
)

// Run filters the slices of a slab. Rows of patches that do not overlap run at the same time, and the colours of rows one after
// another, so that every sum has one order. Colours are those of the whole volume, in any slab.
func (p Params) Run(ctx context.Context, in denoise.SeriesPart, slab denoise.Slab, progress denoise.Progress) (denoise.SeriesResult, error) {
	n := (slab.To - slab.From) * in.Dims[0] * in.Dims[1]
	s := series{
		dims: in.Dims, in: in.Data, mask: in.Mask, from: slab.From - slab.First, to: slab.To - slab.First,
		sum: make([]float32, n*p.Volumes), weight: make([]float32, n), rank: make([]float32, n),
	}
	x := p.starts(0)
	total := int64(0)
	var colours [][][2]int // of rows of patches, by their y and z
	for _, zs := range p.colours(p.starts(2), 2) {
		for _, ys := range p.colours(p.starts(1), 1) {
			var rows [][2]int
			for _, z := range zs {
				if z >= slab.To || z+p.Width[2] <= slab.From {
					continue
				}
				for _, y := range ys {
					rows = append(rows, [2]int{y, z - slab.First})
				}
			}
			colours = append(colours, rows)
			total += int64(len(rows))
		}
	}
	count := parallel.NewCounter(total, progress)
	for _, rows := range colours {
		err := parallel.ForWorkers(ctx, len(rows), runtime.GOMAXPROCS(0), func() func(int) error {
			w := &patch{Params: p, series: s}
			return func(k int) error {
				w.start()
				for _, x := range x {
					if ctx.Err() != nil {
						return ctx.Err()
					}
					w.filter(x, rows[k][0], rows[k][1])
				}
				count.Add(1)
				return nil
			}
		})
		if err != nil {
			return denoise.SeriesResult{}, err
		}
	}
	return p.finish(ctx, in, s)
}

// finish divides the sums by their weights, and takes back what is more than noise.
func (p Params) finish(ctx context.Context, in denoise.SeriesPart, s series) (denoise.SeriesResult, error) {
	slice := s.dims[0] * s.dims[1]
	out := denoise.SeriesResult{
		SeriesPart: denoise.SeriesPart{Dims: [3]int{s.dims[0], s.dims[1], s.to - s.from}, Volumes: p.Volumes, Data: s.sum},
		Rank:       s.rank, Restored: make([]int, p.Volumes),
	}
	if s.mask != nil {
		out.Mask = s.mask[s.from*slice : s.to*slice]
	}
	restored := make([][]int, out.Dims[2])
	err := parallel.For(ctx, out.Dims[2], func(z int) error {
		restored[z] = make([]int, p.Volumes)
		for i := z * slice; i < (z+1)*slice; i++ {
			before, after := in.Data[(s.from*slice+i)*p.Volumes:][:p.Volumes], s.sum[i*p.Volumes:][:p.Volumes]
			if s.weight[i] == 0 { // excluded
				copy(after, before)
				continue
			}
			weight := float64(s.weight[i])
			s.rank[i] = float32(float64(s.rank[i]) / weight)
			for c, v := range before {
				x := float64(after[c]) / weight
				if math.Abs(x-float64(v)) > p.Limit {
					x = float64(v)
					restored[z][c]++
				}
				after[c] = float32(x)
			}
		}
		return nil
	})
	for _, counts := range restored {
		for c, k := range counts {
			out.Restored[c] += k
		}
	}
	return out, err
}
