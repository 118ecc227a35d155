package kernels

import "quell/denoise"

func init() {
	// An H200 moves the 12 bytes of a voxel at most 4e11 times per second.
	Register(anyFilter, map[string]Pass{
		denoise.DivideBySigma:   {Rate: 2e11, Launches: noiseMapLaunches("divide_by_sigma")},
		denoise.MultiplyBySigma: {Rate: 2e11, Launches: noiseMapLaunches("multiply_by_sigma")},
		denoise.StabiliseNoise:  {Rate: 2e11, Launches: stabiliseLaunches("stabilise_noise")},
		denoise.RestoreSignal:   {Rate: 2e11, Launches: stabiliseLaunches("restore_signal")},
		denoise.Equalise:        {Rate: 2e12, Launches: equaliseLaunches},
	})
}

// noiseMapParams mirrors struct NoiseMapParams of noisemap.cu.
type noiseMapParams struct {
	In, Noise, Voxels, Mask, Out Box
	Dims                         [3]int32
	Usual, Least                 float32
	_                            int32
}

func noiseMapLaunches(kernel string) func(denoise.Program, denoise.Pass, Part) ([]Launch, error) {
	return func(p denoise.Program, _ denoise.Pass, part Part) ([]Launch, error) {
		return eachVoxel(kernel, part, noiseMapParams{
			In: NewBox(part.Inputs[0]), Noise: NewBox(part.Inputs[1]), Voxels: NewBox(part.Voxels), Mask: NewBox(part.Mask),
			Out: part.OutBox(), Dims: indices(part.Dims), Usual: p.UsualSigma, Least: p.LeastSigma(),
		}), nil
	}
}

// eachVoxel returns the launch of a kernel of noisemap.cu, with a thread for every voxel.
func eachVoxel(kernel string, part Part, params any) []Launch {
	const threads = 256
	return []Launch{{
		Module: "noisemap", Kernel: kernel,
		Grid: Grid([3]int{part.Region.Voxels(), 1, 1}, [3]int{threads, 1, 1}), Block: [3]int{threads, 1, 1},
		Args: Pack(params),
	}}
}
