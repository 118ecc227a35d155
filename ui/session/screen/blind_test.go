package screen

import (
	"slices"
	"testing"

	"quell/volume"
)

// Slices without tissue are not shown to a reader.
func TestSlicesWithTissue(t *testing.T) {
	g := volume.NewGeometry([3]int{80, 80, 4}, [3]float64{1, 1, 1}) // 100 places are looked at in each slice
	share := [4]int{0, 4, 5, 100}
	foreground := func(i int) bool {
		z, y, x := i/6400, i/80%80, i%80
		return x/8+10*(y/8) < share[z]
	}
	if got := tissueSlices(g, g.View(volume.Axial), foreground); !slices.Equal(got, []int{2, 3}) && !slices.Equal(got, []int{0, 1}) {
		t.Errorf("slices %v", got)
	}
	all := []int{0, 1, 2, 3}
	if got := tissueSlices(g, g.View(volume.Axial), nil); !slices.Equal(got, all) {
		t.Errorf("without a known foreground %v", got)
	}
	if got := tissueSlices(g, g.View(volume.Axial), func(int) bool { return false }); !slices.Equal(got, all) {
		t.Errorf("without any foreground %v", got)
	}
}
