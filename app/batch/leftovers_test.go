package batch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quell/io/atomic"
)

// What a killed process left beside an output goes with a later run, an hour after.
func TestLeftoversAreRemoved(t *testing.T) {
	c := newCohort(t)
	c.nii("a/s.nii", 1)
	c.run(c.options())
	left := map[string]bool{} // whether it has expired
	for _, old := range []time.Duration{0, 2 * time.Hour} {
		stage, err := atomic.Begin(filepath.Join(c.out, "a", "s.nii"))
		c.must(err)
		// As a killed process leaves it: a copy, which nothing renews.
		hidden := filepath.Dir(stage.Dir())
		kept := hidden + "left"
		c.must(os.CopyFS(kept, os.DirFS(hidden)))
		stage.Close()
		at := time.Now().Add(-old)
		c.must(filepath.WalkDir(kept, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, at, at))
		}))
		left[kept] = old > 0
	}
	if s := c.run(c.options()); s.Reused != 1 {
		t.Errorf("%+v", s.Status)
	}
	for path, expired := range left {
		if exists(path) == expired {
			t.Errorf("%s: expired %v, still there %v", path, expired, !expired)
		}
	}
}
