package output_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/tiff"

	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/io/nifti/niftitest"
	"quell/series"
	"quell/volume"
)

// A picture is a PNG with its description, is known again, and takes the place of a foreign
// file with leave alone.
func TestWritePicture(t *testing.T) {
	dir := t.TempDir()
	m := image.NewRGBA(image.Rect(0, 0, 5, 3))
	m.Set(4, 2, color.White)
	path := filepath.Join(dir, "a.PNG")
	for range 2 { // the second takes the place of the first
		if err := output.WritePicture(m, "nlm 2-D  σ=1", path, false); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "Description\x00\x00\x00\x00\x00nlm 2-D  σ=1") {
		t.Errorf("no description: %q, %v", data, err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := png.Decode(f)
	if err != nil || read.Bounds() != m.Bounds() || read.At(4, 2) != color.Color(color.RGBA{R: 255, G: 255, B: 255, A: 255}) && read.At(4, 2) != color.Color(color.NRGBA{R: 255, G: 255, B: 255, A: 255}) {
		t.Errorf("read back %v, %v", read, err)
	}
	foreign := filepath.Join(dir, "b.png")
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := output.WritePicture(m, "", foreign, false); !errors.Is(err, files.ErrForeignTarget) {
		t.Errorf("a foreign file gave %v", err)
	}
	if kept, _ := os.ReadFile(foreign); string(kept) != "mine" {
		t.Error("a foreign file was replaced")
	}
	if err := output.WritePicture(m, "", foreign, true); err != nil || files.Check(files.PictureOutput, foreign, false) != nil {
		t.Errorf("with leave: %v, and then %v", err, files.Check(files.PictureOutput, foreign, false))
	}
	for _, bad := range []string{filepath.Join(dir, "c.nii.gz"), filepath.Join(dir, "png"), filepath.Join(dir, "a.PNG", "c.png")} {
		if err := files.Check(files.PictureOutput, bad, true); err == nil {
			t.Errorf("%s can be written", bad)
		}
	}
	if err := files.Check(files.PictureOutput, filepath.Join(dir, "new.png"), true, seriesIn(t, dir)); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "lies inside the input's folder") {
		t.Errorf("in the folder of an open series: %v", err)
	}
	if err := os.Mkdir(filepath.Join(dir, "d.png"), 0o700); err != nil {
		t.Fatal(err)
	}
	if files.Check(files.PictureOutput, filepath.Join(dir, "d.png"), true) == nil {
		t.Error("a folder is replaced")
	}
}

// The ending of a picture of the panes chooses PNG or TIFF. Both are known again, and replace each other, but nothing else.
func TestWriteScreen(t *testing.T) {
	dir := t.TempDir()
	m := image.NewRGBA(image.Rect(0, 0, 5, 3))
	draw.Draw(m, m.Rect, image.Black, image.Point{}, draw.Src)
	m.Set(4, 2, color.White)
	for name, decode := range map[string]func(io.Reader) (image.Image, error){"a.png": png.Decode, "b.tif": tiff.Decode, "c.TIFF": tiff.Decode} {
		path := filepath.Join(dir, name)
		for range 2 { // the second takes the place of the first
			if err := output.WriteScreen(m, "slice 3", path, false); err != nil {
				t.Fatal(err)
			}
		}
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(data, []byte("slice 3")) {
			t.Errorf("%s has no description, %v", name, err)
		}
		if read, err := decode(bytes.NewReader(data)); err != nil || read.Bounds() != m.Rect || color.RGBAModel.Convert(read.At(4, 2)) != color.Color(color.RGBA{255, 255, 255, 255}) {
			t.Errorf("%s: read back %v, %v", name, read, err)
		}
		if err := os.WriteFile(path, data[:len(data)-1], 0o600); err != nil { // cut: its mark is gone
			t.Fatal(err)
		}
		if err := files.Check(files.ScreenOutput, path, false); errors.Is(err, files.ErrForeignTarget) != (name != "a.png") {
			t.Errorf("%s, cut: %v", name, err)
		}
	}
	for _, bad := range []string{"d.jpg", "d", "d.gif"} {
		if err := output.WriteScreen(m, "", filepath.Join(dir, bad), true); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// seriesIn returns a series that was opened from a folder.
func seriesIn(t *testing.T, dir string) *series.Series {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{4, 4, 2}, [3]float64{1, 1, 1}))
	if err := niftitest.Write(t.Context(), filepath.Join(dir, "series.nii"), v, ""); err != nil {
		t.Fatal(err)
	}
	in, err := open.Open(t.Context(), job.Input{Path: dir}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in.Series
}
