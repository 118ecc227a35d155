package lcd

import (
	"context"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

// images returns the volumes. Spheres of a CT are scanned without noise, which is added.
func (s solid) images(ctx context.Context, n int) (twins, error) {
	g := volume.NewGeometry([3]int{pixels, pixels, depth}, [3]float64{s.task.pixel, s.task.pixel, s.Spacing})
	body := phantom.Phantom{Kind: "ct", Geometry: g, Unit: "HU", Background: -1000, Shapes: []phantom.Shape{cylinderOf(0, 0, cylinder/2, cylinder/2, 1000)}}
	if s.MR {
		body = phantom.Phantom{Kind: "mr", Geometry: g, Shapes: []phantom.Shape{cylinderOf(0, 0, 92, 108, 230), cylinderOf(0, 0, 80, 96, white-230)}}
	}
	var plain [2]*volume.Volume
	for k := range plain {
		p := body
		p.Shapes = append(p.Shapes[:len(p.Shapes):len(p.Shapes)], s.shapes(k == 1)...)
		var err error
		if s.MR {
			plain[k], err = p.Voxels(ctx)
		} else {
			plain[k], err = s.scan(ctx, p, 0, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	all := make(twins, n)
	if s.MR {
		for i := range all {
			for k, v := range plain {
				var err error
				if all[i][k], err = noise.AddNoise(ctx, v, noise.Rician, white/s.level, s.Seed+uint64(i)); err != nil {
					return nil, err
				}
			}
		}
		return all, nil
	}
	empty, err := s.scan(ctx, body, 0, 0)
	if err != nil {
		return nil, err
	}
	for i := range all {
		alone, err := s.alone(ctx, body, empty, s.Seed+uint64(i))
		if err != nil {
			return nil, err
		}
		for k, v := range plain {
			all[i][k] = v.Clone()
			for j, x := range alone.Data {
				all[i][k].Data[j] += x
			}
		}
	}
	return all, nil
}

// alone returns the noise of a scan; empty is one without.
func (s solid) alone(ctx context.Context, body phantom.Phantom, empty *volume.Volume, seed uint64) (*volume.Volume, error) {
	v, err := s.scan(ctx, body, fullDose*s.level/100*s.Spacing, seed)
	if err != nil {
		return nil, err
	}
	for i, x := range empty.Data {
		v.Data[i] -= x
	}
	if s.Across > 0 {
		r, err := denoise.NewRecipe("gaussian", 3)
		if err != nil {
			return nil, err
		}
		r = r.With("voxel-units", denoise.Bool(true)).With("sigma-spatial", denoise.Number(s.Across)).With("radius", denoise.List(0, 0, 3))
		if v, err = s.Engine.Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil); err != nil {
			return nil, err
		}
	}
	if s.Noise > 0 {
		scale := s.Noise / regions{{s.ground(twins{{v}})}}.noise()
		for i := range v.Data {
			v.Data[i] *= float32(scale)
		}
	}
	return v, nil
}

// scan images a phantom. The medium kernel is the mean of the other two.
func (s solid) scan(ctx context.Context, p phantom.Phantom, photons float64, seed uint64) (sum *volume.Volume, err error) {
	kernels := []string{s.kernel}
	if s.kernel == "medium" {
		kernels = []string{"soft", "sharp"}
	}
	for _, kernel := range kernels {
		v, err := p.Image(ctx, phantom.Scan{Views: views, Photons: photons, Recon: phantom.Recon{Method: "fbp", Kernel: kernel}, Seed: seed})
		if err != nil || sum == nil && len(kernels) == 1 {
			return v, err
		}
		if sum == nil {
			sum = volume.New(v.Geometry)
			sum.Unit, sum.Modality = v.Unit, v.Modality
		}
		for i, x := range v.Data {
			sum.Data[i] += x / 2
		}
	}
	return sum, nil
}
