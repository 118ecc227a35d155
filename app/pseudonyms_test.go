package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"quell/internal/message"
	"quell/io/atomic"
	"quell/series"
)

func TestPseudonymsOfPathsFollowTheTree(t *testing.T) {
	ownConfig(t, t.TempDir())
	p, err := NewPseudonyms()
	if err != nil {
		t.Fatal(err)
	}
	a, b, c := p.Path("smith/ct/1"), p.Path("smith/ct/2"), p.Path("jones/ct/1")
	if filepath.Dir(a) != filepath.Dir(b) || filepath.Base(a) == filepath.Base(b) || filepath.Dir(a) == filepath.Dir(c) || filepath.Base(filepath.Dir(a)) == filepath.Base(filepath.Dir(c)) {
		t.Errorf("%s, %s, %s", a, b, c)
	}
	again, err := NewPseudonyms()
	if err != nil || again.Path("smith/ct/1") != a || p.Path(".") != "." || p.Text("x", "") != "" || p.Text("x", "a") == p.Text("y", "a") {
		t.Error("pseudonyms are not the same in a later run, or none where they should be")
	}
	var none *Pseudonyms
	if none.Path("smith/ct") != "smith/ct" || none.Seal("x") != "x" || none.Error(fs.ErrExist, "") != fs.ErrExist {
		t.Error("without pseudonyms names do not stay")
	}
}

func TestSealedTextsOpenWithTheirKeyAlone(t *testing.T) {
	ownConfig(t, t.TempDir())
	p, _ := NewPseudonyms()
	sealed := p.Seal("/data/smith")
	if text, err := p.Unseal(sealed); err != nil || text != "/data/smith" || strings.Contains(sealed, "smith") {
		t.Errorf("%q, %v", text, err)
	}
	ownConfig(t, t.TempDir())
	other, _ := NewPseudonyms()
	for _, wrong := range []string{sealed, "", "AAAA", "?", sealed[:len(sealed)-4]} {
		if text, err := other.Unseal(wrong); err == nil {
			t.Errorf("%q opens as %q", wrong, text)
		}
	}
}

// TestConcealedErrors: an error about the input keeps its class and nothing else; others stay.
func TestConcealedErrors(t *testing.T) {
	ownConfig(t, t.TempDir())
	p, _ := NewPseudonyms()
	root := t.TempDir()
	in, out := filepath.Join(root, "smith.dcm"), filepath.Join(t.TempDir(), "out")
	for _, x := range []struct {
		err  error
		code int
		said bool
	}{
		{&InputError{Path: in, Problem: message.Verbatim("smith")}, ExitInput, false},
		{&InputError{Problem: message.Verbatim("smith")}, ExitInput, false},
		{&InputError{Path: out, Problem: message.Verbatim("the mask of smith")}, ExitInput, true},
		{fmt.Errorf("smith: %w", &fs.PathError{Path: in, Err: fs.ErrPermission}), ExitFailed, false},
		{fmt.Errorf("smith: %w", &fs.PathError{Path: out, Err: fs.ErrPermission}), ExitFailed, true},
		{errors.New("smith"), ExitFailed, false},
		{Usagef("smith"), ExitUsage, true},
		{&atomic.Error{Path: "smith"}, ExitFailed, true},
		{fmt.Errorf("smith: %w", ErrEngineFailed), ExitFailed, true},
		{context.Canceled, ExitCancelled, false},
	} {
		err := p.Error(x.err, root)
		if ExitCode(err) != x.code || strings.Contains(err.Error(), "smith") != x.said {
			t.Errorf("%v became %v", x.err, err)
		}
		var path *fs.PathError
		if !x.said && errors.As(err, &path) {
			t.Errorf("%v still names %s", err, path.Path)
		}
	}
}

func TestConcealedPlacesKeepNumbersAlone(t *testing.T) {
	ownConfig(t, t.TempDir())
	p, _ := NewPseudonyms()
	place := func(axis, value string) series.Place { return series.Place{{Axis: axis, Value: value}} }
	g := &series.Group{Places: []series.Place{place("b-value", "1000"), place("direction", `0.1\-1\0`), place("repeat", "2 of 3"), place("temporal position", "SMITH"), place("acquisition time", "101112.5")}}
	hidden := p.group(g)
	for i, stays := range []bool{true, true, true, false, false} {
		if got := hidden.Places[i][0].Value; got == g.Places[i][0].Value != stays {
			t.Errorf("%v became %q", g.Places[i], got)
		}
	}
	m := p.meta(series.Meta{Modality: "SMITH", Number: "7a", Description: "x", Patient: "y", Format: "DICOM"})
	if m.Modality+m.Number+m.Description+m.Patient != "" || m.Format != "DICOM" {
		t.Errorf("%+v", m)
	}
	if m = p.meta(series.Meta{Modality: "MR", Number: "7"}); m.Modality != "MR" || m.Number != "7" {
		t.Errorf("%+v", m)
	}
}
