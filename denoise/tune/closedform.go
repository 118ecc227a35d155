package tune

import (
	"context"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// closedForm runs the closed form of n recipes on every part, one part at a time on
// each core. It returns the sums by part and recipe.
func (p *probe) closedForm(ctx context.Context, pass denoise.SteinPass, n int) ([][]denoise.Stein, error) {
	sums := make([][]denoise.Stein, len(p.parts))
	stop := func() bool { return ctx.Err() != nil }
	err := parallel.ForWorkers(ctx, len(p.parts), max(p.engine.Info().Cores, 1), func() func(i int) error {
		return func(i int) error {
			a := p.parts[i]
			in := denoise.FieldOf(a.in.Masked())
			work := pass.Start(in, denoise.Field{Dims: in.Dims, Box: a.box, Mask: a.use})()
			sums[i] = make([]denoise.Stein, n)
			for _, tile := range tiles(a.box, pass.Tile) {
				for k, more := range work(tile, stop) {
					sums[i][k] = sum(sums[i][k], more)
				}
				if err := ctx.Err(); err != nil {
					return err
				}
			}
			return nil
		}
	})
	return sums, err
}

// tiles cuts a box into tiles of at most that size.
func tiles(box volume.Region, size [3]int) []volume.Region {
	var out []volume.Region
	for z := box.Min[2]; z < box.Max[2]; z += size[2] {
		for y := box.Min[1]; y < box.Max[1]; y += size[1] {
			for x := box.Min[0]; x < box.Max[0]; x += size[0] {
				out = append(out, volume.Region{Min: [3]int{x, y, z},
					Max: [3]int{min(x+size[0], box.Max[0]), min(y+size[1], box.Max[1]), min(z+size[2], box.Max[2])}})
			}
		}
	}
	return out
}

func sum(a, b denoise.Stein) denoise.Stein {
	return denoise.Stein{Residual: a.Residual + b.Residual, Divergence: a.Divergence + b.Divergence}
}
