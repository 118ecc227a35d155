package journal

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestHold: only what is in work counts when the process ends, and the process that takes a unit last
// holds it.
func TestHold(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	path := filepath.Join(dir, "attempts", "a")
	take := func() *Hold {
		h, _ := Take(path)
		return h
	}
	count := func(what string, want int) {
		t.Helper()
		if got := Ended(path); got != want {
			t.Errorf("%s: %d; want %d", what, got, want)
		}
	}
	h := take()
	count("taken", 0)
	h.Enter()
	count("in work", 1)
	h.Enter()
	h.Leave()
	count("another series of it is done", 1)
	h.Leave()
	count("waiting", 0)
	h.Enter()
	next := take() // as h gives no sign of life
	count("taken over", 1)
	if next.Before != 1 {
		t.Errorf("%d processes ended before", next.Before)
	}
	next.Enter()
	count("in work again", 2)
	h.Leave() // the first one wakes up
	h.Enter()
	count("after the first woke up", 2)
	if !errors.Is(h.Check(), ErrTaken) || h.Release(true) || next.Check() != nil {
		t.Errorf("%v, %v", h.Check(), next.Check())
	}
	if !next.Release(false) {
		t.Error("the holder cannot give back")
	}
	count("given back", 1)
	last := take()
	last.Enter()
	last.Leave()
	if !last.Release(true) || exists(path) || !errors.Is(last.Check(), ErrTaken) {
		t.Error("a unit that is finished is still held")
	}
	// A count that was cut short counts for nothing.
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	count("cut short", 0)
	// Without a file, as on a full disk, nobody is fenced.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if h := take(); h.made || h.Check() != nil || !h.Release(true) {
		t.Error("a hold without a file")
	}
	var none *Hold
	none.Enter()
	none.Leave()
	if none.Check() != nil {
		t.Error("no hold is taken")
	}
}

// TestHoldIsNeverLostWhileItIsWritten: a unit is this process's at every moment while its parts begin
// and end.
func TestHoldIsNeverLostWhileItIsWritten(t *testing.T) {
	h, err := Take(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	var changing sync.WaitGroup
	changing.Go(func() {
		for range 2000 {
			h.Enter()
			h.Leave()
		}
	})
	ended := make(chan struct{})
	go func() { changing.Wait(); close(ended) }()
	for {
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			return
		default:
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
