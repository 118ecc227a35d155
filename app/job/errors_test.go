package job_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"syscall"
	"testing"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/dicom"
)

func TestInputErrorsAreOneSentence(t *testing.T) {
	locate := func(name string) string { return "/data/" + name }
	kept := &job.InputError{Path: "other", Problem: message.Verbatim("is torn")}
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
		err := job.Unreadable(c.err, "in", locate)
		if err.Error() != c.want || job.ExitCode(err) != job.ExitInput || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, want %q", what, err, c.want)
		}
	}
	if err := message.Errorf(message.OutputUnsupported, "no such file can hold it"); job.ExitCode(fmt.Errorf("out: %w", err)) != job.ExitInput {
		t.Errorf("%v ends with code %d", err, job.ExitCode(err))
	}
	for _, err := range []error{nil, context.Canceled, context.DeadlineExceeded} {
		if got := job.Unreadable(err, "in", locate); !errors.Is(got, err) || fmt.Sprint(got) != fmt.Sprint(err) {
			t.Errorf("%v became %v", err, got)
		}
	}
	path := filepath.Join("data", "study", "a.hdr")
	for name, want := range map[string]string{
		path: path + ": is torn", "study/a.hdr": path + ": is torn", "a.hdr": path + ": is torn", "y/a.hdr": path + ": y/a.hdr: is torn", "hdr": path + ": hdr: is torn",
	} {
		if got := job.Unreadable(message.Named(name, errors.New("is torn")), path, locate); got.Error() != want {
			t.Errorf("a reader names %s: %q", name, got)
		}
	}
	if got := (&job.InputError{Problem: message.Verbatim("is torn")}).Error(); got != "is torn" {
		t.Errorf("without a path: %q", got)
	}
}
