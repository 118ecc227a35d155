package lesions

import (
	"context"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// crop is a region of the volume with what the recipe reads around it, as an input of its own.
type crop struct {
	in    denoise.Input
	place volume.Region // of the lesion, in the indices of in.Volume
	box   volume.Region // the region: the place and what is read of the result around it
	inner bool          // nothing that the recipe reads lies outside the volume
}

// cropOf cuts out the place, margin voxels around it within the volume, and what the recipe reads around these.
func cropOf(in denoise.Input, place volume.Region, margin [3]int, p denoise.Program) crop {
	box := place.Grow(margin, in.Volume.Geometry)
	g, reach := in.Volume.Geometry, p.Reach()
	outer := p.Around(box, g)
	c := crop{inner: true}
	for axis := range 3 {
		c.inner = c.inner && box.Min[axis] >= reach[axis] && box.Max[axis]+reach[axis] <= g.Dims[axis]
	}
	c.place, c.box = place.Offset(outer.Min), box.Offset(outer.Min)
	c.in = denoise.Input{Volume: in.Volume.Crop(outer), Usual: in.Usual}
	if in.Noise != nil {
		c.in.Noise = in.Noise.Crop(outer)
	}
	if in.Guide != nil {
		c.in.Guide = in.Guide.Crop(outer)
	}
	if in.Mask != nil {
		d := outer.Dims()
		for z := range d[2] {
			for y := range d[1] {
				i := g.Index(outer.Min[0], outer.Min[1]+y, outer.Min[2]+z)
				c.in.Mask = append(c.in.Mask, in.Mask[i:i+d[0]]...)
			}
		}
	}
	return c
}

// with returns the crop with a lesion in the middle of its place: added are the values of each of the middle slices.
func (c crop) with(added []float64, slices int) crop {
	out := c
	out.in.Volume = c.in.Volume.Clone()
	side := c.place.Dims()[0]
	middle := (c.place.Min[2] + c.place.Max[2] - 1) / 2
	for z := middle - slices/2; z <= middle+slices/2; z++ {
		for k, a := range added {
			i := c.in.Volume.Index(c.place.Min[0]+k%side, c.place.Min[1]+k/side, z)
			out.in.Volume.Data[i] += float32(a)
		}
	}
	return out
}

// source returns the voxels of the box before filtering.
func (c crop) source() *volume.Volume { return c.in.Volume.Crop(c.box) }

// runAll returns the results of the boxes, in order. An engine with an overhead does those of one
// size in one run.
func runAll(ctx context.Context, e denoise.Engine, r denoise.Recipe, lattice [3]int, crops []crop) ([]*volume.Volume, error) {
	out := make([]*volume.Volume, len(crops))
	var alone []int
	piles := map[[3]int][]int{}
	for i, c := range crops {
		d := c.in.Volume.Dims
		if e.Info().Overhead > 0 && c.inner && d[2]%max(lattice[2], 1) == 0 {
			piles[d] = append(piles[d], i)
		} else {
			alone = append(alone, i)
		}
	}
	for _, which := range piles {
		if err := runPile(ctx, e, r, crops, which, out); err != nil {
			return nil, err
		}
	}
	err := parallel.For(ctx, len(alone), func(k int) (err error) {
		i := alone[k]
		out[i], err = e.Run(ctx, r, crops[i].in, crops[i].box, nil)
		return err
	})
	return out, err
}

// mostPiled bounds the voxels of a pile.
const mostPiled = 1 << 25

// runPile runs inner crops of one size as one volume, stacked along z: no voxel of a box reads beyond its own crop.
func runPile(ctx context.Context, e denoise.Engine, r denoise.Recipe, crops []crop, which []int, out []*volume.Volume) error {
	first := crops[which[0]]
	if n := max(mostPiled/first.in.Volume.Voxels(), 1); len(which) > n {
		if err := runPile(ctx, e, r, crops, which[n:], out); err != nil {
			return err
		}
		which = which[:n]
	}
	g := first.in.Volume.Geometry
	depth := g.Dims[2]
	g.Dims[2] *= len(which)
	pile := func(get func(c crop) *volume.Volume) *volume.Volume {
		if get(first) == nil {
			return nil
		}
		v := &volume.Volume{Geometry: g, Unit: get(first).Unit, Modality: get(first).Modality}
		for _, i := range which {
			v.Data, v.Mask = append(v.Data, get(crops[i]).Data...), append(v.Mask, get(crops[i]).Mask...)
		}
		return v
	}
	in := denoise.Input{
		Usual:  first.in.Usual,
		Volume: pile(func(c crop) *volume.Volume { return c.in.Volume }),
		Noise:  pile(func(c crop) *volume.Volume { return c.in.Noise }),
		Guide:  pile(func(c crop) *volume.Volume { return c.in.Guide }),
	}
	for _, i := range which {
		in.Mask = append(in.Mask, crops[i].in.Mask...)
	}
	box := first.box
	box.Min[2], box.Max[2] = 0, g.Dims[2]
	result, err := e.Run(ctx, r, in, box, nil)
	if err != nil {
		return err
	}
	d := result.Dims
	for k, i := range which {
		c := crops[i]
		out[i] = result.Crop(volume.Region{Min: [3]int{0, 0, k*depth + c.box.Min[2]}, Max: [3]int{d[0], d[1], k*depth + c.box.Max[2]}})
	}
	return nil
}
