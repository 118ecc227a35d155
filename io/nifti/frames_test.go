package nifti_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/io/format"
	"quell/io/nifti"
	"quell/io/nifti/niftitest"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// threeFrames returns volumes on one grid with values that grow, which are halves if
// fraction is set.
func threeFrames(fraction bool) (frames []*volume.Volume) {
	g := volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 2, 3})
	g.Affine.SetColumn(3, volume.Vec{5, -6, 7})
	for f := range 3 {
		v := volume.New(g)
		for i := range v.Data {
			v.Data[i] = float32(100*f + i)
			if fraction {
				v.Data[i] /= 2
			}
		}
		frames = append(frames, v)
	}
	return frames
}

// writer returns a writer of so many frames.
func writer(path string, frames int, step float64, dtype string) *raster.Writer {
	return nifti.Make.NewWriter(path, format.Options{Group: niftitest.Times(frames, step), Datatype: dtype})
}

var three = format.Derived{Description: "three"}

// writeFrames writes volumes to a file.
func writeFrames(t *testing.T, path string, frames []*volume.Volume, from *series.Series, step float64, dtype string) error {
	t.Helper()
	w := writer(path, len(frames), step, dtype)
	defer w.Discard()
	for _, v := range frames {
		if err := w.Begin(t.Context(), nifti.On(v.Geometry, from), three); err != nil {
			return err
		}
		if err := w.Add(t.Context(), v, nil); err != nil {
			return err
		}
	}
	_, err := w.Close(t.Context())
	return err
}

