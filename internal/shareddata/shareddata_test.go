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

// Without the variable, the data are looked for next to the checkout.
func TestCheckout(t *testing.T) {
	root, err := checkout()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(root, "internal", "shareddata")); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"checkout/pkg/deep", "shared/data/mr"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(name)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "checkout", "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("QUELL_SHARED_DATA", "")
	t.Setenv("QUELL_NEED_SHARED", "")
	t.Chdir(filepath.Join(dir, "checkout", "pkg", "deep"))
	if found, r := path("mr"); filepath.Base(found) != "mr" || r.skipped+r.failed != "" {
		t.Errorf("beside the checkout: found %q, skipped %q, failed %q", found, r.skipped, r.failed)
	}
	if _, r := path("ct"); r.skipped == "" {
		t.Error("data that are not beside the checkout were found")
	}
	t.Chdir(filepath.Join(dir, "shared"))
	if root, err := checkout(); err == nil {
		t.Errorf("a folder outside every checkout is in %s", root)
	}
	if found, r := path("data"); r.skipped == "" {
		t.Errorf("outside every checkout: found %q", found)
	}
}
