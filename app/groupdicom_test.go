package app

import (
	"os"
	"path/filepath"
	"testing"

	"quell/io/dicom/dicomtest"
	"quell/io/format"
	"quell/volume"
)

// TestDICOMOf4D: a 4-D series of DICOM leaves as one series with the places of the source, as does
// what was removed and what is de-identified, in a folder of files. It takes the place of an earlier
// output that has a folder for each volume.
func TestDICOMOf4D(t *testing.T) {
	for _, maker := range []string{"Siemens", "Siemens mosaic", "Enhanced"} {
		in := writeDiffusion(t, dicomtest.Diffusion{Maker: maker, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved()})
		source, all := loadAll(t, in)
		n := len(all)
		out := filepath.Join(t.TempDir(), "out")
		if err := os.MkdirAll(out, 0o755); err != nil {
			t.Fatal(err)
		}
		for k, name := range []string{"001-b-value-0-s-mm2", "002-b-value-1000-s-mm2-direction-1-0-0"} {
			if _, err := save(t.Context(), all[k], all[k].Volume, format.Derived{}, filepath.Join(out, name), ExportOptions{}, Events{}); err != nil {
				t.Fatal(err)
			}
		}
		r := mustRecipe("median", 2)
		job := Job{Input: Input{Path: in, All: true}, Recipe: &r, Engine: EnginePolicy{Name: "cpu"},
			Output: Output{Path: out, Beside: map[string]string{"noise-out": filepath.Join(filepath.Dir(out), "removed")}}}
		hidden := job
		hidden.Output = Output{Path: filepath.Join(filepath.Dir(out), "hidden"), ExportOptions: ExportOptions{Deidentify: true}}
		report, err := Do(t.Context(), job, Events{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Do(t.Context(), hidden, Events{}); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(in, "*"))
		if err != nil || report.Files != len(files) || len(report.Volumes) != n {
			t.Errorf("%s: %d files of %d, %d volumes, %v", maker, report.Files, len(files), len(report.Volumes), err)
		}
		for _, dir := range []string{out, job.Output.Beside["noise-out"], hidden.Output.Path} {
			written, err := os.ReadDir(dir)
			if err != nil || len(written) != len(files) {
				t.Errorf("%s: %d files in %s, %v", maker, len(written), dir, err)
			}
			c, _ := loadAll(t, dir)
			if len(c.Entries) != n {
				t.Fatalf("%s: %d volumes in %s", maker, len(c.Entries), dir)
			}
			for k, e := range c.Entries {
				if e.UID != c.Entries[0].UID || e.GroupIndex != k || e.Group == nil || e.Group.Places[k].String() != source.Entries[k].Group.Places[k].String() {
					t.Errorf("%s: volume %d of %s: %+v", maker, k, dir, e.Group)
				}
			}
		}
	}
}

// TestOutputSizeOf4D: files with frames of all volumes count once, and the frames that wait for the
// last.
func TestOutputSizeOf4D(t *testing.T) {
	const frame = dicomtest.DiffusionCols * dicomtest.DiffusionRows * 2
	for _, maker := range []string{"Siemens", "Enhanced"} {
		path := writeDiffusion(t, dicomtest.Diffusion{Maker: maker, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved()})
		in, err := OpenVolumes(t.Context(), Input{Path: path, All: true}, Events{})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		s, err := in.Load(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		want := int64(0)
		files, err := filepath.Glob(filepath.Join(path, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			want += info.Size()
		}
		if maker == "Enhanced" {
			want += frame * dicomtest.DiffusionSlices * int64(len(in.Entries))
		}
		src := in.Source()
		got := (&seriesSink{out: "out", src: &src}).size(&Made{Source: s, Region: s.Volume.Bounds()})
		// Files of slices differ by some bytes.
		if slack := want / 20; got < want-slack || got > want+slack {
			t.Errorf("%s: %d bytes, want %d", maker, got, want)
		}
	}
}
