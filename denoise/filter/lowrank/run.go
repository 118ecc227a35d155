package lowrank

import (
	"context"
	"runtime"

	"quell/denoise"
	"quell/internal/parallel"
)

// Run filters the slices of a slab. Rows of patches that do not overlap run at the same time, and the colours of rows one after
// another, so that every sum has one order. Colours are those of the whole volume, in any slab.
func (p Params) Run(ctx context.Context, in denoise.SeriesPart, slab denoise.Slab, progress denoise.Progress) (denoise.SeriesResult, error) {
	from, to := p.around(slab.From, slab.To)
	n := (to - from) * in.Dims[0] * in.Dims[1]
	s := series{in: in, from: from - slab.First, to: to - slab.First, weight: make([]float32, n)}
	s.sum = denoise.NewSeriesPart([3]int{in.Dims[0], in.Dims[1], to - from}, p.Volumes)
	x := p.starts(0)
	total := int64(0)
	var colours [][][2]int // of rows of patches, by their y and z
	for _, zs := range p.colours(p.starts(2), 2) {
		for _, ys := range p.colours(p.starts(1), 1) {
			var rows [][2]int
			for _, z := range zs {
				if z >= to || z+p.Width[2] <= from {
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
	return p.finish(ctx, s, slab)
}

// finish divides the sums by their weights, and takes back what is more than noise.
func (p Params) finish(ctx context.Context, s series, slab denoise.Slab) (denoise.SeriesResult, error) {
	slice := p.Dims[0] * p.Dims[1]
	err := parallel.For(ctx, s.to-s.from, func(z int) error {
		for i := z * slice; i < (z+1)*slice; i++ {
			after, rank := s.sum.At(i)
			if s.weight[i] == 0 { // excluded
				before, _ := s.in.At(s.from*slice + i)
				copy(after, before)
				continue
			}
			weight := float64(s.weight[i])
			*rank = float32(float64(*rank) / weight)
			for c, v := range after {
				after[c] = float32(float64(v) / weight)
			}
		}
		return nil
	})
	if err != nil {
		return denoise.SeriesResult{}, err
	}
	first := slab.From - slab.First - s.from // slice of the sums
	depth := slab.To - slab.From
	l := limited{Params: p, series: s}
	restored, err := l.restore(ctx, first, first+depth)
	slice *= p.Volumes + 1
	out := denoise.SeriesPart{Dims: [3]int{p.Dims[0], p.Dims[1], depth}, Volumes: p.Volumes, Data: s.sum.Data[first*slice : (first+depth)*slice]}
	return denoise.SeriesResult{SeriesPart: out, Restored: restored}, err
}
