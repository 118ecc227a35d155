package newest_test

import (
	"slices"
	"testing"
	"time"

	"quell/ui/newest"
)

// queue collects functions until the test runs them.
type queue []func()

func (q *queue) add(f func()) { *q = append(*q, f) }

func (q *queue) next(t *testing.T) {
	t.Helper()
	if len(*q) == 0 {
		t.Fatal("nothing was queued")
	}
	f := (*q)[0]
	*q = (*q)[1:]
	f()
}

func TestOnlyTheNewestWaits(t *testing.T) {
	var work, ui queue
	var done []int
	w := newest.Worker[int, int]{
		Go: work.add, Do: ui.add,
		Work: func(n int) int { return 10 * n },
		Done: func(n int) { done = append(done, n) },
	}
	for n := 1; n <= 5; n++ {
		w.Request(n)
	}
	if len(work) != 1 || len(ui) != 0 {
		t.Fatalf("%d pieces of work and %d answers are queued; want 1 and 0", len(work), len(ui))
	}
	work.next(t) // 1
	w.Request(6) // while its answer is on the way
	ui.next(t)
	if len(work) != 1 {
		t.Fatalf("%d pieces of work are queued after the first answer; want 1", len(work))
	}
	work.next(t)
	ui.next(t)
	if want := []int{10, 60}; !slices.Equal(done, want) {
		t.Errorf("answers %v; want %v", done, want)
	}
	if len(work)+len(ui) != 0 {
		t.Error("something is left in the queues")
	}
}

func TestRequestFromDone(t *testing.T) {
	var work, ui queue
	var w newest.Worker[int, int]
	var done []int
	w = newest.Worker[int, int]{
		Go: work.add, Do: ui.add,
		Work: func(n int) int { return n },
		Done: func(n int) {
			done = append(done, n)
			if n < 3 {
				w.Request(n + 1)
			}
		},
	}
	w.Request(1)
	for len(work)+len(ui) > 0 {
		if len(work) > 1 {
			t.Fatal("two pieces of work at once")
		}
		if len(work) > 0 {
			work.next(t)
		}
		if len(ui) > 0 {
			ui.next(t)
		}
	}
	if want := []int{1, 2, 3}; !slices.Equal(done, want) {
		t.Errorf("answers %v; want %v", done, want)
	}
}

// Await takes an answer before the functions that are queued; these find it taken. It waits
// for no work, and no longer than it may.
func TestAwait(t *testing.T) {
	var work, ui queue
	var done []int
	w := newest.Worker[int, int]{
		Go: work.add, Do: ui.add,
		Work: func(n int) int { return 10 * n },
		Done: func(n int) { done = append(done, n) },
	}
	w.Await(nil) // nothing is in progress
	w.Request(1)
	late := make(chan time.Time)
	close(late)
	if w.Await(late); len(done) != 0 || !w.Busy() {
		t.Fatalf("answers %v before the work", done)
	}
	w.Request(2)
	work.next(t)
	if w.Await(nil); !slices.Equal(done, []int{10}) || !w.Busy() {
		t.Fatalf("answers %v, busy %t; want the first, and the work on the second", done, w.Busy())
	}
	ui.next(t) // that of the answer that was taken
	if !slices.Equal(done, []int{10}) {
		t.Fatalf("answers %v", done)
	}
	work.next(t)
	w.Await(nil)
	w.Request(3)
	ui.next(t) // of the second, while the third is in progress
	work.next(t)
	ui.next(t)
	if want := []int{10, 20, 30}; !slices.Equal(done, want) || w.Busy() {
		t.Errorf("answers %v, busy %t; want %v", done, w.Busy(), want)
	}
}
