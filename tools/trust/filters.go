package main

import (
	"context"
	"path/filepath"

	"quell/app/open"
	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/volume"
)

// scene is a slice of a volume that filters are shown on.
type scene struct {
	volume    *volume.Volume
	dims      int // to filter in, if the filter can
	x0, y0, z int // of the first pixel that is shown
	lo, hi    float32
	residual  float32 // at the ends of the scale of what was removed
}

// scenes returns the MR phantom with noise, and the bundled CT.
func scenes(ctx context.Context) ([]scene, error) {
	clean, err := head(ctx)
	if err != nil {
		return nil, err
	}
	noisy, err := noise.AddNoise(ctx, clean, noise.Gaussian, 12, 1)
	if err != nil {
		return nil, err
	}
	s, err := open.Bundled(ctx)
	if err != nil {
		return nil, err
	}
	ct := s.Volume
	return []scene{
		{noisy, 3, 40, 48, 12, 0, 255, 36},
		{ct, 2, ct.Dims[0]/2 - side/2, ct.Dims[1]/2 - side/2 - 40, ct.Dims[2] / 2, 0, 80, 15},
	}, nil
}

const side = 112 // of the shown part, in pixels

// filters writes filter-NAME.png of every filter into dir: in the rows the scenes, each
// before, after and what was removed, by the defaults.
func filters(ctx context.Context, dir string) error {
	all, err := scenes(ctx)
	if err != nil {
		return err
	}
	for _, f := range denoise.Filters() {
		c := newCanvas(3, len(all), side, side)
		for row, s := range all {
			dims := f.Dims[0]
			for _, d := range f.Dims {
				if d == s.dims {
					dims = d
				}
			}
			r, err := denoise.NewRecipe(f.Name, dims)
			if err != nil {
				return err
			}
			if r, err = r.ResolveFor(ctx, denoise.Input{Volume: s.volume}); err != nil {
				return err
			}
			region := s.volume.Bounds()
			region.Min[2], region.Max[2] = s.z, s.z+1
			after, err := cpu.New().Run(ctx, r, denoise.Input{Volume: s.volume}, region, nil)
			if err != nil {
				return err
			}
			before := s.volume.Crop(region)
			rest := volume.New(before.Geometry)
			for i, a := range after.Data {
				rest.Data[i] = before.Data[i] - a
			}
			c.part(0, row, before, 0, s.x0, s.y0, s.lo, s.hi)
			c.part(1, row, after, 0, s.x0, s.y0, s.lo, s.hi)
			c.part(2, row, rest, 0, s.x0, s.y0, -s.residual, s.residual)
		}
		if err := c.write(filepath.Join(dir, "filter-"+f.Name+".png")); err != nil {
			return err
		}
	}
	return nil
}
