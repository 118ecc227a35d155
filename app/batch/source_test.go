package batch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/job"
	"quell/app/journal"
)

// TestSourceOfOneProcess: units that were begun and not finished come last.
func TestSourceOfOneProcess(t *testing.T) {
	s := store{t.TempDir()}
	units := []Unit{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	s.take(units[0]).Enter()
	s.take(units[1]) // was not begun
	l := newLocal(s, units)
	for _, name := range []string{"b", "c", "a"} {
		if d, err := l.Next(t.Context()); err != nil || d.Name != name {
			t.Errorf("%s, %v; want %s", d.Name, err, name)
		}
	}
	if _, err := l.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newLocal(s, units).Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// ended counts processes that ended while they worked on a unit.
func (c cohort) ended(name string, times int) {
	c.t.Helper()
	for range times {
		h, err := journal.Take(store{c.out}.attempts(Unit{Name: name}))
		c.must(err)
		h.Enter()
	}
}

// TestUnitThatEndsTheProcess is a failure after three attempts, and the next run tries it again.
func TestUnitThatEndsTheProcess(t *testing.T) {
	for attempts, done := range map[int]int{2: 3, 3: 2} {
		c := newCohort(t)
		for _, name := range []string{"a.nii", "b.nii", "c.nii"} {
			c.nii(name, 1)
		}
		c.ended("b.nii", attempts)
		s := c.run(c.options())
		if s.Done != done || s.Failed != 3-done {
			t.Errorf("after %d attempts: %+v", attempts, s.Progress)
		}
		if s.Failed > 0 && (resultsOf(s)[0].Unit != "b.nii" || !strings.Contains(resultsOf(s)[0].Problem, "ended 3 times") || job.ExitCode(s.Err()) != job.ExitFailed) {
			t.Errorf("%+v", resultsOf(s)[0])
		}
		left, err := os.ReadDir(filepath.Join(c.out, StateFolder, "attempts"))
		if c.must(err); len(left) != 0 {
			t.Errorf("%d units are still counted", len(left))
		}
		if again := c.run(c.options()); again.Done != 3 || len(c.rows()) != 3 {
			t.Errorf("another run: %+v, %d rows", again.Progress, len(c.rows()))
		}
	}
}

// TestWhatIsDoneIsNoFailure: of a unit that had its attempts, what has a result keeps it, and is
// no failure as well.
func TestWhatIsDoneIsNoFailure(t *testing.T) {
	for attempts, want := range map[int][]string{
		3: {"p/ct done before", "p/ct failed"},
		4: {"p/ct failed"}, // even the scan ended the process
	} {
		c := newCohort(t)
		c.dicom("p/ct", 1)
		c.nii("q.nii", 1) // so that p/ct is not the root
		o := c.options()
		c.run(o)
		from, to := filepath.Join(c.in, "more"), filepath.Join(c.in, "p", "ct")
		c.must(os.Rename(c.dicom("more", 2), from+"x"))
		files, err := os.ReadDir(from + "x")
		c.must(err)
		for _, f := range files {
			c.must(os.Rename(filepath.Join(from+"x", f.Name()), filepath.Join(to, "more-"+f.Name())))
		}
		c.must(os.RemoveAll(from + "x"))
		c.ended("p/ct", attempts)
		equal(t, "states", states(c.run(o)), append(want, "q.nii done before"))
		equal(t, "at last", states(c.run(o)), []string{"p/ct done", "p/ct done before", "q.nii done before"})
		equal(t, "rows", len(c.rows()), 3)
	}
}

// TestSuspectIsDoneAlone: a unit that was begun before has no other series next to
// it.
func TestSuspectIsDoneAlone(t *testing.T) {
	c := newCohort(t)
	for _, name := range []string{"a.nii", "b.nii", "c.nii", "d.nii"} {
		c.nii(name, 1)
	}
	c.ended("a.nii", 1)
	c.ended("b.nii", 1)
	var order []string
	b, err := newBatch(c.options(), Events{Result: func(r SeriesResult) { order = append(order, r.Unit) }})
	c.must(err)
	if _, err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "the last", order[2:], []string{"a.nii", "b.nii"})
}
