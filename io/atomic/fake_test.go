package atomic

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var errInjected = errors.New("injected fault")

// faultyDisk fails at one step. After a crash every later step fails too, as in a
// process that was killed. It does not wait for the medium.
type faultyDisk struct {
	disk
	failAt     int // the step that fails, from 0; -1 for none
	crash      bool
	noExchange bool // as on network shares
	noLink     bool // as on FAT

	mu    sync.Mutex // a commit syncs files in parallel
	steps int
	done  []string // the steps that succeeded: "rename /tmp/a"
}

// unsynced returns a disk without faults that is not waited for.
func unsynced() *faultyDisk { return &faultyDisk{failAt: -1} }

// step counts a step and takes it unless it is to fail.
func (d *faultyDisk) step(name, path string, do func() error) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := d.steps
	d.steps++
	if d.failAt >= 0 && (i == d.failAt || d.crash && i > d.failAt) {
		return errInjected
	}
	err := do()
	if err == nil {
		d.done = append(d.done, name+" "+path)
	}
	return err
}

func (d *faultyDisk) Create(path string, data []byte) error {
	return d.step("create", path, func() error { return os.WriteFile(path, data, 0o644) })
}

func (d *faultyDisk) Rewrite(path string, data []byte) error {
	return d.step("rewrite", path, func() error { return d.disk.Rewrite(path, data) })
}

func (d *faultyDisk) Rename(from, to string) error {
	return d.step("rename", to, func() error { return d.disk.Rename(from, to) })
}

func (d *faultyDisk) Link(from, to string) error {
	if d.noLink {
		return errors.ErrUnsupported
	}
	return d.step("link", to, func() error { return d.disk.Link(from, to) })
}

func (d *faultyDisk) Exchange(a, b string) error {
	if d.noExchange {
		return errors.ErrUnsupported
	}
	return d.step("exchange", b, func() error { return d.disk.Exchange(a, b) })
}

func (d *faultyDisk) Sync(path string) error {
	return d.step("sync", path, func() error { return nil })
}

func (d *faultyDisk) RemoveAll(path string) error {
	return d.step("remove", path, func() error { return d.disk.RemoveAll(path) })
}

// put writes a file and the folders above it.
func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree returns the files below dir and their contents as "path=content". Stages
// are "hidden" alone.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if IsStage(d.Name()) {
			files = append(files, "hidden")
			return fs.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		data := []byte("a link")
		if d.Type()&fs.ModeSymlink == 0 {
			data, err = os.ReadFile(path)
		}
		rel, _ := filepath.Rel(dir, path)
		files = append(files, filepath.ToSlash(rel)+"="+string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

// stages returns the paths of the stages in a folder.
func stages(t *testing.T, parent string) []string {
	t.Helper()
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			paths = append(paths, filepath.Join(parent, e.Name()))
		}
	}
	return paths
}

// age sets the lease of a stage back.
func age(t *testing.T, stage string, by time.Duration) {
	t.Helper()
	path := filepath.Join(stage, leaseName)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	at := info.ModTime().Add(-by)
	if err := os.Chtimes(path, at, at); err != nil {
		t.Fatal(err)
	}
}

// beginOn begins a stage on fsys with a lease that is never renewed.
func beginOn(t *testing.T, target string, fsys fileSystem) *Stage {
	t.Helper()
	s, err := begin(target, fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { runtime.KeepAlive(s) }) // with its lock, which a file that is collected loses
	return s
}
