//go:build cuda

// Command quell-gpu is Quell's CUDA worker: the one program that links
// libcuda. Quell starts it, talks to it as package wire says and restarts it
// when a CUDA fault spoils its process; a person has no use for it.
//
// One goroutine, locked to the main thread, owns the context and makes every
// CUDA call. A second one reads requests; when they end it ends the process at
// once, so that nothing is left behind even while a kernel hangs.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"

	"quell/gpu/shm"
	"quell/gpu/wire"
)

// The context is current on one thread; init runs on the main one.
func init() { runtime.LockOSThread() }

func main() {
	segment := flag.String("segment", "", "the shared memory `segment` that the parent created")
	flag.Parse()
	os.Exit(serve(*segment))
}

// queued is how many requests may wait for the CUDA thread; the parent bounds
// what it has under way far below.
const queued = 1 << 12

// serve works until the parent is gone or the device is, and returns the exit
// code.
func serve(segment string) int {
	shared, err := shm.Open(segment)
	if err != nil {
		fmt.Fprintln(os.Stderr, "quell-gpu is started by Quell, not by hand:", err)
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
