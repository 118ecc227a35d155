package nifti

import (
	"io"
	"io/fs"
	"testing"
	"testing/fstest"
)

// countingFS counts the files that are open.
type countingFS struct {
	fs.FS
	open int
}

func (c *countingFS) Open(name string) (fs.File, error) {
	f, err := c.FS.Open(name)
	if err != nil {
		return nil, err
	}
	c.open++
	return &countedFile{f, c}, nil
}

// Stat keeps fs.Stat from opening a file.
func (c *countingFS) Stat(name string) (fs.FileInfo, error) { return fs.Stat(c.FS, name) }

type countedFile struct {
	fs.File
	in *countingFS
}

func (f *countedFile) Close() error { f.in.open--; return f.File.Close() }

func (f *countedFile) ReadAt(b []byte, off int64) (int, error) {
	return f.File.(io.ReaderAt).ReadAt(b, off)
}

// TestNoFileStaysOpen: every file is closed, whether it is read or refused.
func TestNoFileStaysOpen(t *testing.T) {
	intact := sample(t, "int16-le.nii")
	damaged := compressed(t, intact)
	damaged[2] = 99 // the compression method
	for name, files := range map[string]fstest.MapFS{
		"intact":            {"a.nii": {Data: intact}},
		"compressed":        {"a.nii": {Data: compressed(t, intact)}},
		"truncated":         {"a.nii": {Data: intact[:400]}},
		"a cut header":      {"a.nii": {Data: intact[:200]}},
		"no image":          {"a.nii": {Data: []byte("a text that is no image")}},
		"damaged gzip":      {"a.nii": {Data: damaged}},
		"a folder":          {"a.nii": {Mode: fs.ModeDir}},
		"Analyze as a .nii": {"a.nii": {Data: sample(t, "analyze-le.hdr")}},
		"half of a pair":    {"a.nii": {Data: sample(t, "pair.hdr")}},
		"a folder of voxels": {
			"a.nii": {Data: sample(t, "pair.hdr")}, "a.img": {Data: damaged},
		},
		"a pair": {"a.nii": {Data: sample(t, "pair.hdr")}, "a.img": {Data: sample(t, "pair.img")}},
	} {
		for what, read := range map[string]func(fs.FS) error{
			"read":        func(fsys fs.FS) error { _, err := Read(t.Context(), fsys, "a.nii"); return err },
			"header":      func(fsys fs.FS) error { _, err := Open.ReadHeader(fsys, "a.nii"); return err },
			"description": func(fsys fs.FS) error { _, err := descriptionIn(fsys, "a.nii"); return err },
			"all headers": func(fsys fs.FS) error { _, err := readFullHeader(fsys, "a.nii"); return err },
		} {
			c := &countingFS{FS: files}
			err := read(c)
			if c.open != 0 {
				t.Errorf("%s, %s: %d files are open after error %v", name, what, c.open, err)
			}
		}
	}
}
