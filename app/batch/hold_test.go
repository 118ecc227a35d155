package batch

import (
	"errors"
	"os"
	"sync"
	"testing"
)

// TestHold: only what is in work counts when the process ends, and the process that takes a unit last
// holds it.
func TestHold(t *testing.T) {
	s, u := store{t.TempDir()}, Unit{Name: "a"}
	count := func(what string, want int) {
		t.Helper()
		if got := s.ended(u); got != want {
			t.Errorf("%s: %d; want %d", what, got, want)
		}
	}
	h := s.take(u)
	count("taken", 0)
	h.enter()
	count("in work", 1)
	h.enter()
	h.leave()
	count("another series of it is done", 1)
	h.leave()
	count("waiting", 0)
	h.enter()
	next := s.take(u) // as h gives no sign of life
	count("taken over", 1)
	if next.before != 1 {
		t.Errorf("%d processes ended before", next.before)
	}
	next.enter()
	count("in work again", 2)
	h.leave() // the first one wakes up
	h.enter()
	count("after the first woke up", 2)
	if !errors.Is(h.check(), errTaken) || h.release(true) || next.check() != nil {
		t.Errorf("%v, %v", h.check(), next.check())
	}
	if !next.release(false) {
		t.Error("the holder cannot give back")
	}
	count("given back", 1)
	last := s.take(u)
	last.enter()
	last.leave()
	if !last.release(true) || exists(last.path) || !errors.Is(last.check(), errTaken) {
		t.Error("a unit that is finished is still held")
	}
	// A count that was cut short counts for nothing.
	if err := os.WriteFile(last.path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	count("cut short", 0)
	// Without a file, as on a full disk, nobody is fenced.
	if err := os.RemoveAll(s.dir()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.dir(), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if h := s.take(u); h.made || h.check() != nil || !h.release(true) {
		t.Error("a hold without a file")
	}
	var none *hold
	none.enter()
	none.leave()
	if none.check() != nil {
		t.Error("no hold is taken")
	}
}

// TestUnitInTheHandIsNotInWork: a process that ends counts for a unit while it scans it and while a
// series of it is in work, not while it waits for a worker.
func TestUnitInTheHandIsNotInWork(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	units, err := List(t.Context(), []string{c.in}, c.out)
	c.must(err)
	u := units[0]
	var inWork []int
	b := c.hooked(c.options(), func(s stage) {
		if s == loaded || s == written {
			inWork = append(inWork, store{c.out}.ended(u))
		}
	})
	c.must(os.MkdirAll(b.store.dir(), 0o777))
	b.progress.begin(units)
	var open sync.WaitGroup
	emitted := 0
	b.unit(t.Context(), Delivery{u, func(Outcome) {}}, b.store.take(u), &open, func(t task) {
		emitted++
		equal(c.t, "in the hand", b.store.ended(u), 0)
		b.finish(t.unit, b.do(c.t.Context(), t))
		equal(c.t, "afterwards", b.store.ended(u), 0)
		t.done()
	})
	open.Wait()
	equal(t, "in work", inWork, []int{1, 1})
	if emitted != 1 || exists(b.store.holdPath(u)) {
		t.Errorf("%d series; the unit is still held: %v", emitted, exists(b.store.holdPath(u)))
	}
}

// TestHoldIsNeverLostWhileItIsWritten: a unit is this process's at every moment while its parts begin
// and end.
func TestHoldIsNeverLostWhileItIsWritten(t *testing.T) {
	h := store{t.TempDir()}.take(Unit{Name: "a"})
	var changing sync.WaitGroup
	changing.Go(func() {
		for range 2000 {
			h.enter()
			h.leave()
		}
	})
	ended := make(chan struct{})
	go func() { changing.Wait(); close(ended) }()
	for {
		if err := h.check(); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ended:
			return
		default:
		}
	}
}
