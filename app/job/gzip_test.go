package job_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/open/opentest"
)

// TestDamagedCompressedDICOM refuses compressed slices that are damaged, and one
// with a trailer that promises what no image has before anything is decompressed.
func TestDamagedCompressedDICOM(t *testing.T) {
	slice := apptest.SlicesOf(t, 1)[0]
	whole := apptest.Gzipped(t, slice)
	change := func(f func(b []byte) []byte) []byte { return f(bytes.Clone(whole)) }
	size := len(whole) - 4
	for name, c := range map[string]struct {
		content []byte
		problem string
	}{
		"bomb":      {change(func(b []byte) []byte { b[size+3] = 0xf0; return b }), "no image does"},
		"truncated": {change(func(b []byte) []byte { return append(b[:len(b)/2], b[size:]...) }), ""},
		"checksum":  {change(func(b []byte) []byte { b[size-1] ^= 1; return b }), "checksum"},
		"larger":    {change(func(b []byte) []byte { b[size]--; return b }), ""},
		"smaller":   {change(func(b []byte) []byte { b[size]++; return b }), ""},
	} {
		path := filepath.Join(t.TempDir(), name+".dcm.gz")
		apptest.WriteTestFile(t, path, c.content)
		if err := opentest.Refused(t, path); !strings.Contains(err.Problem.String(), c.problem) || !strings.Contains(err.Advice.String(), "copy") {
			t.Errorf("%s: %v; want %q and the advice to copy the file", name, err, c.problem)
		}
	}
	path := filepath.Join(t.TempDir(), "slice.dcm")
	apptest.WriteTestFile(t, path, whole)
	if err := opentest.Refused(t, path); !strings.Contains(err.Advice.String(), "add .gz") {
		t.Errorf("a compressed file under another name: %v", err)
	}
}
