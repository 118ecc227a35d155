package lesions

import (
	"context"

	"quell/denoise"
	"quell/volume"
)

// Picture is one lesion in its surroundings, before and after the filter: squares of one slice, with the lesion in
// the middle.
type Picture struct {
	Lesion        Lesion
	At            [3]int // the voxel of the middle
	Before, After *volume.Volume
}

// pictureSide is the side of a picture in pixels, odd; near an edge of the volume it is less.
const pictureSide = 63

// picture filters the surroundings of one lesion, at the place from which the edges of the slice are furthest.
func picture(ctx context.Context, e denoise.Engine, q Request, program denoise.Program, l Lesion, at [][3]int) (*Picture, error) {
	g := q.Input.Volume.Geometry
	p := &Picture{Lesion: l, At: at[0]}
	half := 0
	for _, c := range at {
		room := min(c[0], c[1], g.Dims[0]-1-c[0], g.Dims[1]-1-c[1], pictureSide/2)
		if room > half {
			half, p.At = room, c
		}
	}
	box := volume.Region{Min: p.At, Max: p.At}
	for axis, n := range [3]int{half, half, l.Slices / 2} {
		box.Min[axis] -= n
		box.Max[axis] += n + 1
	}
	with := cropOf(q.input(), box, [3]int{}, program).with(l.added(g, 2*half+1), l.Slices)
	after, err := e.Run(ctx, q.Recipe, with.in, with.box, nil)
	if err != nil {
		return nil, err
	}
	p.Before, p.After = middleSlice(with.source()), middleSlice(after)
	return p, nil
}

// middleSlice returns the middle slice of a volume.
func middleSlice(v *volume.Volume) *volume.Volume {
	return v.Crop(volume.Slices(v.Geometry, v.Dims[2]/2, v.Dims[2]/2+1))
}
