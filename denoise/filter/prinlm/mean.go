package prinlm

import (
	"quell/denoise"
	"quell/denoise/dct"
	"quell/denoise/tile"
	"quell/volume"
)

// meanPass returns the pass that computes the local mean of the guide: of a voxel and
// its next neighbours.
func (p Params) meanPass() denoise.Pass {
	return denoise.Pass{
		Name: "mean", Inputs: []string{guide}, Output: guideMean,
		Reach: p.Mean, Work: tile.Count(p.Mean),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return p.meanReference(&in[0], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: [3]int{512, 64, 16}, Scratch: 4 * 8 * (512 + 2), Nanoseconds: 6,
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
				return func() denoise.Worker { return (&meanWorker{p: p, in: in[0], out: out}).run }
			},
		},
	}
}

func (p Params) meanReference(in *denoise.Field, x, y, z int) float64 {
	g := float64(in.At(x, y, z))
	sum, n := 0.0, 1.0
	tile.Neighbours(in, p.Mean, x, y, z, func(_, _, _, j int) {
		sum += float64(in.Data[j]) - g
		n++
	})
	return g + sum/n
}

// meanWorker computes means row by row: the rows of the neighbourhood are summed first,
// then three neighbours along x.
type meanWorker struct {
	p          Params
	in, out    denoise.Field
	sum, count []float64 // of a row and one voxel more at both ends
}

func (w *meanWorker) run(t volume.Region, stop func() bool) {
	for z := t.Min[2]; z < t.Max[2]; z++ {
		for y := t.Min[1]; y < t.Max[1]; y++ {
			if stop() {
				return
			}
			w.row(t.Min[0], t.Max[0], y, z)
		}
	}
}

// row computes the voxels from <= x < to of a row.
func (w *meanWorker) row(from, to, y, z int) {
	r := w.p.Mean
	w.sum, w.count = tile.Resize(w.sum, to-from+2), tile.Resize(w.count, to-from+2)
	clear(w.sum)
	clear(w.count)
	first, last := max(from-r[0], 0), min(to+r[0], w.in.Dims[0])
	for jz := max(z-r[2], 0); jz <= min(z+r[2], w.in.Dims[2]-1); jz++ {
		for jy := max(y-r[1], 0); jy <= min(y+r[1], w.in.Dims[1]-1); jy++ {
			at, n := w.in.Index(first, jy, jz), last-first
			sum, count := w.sum[first-from+1:][:n], w.count[first-from+1:][:n]
			values := w.in.Data[at : at+n]
			if w.in.Mask == nil {
				for i, v := range values {
					sum[i] += float64(v)
					count[i]++
				}
				continue
			}
			for i, v := range values {
				if w.in.Mask[at+i] {
					sum[i] += float64(v)
					count[i]++
				}
			}
		}
	}
	at := w.out.Index(from, y, z)
	for i := range to - from {
		if w.out.Valid(at + i) {
			n := w.count[i] + w.count[i+1] + w.count[i+2]
			w.out.Data[at+i] = float32((w.sum[i] + w.sum[i+1] + w.sum[i+2]) / n)
		}
	}
}

// wienerPass returns the pass that weighs the frequencies of the noisy voxels by the
// frequencies of the pilot, block by block.
func (p Params) wienerPass() denoise.Pass {
	reference := dct.Reference(p.Wiener, p.Rule)
	return denoise.Pass{
		Name: "wiener", Inputs: []string{denoise.Voxels, pilot}, Output: denoise.Result,
		Reach: dct.Reach(p.Wiener), Work: float64(p.Wiener[0] * p.Wiener[1] * p.Wiener[2]),
		Reference: func(in []denoise.Field, x, y, z int) float64 { return reference(&in[0], &in[1], x, y, z) },
		CPU: denoise.CPUPass{
			Tile: dct.TileSize(p.Wiener), Scratch: dct.Scratch(p.Wiener, true), Nanoseconds: dct.Nanoseconds(p.Wiener, true),
			Start: func(in []denoise.Field, out denoise.Field) func() denoise.Worker {
				f := &dct.Filter{In: in[0], Pilot: &in[1], Out: out, Size: p.Wiener, Rule: p.Rule}
				return f.NewWorker
			},
		},
	}
}
