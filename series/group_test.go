package series_test

import (
	"testing"

	"quell/series"
	"quell/volume"
)

func TestPlaceInWords(t *testing.T) {
	for want, p := range map[string]series.Place{
		"":                  nil,
		"volume 3":          {{Axis: "volume", Value: "3"}},
		"direction 0.5 -1":  {{Axis: "direction", Value: `0.5\-1`}},
		"echo time 4.6 ms":  {{Axis: "echo time", Value: "4.6", Unit: "ms"}},
		"b-value 0 s/mm2":   {{Axis: "b-value", Value: "0", Unit: "s/mm2"}},
		"a 1 ms, direction": {{Axis: "a", Value: "1", Unit: "ms"}, {Axis: "direction"}},
	} {
		if got := p.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestGroupNames: axes are named once, and folders sort along the axis.
func TestGroupNames(t *testing.T) {
	g := series.Group{Places: []series.Place{
		{{Axis: "b-value", Value: "0", Unit: "s/mm2"}},
		{{Axis: "b-value", Value: "1000", Unit: "s/mm2"}, {Axis: "direction", Value: `0.5\-0.5`}},
	}}
	if g.Len() != 2 || g.Axis() != "b-value, direction" {
		t.Errorf("%d, %q", g.Len(), g.Axis())
	}
	for i, want := range []string{"001-b-value-0-s-mm2", "002-b-value-1000-s-mm2-direction-0.5-0.5"} {
		if got := g.FolderName(i); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	many := series.Group{Places: make([]series.Place, 12345)}
	many.Places[9] = series.Place{{Axis: "an axis of a name that is longer than folders should have", Value: "1"}}
	if got := many.FolderName(9); got != "00010-an-axis-of-a-name-that-is-longer-than-folders-should-h" {
		t.Errorf("%q of %d", got, len(got))
	}
	if got := many.FolderName(12344); got != "12345" {
		t.Errorf("%q", got)
	}
}

// Volumes that differ in time or number alone have one contrast; an echo, a b-value and a gradient make another.
func TestContrast(t *testing.T) {
	place := func(axes ...string) series.Place {
		var p series.Place
		for k := 0; k < len(axes); k += 2 {
			p = append(p, series.Coordinate{Axis: axes[k], Value: axes[k+1]})
		}
		return p
	}
	g := series.Group{Places: []series.Place{
		place("temporal position", "1"), place("temporal position", "2"), place("repeat", "3 of 9"), place("volume", "4"),
		place("echo time", "10", "temporal position", "1"), place("echo time", "20", "temporal position", "1"),
	}}
	for i, want := range []string{"", "", "", "", "echo time 10", "echo time 20"} {
		if got := g.Contrast(i); got != want {
			t.Errorf("volume %d: %q, want %q", i, got, want)
		}
	}
	g.Gradients = &series.Gradients{Volumes: []series.Gradient{{}, {B: 1000}, {}}}
	if g.Contrast(0) == g.Contrast(1) || g.Contrast(0) != g.Contrast(2) {
		t.Errorf("gradients: %q, %q, %q", g.Contrast(0), g.Contrast(1), g.Contrast(2))
	}
	for b, alike := range map[float64]bool{5: true, 49: true, 50: false} { // whose direction hardly shows
		g.Places = []series.Place{place("b-value", "b", "direction", "1"), place("b-value", "b", "direction", "2")}
		g.Gradients.Volumes = []series.Gradient{{B: b, Direction: volume.Vec{1, 0, 0}}, {B: b, Direction: volume.Vec{0, 1, 0}}}
		if (g.Contrast(0) == g.Contrast(1)) != alike {
			t.Errorf("b = %g: %q and %q", b, g.Contrast(0), g.Contrast(1))
		}
	}
}
