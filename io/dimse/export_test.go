package dimse

import (
	"context"
	"net"
)

// WithDial returns a configuration that connects by a function.
func WithDial(c Config, dial func(ctx context.Context, network, address string) (net.Conn, error)) Config {
	c.dial = dial
	return c
}

// SetIgnored sets how many results are passed over after a search was cancelled, until the returned
// function is called.
func SetIgnored(n int) (restore func()) {
	old := maxIgnored
	maxIgnored = n
	return func() { maxIgnored = old }
}
