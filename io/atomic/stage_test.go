package atomic

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"quell/internal/message"
)

func TestCloseRemovesWhatWasNotCommitted(t *testing.T) {
	top := t.TempDir()
	s := beginOn(t, filepath.Join(top, "a", "b", "out"), disk{})
	put(t, filepath.Join(s.Path("out"), "x"), "x")
	s.Close()
	if got, err := os.ReadDir(top); err != nil || len(got) > 0 {
		t.Errorf("left: %v, %v", got, err)
	}
	// A folder that someone else uses by now stays.
	s = beginOn(t, filepath.Join(top, "a", "b", "out"), disk{})
	put(t, filepath.Join(top, "a", "other"), "x")
	s.Close()
	if got := tree(t, top); !slices.Equal(got, []string{"a/other=x"}) {
		t.Errorf("left: %q", got)
	}
}

// TestBeginThatFailsLeavesNothing fails at every step that Begin takes.
func TestBeginThatFailsLeavesNothing(t *testing.T) {
	const steps = 8 // folders, two of them synced, the stage, its lease and its two folders
	for step := range steps {
		top := t.TempDir()
		d := &stageDisk{faultyDisk{failAt: step}}
		s, err := begin(filepath.Join(top, "a", "b", "out"), d, nil)
		var worded *Error
		if step == steps-1 {
			if err != nil {
				t.Fatalf("Begin takes more than %d steps: %v", step, err)
			}
			d.failAt = -1
			s.Close()
		} else if !errors.As(err, &worded) || !errors.Is(err, errInjected) || s != nil {
			t.Errorf("step %d: error %v", step, err)
		}
		if left, err := os.ReadDir(top); err != nil || len(left) > 0 {
			t.Errorf("step %d: left %v, %v", step, left, err)
		}
	}
}

// stageDisk counts the steps that make a stage too.
type stageDisk struct{ faultyDisk }

func (d *stageDisk) MkdirAll(dir string) error {
	return d.step("mkdirall", dir, func() error { return d.disk.MkdirAll(dir) })
}

func (d *stageDisk) Mkdir(dir string) error {
	return d.step("mkdir", dir, func() error { return d.disk.Mkdir(dir) })
}

func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	for _, content := range []string{"first", "second"} {
		if err := WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := tree(t, dir); !slices.Equal(got, []string{"settings.json=" + content}) {
			t.Errorf("files %q", got)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, strings.Repeat("n", 300)), "too long"},
		{filepath.Join(path, "below"), "part of its path is a file"},
		{"/", "root of a file system"},
		{dir, "is a folder"},
	} {
		err := WriteFile(c.path, nil, 0o600)
		var worded *Error
		if !errors.As(err, &worded) || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path) {
			t.Errorf("%.40s: error %v", c.path, err)
		}
	}
	if got := tree(t, dir); !slices.Equal(got, []string{"settings.json=second"}) {
		t.Errorf("files %q", got)
	}
}

func TestCreateFileSucceedsOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "key")
	var created atomic.Int32
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			err := CreateFile(path, []byte{byte(i)}, 0o600)
			if err == nil {
				created.Add(1)
			} else if !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
			if data, err := os.ReadFile(path); err != nil || len(data) != 1 {
				t.Errorf("a file of %d bytes, %v", len(data), err)
			}
		})
	}
	writers.Wait()
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || created.Load() != 1 {
		t.Errorf("created %d times: %v, %v", created.Load(), info, err)
	}
	if got := stages(t, dir); len(got) != 0 {
		t.Errorf("left %q", got)
	}
}

func TestNamesMayBeAnyBytes(t *testing.T) {
	parent := t.TempDir()
	name := "K\xf6pf.nii"
	if err := os.WriteFile(filepath.Join(parent, name), []byte("old"), 0o644); err != nil {
		t.Skip("the file system takes UTF-8 alone:", err)
	}
	put(t, filepath.Join(parent, name+".json"), "old")
	d := unsynced()
	s := beginOn(t, filepath.Join(parent, name), d)
	put(t, s.Path(name), "new")
	put(t, s.Path(name+".json"), "new")
	d.failAt, d.crash, d.steps = 9, true, 0
	if s.Commit(t.Context(), name+".json") == nil {
		t.Fatal("the commit was to fail")
	}
	age(t, s.dir, 2*leaseExpiry)
	next := beginOn(t, filepath.Join(parent, "next"), disk{})
	next.Close()
	if got := tree(t, parent); !slices.Equal(got, []string{name + ".json=new", name + "=new"}) {
		t.Errorf("files %q", got)
	}
}

func TestErrorsAreOneSentence(t *testing.T) {
	for number, want := range map[syscall.Errno]string{
		syscall.ENOSPC:       "disk is full",
		syscall.EDQUOT:       "disk quota is used up",
		syscall.EROFS:        "file system is read-only",
		syscall.ENAMETOOLONG: "too long",
		syscall.EXDEV:        "mount point",
		syscall.EBUSY:        "mount point",
		syscall.ENOTDIR:      "part of its path is a file",
		syscall.EPERM:        "permission is missing",
		syscall.EACCES:       "permission is missing",
		syscall.EIO:          "input/output error",
	} {
		err := WriteError("out.nii", fmt.Errorf("wrapped: %w", &fs.PathError{Op: "write", Path: "/hidden/stage", Err: number}))
		text := err.Error()
		if !strings.HasPrefix(text, "out.nii: ") || !strings.Contains(text, want) || !strings.Contains(text, "; ") ||
			strings.Contains(text, "hidden") || !errors.Is(err, number) {
			t.Errorf("%v: %q", number, text)
		}
	}
}

func TestErrorsLeaveOutThePathsOfTheStage(t *testing.T) {
	err := WriteError("out.nii", &os.LinkError{Op: "link", Old: "/hidden/a", New: "/hidden/b", Err: syscall.EIO})
	if want := "out.nii: it cannot be written (input/output error); choose another place, or check its permissions and free space"; err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
	if again := WriteError("other", err); again != err {
		t.Errorf("an *Error became %v", again)
	}
	if err := WriteError("out.nii", nil); err != nil {
		t.Errorf("no error became %v", err)
	}
	if got := (&Error{Path: "a", Problem: message.Verbatim("b")}).Error(); got != "a: b" {
		t.Errorf("without advice: %q", got)
	}
}

// TestFence: a commit with a fence that has an error leaves everything as it was.
func TestFence(t *testing.T) {
	errFence := errors.New("taken over")
	for _, fence := range []error{errFence, nil} {
		parent := t.TempDir()
		o := outputs[1]
		o.make(t, parent, "old")
		s := beginOn(t, filepath.Join(parent, o.target), unsynced())
		o.make(t, s.Dir(), "new")
		asked := 0
		err := s.Commit(WithFence(t.Context(), func() error { asked++; return fence }), o.companions...)
		s.Close()
		want := o.written("new")
		if fence != nil {
			want = o.written("old")
		}
		if got := tree(t, parent); !errors.Is(err, fence) || asked != 1 || !slices.Equal(got, want) {
			t.Errorf("fence %v: %v, asked %d times, %q", fence, err, asked, got)
		}
	}
}
