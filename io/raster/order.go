package raster

import (
	"quell/io/spool"
	"quell/volume"
)

// Order is an order of the voxels of a file: Axis gives the axis of the volume for each axis of the file, the
// fastest first, and Flip whether it is reversed.
type Order struct {
	Axis [3]int
	Flip [3]bool
}

// The voxels in memory at once take so many bytes as float32, at least of a slice of the file. If the slices of the
// file run across the slices of the volume, which wait on the disk, all of these are read for each part.
const (
	partBytes   = 64 << 20
	acrossBytes = 512 << 20
)

// parts passes all voxels on in this order, nil for the order of the volume, some slices of the file at a
// time.
func (o *Order) parts(v *spool.Voxels, use func(part *volume.Volume) error) error {
	last, bytes := 2, partBytes
	if o != nil {
		if last = o.Axis[2]; last != 2 {
			bytes = acrossBytes
		}
	}
	n := v.Grid().Dims[last]
	step := max(1, bytes/4/(v.Grid().Voxels()/n))
	for from := 0; from < n; from += step {
		part, err := o.part(v, from, min(from+step, n))
		if err != nil {
			return err
		}
		if err := use(part); err != nil {
			return err
		}
	}
	return nil
}

// part returns the slices from <= z < to of the file.
func (o *Order) part(v *spool.Voxels, from, to int) (*volume.Volume, error) {
	if o == nil || *o == (Order{Axis: [3]int{0, 1, 2}}) {
		return v.Part(from, to)
	}
	dims := v.Grid().Dims
	var out volume.Geometry // only its dims are used
	for c, a := range o.Axis {
		out.Dims[c] = dims[a]
	}
	out.Dims[2] = to - from
	lo, hi := [3]int{}, dims // of the voxels in it
	if a := o.Axis[2]; o.Flip[2] {
		lo[a], hi[a] = dims[a]-to, dims[a]-from
	} else {
		lo[a], hi[a] = from, to
	}
	part := &volume.Volume{Geometry: out, Data: make([]float32, out.Voxels())}
	stride := [3]int{1, out.Dims[0], out.SliceVoxels()}
	var step [3]int // along each axis of the volume
	start := 0
	for c, a := range o.Axis {
		step[a] = stride[c]
		if o.Flip[c] {
			start += (out.Dims[c] - 1) * stride[c]
			step[a] = -stride[c]
		}
	}
	for z := lo[2]; z < hi[2]; z++ {
		slice, err := v.Part(z, z+1)
		if err != nil {
			return nil, err
		}
		if slice.Mask != nil && part.Mask == nil {
			part.Mask = make([]bool, len(part.Data)) // every slice has one, or none
		}
		for y := lo[1]; y < hi[1]; y++ {
			at := start + (z-lo[2])*step[2] + (y-lo[1])*step[1]
			for x := lo[0]; x < hi[0]; x++ {
				i := y*dims[0] + x
				part.Data[at] = slice.Data[i]
				if slice.Mask != nil {
					part.Mask[at] = slice.Mask[i]
				}
				at += step[0]
			}
		}
	}
	return part, nil
}
