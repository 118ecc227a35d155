package app

import (
	"path/filepath"
	"slices"
	"testing"

	"quell/io/iotest/toy"
)

// withToy adds a format to the table for the length of a test: its line.
func withToy(t *testing.T) {
	t.Helper()
	before := formats
	formats = append(slices.Clone(formats), &Format{toy.Format, toy.Open})
	listEndings()
	t.Cleanup(func() { formats = before; listEndings() })
}

// A format is a folder and a line of the table: its files are found, read, written, filtered in slabs with the bytes of
// the whole, and hold 4-D series. No other code knows of it.
func TestAFormatIsOneLine(t *testing.T) {
	job := slabJob(t, mustRecipe("median", 3), 40, 4)
	withToy(t)
	dir := filepath.Dir(job.Input.Path)
	in := filepath.Join(dir, "toys", "in.toy")
	convert := Job{Input: job.Input, Engine: job.Engine, Output: Output{Path: in}}
	if _, err := Do(t.Context(), convert, Events{}); err != nil {
		t.Fatal(err)
	}
	for _, dtype := range []string{"", "int16"} {
		slabs := job
		slabs.Input.Path, slabs.Output = filepath.Dir(in), Output{Path: filepath.Join(dir, "out"+dtype+".toy"), ExportOptions: ExportOptions{Dtype: dtype}}
		if report := both(t, slabs); report.Files != 1 {
			t.Errorf("%+v", report)
		}
	}
	back, of := reopen(t, in), reopen(t, job.Input.Path)
	if back.Format != "TOY" || !slices.Equal(back.Volume.Data, of.Volume.Data) || !slices.Equal(back.Volume.Mask, of.Volume.Mask) || !back.Volume.SameGrid(of.Volume.Geometry, 1e-5) {
		t.Errorf("%+v", back)
	}

	dir, four := groupJob(t, "out.toy")
	if _, err := Do(t.Context(), four, Events{}); err != nil {
		t.Fatal(err)
	}
	again := four
	again.Input.Path, again.Output.Path = four.Output.Path, filepath.Join(dir, "again.nii")
	if _, err := Do(t.Context(), again, Events{}); err != nil {
		t.Fatal(err)
	}
	c, err := Scan(t.Context(), again.Output.Path)
	if err != nil || len(c.Entries) != 3 || c.Entries[0].Group.Step != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	base, output := SplitInput("x.TOY")
	if base != "x" || output != ".toy" || !slices.Contains(SeriesOutput.Endings, ".toy") || !slices.ContainsFunc(FileFormats(), func(f *Format) bool { return f.Name == "TOY" }) {
		t.Errorf("%q, %q of %v", base, output, SeriesOutput.Endings)
	}
}
