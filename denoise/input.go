package denoise

import (
	"errors"
	"fmt"

	"quell/volume"
)

// Input is what a filter reads. All volumes have the dims of Volume. None of
// them is ever changed.
type Input struct {
	Volume *volume.Volume
	Noise  *volume.Volume // noise map: sigma for each voxel, in the unit of Volume; nil if there is none
	Guide  *volume.Volume // volume that steers the weights; nil if there is none
	Mask   []bool         // false excludes a voxel, in addition to the padding of Volume; nil excludes none
}

// Masked returns the volume with the voxels that Mask excludes marked like
// padding. It shares the voxels.
func (in Input) Masked() *volume.Volume {
	if in.Mask == nil {
		return in.Volume
	}
	v := *in.Volume
	v.Mask = in.Mask
	if in.Volume.Mask != nil {
		v.Mask = make([]bool, len(in.Mask))
		for i, valid := range in.Volume.Mask {
			v.Mask[i] = valid && in.Mask[i]
		}
	}
	return &v
}

// Check reports an input that is inconsistent.
func (in Input) Check() error {
	if in.Volume == nil {
		return errors.New("the input has no volume")
	}
	v := in.Volume
	if err := v.Geometry.Validate(); err != nil {
		return err
	}
	if len(v.Data) != v.Voxels() || (v.Mask != nil && len(v.Mask) != v.Voxels()) {
		return fmt.Errorf("a volume of %v voxels holds %d values and a mask of %d", v.Dims, len(v.Data), len(v.Mask))
	}
	if in.Mask != nil && len(in.Mask) != v.Voxels() {
		return fmt.Errorf("the mask has %d voxels, the volume %d", len(in.Mask), v.Voxels())
	}
	for name, m := range map[string]*volume.Volume{"noise map": in.Noise, "guide": in.Guide} {
		if m != nil && (m.Dims != v.Dims || len(m.Data) != v.Voxels()) {
			return fmt.Errorf("the %s has %v voxels, the volume %v", name, m.Dims, v.Dims)
		}
	}
	return nil
}
