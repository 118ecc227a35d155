package kernels

// widenParams mirrors struct WidenParams of convert.cu.
type widenParams struct {
	From, To uint64
	Count    int64
	Bias     float32
	_        int32
}

// Widen returns the launch that converts count int16 voxels at address from to float32
// voxels at address to, value = stored + bias.
func Widen(from, to uint64, count int64, bias float32) Launch {
	const threads, perThread = 256, 8
	return Launch{
		Module: "convert",
		Kernel: "widen",
		Grid:   [3]int{int((count + threads*perThread - 1) / (threads * perThread)), 1, 1},
		Block:  [3]int{threads, 1, 1},
		Args:   Pack(widenParams{From: from, To: to, Count: count, Bias: bias}),
	}
}
