package viewing

import (
	"encoding/json"
	"strings"
	"testing"

	"quell/app/open"
	"quell/series"
	"quell/volume"
)

// TestInfoOfGradients: the JSON has the weighting of each volume of a diffusion series, and none of
// other series.
func TestInfoOfGradients(t *testing.T) {
	g := &series.Group{Places: make([]series.Place, 2), Gradients: &series.Gradients{Volumes: []series.Gradient{{}, {B: 700, Direction: volume.Vec{0, 1, 0}}}}}
	c := &open.Catalog{Entries: []open.Entry{{Group: g}, {Group: g, GroupIndex: 1}, {Group: &series.Group{}}, {}}}
	for i := range c.Entries {
		c.Entries[i].Geometry = volume.NewGeometry([3]int{2, 2, 2}, [3]float64{1, 1, 1})
	}
	out, err := json.Marshal(infoOf(c))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), `"findings":null`) {
		t.Errorf("findings are null, where there is none: %s", out)
	}
	var got struct {
		Series []struct{ Gradient *series.Gradient }
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatal(err)
	}
	for i, want := range []*series.Gradient{{}, {B: 700, Direction: volume.Vec{0, 1, 0}}, nil, nil} {
		if g := got.Series[i].Gradient; (g == nil) != (want == nil) || g != nil && *g != *want {
			t.Errorf("series %d: %+v, want %+v", i, g, want)
		}
	}
}
