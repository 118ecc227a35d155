//go:build cuda

// Command quell-gpu is Quell's CUDA worker: the only program that links libcuda.
// Quell starts it, communicates with it by the protocol of package wire and
// restarts it after a sticky CUDA error. It is not meant to be started by a user.
//
// One goroutine, locked to the main thread, owns the context and makes every CUDA
// call. A second one reads requests. When they end it ends the process at once,
// even while a kernel hangs.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"

	"quell/gpu/shm"
	"quell/gpu/wire"
)

// The CUDA context is current on one thread only. init runs on the main thread.
func init() { runtime.LockOSThread() }

func main() {
	segment := flag.String("segment", "", "the shared memory `segment` that the parent created")
	flag.Parse()
	os.Exit(serve(*segment))
}

// queued is how many requests may wait for the CUDA thread. The parent has far
// fewer pending.
const queued = 1 << 12

// serve handles requests until the device fails, and returns the exit code. The
// end of the input ends the process directly.
func serve(segment string) int {
	shared, err := shm.Open(segment)
	if err != nil {
		fmt.Fprintln(os.Stderr, "quell-gpu is started by Quell and cannot be started alone:", err)
		return 2
	}
	out := wire.NewWriter(os.Stdout)
	w, hello := open(shared.Bytes, out)
	if err := out.SendHello(hello); err != nil || hello.Fault != nil {
		return wire.ExitFault
	}
	requests := make(chan wire.Request, queued)
	go func() {
		err := wire.ReadRequests(os.Stdin, func(q wire.Request) { requests <- q })
		if err != nil {
			fmt.Fprintln(os.Stderr, "quell-gpu:", err)
		}
		os.Exit(0)
	}()
	w.work(requests)
	return wire.ExitSticky
}
