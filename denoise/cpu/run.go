package cpu

import (
	"context"
	"maps"
	"slices"

	"quell/denoise"
	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// run is one recipe on one input. It holds what the passes have computed so far.
type run struct {
	program denoise.Program
	halos   map[string][3]int
	region  volume.Region            // of the result
	part    volume.Region            // of it, that the passes compute, see parts
	in      *volume.Volume           // the input, excluded voxels marked like padding
	out     *volume.Volume           // the result
	inputs  map[string]denoise.Field // by name
	fields  map[string]denoise.Field // inputs and intermediates by name
	spare   [][]float32              // memory of intermediates that no further pass reads
	counter *parallel.Counter
}

// prepare checks the input, resolves the recipe and binds it, once for the run.
func prepare(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region) (*run, error) {
	p, err := r.ProgramFor(ctx, in, region)
	if err != nil {
		return nil, err
	}
	masked := in.Masked()
	fields := map[string]denoise.Field{}
	for name, v := range map[string]*volume.Volume{denoise.Voxels: masked, denoise.NoiseMap: in.Noise, denoise.GuideVolume: in.Guide} {
		if v != nil {
			f := denoise.FieldOf(v)
			f.Mask = masked.Mask
			fields[name] = f
		}
	}
	return &run{
		program: p, halos: p.Halos(), region: region, part: region, in: masked, out: initial(in.Volume, masked, region), inputs: fields,
		counter: parallel.NewCounter(0, nil),
	}, nil
}

// leastPart is the least number of slices of a part, and partHalos how many times the halo of an intermediate it is at least:
// what two parts compute twice is little.
const leastPart, partHalos = 32, 16

// parts divides the region into runs of slices that are computed one after the other, so that intermediates are small and their
// memory is used again.
func (r *run) parts() []volume.Region {
	size := r.region.Dims()
	if len(r.program.Passes) == 1 {
		return []volume.Region{r.region}
	}
	size[2] = leastPart
	for _, pass := range r.program.Passes {
		size[2] = max(size[2], partHalos*r.halos[pass.Output][2])
	}
	return split(r.region, size)
}

// passes computes the passes of the part in turn with compute.
func (r *run) passes(compute func(pass denoise.Pass, inputs []denoise.Field, out denoise.Field) error) error {
	passes := r.program.Passes
	r.fields = maps.Clone(r.inputs)
	for i, pass := range passes {
		inputs := make([]denoise.Field, len(pass.Inputs))
		for k, name := range pass.Inputs {
			inputs[k] = r.fields[name]
		}
		out := r.field(pass.Output)
		if err := compute(pass, inputs, out); err != nil {
			return err
		}
		r.fields[pass.Output] = out
		for _, name := range pass.Inputs {
			if !slices.ContainsFunc(passes[i+1:], func(later denoise.Pass) bool { return slices.Contains(later.Inputs, name) }) {
				if _, given := r.inputs[name]; !given {
					r.spare = append(r.spare, r.fields[name].Data)
				}
				delete(r.fields, name)
			}
		}
	}
	return nil
}

// box is the part of the volume in which the output of that name is computed.
func (r *run) box(name string) volume.Region {
	return r.part.Grow(r.halos[name], r.in.Geometry)
}

// initial returns the memory of the voxels of a box of v: a copy of v, which is what
// excluded voxels keep, but zeros if masked excludes none. Passes write all others, and
// the first to write to a page of new memory is then the goroutine that computes it.
func initial(v, masked *volume.Volume, box volume.Region) *volume.Volume {
	if masked.Mask != nil {
		return v.Crop(box)
	}
	out := volume.New(v.Geometry.Crop(box))
	out.Unit, out.Modality = v.Unit, v.Modality
	return out
}

// field returns the memory of an output.
func (r *run) field(name string) denoise.Field {
	f := denoise.Field{Dims: r.in.Dims, Box: r.region, Data: r.out.Data}
	if name != denoise.Result {
		f.Box = r.box(name)
		f.Data = r.take(f.Box.Voxels())
	}
	if r.in.Mask == nil {
		return f
	}
	if name != denoise.Result {
		f.Data = crop(f.Data[:0], r.in.Data, r.in, f.Box)
	}
	if f.Mask = r.in.Mask; f.Box != r.in.Bounds() {
		f.Mask = crop(nil, r.in.Mask, r.in, f.Box)
	}
	return f
}

// take returns memory for n values, spare memory if there is some of that size.
func (r *run) take(n int) []float32 {
	for i, s := range r.spare {
		if cap(s) >= n {
			r.spare = slices.Delete(r.spare, i, i+1)
			return s[:n]
		}
	}
	return make([]float32, n)
}

// crop appends what values, one for each voxel of v, have in a box.
func crop[T any](to, values []T, v *volume.Volume, box volume.Region) []T {
	for z := box.Min[2]; z < box.Max[2]; z++ {
		for y := box.Min[1]; y < box.Max[1]; y++ {
			to = append(to, values[v.Index(box.Min[0], y, z):v.Index(box.Max[0]-1, y, z)+1]...)
		}
	}
	return to
}

// count reports the progress of all passes, in voxels.
func (r *run) count(progress denoise.Progress) {
	total := 0
	for _, r.part = range r.parts() {
		for _, pass := range r.program.Passes {
			total += r.box(pass.Output).Voxels()
		}
	}
	r.counter = parallel.NewCounter(int64(total), progress)
}

// tiles computes a pass in a box tile by tile on that many goroutines. Tiles are independent of each
// other and of the number of goroutines, and so are the bits.
func (r *run) tiles(ctx context.Context, threads int, pass denoise.Pass, inputs []denoise.Field, out denoise.Field, box volume.Region) error {
	tiles := split(box, pass.CPU.Tile)
	newWorker := pass.CPU.Start(inputs, out)
	stop := func() bool { return ctx.Err() != nil }
	return parallel.ForWorkers(ctx, len(tiles), threads, func() func(i int) error {
		work := newWorker()
		return func(i int) error {
			work(tiles[i], stop)
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := checkFinite(pass, &out, tiles[i]); err != nil {
				return err
			}
			r.counter.Add(int64(tiles[i].Voxels()))
			return nil
		}
	})
}

// checkFinite reports a voxel of a tile that is infinite or not a number.
func checkFinite(pass denoise.Pass, out *denoise.Field, tile volume.Region) error {
	for z := tile.Min[2]; z < tile.Max[2]; z++ {
		for y := tile.Min[1]; y < tile.Max[1]; y++ {
			first := out.Index(tile.Min[0], y, z)
			row := out.Data[first : first+tile.Dims()[0]]
			if volume.Finite(row) {
				continue
			}
			for x, v := range row {
				if v-v != 0 && out.Valid(first+x) { // true for NaN and both infinities
					return message.Errorf(message.InternalFault, "pass %s computed %v at voxel (%d, %d, %d)", pass.Name, v, tile.Min[0]+x, y, z)
				}
			}
		}
	}
	return nil
}

// split divides a box into tiles of at most size voxels along each axis, as even
// as possible, x fastest.
func split(box volume.Region, size [3]int) []volume.Region {
	var edges [3][]int
	for c, d := range box.Dims() {
		n := (d + size[c] - 1) / size[c]
		for i := range n + 1 {
			edges[c] = append(edges[c], box.Min[c]+i*d/n)
		}
	}
	var tiles []volume.Region
	for z := range len(edges[2]) - 1 {
		for y := range len(edges[1]) - 1 {
			for x := range len(edges[0]) - 1 {
				tiles = append(tiles, volume.Region{
					Min: [3]int{edges[0][x], edges[1][y], edges[2][z]},
					Max: [3]int{edges[0][x+1], edges[1][y+1], edges[2][z+1]},
				})
			}
		}
	}
	return tiles
}
