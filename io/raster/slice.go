package raster

import (
	"context"
	"io"
	"io/fs"

	"quell/internal/message"
	"quell/volume"
)

// ReadSlice reads slice z, along the third axis of the file, of component c of volume t,
// and nothing else of the voxels. A file that can only be read from its beginning, such as
// a compressed one, is an error; see Info.Direct. So is a slice without a finite value.
func (open Opener) ReadSlice(ctx context.Context, fsys fs.FS, name string, t int, c Component, z int) (*volume.Volume, error) {
	im, err := open(fsys, name)
	if err != nil {
		return nil, message.Named(name, err)
	}
	defer im.file.Close()
	v, err := im.readSlice(ctx, t, c, z)
	if err != nil {
		return nil, message.Named(name, err)
	}
	return v, nil
}

func (im *Image) readSlice(ctx context.Context, t int, c Component, z int) (*volume.Volume, error) {
	p, err := im.planOf(t, c)
	if err != nil {
		return nil, err
	}
	file, direct := im.direct()
	switch {
	case z < 0 || z >= p.geometry.Dims[2]:
		return nil, message.Errorf(message.InputChoice, "it has no slice %d of volume %d", z+1, t+1)
	case !direct:
		return nil, message.Errorf(message.InputDamaged, "a slice cannot be read without those before it")
	}
	data := make([]float32, p.geometry.SliceVoxels())
	if _, err := p.readAt(ctx, file, t, z*len(data), data, func(int) {}); err != nil {
		return nil, err
	}
	v := sliceOf(p.sliceGeometry(z), data)
	if v == nil {
		return nil, message.Errorf(message.InputEmpty, "the slice has no finite value")
	}
	return v, nil
}

// direct returns the file if it can be read from any place.
func (im *Image) direct() (io.ReaderAt, bool) {
	file, ok := im.file.file.(io.ReaderAt)
	return file, ok && im.file.packed == Plain
}

// sliceGeometry returns the grid of slice z.
func (p plan) sliceGeometry(z int) volume.Geometry {
	r := p.geometry.Bounds()
	r.Min[2], r.Max[2] = z, z+1
	return p.geometry.Crop(r)
}

// sliceOf returns a slice with its values that are not finite masked, nil if it has no
// other.
func sliceOf(g volume.Geometry, data []float32) *volume.Volume {
	finite := 0
	for _, x := range data {
		if x-x == 0 {
			finite++
		}
	}
	v := &volume.Volume{Geometry: g, Data: data}
	switch finite {
	case 0:
		return nil
	case len(data):
		return v
	}
	v.MaskNonFinite()
	return v
}

// shownSlices is about how many slices of a volume are passed on while it is read.
const shownSlices = 16

// arrivals passes some slices on while the voxels of a volume arrive in their order.
type arrivals struct {
	plan plan
	show func(z int, slice *volume.Volume) // nil passes none on
	at   int                               // voxels so far
	data []float32                         // of the slice that arrives, if it is passed on
}

// add takes the voxels that follow.
func (a *arrivals) add(voxels []float32) {
	if a.show == nil {
		return
	}
	size, n := a.plan.geometry.SliceVoxels(), a.plan.geometry.Dims[2]
	every := (n + shownSlices - 1) / shownSlices
	for len(voxels) > 0 {
		z := a.at / size
		k := min(len(voxels), size-a.at%size)
		if wanted := z%every == every-1; wanted {
			a.data = append(a.data, voxels[:k]...)
		}
		a.at += k
		voxels = voxels[k:]
		if a.at%size == 0 && len(a.data) > 0 {
			if v := sliceOf(a.plan.sliceGeometry(z), a.data); v != nil {
				a.show(z, v)
			}
			a.data = nil
		}
	}
}
