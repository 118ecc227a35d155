package output

import (
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/app/run/runtest"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// savePictures writes the pictures of a run as the sink of pictures does.
func savePictures(ctx context.Context, run *run.Run, dir string) (paths []string, err error) {
	drawn, err := Draw(ctx, run)
	if err != nil {
		return nil, err
	}
	all, err := drawn.encode()
	if err != nil {
		return nil, err
	}
	if err := writePictures(dir, all, false, files.SourcesOf(run.Source)...); err != nil {
		return nil, err
	}
	return files.PictureFiles(dir), nil
}

func TestPictures(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{7, 5, 3}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i % 7)
	}
	r, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	run, err := run.Denoise(context.Background(), cpu.New(), run.Request{Series: &series.Series{Volume: v}, Recipe: r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new", "pictures")
	paths, err := savePictures(t.Context(), run, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) != 3 {
		t.Fatalf("%d pictures, want before, after and residual", len(paths))
	}
	for _, p := range paths {
		f, err := os.Open(p)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(f)
		f.Close()
		if err != nil {
			t.Fatalf("%s: %v", p, err)
		}
		if b := m.Bounds(); b.Dx() != 7 || b.Dy() != 5 {
			t.Errorf("%s is %v, want one pixel a voxel, 7 x 5", filepath.Base(p), b)
		}
		first := m.At(0, 0)
		even := true
		for y := range 5 {
			for x := range 7 {
				even = even && m.At(x, y) == first
			}
		}
		if even {
			t.Errorf("%s shows nothing", filepath.Base(p))
		}
	}
}

// TestPicturesShowTheMiddleSlice compares every pixel with what the slice, the window and
// the colour scale give.
func TestPicturesShowTheMiddleSlice(t *testing.T) {
	s := apptest.Wavy(7, 5, 6)
	s.Windows = []volume.Window{{Center: 20, Width: 90}, {Center: 0, Width: 1}}
	half := apptest.EngineFunc(func(v *volume.Volume, _ denoise.Recipe, r volume.Region) (*volume.Volume, error) {
		out := v.Crop(r)
		for i := range out.Data {
			out.Data[i] /= 2
		}
		return out, nil
	})
	for what, c := range map[string]struct {
		region  volume.Region
		slice   int
		windows int
		sigma   float64
		limit   float64
	}{
		"all":              {s.Volume.Bounds(), 3, 2, 4, 12},
		"a part":           {volume.Slices(s.Volume.Geometry, 1, 4), 2, 2, 4, 12},
		"without a window": {s.Volume.Bounds(), 3, 0, 4, 12},
		"without noise":    {s.Volume.Bounds(), 3, 2, 0, 20},
	} {
		series := *s
		series.Windows = s.Windows[:c.windows]
		facts := denoise.Facts{Lo: -50, Hi: 150, Noise: noise.Known(c.sigma)}
		run, err := run.Denoise(t.Context(), half, run.Request{Series: &series, Recipe: apptest.MustRecipe("median", 2), Region: c.region, Facts: &facts}, nil)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		paths, err := savePictures(t.Context(), run, dir)
		if want := []string{filepath.Join(dir, "before.png"), filepath.Join(dir, "after.png"), filepath.Join(dir, "residual.png")}; err != nil || !slices.Equal(paths, want) {
			t.Fatalf("%s: %q, %v", what, paths, err)
		}
		before := s.Volume.Plane(c.slice)
		after := make([]float32, len(before))
		for i, x := range before {
			after[i] = x / 2
		}
		window := volume.Window{Center: 20, Width: 90}
		if c.windows == 0 {
			window = volume.AutoWindow(s.Volume)
		}
		for i, render := range []func(m *image.RGBA){
			func(m *image.RGBA) { window.Render(m, before) },
			func(m *image.RGBA) { window.Render(m, after) },
			func(m *image.RGBA) { volume.Diverging{Limit: c.limit}.Render(m, after) }, // before - after
		} {
			want := image.NewRGBA(image.Rect(0, 0, 7, 5))
			render(want)
			f, err := os.Open(paths[i])
			if err != nil {
				t.Fatal(err)
			}
			got, err := png.Decode(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			for y := range 5 {
				for x := range 7 {
					if r, g, b, _ := got.At(x, y).RGBA(); (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}) != want.RGBAAt(x, y) {
						t.Fatalf("%s, %s: pixel (%d, %d) is %v, want %v", what, filepath.Base(paths[i]), x, y, got.At(x, y), want.RGBAAt(x, y))
					}
				}
			}
		}
	}
}

func TestPicturesThatCannotBeWritten(t *testing.T) {
	s := apptest.Wavy(6, 5, 3)
	run := runtest.Filtered(t, s, volume.Region{})
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	apptest.WriteTestFile(t, file, nil)
	if paths, err := savePictures(t.Context(), run, filepath.Join(file, "pictures")); err == nil || len(paths) != 0 {
		t.Errorf("below a file: %q, %v", paths, err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "after.png", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if paths, err := savePictures(t.Context(), run, dir); err == nil || len(paths) != 0 || files.Exists(filepath.Join(dir, "before.png")) {
		t.Errorf("a folder has the name of the second: %q, %v", paths, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run.Facts = nil
	if paths, err := savePictures(ctx, run, t.TempDir()); job.ExitCode(err) != job.ExitCancelled || len(paths) != 0 {
		t.Errorf("cancelled: %q, %v", paths, err)
	}
}
