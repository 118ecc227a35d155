package spool_test

import (
	"os"
	"slices"
	"testing"

	"quell/io/spool"
	"quell/volume"
)

// TestVoxelsComeBack adds parts with and without a mask and reads them from any place.
func TestVoxelsComeBack(t *testing.T) {
	dir := t.TempDir()
	s, err := spool.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if s.Masked() || s.Len() != 0 {
		t.Error("it is not empty")
	}
	var want []float32
	valid := slices.Repeat([]bool{true}, 36)
	for k := range 3 {
		part := volume.New(volume.NewGeometry([3]int{4, 3, 1}, [3]float64{1, 1, 1}))
		for i := range part.Data {
			part.Data[i] = float32(100*k+i) / 3
		}
		if k == 1 {
			part.Mask = slices.Repeat([]bool{true}, 12)
			part.Mask[5], valid[17] = false, false
		}
		want = append(want, part.Data...)
		if err := s.Add(part); err != nil {
			t.Fatal(err)
		}
	}
	if !s.Masked() || s.Len() != 36 {
		t.Errorf("masked: %v, %d voxels", s.Masked(), s.Len())
	}
	for _, r := range [][2]int{{0, 36}, {5, 18}, {17, 18}, {24, 36}, {35, 36}} {
		data, mask := make([]float32, r[1]-r[0]), make([]bool, r[1]-r[0])
		if err := s.Read(r[0], data, nil); err != nil || !slices.Equal(data, want[r[0]:r[1]]) {
			t.Errorf("%v: %v, %v", r, data, err)
		}
		if err := s.Read(r[0], data, mask); err != nil || !slices.Equal(mask, valid[r[0]:r[1]]) {
			t.Errorf("%v: %v, %v", r, mask, err)
		}
	}
	if err := s.Read(30, make([]float32, 7), nil); err == nil {
		t.Error("voxels behind the last")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
	if _, err := spool.New(dir + "/none"); err == nil {
		t.Error("a folder that is not there")
	}
}
