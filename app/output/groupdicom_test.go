package output

import (
	"os"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/io/dicom/dicomtest"
	"quell/volume"
)

// TestOutputSizeOf4D: files with frames of all volumes count once, and the frames that wait for the
// last.
func TestOutputSizeOf4D(t *testing.T) {
	const frame = dicomtest.DiffusionCols * dicomtest.DiffusionRows * 2
	for _, maker := range []string{"Siemens", "Enhanced"} {
		path := apptest.WriteDiffusion(t, dicomtest.Diffusion{Maker: maker, Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved()})
		in, err := open.Select(t.Context(), job.Input{Path: path, All: true}, job.Events{})
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
		src := executor.SourceOf(in)
		got := (&seriesSink{out: "out", src: &src}).size(&executor.Made{Source: s, Region: s.Volume.Bounds()})
		// Files of slices differ by some bytes.
		if slack := want / 20; got < want-slack || got > want+slack {
			t.Errorf("%s: %d bytes, want %d", maker, got, want)
		}
	}
}
