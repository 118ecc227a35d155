// Package wire is the protocol between Quell and its CUDA worker, quell-gpu.
// Both sides import it, so it contains no CUDA. It imports only denoise, volume
// and the standard library.
//
// # Start
//
// The flag -segment names the shared segment to the worker. The first line it
// prints that begins with Magic is the hello:
//
//	QUELL-GPU {"version":7,"driver":12020,"device":{...},"others":[...],"slots":...}
//
// Everything else on its standard output is diagnostic (gorgonia.org/cu prints
// there and exits if the driver does not start); the parent keeps its end together
// with the end of standard error. A hello with a fault says in one sentence why the
// device cannot be used; the worker exits after it.
//
// # Requests and replies
//
// After the hello both sides write one JSON object per line: Request to the
// worker's standard input, Reply to its standard output. Every request gets
// exactly one reply when its effect is complete (the shared memory of a copy may
// be reused, a result may be read), not necessarily in the order of the requests.
//
//	alloc  allocate device memory under a handle chosen by the parent
//	free   free it
//	put    copy from the shared segment to a buffer (int16 is widened on the device)
//	bind   bind a resolved recipe, for volumes of one geometry, under a program ID
//	unbind forget it
//	run    run all passes of a program on a region
//	get    copy from a buffer to the shared segment
//	ping   report the free device memory
//
// # Order
//
// A program is bound before its runs and unbound after the replies to them. A run sees
// every put sent before it. Nothing else is ordered, so that copies overlap with
// kernels. The parent sends a get after the reply to the run, or directly after the
// run with AfterRun set. It does not put voxels that an unfinished run reads, nor run
// into a buffer that an unfinished get reads. The scratch memory of a run is free when
// it ends, so runs in one lane may share it. The two lanes run concurrently; blocks of
// PreviewLane have priority over blocks of VolumeLane.
//
// # Faults
//
// After a fault of kind Sticky CUDA answers every later call of the process with
// an error, so the worker replies, then exits with ExitSticky. Any other fault
// changes nothing. The worker also exits when its standard input ends, at once and
// even while a kernel hangs.
package wire
