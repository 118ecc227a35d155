package nifti

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/series"
)

// TestSourceHeader: the header of the source is read when the result is written. A
// source that is missing or was changed meanwhile is an error, a series from another
// format or without a file is not.
func TestSourceHeader(t *testing.T) {
	intact := sample(t, "extended.nii")
	fsys := fstest.MapFS{"in.nii": {Data: intact}}
	from, err := Read(t.Context(), fsys, "in.nii")
	if err != nil {
		t.Fatal(err)
	}
	moved := bytes.Clone(intact)
	binary.LittleEndian.PutUint32(moved[292:], math.Float32bits(12)) // srow_x[3]
	for name, c := range map[string]struct {
		file []byte
		want string
	}{
		"missing":   {nil, "the header of the source in.nii cannot be read again (there is no such file"},
		"truncated": {intact[:100], "the header of the source in.nii cannot be read again (the file ends inside its header"},
		"changed":   {moved, "the source in.nii was changed after it was opened; open it again"},
	} {
		fsys["in.nii"] = &fstest.MapFile{Data: c.file}
		if c.file == nil {
			delete(fsys, "in.nii")
		}
		dir := t.TempDir()
		err := Write(t.Context(), filepath.Join(dir, "out.nii"), from.Volume, nil, from, "", "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: left behind %v", name, left)
		}
	}
	for name, other := range map[string]*series.Series{
		"none":           nil,
		"DICOM":          {Meta: series.Meta{Format: "DICOM"}, Sources: from.Sources},
		"without a file": {Meta: from.Meta, Sources: []series.Source{{}}},
	} {
		if h, err := sourceHeader(other); h != nil || err != nil {
			t.Errorf("%s: header %v, %v", name, h, err)
		}
	}
}

// TestSymbolicLinks reads a pair and a single file through links, as data sets under
// git-annex and datalad have them: the two files of a pair lie in different folders.
func TestSymbolicLinks(t *testing.T) {
	dir := t.TempDir()
	link := func(name, object string) {
		t.Helper()
		store := filepath.Join(dir, "objects", object)
		if err := os.MkdirAll(store, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(store, object+filepath.Ext(name)), sample(t, name), 0o444); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("objects", object, object+filepath.Ext(name)), filepath.Join(dir, name)); err != nil {
			t.Skip("this system has no symbolic links:", err)
		}
	}
	link("pair.hdr", "a")
	link("pair.img", "b")
	link("int16-le.nii", "c")
	for _, name := range []string{"pair.hdr", "pair.img", "int16-le.nii"} {
		s, err := Read(t.Context(), os.DirFS(dir), name)
		if err != nil {
			t.Fatal(err)
		}
		if want := readSample(t, name); !slices.Equal(s.Volume.Data, want.Volume.Data) {
			t.Errorf("%s: the voxels differ", name)
		}
	}
}
