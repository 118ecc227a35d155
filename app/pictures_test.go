package app

import (
	"context"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/series"
	"quell/volume"
)

func TestPictures(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{7, 5, 3}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i % 7)
	}
	r, err := denoise.NewRecipe("gaussian", 2)
	if err != nil {
		t.Fatal(err)
	}
	run, err := Denoise(context.Background(), cpu.New(), RunRequest{Series: &series.Series{Volume: v}, Recipe: r}, nil)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new", "pictures")
	paths, err := Pictures(t.Context(), run, dir)
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
