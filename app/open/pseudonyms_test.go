package open_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/open"
	"quell/internal/message"
	"quell/io/atomic"
)

func TestPseudonymsOfPathsFollowTheTree(t *testing.T) {
	apptest.OwnConfig(t, t.TempDir())
	p, err := open.NewPseudonyms()
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := p.Path("smith/ct/1"), p.Path("smith/ct/2"), p.Path("jones/ct/1")
	if filepath.Dir(a) != filepath.Dir(b) || filepath.Base(a) == filepath.Base(b) || filepath.Dir(a) == filepath.Dir(c) || filepath.Base(filepath.Dir(a)) == filepath.Base(filepath.Dir(c)) {
		t.Errorf("%s, %s, %s", a, b, c)
	}
	again, err := open.NewPseudonyms()
	if err != nil || again.Path("smith/ct/1") != a || p.Path(".") != "." || p.Text("x", "") != "" || p.Text("x", "a") == p.Text("y", "a") {
		t.Error("pseudonyms are not the same in a later run, or none where they should be")
	}
	var none *open.Pseudonyms
	if none.Path("smith/ct") != "smith/ct" || none.Seal("x") != "x" || none.Error(fs.ErrExist, "") != fs.ErrExist {
		t.Error("without pseudonyms names do not stay")
	}
}

func TestSealedTextsOpenWithTheirKeyAlone(t *testing.T) {
	apptest.OwnConfig(t, t.TempDir())
	p, _ := open.NewPseudonyms()
	sealed := p.Seal("/data/smith")
	if text, err := p.Unseal(sealed); err != nil || text != "/data/smith" || strings.Contains(sealed, "smith") {
		t.Errorf("%q, %v", text, err)
	}
	apptest.OwnConfig(t, t.TempDir())
	other, _ := open.NewPseudonyms()
	for _, wrong := range []string{sealed, "", "AAAA", "?", sealed[:len(sealed)-4]} {
		if text, err := other.Unseal(wrong); err == nil {
			t.Errorf("%q opens as %q", wrong, text)
		}
	}
}

// TestConcealedErrors: an error about the input keeps its class and nothing else; others stay.
func TestConcealedErrors(t *testing.T) {
	apptest.OwnConfig(t, t.TempDir())
	p, _ := open.NewPseudonyms()
	root := t.TempDir()
	in, out := filepath.Join(root, "smith.dcm"), filepath.Join(t.TempDir(), "out")
	for _, x := range []struct {
		err  error
		code int
		said bool
	}{
		{&job.InputError{Path: in, Problem: message.Verbatim("smith")}, job.ExitInput, false},
		{&job.InputError{Problem: message.Verbatim("smith")}, job.ExitInput, false},
		{&job.InputError{Path: out, Problem: message.Verbatim("the mask of smith")}, job.ExitInput, true},
		{fmt.Errorf("smith: %w", &fs.PathError{Path: in, Err: fs.ErrPermission}), job.ExitFailed, false},
		{fmt.Errorf("smith: %w", &fs.PathError{Path: out, Err: fs.ErrPermission}), job.ExitFailed, true},
		{errors.New("smith"), job.ExitFailed, false},
		{job.Usagef("smith"), job.ExitUsage, true},
		{&atomic.Error{Path: "smith"}, job.ExitFailed, true},
		{fmt.Errorf("smith: %w", engines.ErrFailed), job.ExitFailed, true},
		{context.Canceled, job.ExitCancelled, false},
	} {
		err := p.Error(x.err, root)
		if job.ExitCode(err) != x.code || strings.Contains(err.Error(), "smith") != x.said {
			t.Errorf("%v became %v", x.err, err)
		}
		var path *fs.PathError
		if !x.said && errors.As(err, &path) {
			t.Errorf("%v still names %s", err, path.Path)
		}
	}
}
