// Command quell is the command line of Quell: it lists, filters, compares and
// converts CT and MR series. It needs neither a display nor a GPU, and computes
// the same as the workbench: both use package app.
//
// Exit codes: 0 done, 1 failed, 2 bad arguments, 3 input unreadable or refused,
// 130 cancelled.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

// garbage is how much the heap may grow, in percent, before garbage is collected. Volumes
// fill the heap and hold no pointers, so that to collect costs little, and Go's 100 would
// let the garbage of writing 548 files take as much memory as two volumes.
const garbage = 20

// connections is how many queues the CUDA driver opens for the GPU worker. A command filters one volume
// at a time, for which one is enough and starts sooner than the usual eight (docs/benchmarks/performance.md). The
// workbench keeps those: with one, a preview waits for the volume that is being filtered.
const connections = "CUDA_DEVICE_MAX_CONNECTIONS"

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(garbage)
	}
	if os.Getenv(connections) == "" {
		_ = os.Setenv(connections, "1") // else the start takes longer
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal cancels and cleans up; a second one ends the process.
	context.AfterFunc(ctx, stop)
	if flags, called := antsArguments(os.Args); called {
		os.Exit(denoiseImage(ctx, flags, os.Stdout, os.Stderr))
	}
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
