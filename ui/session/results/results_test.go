package results

import (
	"testing"

	"quell/app/run"
	"quell/ui/session/desk"
	"quell/volume"
)

// The limit in bytes leaves the newest result, whatever its size.
func TestResultsAreLimitedInBytes(t *testing.T) {
	for _, c := range []struct {
		voxels []int
		stay   int
	}{
		{[]int{resultBytes / 4}, 1},
		{[]int{resultBytes}, 1},
		{[]int{resultBytes / 8, resultBytes / 8}, 2},
		{[]int{resultBytes / 8, resultBytes/8 + 1}, 1},
		{[]int{resultBytes / 4, 1, 1}, 2},
	} {
		var all []*desk.Result
		for _, n := range c.voxels {
			all = append(all, &desk.Result{Run: &run.Run{Result: &volume.Volume{Geometry: volume.Geometry{Dims: [3]int{n, 1, 1}}}}})
		}
		stay, _ := kept(all, func(*desk.Result) bool { return false })
		if len(stay) != c.stay || stay[len(stay)-1] != all[len(all)-1] {
			t.Errorf("of %v voxels %d results stay; want %d, the newest among them", c.voxels, len(stay), c.stay)
		}
	}
}
