package executor_test

import (
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
)

// TestReadsAhead: if input, result and the next volume fit.
func TestReadsAhead(t *testing.T) {
	in := filepath.Join(t.TempDir(), "in.nii")
	apptest.Put4D(t, in, 2, 2)
	o, err := open.Select(t.Context(), job.Input{Path: in, All: true}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	readsAhead := func(j job.Job) bool { return executor.Plan(j, o.Geometry(), len(o.Entries)).Ahead }
	const one = 4 * 7 * 6 * 5
	r := apptest.MustRecipe("gaussian", 2)
	for memory, want := range map[int64]bool{3 * one: true, 3*one - 1: false, 0: true} {
		if got := readsAhead(job.Job{Recipe: &r, Memory: memory}); got != want {
			t.Errorf("%d bytes: %v", memory, got)
		}
	}
	if readsAhead(job.Job{Memory: 2*one - 1}) || !readsAhead(job.Job{Memory: 2 * one}) {
		t.Error("a conversion has no result of its own")
	}
}
