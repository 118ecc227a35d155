package denoise

import (
	"context"
	"fmt"
	"slices"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Input is the input of a filter. All volumes have the dims of Volume. None of
// them is ever changed.
type Input struct {
	Volume *volume.Volume
	// Noise is the noise map: sigma for each voxel, in the unit of Volume; nil if
	// there is none. A voxel without a figure (0, negative, not finite, padding of
	// the map, or below a hundredth of the map's median) is excluded.
	Noise *volume.Volume
	// Usual is the usual sigma of the noise map whose part Noise is, see [UsualSigma]; 0 if Noise is all of it.
	Usual float32
	Guide *volume.Volume // volume that steers the weights; nil if there is none
	Mask  []bool         // false excludes a voxel, in addition to the padding of Volume; nil excludes none
}

// Masked returns the volume with the voxels that Mask excludes, and those without
// a figure in the noise map, marked like padding. It shares the voxels.
func (in Input) Masked() *volume.Volume {
	v := *in.Volume
	masks := [][]bool{in.Mask, in.figures()}
	for _, m := range masks {
		if m == nil {
			continue
		}
		before := v.Mask
		v.Mask = m
		if before != nil {
			v.Mask = slices.Clone(m)
			for i, valid := range before {
				v.Mask[i] = v.Mask[i] && valid
			}
		}
	}
	if masks[0] == nil && masks[1] == nil {
		return in.Volume
	}
	return &v
}

// figures marks the voxels that have a figure in the noise map; nil if all have one.
func (in Input) figures() []bool {
	if in.Noise == nil {
		return nil
	}
	m, usual, n := in.Noise, in.usualSigma(), in.Noise.SliceVoxels()
	eachSlice := func(f func(z, from, to int)) {
		// Neither the context nor f ends the loop early.
		_ = parallel.For(context.Background(), m.Dims[2], func(z int) error {
			f(z, z*n, (z+1)*n)
			return nil
		})
	}
	lacking := make([]bool, m.Dims[2])
	eachSlice(func(z, from, to int) {
		for i := from; i < to && !lacking[z]; i++ {
			lacking[z] = !counts(m.Data[i], usual) || !m.Valid(i)
		}
	})
	if !slices.Contains(lacking, true) {
		return nil
	}
	figure := make([]bool, len(m.Data))
	eachSlice(func(_, from, to int) {
		for i := from; i < to; i++ {
			figure[i] = counts(m.Data[i], usual) && m.Valid(i)
		}
	})
	return figure
}

// Check reports an input that is inconsistent.
func (in Input) Check() error {
	if in.Volume == nil {
		return message.Errorf(message.RecipeInput, "the input has no volume")
	}
	v := in.Volume
	if err := v.Geometry.Validate(); err != nil {
		return err
	}
	if len(v.Data) != v.Voxels() || (v.Mask != nil && len(v.Mask) != v.Voxels()) {
		return fmt.Errorf("a volume of %v voxels holds %d values and a mask of %d", v.Dims, len(v.Data), len(v.Mask))
	}
	if in.Mask != nil && len(in.Mask) != v.Voxels() {
		return message.Errorf(message.RecipeInput, "the mask has %d voxels, the volume %d", len(in.Mask), v.Voxels())
	}
	for name, m := range map[string]*volume.Volume{"noise map": in.Noise, "guide": in.Guide} {
		if m != nil && (m.Dims != v.Dims || len(m.Data) != v.Voxels() || (m.Mask != nil && len(m.Mask) != v.Voxels())) {
			return message.Errorf(message.GridDiffers, "the %s has %v voxels, the volume %v", message.Word(name), m.Dims, v.Dims)
		}
	}
	if in.Noise != nil && in.usualSigma() == 0 {
		return message.Errorf(message.RecipeInput, "the noise map has no positive number where the volume contains data")
	}
	return nil
}
