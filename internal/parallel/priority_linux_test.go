package parallel_test

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"quell/internal/parallel"
)

// Loops that spare others have a lower priority than the rest of the program, on threads that
// end with them: no later goroutine inherits it.
func TestSparingLoopsHaveALowerPriority(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	own := priority(t)
	if own <= 10 { // 20 - niceness
		t.Skip("the test runs with a niceness of 10 or more, which loops that spare others keep")
	}
	of := func(spared bool) int {
		ctx, got := t.Context(), 0
		if spared {
			ctx = parallel.Sparing(ctx, 0)
		}
		if err := parallel.ForWorkers(ctx, 1, 1, func() func(int) error {
			return func(int) error { got = priority(t); return nil }
		}); err != nil {
			t.Fatal(err)
		}
		return got
	}
	for range 20 {
		if behind := of(true); behind >= own {
			t.Fatalf("priority %d in a loop that spares others; want less than %d", behind, own)
		}
		if usual := of(false); usual != own {
			t.Fatalf("priority %d in a loop after that; want %d", usual, own)
		}
	}
	if got := priority(t); got != own {
		t.Errorf("the caller has priority %d after the loops; want %d", got, own)
	}
}

// priority returns the priority of the calling thread.
func priority(t *testing.T) int {
	t.Helper()
	p, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid())
	if err != nil {
		t.Fatal(err)
	}
	return p
}
