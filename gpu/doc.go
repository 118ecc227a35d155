// Package gpu is the CUDA engine as the workbench and the command line use it:
// Engine implements denoise.Engine by handing the work to a worker process,
// quell-gpu, over the protocol of package wire.
//
// The package contains no CUDA and needs no cgo. A machine without a driver, a
// kernel that hangs or crashes, a worker that is killed: each costs a worker,
// never the program. A lost worker is restarted and the run is tried once more
// with less memory; after that Run fails with one sentence and an error that
// wraps ErrDevice, so that the caller can offer the CPU engine. There is no
// automatic fallback.
//
// The types, from the outside in:
//
//	Engine        recipes in, volumes out; one or several devices
//	device        keeps one worker alive: starts, back-off, idle exit
//	session       one worker while it lives: its process, shared memory and device memory
//	deviceMemory  resident slabs of volumes and result buffers, within a budget
//	task          one region on one session: uploads, runs and downloads, and their order
//	layout        the slabs and blocks into which a region is divided
//	run           a bound recipe on an input, the same for all devices and attempts
//
// The package imports denoise, volume, kernels, internal/parallel and its own
// subpackages, except driver, which only the worker may link. Of kernels it uses the
// table of passes; the linker leaves the modules out.
package gpu
