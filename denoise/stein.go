package denoise

import "quell/volume"

// Stein holds what Stein's unbiased risk estimate needs of a result u = F(v),
// summed over voxels.
type Stein struct {
	Residual   float64 // sum of (u_i - v_i)^2, in the volume's unit squared
	Divergence float64 // sum of d u_i / d v_i
}

// SteinPass computes the Stein sums of several recipes in closed form, in about
// the time of one run of one of them. Package denoise/tune runs it on the cores
// of the processor.
type SteinPass struct {
	Tile [3]int // largest size of a tile

	// Start prepares sums over voxels of in. count covers the boxes that tiles
	// lie in; its mask marks the voxels that count, its data are not used.
	Start func(in, count Field) (newWorker func() SteinWorker)
}

// SteinWorker returns, for each recipe, the sums over the voxels of a tile that
// count. It calls stop as a [Worker] does; what it returns after a true is of no
// meaning. Every goroutine has a worker of its own.
type SteinWorker func(tile volume.Region, stop func() bool) []Stein
