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
// The CUDA engine (Engine) divides a region into slabs that fit in the device memory
// (planSlabs), and slabs into blocks of about 30 ms. It keeps the slices of all inputs on
// the device between runs (deviceMemory), known by fingerprints, and communicates with
// the worker quell-gpu by JSON lines (gpu/wire); voxels go through shared memory
// (gpu/shm). The engine sends a recipe once per run, and the worker binds it; runs name
// the program, the region and the buffers of the inputs by role. The worker runs all
// passes of a block in order on one stream. Each intermediate result is computed for the
// block and its halo (whole slices of it if a kernel takes a Field, kernels.Halos), in
// scratch memory that the blocks of a run share, as does what kernels use besides
// (kernels.Pass.Scratch). kernels.Launches returns the kernels of a pass with their
// arguments. A worker that dies, hangs or runs out of memory is replaced or gets smaller
// slabs; one that gives no answer at its start (Options.Start) is not started again for
// ten minutes (hungRest), so that a driver that hangs costs one wait. If that does not
// help, or a pass has no kernel, Run returns an error that wraps ErrDevice, and the
// workbench offers the CPU (Session.ContinueWith). Engine.On runs a rung of a ladder
// (kernels.Rung, kernels/rungs) in place of a filter's kernels, with a free shape of
// blocks: the papers' variants, which bench compares.
//
// Several devices have a worker each (gpu/share.go). A run that is expected to take
// worthSharing or longer is divided along z in proportion to their measured speeds; each
// device reads the halo of its part itself and holds the slices of its part alone, with
// half of the first one's staging buffers. Parts begin at slices at which slabs may
// (demand.grain: every 12 slices, or at blocks if a program has intermediate results or
// tiles of other depths, kernels.Pass.DeepTiles), blocks and launch shapes are as on the
// first device, and only devices of its compute capability take part: the bits are as on
// one device. A device without a running worker gets a part if the run outlasts the
// start, and is started for later runs otherwise. Previews and short runs go to the
// device with the fewest volumes. A part with a lost worker is repeated once, on another
// device if there is one. A device that loses three workers in five minutes is left out
// for five, one with a worker that does not start for 30 s (the first that starts decides
// the capability); Engine.Enable, at every pick of the engine, ends that only if no other
// device works. denoise.LogDevices collects what each device did, for devices in --json.
//
// Some kernels can be launched in blocks of several shapes (kernels.Shapes). Which is the
// fastest depends on the device and on whether a slice or a volume is filtered.
// Engine.Tune (quell bench --tune) tries them: each result is compared with the
// reference, then the shapes alternate, and the winner must beat the usual one again, by
// 2 %. SaveShapes of the program keeps the winners in quell/launch-shapes.json of the
// user's cache folder, by the names of device, driver and kernels (TunedShapes). The engine
// reads them when it starts; figures of another driver or of other kernels, or a damaged
// file, are ignored with a line in the log. A binding sends the shape to the worker. Another shape may
// change the last bits of a result; equal shapes give equal bits.
//
// The package imports denoise, volume, kernels, internal/parallel and its own
// subpackages, except driver, which only the worker may link. Of kernels it uses the
// table of passes; the linker leaves the modules out.
package gpu