// The volumes of a four-dimensional file are read back by number, in any order, on their
// grid; integers that fit are stored as they are, others are scaled together.
func TestWriteFrames(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		dtype    string
		fraction bool
		slack    float64
	}{
		"f.nii": {"uint8", false, 0}, "f.nii.gz": {"uint8", false, 0}, "halves.nii": {"uint8", true, 0.5}, "float.nii": {"", true, 0}, "float.nii.gz": {"float64", true, 0},
	} {
		frames := threeFrames(c.fraction)
		if c.dtype == "uint8" {
			for _, v := range frames { // 0 to 223
				for i := range v.Data {
					v.Data[i] = min(v.Data[i], 250)
				}
			}
		}
		if err := writeFrames(t, filepath.Join(dir, name), frames, nil, 1.5, c.dtype); err != nil {
			t.Fatal(name, err)
		}
		info, err := nifti.Open.ReadHeader(os.DirFS(dir), name)
		if want := cmp.Or(c.dtype, "float32"); err != nil || info.Volumes != 3 || info.Datatype != want || info.Description != "three" || info.Step != 1.5 || info.Start != 0 {
			t.Fatalf("%s: %+v, %v", name, info, err)
		}
		sequence := nifti.Open.NewSequence(os.DirFS(dir), name, "")
		defer sequence.Close()
		for _, f := range []int{0, 1, 2, 1, 0, 2, 2} {
			got, err := sequence.Read(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			if got.Sources[0].Name != name || got.Sources[0].Frame != f || got.Sources[0].FS == nil || !got.Volume.SameGrid(frames[f].Geometry, 1e-5) {
				t.Errorf("%s: volume %d on %+v, from %+v", name, f, got.Volume.Geometry, got.Sources)
			}
			for i, x := range frames[f].Data {
				if math.Abs(float64(got.Volume.Data[i]-x)) > c.slack {
					t.Fatalf("%s: voxel %d of volume %d is %v, not %v", name, i, f, got.Volume.Data[i], x)
				}
			}
		}
		if _, err := sequence.Read(t.Context(), 3); err == nil || !strings.HasPrefix(err.Error(), name+": it has no volume 4") {
			t.Errorf("%s: %v", name, err)
		}
		if s, err := sequence.Read(t.Context(), 0); err != nil || s.Volume.Data[1] == 0 && c.slack == 0 {
			t.Errorf("%s: after an error: %v", name, err)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 5 {
		t.Errorf("%v: a file of the writer is left", files)
	}
}

// Frames that are written some slices at a time are as if written whole.
func TestWriteFramesInSlices(t *testing.T) {
	dir := t.TempDir()
	for name, dtype := range map[string]string{"f.nii": "", "i.nii": "int16", "z.nii.gz": "uint8"} {
		frames := threeFrames(true)
		whole, parts := filepath.Join(dir, "whole-"+name), filepath.Join(dir, name)
		if err := writeFrames(t, whole, frames, nil, 1.5, dtype); err != nil {
			t.Fatal(err)
		}
		w := writer(parts, len(frames), 1.5, dtype)
		defer w.Discard()
		for _, v := range frames {
			if err := w.Begin(t.Context(), nifti.On(v.Geometry, nil), three); err != nil {
				t.Fatal(err)
			}
			for z := range v.Dims[2] {
				if err := w.Add(t.Context(), v.Crop(volume.Slices(v.Geometry, z, z+1)), nil); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := w.Begin(t.Context(), nifti.On(frames[0].Geometry, nil), three); err == nil || !strings.Contains(err.Error(), "has its 3 volumes") {
			t.Errorf("%s: a fourth volume: %v", name, err)
		}
		if _, err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(whole)
		b, err := os.ReadFile(parts)
		if err != nil || len(b) == 0 || !bytes.Equal(a, b) {
			t.Errorf("%s: other bytes, %v", name, err)
		}
	}
	v := threeFrames(false)[0]
	first := v.Crop(volume.Slices(v.Geometry, 0, 1))
	begun := func() *raster.Writer {
		w := writer(filepath.Join(dir, "g.nii"), 2, 0, "")
		if err := w.Begin(t.Context(), nifti.On(v.Geometry, nil), three); err != nil {
			t.Fatal(err)
		}
		if err := w.Add(t.Context(), first, nil); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := begun()
	if err := w.Add(t.Context(), v, nil); err == nil || !strings.Contains(err.Error(), "do not follow 1 of") {
		t.Errorf("slices beyond the frame: %v", err)
	}
	w.Discard()
	w = begun()
	if err := w.Begin(t.Context(), nifti.On(v.Geometry, nil), three); err == nil || !strings.Contains(err.Error(), "slices of volume 1 are missing") {
		t.Errorf("half a frame: %v", err)
	}
	w.Discard()
	w = begun()
	if _, err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "0 of 2 volumes") {
		t.Errorf("half a frame: %v", err)
	}
}

// What cannot be written leaves no file.
func TestFramesThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	frames := threeFrames(false)
	other := volume.New(volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 2, 4}))
	short := *frames[0]
	short.Data = short.Data[1:]
	for want, c := range map[string]struct {
		name, dtype string
		frames      []*volume.Volume
	}{
		".nii or .nii.gz": {"f.img", "", frames},
		"another grid":    {"g.nii", "", []*volume.Volume{frames[0], other}},
		"volume 2 lies":   {"g.nii", "uint8", []*volume.Volume{frames[0], other}},
		"float7":          {"g.nii", "float7", frames},
		"voxels":          {"g.nii.gz", "", []*volume.Volume{&short}},
	} {
		err := writeFrames(t, filepath.Join(dir, c.name), c.frames, nil, 0, c.dtype)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, %d volumes: %v; want %q", c.name, len(c.frames), err, want)
		}
	}
	for _, dtype := range []string{"", "int16"} {
		w := writer(filepath.Join(dir, "g.nii"), 2, 0, dtype)
		if err := errors.Join(w.Begin(t.Context(), nifti.On(frames[0].Geometry, nil), three), w.Add(t.Context(), frames[0], nil)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of 2 volumes") {
			t.Error(err)
		}
		w = writer(filepath.Join(dir, "g.nii"), 1, 0, dtype)
		if err := w.Add(t.Context(), frames[0], nil); err == nil || !strings.Contains(err.Error(), "no volume was begun") {
			t.Error(err)
		}
		if err := errors.Join(w.Begin(t.Context(), nifti.On(frames[0].Geometry, nil), three), w.Add(t.Context(), frames[0], nil)); err != nil {
			t.Fatal(err)
		}
		if err := w.Begin(t.Context(), nifti.On(frames[0].Geometry, nil), three); err == nil || !strings.Contains(err.Error(), "has its 1 volumes") {
			t.Error(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.Close(ended); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	w := nifti.Make.NewWriter(filepath.Join(dir, "g.nii"), format.Options{Group: new(series.Group)})
	if err := w.Begin(t.Context(), nifti.On(frames[0].Geometry, nil), three); err == nil || !strings.Contains(err.Error(), "1 to 2147483647") {
		t.Errorf("no volumes: %v", err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("%v, %v: a refused file is there", files, err)
	}
}

// The header of a NIfTI source is kept: its time step, unit and codes.
func TestFramesKeepTheSourcesHeader(t *testing.T) {
	dir := t.TempDir()
	frames := threeFrames(true)
	if err := writeFrames(t, filepath.Join(dir, "a.nii"), frames, nil, 2.5, ""); err != nil {
		t.Fatal(err)
	}
	from, err := nifti.Open.Read(t.Context(), os.DirFS(dir), "a.nii", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	masked := *frames[1]
	masked.Mask = make([]bool, len(masked.Data))
	masked.Mask[3] = true
	frames[1] = &masked
	if err := writeFrames(t, filepath.Join(dir, "b.nii"), frames, from, 0, ""); err != nil {
		t.Fatal(err)
	}
	info, err := nifti.Open.ReadHeader(os.DirFS(dir), "b.nii")
	if err != nil || info.Step != 2.5 {
		t.Errorf("%+v, %v", info, err)
	}
	back, err := nifti.Open.Read(t.Context(), os.DirFS(dir), "b.nii", 1, "")
	if err != nil || back.Volume.Mask == nil || !back.Volume.Mask[3] || back.Volume.Mask[4] {
		t.Errorf("padding of volume 1: %v, %v", back.Volume.Mask, err)
	}
}
