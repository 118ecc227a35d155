// Package cpu is the engine that runs on every machine. It knows no filter: it runs
// the passes of a denoise.Program (run.go), by their CPU form in Engine, and by
// their float64 reference in Reference, which every engine is tested against.
//
// Each output is computed tile by tile. The size of the tiles depends on the recipe
// alone, and no tile reads another one's result, so that the bits do not depend on
// the number of cores. An intermediate covers the region and the halo that later
// passes need, and is freed after the last pass that reads it.
//
// The package imports denoise, volume and internal/parallel.
package cpu
