package batch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"
	"time"

	"quell/io/atomic"
)

// The remains of a killed process next to an output or a result go with a later run: at once on the
// same machine, else an hour after.
func TestLeftoversAreRemoved(t *testing.T) {
	c := newCohort(t)
	c.nii("a/s.nii", 1)
	c.run(c.options())
	left := map[string]bool{} // whether it goes
	for i, x := range []struct {
		beside string
		here   bool // the process ran on this machine
		old    time.Duration
		goes   bool
	}{
		{"a/s.nii", true, 0, runtime.GOOS == "linux"}, {"a/s.nii", false, 0, false}, {"a/s.nii", false, 2 * time.Hour, true},
		{".quell-batch/results/x.json", true, 0, runtime.GOOS == "linux"}, {".quell-batch/results/x.json", false, 2 * time.Hour, true}, {".quell-batch/keys/x", false, 2 * time.Hour, true},
	} {
		stage, err := atomic.Begin(filepath.Join(c.out, x.beside))
		c.must(err)
		// As a killed process leaves it: a copy, which nothing renews and no one has a lock on.
		hidden := filepath.Dir(stage.Dir())
		kept := hidden + "left" + strconv.Itoa(i)
		c.must(os.CopyFS(kept, os.DirFS(hidden)))
		stage.Close()
		if !x.here {
			c.must(os.WriteFile(filepath.Join(kept, "lease"), nil, 0o666))
		}
		at := time.Now().Add(-x.old)
		c.must(filepath.WalkDir(kept, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, at, at))
		}))
		left[kept] = x.goes
		if i == 0 && x.goes { // before the next Begin takes it
			if s := c.run(c.options()); s.Reused != 1 || exists(kept) {
				t.Errorf("%+v, the stage is there: %v", s.Progress, exists(kept))
			}
		}
	}
	if s := c.run(c.options()); s.Reused != 1 {
		t.Errorf("%+v", s.Progress)
	}
	for path, goes := range left {
		if exists(path) == goes {
			t.Errorf("%s: goes %v, still there %v", path, goes, exists(path))
		}
	}
}

// An output with other bytes of the same size is done again: always if its date says so, and with
// Verify whatever its date is.
func TestChangedBytesAreFound(t *testing.T) {
	c := newCohort(t)
	c.nii("a.nii", 1)
	c.nii("b.nii", 2)
	c.dicom("d", 3)
	first := c.run(c.options())
	var outputs []string
	for r := range first.Results() {
		file := filepath.Join(c.out, filepath.FromSlash(r.Output))
		if info, err := os.Stat(file); err == nil && info.IsDir() {
			file = filepath.Join(file, "IM00002.dcm")
		}
		outputs = append(outputs, file)
	}
	spoiled := map[string][]byte{}
	for _, x := range []struct {
		verify, younger bool
		reused          int
	}{{false, false, 3}, {true, false, 0}, {false, true, 0}, {true, true, 0}} {
		for _, file := range outputs {
			data, err := os.ReadFile(file)
			c.must(err)
			info, err := os.Stat(file)
			c.must(err)
			if spoiled[file] == nil || x.verify || x.younger {
				data[len(data)-3]++
			}
			spoiled[file] = data
			c.must(os.WriteFile(file, data, 0o666))
			at := info.ModTime()
			if x.younger {
				at = time.Now().Add(time.Minute)
			}
			c.must(os.Chtimes(file, at, at))
		}
		o := c.options()
		o.Verify = x.verify
		if s := c.run(o); s.Done != 3 || s.Reused != x.reused {
			t.Errorf("verify %v, younger %v: %d of %d reused, want %d", x.verify, x.younger, s.Reused, s.Done, x.reused)
		}
		for _, file := range outputs {
			data, err := os.ReadFile(file)
			if c.must(err); bytes.Equal(data, spoiled[file]) != (x.reused > 0) {
				t.Errorf("verify %v, younger %v: %s is spoiled: %v", x.verify, x.younger, file, bytes.Equal(data, spoiled[file]))
			}
		}
	}
	// A whole output stays, whatever its date and however it is looked at.
	at := time.Now().Add(time.Minute)
	for _, file := range outputs {
		c.must(os.Chtimes(file, at, at))
	}
	o := c.options()
	o.Verify = true
	for _, o := range []Options{c.options(), o} {
		if s := c.run(o); s.Reused != 3 {
			t.Errorf("verify %v: %d whole outputs reused of 3", o.Verify, s.Reused)
		}
	}
}
