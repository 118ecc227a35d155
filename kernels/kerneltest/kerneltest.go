// Package kerneltest contains the kernels of filtertest.Filter, which has two passes and
// reads a noise map and a guide. Importing it registers the filter and its kernels. Only
// tests and a worker built with the tag kerneltest do so: they test the multi-pass
// machinery of package gpu and its worker, on the fake driver and on a GPU.
package kerneltest

import (
	_ "embed"

	"quell/denoise"
	"quell/denoise/filter/filtertest"
	"quell/kernels"
	"quell/volume"
)

//go:embed twopass.fatbin
var module string

func init() {
	denoise.Register(filtertest.Filter)
	kernels.RegisterModule("twopass", module)
	kernels.Register(filtertest.Filter.Name, map[string]kernels.Pass{
		"mean":        {Rate: 1e11, Launches: launches("twopass_mean")},
		"guided mean": {Rate: 1e11, Launches: launches("twopass_guided")},
	})
}

// params mirrors struct TwopassParams of twopass.cu.
type params struct {
	In, Map, Voxels, Mask, Out kernels.Box
	Dims, Radius               [3]int32
	Inverse                    float64
}

func launches(kernel string) func(denoise.Program, denoise.Pass, kernels.Part) ([]kernels.Launch, error) {
	return func(p denoise.Program, pass denoise.Pass, part kernels.Part) ([]kernels.Launch, error) {
		args := params{
			In: kernels.NewBox(part.Inputs[0]), Map: kernels.NewBox(part.Inputs[1]),
			Voxels: kernels.NewBox(part.Voxels), Mask: kernels.NewBox(part.Mask), Out: part.OutBox(),
			Inverse: 1 / p.Params.(filtertest.Params).GuideSigma,
		}
		for c := range 3 {
			args.Dims[c], args.Radius[c] = int32(part.Dims[c]), int32(pass.Reach[c])
		}
		const threads = 128
		return []kernels.Launch{{
			Module: "twopass", Kernel: kernel, Args: kernels.Pack(args),
			Grid: kernels.Grid(voxels(part.Region), [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
		}}, nil
	}
}

func voxels(r volume.Region) [3]int { return [3]int{r.Voxels(), 1, 1} }
