package denoise

import "quell/volume"

// Field holds the voxels of a box of a volume. It is addressed by the indices of
// the whole volume, so that code does not depend on the box: the input of a
// filter covers the whole volume, an intermediate the region and its halo, and
// the result the region alone.
type Field struct {
	Dims [3]int        // of the whole volume
	Box  volume.Region // the part of the volume that Data holds
	Data []float32     // the voxels of Box, x fastest, then y, then z
	Mask []bool        // false for voxels of Box that are excluded; nil if none is
}

// FieldOf returns the voxels of v and shares its memory.
func FieldOf(v *volume.Volume) Field {
	return Field{Dims: v.Dims, Box: v.Bounds(), Data: v.Data, Mask: v.Mask}
}

// Index returns the position in Data and Mask of voxel (x, y, z) of the volume,
// which must be in Box.
func (f *Field) Index(x, y, z int) int {
	d := f.Box.Dims()
	return ((z-f.Box.Min[2])*d[1]+y-f.Box.Min[1])*d[0] + x - f.Box.Min[0]
}

// At returns voxel (x, y, z) of the volume, which must be in Box.
func (f *Field) At(x, y, z int) float32 { return f.Data[f.Index(x, y, z)] }

// Valid reports whether the voxel at position i of Data is not excluded.
func (f *Field) Valid(i int) bool { return f.Mask == nil || f.Mask[i] }

// Around returns r with reach more voxels on both sides of each axis, clipped to
// the volume.
func (f *Field) Around(r volume.Region, reach [3]int) volume.Region {
	return r.Grow(reach, volume.Geometry{Dims: f.Dims})
}
