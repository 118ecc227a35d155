package nifti_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/io/nifti"
	"quell/volume"
)

// The volumes of a four-dimensional file are read back by number, on their grid, and
// integers that fit are stored as they are.
func TestWriteFrames(t *testing.T) {
	dir := t.TempDir()
	g := volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 2, 3})
	g.Affine.SetColumn(3, volume.Vec{5, -6, 7})
	var frames []*volume.Volume
	for f := range 3 {
		v := volume.New(g)
		for i := range v.Data {
			v.Data[i] = float32(100*f + i)
		}
		frames = append(frames, v)
	}
	for _, name := range []string{"f.nii", "f.nii.gz"} {
		if err := nifti.WriteFrames(t.Context(), filepath.Join(dir, name), frames, nil, "uint8", "three"); err != nil {
			t.Fatal(err)
		}
		info, err := nifti.ReadHeader(os.DirFS(dir), name)
		if err != nil || info.Volumes != 3 || info.Datatype != "uint8" || info.Description != "three" {
			t.Fatalf("%+v, %v", info, err)
		}
		for f, want := range frames {
			got, err := nifti.ReadVolume(t.Context(), os.DirFS(dir), name, f)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got.Volume.Data, want.Data) || !got.Volume.SameGrid(g, 1e-5) {
				t.Errorf("%s: volume %d is %v on %+v", name, f, got.Volume.Data, got.Volume.Geometry)
			}
		}
	}
	other := volume.New(volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 2, 4}))
	short := *frames[0]
	short.Data = short.Data[1:]
	for want, c := range map[string]struct {
		name, dtype string
		frames      []*volume.Volume
	}{
		".nii or .nii.gz": {"f.hdr", "", frames},
		"another grid":    {"g.nii", "", []*volume.Volume{frames[0], other}},
		"1 to 32767":      {"g.nii", "", nil},
		"float7":          {"g.nii", "float7", frames},
		"voxels":          {"g.nii", "", []*volume.Volume{&short}},
	} {
		err := nifti.WriteFrames(t.Context(), filepath.Join(dir, c.name), c.frames, nil, c.dtype, "")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %d volumes: %v; want %q", c.name, len(c.frames), err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "g.nii")); err == nil {
		t.Error("a refused file is there")
	}
}
