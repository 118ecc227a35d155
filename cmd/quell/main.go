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
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal cancels and cleans up; a second one ends the process.
	context.AfterFunc(ctx, stop)
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
