package batch

import (
	"os"
	"sync"
	"testing"

	"quell/app/journal"
)

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
			inWork = append(inWork, journal.Ended(store{c.out}.attempts(u)))
		}
	})
	c.must(os.MkdirAll(b.store.dir(), 0o777))
	b.progress.begin(units)
	var open sync.WaitGroup
	emitted := 0
	b.unit(t.Context(), Delivery{u, func(Outcome) {}}, b.store.take(u), &open, func(t task) {
		emitted++
		equal(c.t, "in the hand", journal.Ended(b.store.attempts(u)), 0)
		b.finish(t.unit, b.do(c.t.Context(), t))
		equal(c.t, "afterwards", journal.Ended(b.store.attempts(u)), 0)
		t.done()
	})
	open.Wait()
	equal(t, "in work", inWork, []int{1, 1})
	if emitted != 1 || exists(b.store.attempts(u)) {
		t.Errorf("%d series; the unit is still held: %v", emitted, exists(b.store.attempts(u)))
	}
}
