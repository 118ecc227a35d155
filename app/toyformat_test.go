package app_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/io/format"
	"quell/io/iotest/toy"
)

// withFormat adds a format to the table for the length of a test: its line.
func withFormat(t *testing.T, f *files.Format) {
	t.Helper()
	before := files.Formats
	files.Formats = append(slices.Clone(files.Formats), f)
	files.ListEndings()
	t.Cleanup(func() { files.Formats = before; files.ListEndings() })
}

// A format is a folder and a line of the table: its files are scanned, opened, written, filtered in slabs with the bytes of
// the whole, and hold 4-D series. No other code knows of it.
func TestAFormatIsOneLine(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 40, 4)
	scans, line := 0, toy.Format
	line.Scan = func(ctx context.Context, fsys fs.FS, names []string) (*format.Found, error) {
		scans++
		return toy.Format.Scan(ctx, fsys, names)
	}
	withFormat(t, &line)
	dir := filepath.Dir(j.Input.Path)
	in := filepath.Join(dir, "toys", "in.toy")
	convert := job.Job{Input: j.Input, Engine: j.Engine, Output: job.Output{Path: in}}
	if _, err := app.Do(t.Context(), convert, job.Events{}); err != nil {
		t.Fatal(err)
	}
	for _, dtype := range []string{"", "int16"} {
		slabs := j
		slabs.Input.Path, slabs.Output = filepath.Dir(in), job.Output{Path: filepath.Join(dir, "out"+dtype+".toy"), Options: job.Options{Dtype: dtype}}
		if report := both(t, slabs); report.Files != 1 {
			t.Errorf("%+v", report)
		}
	}
	scans = 0
	back, of := opentest.Reopen(t, in), opentest.Reopen(t, j.Input.Path)
	if scans != 1 {
		t.Errorf("%d scans by the format", scans)
	}
	if back.Format != "TOY" || !slices.Equal(back.Volume.Data, of.Volume.Data) || !slices.Equal(back.Volume.Mask, of.Volume.Mask) || !back.Volume.SameGrid(of.Volume.Geometry, 1e-5) {
		t.Errorf("%+v", back)
	}

	dir, four := groupJob(t, "out.toy")
	if _, err := app.Do(t.Context(), four, job.Events{}); err != nil {
		t.Fatal(err)
	}
	again := four
	again.Input.Path, again.Output.Path = four.Output.Path, filepath.Join(dir, "again.nii")
	if _, err := app.Do(t.Context(), again, job.Events{}); err != nil {
		t.Fatal(err)
	}
	c, err := open.Scan(t.Context(), again.Output.Path)
	if err != nil || len(c.Entries) != 3 || c.Entries[0].Group.Step != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	base, output := files.SplitInput("x.TOY")
	if base != "x" || output != ".toy" || !slices.Contains(files.SeriesOutput.Endings, ".toy") || !slices.ContainsFunc(files.Offered(), func(f *files.Format) bool { return f.Name == "TOY" }) {
		t.Errorf("%q, %q of %v", base, output, files.SeriesOutput.Endings)
	}
}

// A format of folders is a line as well: its files form series, may be compressed, and have an index that stands for
// their folder.
func TestAFormatOfFoldersIsOneLine(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 40, 4)
	withFormat(t, &toy.Format)
	dir := t.TempDir()
	in := filepath.Join(dir, "a.toy")
	if _, err := app.Do(t.Context(), job.Job{Input: j.Input, Engine: j.Engine, Output: job.Output{Path: in}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(in)
	if err != nil {
		t.Fatal(err)
	}
	of := opentest.Reopen(t, in)
	line := format.Format{Name: "PARTS", Index: "PARTSDIR", Unpacks: true, Sniff: toy.Format.Sniff}
	line.Scan = func(ctx context.Context, fsys fs.FS, names []string) (*format.Found, error) {
		if names == nil {
			if names, err = fs.Glob(fsys, "*.part*"); err != nil {
				return nil, err
			}
		}
		all := &format.Found{}
		for _, name := range names {
			one, err := toy.Format.Scan(ctx, fsys, []string{name})
			if err != nil {
				return nil, errors.Join(format.ErrNoImages, err)
			}
			all.Entries = append(all.Entries, one.Entries...)
		}
		if all.Entries == nil {
			return nil, format.ErrNoImages
		}
		return all, nil
	}
	files.Formats = append(files.Formats[:len(files.Formats)-1], &line)
	parts := filepath.Join(dir, "parts")
	if err := os.Mkdir(parts, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"1.part": data, "2.part.gz": apptest.Gzipped(t, data), "PARTSDIR": data} {
		apptest.WriteTestFile(t, filepath.Join(parts, name), data)
	}
	for path, want := range map[string]int{"": 2, "PARTSDIR": 2, "1.part": 1, "2.part.gz": 1} {
		c, err := open.Scan(t.Context(), filepath.Join(parts, path))
		if err != nil || len(c.Entries) != want {
			t.Fatalf("%q: %+v, %v", path, c, err)
		}
		for i := range c.Entries {
			if s, err := c.Load(t.Context(), i, nil); err != nil || !slices.Equal(s.Volume.Data, of.Volume.Data) {
				t.Errorf("%q: entry %d: %v", path, i, err)
			}
		}
	}
	apptest.WriteTestFile(t, filepath.Join(dir, "packed"), apptest.Gzipped(t, data))
	apptest.WriteTestFile(t, filepath.Join(dir, "text"), []byte("text"))
	for name, want := range map[string]string{"packed": "is a PARTS file compressed by gzip", "text": "is not a DICOM, NIfTI, Analyze, NRRD, MetaImage, MGH or PARTS file"} {
		if err := opentest.Refused(t, filepath.Join(dir, name)); !strings.Contains(err.Error(), want) {
			t.Errorf("%v", err)
		}
	}
}
