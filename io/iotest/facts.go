package iotest

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"quell/series"
	"quell/volume"
)

// Fact is what another program reads of a file: see testdata/itkfiles.cpp.
type Fact struct {
	Name      string
	Dims      [3]int
	Volumes   int
	Positions [5]volume.Vec // LPS+ mm: of the first voxel, the second along each axis, and the last
	Sum       float64       // of the voxels of the first volume
	Weighted  float64       // of each voxel times its number modulo 1000
}

// CheckFacts reads the files of testdata/facts.json and compares them with it. read reads the first volume
// of a file, and how many there are.
func CheckFacts(t *testing.T, read func(name string) (s *series.Series, volumes int, err error)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "facts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var facts []Fact
	if err := json.Unmarshal(data, &facts); err != nil || len(facts) == 0 {
		t.Fatal(len(facts), err)
	}
	for _, f := range facts {
		s, volumes, err := read(f.Name)
		if err != nil {
			t.Errorf("%s: %v", f.Name, err)
			continue
		}
		if s.Volume.Dims != f.Dims || volumes != f.Volumes {
			t.Errorf("%s: %d volumes of %v voxels, want %d of %v", f.Name, volumes, s.Volume.Dims, f.Volumes, f.Dims)
		}
		last := f.Dims
		for c := range last {
			last[c]--
		}
		for k, at := range [][3]int{{}, {min(1, last[0])}, {0, min(1, last[1])}, {0, 0, min(1, last[2])}, last} {
			got := s.Volume.Affine.Apply(float64(at[0]), float64(at[1]), float64(at[2]))
			if got.Sub(f.Positions[k]).Norm() > 1e-6 {
				t.Errorf("%s: voxel %v lies at %v, want %v", f.Name, at, got, f.Positions[k])
			}
		}
		sum, weighted := 0.0, 0.0
		for i, x := range s.Volume.Data {
			sum += float64(x)
			weighted += float64(x) * float64(i%1000)
		}
		if math.Abs(sum-f.Sum) > 1e-6*math.Abs(f.Sum) || math.Abs(weighted-f.Weighted) > 1e-6*math.Abs(f.Weighted) {
			t.Errorf("%s: sums %g and %g, want %g and %g", f.Name, sum, weighted, f.Sum, f.Weighted)
		}
	}
}
