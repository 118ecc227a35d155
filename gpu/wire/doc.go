// Package wire is the protocol between Quell and its CUDA worker, quell-gpu.
// Both sides import it, so it stays free of CUDA, and it imports nothing but
// denoise, volume and the standard library.
//
// # Start
//
// The worker is started with the shared segment named by the flag -segment.
// The first line it prints that begins with Magic is the hello:
//
//	QUELL-GPU {"version":1,"driver":12020,"device":{...},"others":[...],"slots":...}
//
// Everything else on its standard output is diagnosis (gorgonia.org/cu prints
// there and exits when the driver does not start) and is kept, as is the end
// of standard error. A hello with a fault says in one sentence why the device
// cannot be used; the worker exits after it.
//
// # Requests and replies
//
// After the hello both sides write one JSON object a line: Request to the
// worker's standard input, Reply from its standard output. Every request is
// answered exactly once, when its effect is complete (a copy's shared memory
// may be reused, a result may be read), not always in the order they were
// sent. A line that is no reply is diagnosis.
//
//	alloc  reserve device memory under a handle that the parent chose
//	free   give it back
//	put    copy from the shared segment to a buffer (int16 is widened on the device)
//	run    filter a region from one buffer into another
//	get    copy from a buffer to the shared segment
//	ping   tell the free device memory
//
// # Order
//
// A run sees every put sent before it. Nothing else is ordered, so that copies
// overlap with kernels: the parent sends a get when the run has been answered,
// or right behind the run and marked so, and neither puts over voxels that an
// unfinished run reads nor runs into a buffer that an unfinished get reads. The two lanes run side by side: Bulk
// for volumes, Urgent for the slice on screen, whose blocks go first.
//
// # Faults
//
// A fault of kind Device is sticky: CUDA answers every later call of that
// process with an error, so the worker replies, then exits with ExitSticky.
// Any other fault leaves it as it was. The worker also exits, at once and even
// while a kernel hangs, when its standard input ends.
package wire
