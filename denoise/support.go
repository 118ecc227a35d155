package denoise

import (
	"context"
	"math"
	"strings"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Directions are the steps, along x and y, of the eight directions in which the
// neighbourhoods of adaptive filters grow: every 45 degrees from +x towards +y.
var Directions = [8][2]int{{1, 0}, {1, 1}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}, {1, -1}}

// Room returns how many voxels lie from index i to the edge of an axis of n voxels, i
// included, in steps of d: 1, -1, or 0, which never gets there.
func Room(i, d, n int) int {
	switch d {
	case 1:
		return n - i
	case -1:
		return i + 1
	}
	return math.MaxInt
}

// Lengths say how far the neighbourhood of a voxel reaches within its slice: the
// number of voxels in each of the Directions, the voxel itself included. The ends
// span the neighbourhood (Klepaczko 2013, fig. 1).
type Lengths [8]int

// Neighbourhoods returns the function that computes the neighbourhood that the filter
// of r chooses around a voxel of a region; ok is false for an excluded voxel. The
// function may be called from several goroutines. r should be resolved: automatic
// values are found from the whole volume. The error says that the filter chooses none,
// the fault of recipe or input, or is the context's.
func (r Recipe) Neighbourhoods(ctx context.Context, in Input, region volume.Region) (at func(x, y, z int) (l Lengths, ok bool), err error) {
	f, err := FilterByName(r.Filter)
	if err != nil {
		return nil, err
	}
	if f.Support == nil {
		return nil, message.Errorf(message.RecipeFilter, "%s chooses no neighbourhood for every voxel%s", r.Filter, adaptive())
	}
	p, err := r.ProgramFor(ctx, in, region)
	if err != nil {
		return nil, err
	}
	field, err := p.ownInput(ctx, in, region)
	if err != nil {
		return nil, err
	}
	support := f.Support(p)
	return func(x, y, z int) (Lengths, bool) {
		if !field.Valid(field.Index(x, y, z)) {
			return Lengths{}, false
		}
		return support(&field, x, y, z), true
	}, nil
}

// ownInput returns what the filter's own first pass reads for a region: the voxels,
// or what the passes before it make of them, voxel by voxel.
func (p Program) ownInput(ctx context.Context, in Input, region volume.Region) (Field, error) {
	v := in.Masked()
	fields := map[string]Field{Voxels: FieldOf(v)}
	if in.Noise != nil {
		fields[NoiseMap] = FieldOf(in.Noise)
	}
	own := 0
	for p.Passes[own].Everywhere {
		own++
	}
	box := region.Grow(p.Passes[own].Reach, v.Geometry)
	for _, pass := range p.Passes[:own] {
		part := v.Crop(box)
		out := Field{Dims: v.Dims, Box: box, Data: part.Data, Mask: part.Mask}
		inputs := make([]Field, len(pass.Inputs))
		for i, name := range pass.Inputs {
			inputs[i] = fields[name]
		}
		err := parallel.For(ctx, box.Dims()[2], func(i int) error {
			z := box.Min[2] + i
			for y := box.Min[1]; y < box.Max[1]; y++ {
				for x := box.Min[0]; x < box.Max[0]; x++ {
					out.Data[out.Index(x, y, z)] = float32(pass.Reference(inputs, x, y, z))
				}
			}
			return nil
		})
		if err != nil {
			return Field{}, err
		}
		fields[pass.Output] = out
	}
	return fields[p.Passes[own].Inputs[0]], nil
}

// adaptive says which filters choose neighbourhoods.
func adaptive() message.Message {
	var names []string
	for _, f := range registered {
		if f.Support != nil {
			names = append(names, f.Name)
		}
	}
	if len(names) == 0 {
		return message.Message{}
	}
	return message.Text(", as %s do", strings.Join(names, " and "))
}
