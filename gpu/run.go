package gpu

import (
	"quell/denoise"
	"quell/kernels"
	"quell/volume"
)

// run is a bound recipe on an input. It is the same for all devices, slabs and attempts.
type run struct {
	program  denoise.Program
	rung     kernels.Rung   // zero: the kernels that ship
	shapes   kernels.Shapes // the same on all devices, so that they give the same bits
	shared   bool           // among several devices: each has the slices of its part alone
	geometry volume.Geometry
	inputs   []input // the voxels, and the maps that the passes read
	masked   bool
}

// input is a volume that the passes read, under its name in denoise.Pass.Inputs. Only
// the voxels have a mask.
type input struct {
	name   string
	volume *volume.Volume
}

// newRun prepares runs of a program. The error wraps ErrDevice and
// denoise.ErrUnsupported if there are no kernels for it.
func newRun(p denoise.Program, rung kernels.Rung, g volume.Geometry) (*run, error) {
	if err := rung.Check(p); err != nil {
		return nil, unsupported(err)
	}
	inputs := []input{{name: denoise.Voxels}}
	for _, name := range []string{denoise.NoiseMap, denoise.GuideVolume} {
		if p.Reads(name) {
			inputs = append(inputs, input{name: name})
		}
	}
	return &run{program: p, rung: rung, geometry: g, inputs: inputs}, nil
}

// read sets the volumes of the inputs, which the program accepts.
func (r *run) read(in denoise.Input) {
	masked := in.Masked()
	for i := range r.inputs {
		v := masked
		switch r.inputs[i].name {
		case denoise.NoiseMap:
			v = &volume.Volume{Geometry: r.geometry, Data: in.Noise.Data}
		case denoise.GuideVolume:
			v = &volume.Volume{Geometry: r.geometry, Data: in.Guide.Data}
		}
		r.inputs[i].volume = v
	}
	r.masked = masked.Mask != nil
}

// intermediates returns how far around a block each result of a pass is computed, except
// the last, in the order of the passes.
func (r *run) intermediates() [][3]int {
	var reach [][3]int
	halos := kernels.Halos(r.program)
	for _, pass := range r.program.Passes {
		if pass.Output != denoise.Result {
			reach = append(reach, halos[pass.Output])
		}
	}
	return reach
}
