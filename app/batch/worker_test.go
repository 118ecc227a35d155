package batch

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/files"
)

// TestResultsOfOthersAreReportedAsTheyCome: what other processes finish is counted and logged
// while they work, once; what was there before is counted at the end.
func TestResultsOfOthersAreReportedAsTheyCome(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	c.must(os.WriteFile(filepath.Join(c.in, "b.nii"), []byte("poison"), 0o666))
	c.nii("c.nii", 3)
	var last Progress
	var seen []string
	var counted []int // after each unit
	events := Events{Progress: func(s Progress) { last = s }, Result: func(r SeriesResult) { seen = append(seen, r.Unit+" "+string(r.State)) }}
	o := c.options()
	o.Distribute = func(ctx context.Context, spec Spec, units []Unit, progress func(Left)) error {
		w, err := NewWorker(spec, 1, 0, Events{})
		c.must(err)
		progress(Left{Units: len(units)})
		for i := range units {
			c.must(w.Work(ctx, newLocal(w.b.store, units[i:i+1])))
			progress(Left{Units: len(units) - i - 1})
			counted = append(counted, last.Done+last.Failed)
		}
		return nil
	}
	path := filepath.Join(t.TempDir(), "log")
	log, err := files.LogTo(path)
	c.must(err)
	s, err := Run(t.Context(), o, events)
	c.must(log.Close())
	c.must(err)
	c.check(s)
	equal(t, "counted", counted, []int{1, 2, 3})
	equal(t, "results", seen, []string{"a.nii done", "b.nii failed", "c.nii done"})
	lines, err := os.ReadFile(path)
	c.must(err)
	// The worker has its line too, in the same process here.
	if n := strings.Count(string(lines), `"msg":"series"`); n != 6 || strings.Contains(string(lines), ".nii") {
		t.Errorf("%d lines: %s", n, lines)
	}
	equal(t, "counts", []int{last.Done, last.Failed, last.Reused, int(100 * last.Share)}, []int{2, 1, 0, 100})

	// The second time the failed one is tried again. One with its input gone has no row.
	c.must(os.Remove(filepath.Join(c.in, "c.nii")))
	seen, counted = nil, nil
	s, err = Run(t.Context(), o, events)
	c.must(err)
	c.check(s)
	equal(t, "counted again", counted, []int{0, 1})
	equal(t, "results again", seen, []string{"b.nii failed", "a.nii done"})
	equal(t, "reused", []int{s.Done, s.Reused, s.Failed}, []int{1, 1, 1})
}
