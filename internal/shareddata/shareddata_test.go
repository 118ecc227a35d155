package shareddata

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// recorder is a testing.TB that records how a test ended.
type recorder struct {
	testing.TB
	failed, skipped string
}

func (r *recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// path calls Path as a test of its own.
func path(name string) (found string, r *recorder) {
	r = &recorder{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		found = Path(r, name)
	}()
	<-done
	return found, r
}

func TestPath(t *testing.T) {
	data := t.TempDir()
	if err := os.Mkdir(filepath.Join(data, "mr"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("QUELL_SHARED_DATA", data)
	t.Setenv("QUELL_NEED_SHARED", "")
	if found, r := path("mr"); found != filepath.Join(data, "mr") || r.skipped+r.failed != "" {
		t.Errorf("found %q, skipped %q, failed %q", found, r.skipped, r.failed)
	}
	if _, r := path("mr/missing"); r.skipped != "needs shared data: mr/missing" || r.failed != "" {
		t.Errorf("skipped %q, failed %q", r.skipped, r.failed)
	}
	t.Setenv("QUELL_NEED_SHARED", "1")
	if _, r := path("mr/missing"); r.skipped != "" || r.failed == "" {
		t.Errorf("skipped %q, failed %q", r.skipped, r.failed)
	}
	if found, r := path("mr"); found == "" || r.skipped+r.failed != "" {
		t.Errorf("found %q, skipped %q, failed %q", found, r.skipped, r.failed)
	}
}

// Without the variable, the data are looked for beside the checkout.
func TestCheckout(t *testing.T) {
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "shareddata")); err != nil {
		t.Error(err)
	}
	t.Chdir(t.TempDir())
	if root, err := checkout(); err == nil {
		t.Errorf("a folder outside every checkout is in %s", root)
	}
}
