package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"quell/internal/message"
	"quell/io/atomic"
	"quell/io/dicom"
)

func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{errors.New("disk full"), 1},
		{Usagef("no filter is called %q", "x"), 2},
		{&InputError{Path: "a", Problem: message.Verbatim("is torn")}, 3},
		{fmt.Errorf("export: %w", context.Canceled), 130},
		{&InputError{Path: "a", Err: context.Canceled}, 130},
		{fmt.Errorf("while loading: %w", &InputError{}), 3},
		{&engineError{name: "cuda", why: errors.New("no device")}, 1},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("%v: exit code %d, want %d", c.err, got, c.want)
		}
	}
	if got := (&InputError{Path: "a.dcm", Problem: message.Verbatim("is torn"), Advice: message.Verbatim("copy it again")}).Error(); got != "a.dcm: is torn; copy it again" {
		t.Errorf("sentence %q", got)
	}
}

func TestInputErrorsAreOneSentence(t *testing.T) {
	locate := func(name string) string { return "/data/" + name }
	kept := &InputError{Path: "other", Problem: message.Verbatim("is torn")}
	for what, c := range map[string]struct {
		err  error
		want string
	}{
		"a sentence already": {kept, "other: is torn"},
		"a file inside":      {&dicom.Error{Name: "IM1", Problem: message.Verbatim("is torn"), Advice: message.Verbatim("copy it again")}, "/data/IM1: is torn; copy it again"},
		"the root":           {&dicom.Error{Name: ".", Problem: message.Verbatim("is torn")}, "in: is torn"},
		"no name":            {&dicom.Error{Problem: message.Verbatim("is torn")}, "in: is torn"},
		"missing":            {&fs.PathError{Path: "x", Err: syscall.ENOENT}, "in: there is no such file or folder; check the name"},
		"below a file":       {&fs.PathError{Path: "x", Err: syscall.ENOTDIR}, "in: there is no such file or folder; check the name"},
		"locked":             {&fs.PathError{Path: "x", Err: syscall.EACCES}, "in: reading it is not permitted; ask its owner, or copy it to a folder of yours"},
		"a loop":             {&fs.PathError{Path: "x", Err: syscall.ELOOP}, "in: is a symbolic link that leads back to itself; mend the link"},
		"a broken disk":      {&fs.PathError{Path: "x", Err: syscall.EIO}, "in: cannot be read: input/output error; check the disk, or copy it again"},
		"named twice":        {message.Named("in", errors.New("is torn")), "in: is torn"},
		"another":            {errors.New("is torn"), "in: is torn"},
	} {
		err := inputError(c.err, "in", locate)
		if err.Error() != c.want || ExitCode(err) != ExitInput || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, want %q", what, err, c.want)
		}
	}
	for _, err := range []error{nil, context.Canceled, context.DeadlineExceeded} {
		if got := inputError(err, "in", locate); !errors.Is(got, err) || fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%v became %v", err, got)
		}
	}
	path := filepath.Join("data", "study", "a.hdr")
	for name, want := range map[string]string{
		path: path + ": is torn", "study/a.hdr": path + ": is torn", "a.hdr": path + ": is torn", "y/a.hdr": path + ": y/a.hdr: is torn", "hdr": path + ": hdr: is torn",
	} {
		if got := inputError(message.Named(name, errors.New("is torn")), path, locate); got.Error() != want {
			t.Errorf("a reader names %s: %q", name, got)
		}
	}
	if got := (&InputError{Problem: message.Verbatim("is torn")}).Error(); got != "is torn" {
		t.Errorf("without a path: %q", got)
	}
}

func TestWriteErrorsNameTheOutput(t *testing.T) {
	source := &dicom.Error{Name: "IM1", Problem: message.Verbatim("is torn")}
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, source} {
		if got := writeError("out", err); !errors.Is(got, err) || got.Error() != err.Error() {
			t.Errorf("%v became %v", err, got)
		}
	}
	nameless := &dicom.Error{Problem: message.Verbatim("is torn")}
	if got := writeError("out", nameless); !strings.HasPrefix(got.Error(), "out: is torn") || nameless.Name != "" {
		t.Errorf("an error without a name became %v; the original is %v", got, nameless)
	}
	var worded *atomic.Error
	if got := writeError("out", &os.PathError{Path: "/stage/x", Err: syscall.ENOSPC}); !errors.As(got, &worded) || strings.Contains(got.Error(), "stage") {
		t.Errorf("an error of the system became %v", got)
	}
	if got := writeError("out", errors.New("cannot be read back")); got.Error() != "out: cannot be read back" {
		t.Errorf("another became %v", got)
	}
}
