package connection_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"quell/internal/connection"
)

func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.8.0.1": true, "::1": true, "": false, "10.0.0.1": false, "0.0.0.0": false, "localhost.example": false, "[::1]": false,
	} {
		if got := connection.Loopback(host); got != want {
			t.Errorf("%q: %v; want %v", host, got, want)
		}
	}
}

func TestPause(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := connection.Pause(ctx, 0); err != nil {
		t.Error(err)
	}
	go cancel()
	if err := connection.Pause(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
	if err := connection.Pause(ctx, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
