// Package gpu is the CUDA engine as the workbench and the command line see it:
// Engine implements denoise.Engine by handing the work to a worker process,
// quell-gpu, over the protocol of package wire.
//
// The package holds no CUDA and needs no cgo. A machine without a driver, a
// kernel that hangs or crashes, a worker that is killed: each costs a worker,
// never the program. A lost worker is started again, a run is tried once more
// with less memory, and after that Run fails with one sentence and an error
// that wraps ErrDevice, so that the CPU engine can be offered. Nothing falls
// back by itself.
//
// From the outside in:
//
//	Engine    recipes in, volumes out; one or several devices
//	device    keeps one worker alive: starts, back-off, idle exit
//	session   one worker while it lives: its process, shared memory and device memory
//	task      one region on one session: what is uploaded, run and fetched, in which order
//	cut       how a region is cut into slabs that fit and blocks that are short
//
// It imports denoise, volume and its own subpackages, of which driver is not one
// it may import.
package gpu
