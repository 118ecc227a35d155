package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/job"
	"quell/cmd/command"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// TestLimitOfPipes: a stream as long as the limit is read, and one byte more is refused. Either leaves nothing in the
// temporary folder.
func TestLimitOfPipes(t *testing.T) {
	dir, kept := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", kept)
	in := filepath.Join(dir, "in.nii")
	v := volume.New(volume.NewGeometry([3]int{8, 8, 8}, [3]float64{1, 1, 1}))
	if err := niftitest.Write(t.Context(), in, v, ""); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	run := func(in io.Reader, limit int) (code int, stdout []byte, stderr string) {
		var out, errs bytes.Buffer
		code = command.Streams{In: in, Out: &out, Errs: &errs, Limit: int64(limit)}.Execute(t.Context(), table(), []string{"convert", "-", "-"})
		left, err := os.ReadDir(kept)
		if err != nil || len(left) > 0 {
			t.Errorf("%d files are left: %v", len(left), err)
		}
		return code, out.Bytes(), errs.String()
	}
	if code, stdout, stderr := run(bytes.NewReader(data), len(data)); code != job.ExitDone || !bytes.Equal(stdout[352:], data[352:]) {
		t.Errorf("at the limit: code %d, %s", code, stderr)
	}
	if code, stdout, stderr := run(bytes.NewReader(data), len(data)-1); code != job.ExitInput || len(stdout) > 0 || !strings.Contains(stderr, "standard input: contains more than 3 kB, which is the limit of a pipe") {
		t.Errorf("beyond the limit: code %d, %d bytes, %s", code, len(stdout), stderr)
	}
	if code, _, stderr := run(endless{}, len(data)); code != job.ExitInput || !strings.Contains(stderr, "is not a NIfTI, NRRD or MetaImage file") {
		t.Errorf("a stream without an end: code %d, %s", code, stderr)
	}
}

// endless is a stream of zeros.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// TestCancelledPipe: a command that waits for a pipe ends when it is cancelled.
func TestCancelledPipe(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	silent, _ := io.Pipe()
	var errs bytes.Buffer
	if code := (command.Streams{In: cancelling{silent, cancel}, Out: io.Discard, Errs: &errs}).Execute(ctx, table(), []string{"info", "-"}); code != job.ExitCancelled {
		t.Errorf("code %d, %s", code, &errs)
	}
}

// cancelling cancels when it is read.
type cancelling struct {
	io.Reader
	cancel func()
}

func (c cancelling) Read(p []byte) (int, error) {
	c.cancel()
	return c.Reader.Read(p)
}
