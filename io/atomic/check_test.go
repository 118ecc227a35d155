package atomic

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestCheckFindsWhatCommitWouldRefuse(t *testing.T) {
	parent := t.TempDir()
	in := func(name string) string { return filepath.Join(parent, filepath.FromSlash(name)) }
	put(t, in("folder/x"), "x")
	put(t, in("file"), "x")
	if err := os.Symlink("folder", in("link")); err != nil {
		t.Skip("no symbolic links here:", err)
	}
	before := tree(t, parent)
	const long = 200 // and its companion is too long
	for _, c := range []struct {
		name       string
		folder     bool
		companions []string
		want       string // "" for nothing wrong
	}{
		{"new", true, []string{"new.json"}, ""},
		{"new", false, nil, ""},
		{"deep/er/new", false, nil, ""},
		{"folder", true, nil, ""},
		{"file", false, nil, ""},
		{"link", false, nil, ""},
		{"folder", false, nil, "is a folder"},
		{"file", true, nil, "is a file"},
		{"link", true, nil, "symbolic link"},
		{"new", false, []string{"folder"}, "folder: it is a folder"},
		{"file/new", false, nil, "part of its path is a file"},
		{"file/deep/new", true, nil, "part of its path is a file"},
		{strings.Repeat("n", long), false, nil, ""},
		{strings.Repeat("n", long), false, []string{strings.Repeat("n", long) + strings.Repeat(".json", 12)}, "too long"},
	} {
		err := Check(in(c.name), c.folder, c.companions...)
		var worded *Error
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &worded) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%.20s, folder %v, companions %.20q: error %v, want %q", c.name, c.folder, c.companions, err, c.want)
		}
	}
	if err := Check("/", true); err == nil || !strings.Contains(err.Error(), "root of a file system") {
		t.Errorf("the root: %v", err)
	}
	if got := tree(t, parent); !slices.Equal(got, before) {
		t.Errorf("%q became %q", before, got)
	}
}

func TestCheckSpace(t *testing.T) {
	target := filepath.Join(t.TempDir(), "deep", "out")
	if _, ok := FreeSpace("."); !ok {
		t.Skip("this system does not say what is free")
	}
	if err := CheckSpace(target, 1); err != nil {
		t.Error(err)
	}
	if err := CheckSpace(target, math.MaxInt64); err == nil || !strings.Contains(err.Error(), "it needs 9223372036.9 GB and ") {
		t.Errorf("error %v", err)
	}
}

func TestSizesInWords(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0.0 kB", 1500: "1.5 kB", 1e6 - 1: "1000.0 kB", 1e6: "1.0 MB", 1e9 - 1: "1000.0 MB", 1e9: "1.0 GB", 25e8: "2.5 GB",
	} {
		if got := string(size(bytes)); got != want {
			t.Errorf("%d bytes: %q, want %q", bytes, got, want)
		}
	}
}
