package app_test

import (
	"path/filepath"
	"slices"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/io/iotest/toy"
)

// withToy adds a format to the table for the length of a test: its line.
func withToy(t *testing.T) {
	t.Helper()
	before := files.Formats
	files.Formats = append(slices.Clone(files.Formats), &files.Format{Format: toy.Format, Opener: toy.Open})
	files.ListEndings()
	t.Cleanup(func() { files.Formats = before; files.ListEndings() })
}

// A format is a folder and a line of the table: its files are found, read, written, filtered in slabs with the bytes of
// the whole, and hold 4-D series. No other code knows of it.
func TestAFormatIsOneLine(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 40, 4)
	withToy(t)
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
	back, of := opentest.Reopen(t, in), opentest.Reopen(t, j.Input.Path)
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
