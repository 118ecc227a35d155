package connection

import (
	"context"
	"net"
	"time"
)

// Loopback reports whether a host is this machine: localhost, or an address of its own network. Other names may come to
// mean another machine.
func Loopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

// Pause waits, or returns the error of a context that has ended or ends meanwhile.
func Pause(ctx context.Context, d time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
