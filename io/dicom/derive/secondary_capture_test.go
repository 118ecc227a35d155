package derive_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/fstest"

	"quell/io/dicom/dicomtest"
	"quell/series"
	"quell/volume"
)

// niftiLike is a series without a DICOM source.
func niftiLike(dims [3]int, value func(i int) float32) *series.Series {
	g := volume.NewGeometry(dims, [3]float64{0.9, 1.1, 2.5})
	g.Affine.SetColumn(3, volume.Vec{-11.25, 22.5, 33.123456789})
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = value(i)
	}
	return &series.Series{Meta: series.Meta{Format: "NIfTI-1", Description: "brain"}, Volume: v,
		Sources: []series.Source{{FS: fstest.MapFS{}, Name: "brain.nii"}}}
}

// TestWriteNew writes volumes of several kinds and reads them back.
func TestWriteNew(t *testing.T) {
	for name, c := range map[string]struct {
		s    *series.Series
		tol  float64 // of values
		warn bool
	}{
		"unsigned whole": {niftiLike([3]int{5, 4, 3}, func(i int) float32 { return float32(1000 * i) }), 0, false},
		"signed whole":   {niftiLike([3]int{5, 4, 3}, func(i int) float32 { return float32(i - 30) }), 0, false},
		"fractions":      {niftiLike([3]int{5, 4, 3}, func(i int) float32 { return float32(i) * 0.123 }), 0.123 * 59 / 65535 / 2, true},
		"large":          {niftiLike([3]int{5, 4, 3}, func(i int) float32 { return float32(i) * 1e6 }), 59e6 / 65535 / 2, true},
		"constant":       {niftiLike([3]int{5, 4, 3}, func(i int) float32 { return 0.5 }), 0, true},
		"one slice":      {niftiLike([3]int{5, 4, 1}, func(i int) float32 { return float32(i) }), 0, false},
	} {
		for _, masked := range []bool{false, true} {
			s := *c.s
			s.Volume = c.s.Volume.Clone()
			if masked {
				s.Volume.Mask = make([]bool, len(s.Volume.Data))
				for i := range s.Volume.Mask {
					s.Volume.Mask[i] = i%5 != 0 // the left column: it reaches in from the edge
				}
			}
			out := filepath.Join(t.TempDir(), "out")
			r, err := dicomtest.WriteNew(context.Background(), out, &s, dicomtest.TestDerived, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if (len(r.Warnings) > 0) != c.warn || r.Clipped != 0 || r.Files != s.Volume.Dims[2] {
				t.Errorf("%s: report %+v", name, r)
			}
			back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
			if !back.Volume.SameGrid(s.Volume.Geometry, 1e-6) {
				t.Errorf("%s: grid %+v, want %+v", name, back.Volume.Geometry, s.Volume.Geometry)
			}
			for i, v := range back.Volume.Data {
				if back.Volume.Valid(i) != s.Volume.Valid(i) {
					t.Fatalf("%s, masked %v: voxel %d valid %v", name, masked, i, back.Volume.Valid(i))
				}
				// A mask takes one of 65536 values; float32 rounds.
				if d := float64(v - s.Volume.Data[i]); s.Volume.Valid(i) && max(d, -d) > c.tol*1.001 {
					t.Fatalf("%s: voxel %d is %g, want %g", name, i, v, s.Volume.Data[i])
				}
			}
		}
	}
}

// TestWriteNewLeftHanded has slices that run against row x column: they are
// written in the other order, and every voxel keeps its place.
func TestWriteNewLeftHanded(t *testing.T) {
	s := niftiLike([3]int{3, 2, 4}, func(i int) float32 { return float32(i) })
	s.Volume.Affine.SetColumn(2, volume.Vec{0, 0, -2.5})
	out := filepath.Join(t.TempDir(), "out")
	if _, err := dicomtest.WriteNew(context.Background(), out, s, dicomtest.TestDerived, nil); err != nil {
		t.Fatal(err)
	}
	back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	for z := range 4 {
		if !slices.Equal(back.Volume.Plane(z), s.Volume.Plane(3-z)) {
			t.Errorf("slice %d: %v", z, back.Volume.Plane(z))
		}
		if d := back.Volume.Affine.Apply(1, 1, float64(z)).Sub(s.Volume.Affine.Apply(1, 1, float64(3-z))); d.Norm() > 1e-6 {
			t.Errorf("slice %d is off by %v", z, d)
		}
	}
	s.Volume.Affine.SetColumn(1, volume.Vec{0.3, 1, 0})
	_, err := dicomtest.WriteNew(context.Background(), out+"2", s, dicomtest.TestDerived, nil)
	dicomtest.WantError(t, err, "not perpendicular", "NIfTI")
}
