package run

import (
	"testing"

	"quell/app/apptest"
	"quell/series"
	"quell/volume"
)

// TestSectionKeepsItsSources: a part of a series has the sources of its slices; the
// sources of a series with one file for all slices are kept.
func TestSectionKeepsItsSources(t *testing.T) {
	s := apptest.Wavy(4, 3, 5)
	r := volume.Slices(s.Volume.Geometry, 1, 3)
	if Section(s, s.Volume.Bounds()) != s {
		t.Error("the whole series was copied")
	}
	if part := Section(s, r); &part.Volume.Data[0] != &s.Volume.Data[s.Volume.Index(0, 0, r.Min[2])] {
		t.Error("a section is a copy, for which no plan of memory has room")
	}
	if part := Section(s, r); part.Volume.Dims != [3]int{4, 3, 2} || len(part.Sources) != 1 {
		t.Errorf("one file: dims %v, %d sources", part.Volume.Dims, len(part.Sources))
	}
	s.Sources = make([]series.Source, 5)
	for z := range s.Sources {
		s.Sources[z].Frame = z
	}
	if part := Section(s, r); len(part.Sources) != 2 || part.Sources[0].Frame != 1 || part.Sources[1].Frame != 2 || len(s.Sources) != 5 {
		t.Errorf("a file for each slice: sources %v", part.Sources)
	}
}
