package tune

import (
	"context"
	"math/rand/v2"

	"quell/denoise"
	"quell/volume"
)

// In a small volume the surroundings that a filter reads around boxes are most of it, so that runs on
// many boxes cost a run on all of it each. A verdict then looks at a few larger pieces: whole slices
// if the filter reads nothing of others, else blocks. If the two halves of them disagree, the rest follows.

const (
	pieceSide  = 32
	pieceDepth = 12
	// fewestPieces is how many there are at least, so that either half and the rest have one.
	fewestPieces = 4
	pieceVoxels  = 20_000 // that count, of at most half of all
	// worthwhile is the share of the cost of the whole volume up to which pieces are taken.
	worthwhile = 0.6
	// costly is from how many nanoseconds for a voxel on a filter is worth it: of others all of a small volume costs next
	// to nothing.
	costly = 200
	// seedOfBoxes chooses the perturbation of a search.
	seedOfBoxes = 1
)

// pieces returns a probe of pieces in the place of p, if risks of a costly filter are measured by perturbation and cost
// less so; on a device, whose cost is that of its runs, they do not.
func (p *probe) pieces(ctx context.Context, in denoise.Input, program denoise.Program, use func(i int) bool, within volume.Region, r denoise.Recipe) (out *probe, ok bool, err error) {
	if _, closed, err := p.pass([]denoise.Recipe{r}); err != nil || closed || !p.together || p.engine.Info().Overhead > 0 {
		return p, false, err
	}
	perVoxel := 0.0
	for _, pass := range program.Passes {
		perVoxel += pass.CPU.Nanoseconds
	}
	if perVoxel < costly {
		return p, false, nil
	}
	v, reach := in.Masked(), program.Reach()
	if within == (volume.Region{}) {
		within = v.Bounds()
	}
	counts := func(i int) bool { return v.Valid(i) && use(i) }
	side := [3]int{pieceSide, pieceSide, pieceDepth}
	if reach[2] == 0 {
		side = within.Dims()
		side[2] = 1
	}
	var starts [3][]int
	var size [3]int
	for c := range 3 {
		starts[c], size[c] = cover(within.Min[c], within.Max[c], v.Dims[c], 0, side[c])
	}
	all, err := counted(ctx, v, starts, size, counts)
	if err != nil {
		return p, false, err
	}
	if len(all) < fewestPieces {
		return p, false, nil
	}
	total, cost := 0, 0
	for _, c := range all {
		total += c.used
	}
	draw := rand.New(rand.NewPCG(seedOfBoxes, 0))
	first, rest := spread(all, min(pieceVoxels, total/2), draw)
	spare, _ := spread(rest, spareVoxels, draw)
	for _, box := range first {
		cost += box.Grow(reach, v.Geometry).Voxels()
	}
	if len(first) < 2 || float64(cost) > worthwhile*float64(within.Grow(reach, v.Geometry).Voxels()) {
		return p, false, nil
	}
	out, err = probeOn(ctx, p.engine, in, reach, p.noise, counts, first, spare, seedOfBoxes)
	return out, err == nil, err
}
