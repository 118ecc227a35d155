package batch

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
)

// TestAttempts: units that were begun and not finished come last, with how often that was.
func TestAttempts(t *testing.T) {
	s := store{t.TempDir()}
	units := []Unit{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	next := func(l *local, name string, attempt int) Delivery {
		t.Helper()
		d, err := l.Next(t.Context())
		if err != nil || d.Name != name || d.Attempt != attempt {
			t.Errorf("%s, attempt %d, %v; want %s, %d", d.Name, d.Attempt, err, name, attempt)
		}
		return d
	}
	l := newLocal(s, units)
	next(l, "a", 1)
	next(l, "b", 1).Done(true)
	next(l, "c", 1).Done(false) // a cancel is not the unit's fault
	if _, err := l.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("the end: %v", err)
	}
	l = newLocal(s, units)
	next(l, "b", 1)
	next(l, "c", 1).Done(true)
	next(l, "a", 2)
	l = newLocal(s, units)
	next(l, "c", 1).Done(true)
	next(l, "a", 3).Done(true)
	next(l, "b", 2)
	if l = newLocal(s, units[:1]); len(l.units) != 1 {
		t.Error("a unit is missing")
	}
	next(l, "a", 1)
	if err := os.WriteFile(l.path(units[0]), nil, 0o666); err != nil { // cut short
		t.Fatal(err)
	}
	next(newLocal(s, units[:1]), "a", 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newLocal(s, units).Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestUnitThatEndsTheProcess is a failure after three attempts, and the next run tries it again.
func TestUnitThatEndsTheProcess(t *testing.T) {
	for attempts, done := range map[int]int{2: 3, 3: 2} {
		c := newCohort(t)
		for _, name := range []string{"a.nii", "b.nii", "c.nii"} {
			c.nii(name, 1)
		}
		for range attempts {
			c.must(os.MkdirAll(store{c.out}.dir(), 0o777))
			if _, err := newLocal(store{c.out}, []Unit{{Name: "b.nii"}}).Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s := c.run(c.options())
		if s.Done != done || s.Failed != 3-done {
			t.Errorf("after %d attempts: %+v", attempts, s.Status)
		}
		if s.Failed > 0 && (s.Results[0].Unit != "b.nii" || !strings.Contains(s.Results[0].Problem, "ended 3 times") || app.ExitCode(s.Err()) != app.ExitFailed) {
			t.Errorf("%+v", s.Results[0])
		}
		left, err := os.ReadDir(filepath.Join(c.out, StateFolder, "attempts"))
		if c.must(err); len(left) != 0 {
			t.Errorf("%d units are still counted", len(left))
		}
		if again := c.run(c.options()); again.Done != 3 || len(c.rows()) != 3 {
			t.Errorf("another run: %+v, %d rows", again.Status, len(c.rows()))
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
		for range attempts {
			_, err := newLocal(store{c.out}, []Unit{{Name: "p/ct"}}).Next(t.Context())
			c.must(err)
		}
		equal(t, "states", states(c.run(o)), append(want, "q.nii done before"))
		equal(t, "at last", states(c.run(o)), []string{"p/ct done", "p/ct done before", "q.nii done before"})
		equal(t, "rows", len(c.rows()), 3)
	}
}

// TestSuspectIsDoneAlone: a unit that was begun before has no other series beside it.
func TestSuspectIsDoneAlone(t *testing.T) {
	c := newCohort(t)
	for _, name := range []string{"a.nii", "b.nii", "c.nii", "d.nii"} {
		c.nii(name, 1)
	}
	c.must(os.MkdirAll(store{c.out}.dir(), 0o777))
	before := newLocal(store{c.out}, []Unit{{Name: "a.nii"}, {Name: "b.nii"}})
	for range 2 {
		if _, err := before.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var order []string
	b, err := newBatch(c.options(), Events{Result: func(r Result) { order = append(order, r.Unit) }})
	c.must(err)
	if _, err := b.run(t.Context()); err != nil {
		t.Fatal(err)
	}
	equal(t, "the last", order[2:], []string{"a.nii", "b.nii"})
}
