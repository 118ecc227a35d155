// Package cpu is the engine that runs on every machine: each filter of
// docs/FILTERS.md twice, once as a plain float64 reference (reference_*.go,
// Reference), which is the definition written as loops, and once as the fast
// path that Engine runs, which is tested equal to it.
//
// The fast paths share one shape. The region is cut into tiles whose size
// depends on the recipe alone; workers take tiles in turn, load a tile with its
// halo into a block of their own (block.go) and write its voxels. As no tile
// reads another's result, the bits do not depend on the number of cores.
//
// The package imports denoise, volume, golang.org/x/sys/cpu and the standard
// library. On amd64 the row kernels (rows.go) have AVX2 forms in assembly that
// give the same bits as the Go loops.
package cpu
