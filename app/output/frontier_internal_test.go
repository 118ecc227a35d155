package output

import (
	"testing"

	"quell/app/judge"
	"quell/denoise/lesions"
	"quell/internal/message"
)

// The chart has a curve for every filter that was measured, with a mark where the dial stops, and the bound.
func TestTheChartOfFrontiers(t *testing.T) {
	settings := []lesions.Setting{{Kept: 1, Noise: 1}, {Strength: 100, Kept: 0.4, Noise: 0.5}}
	c := FrontierChart([]judge.Frontier{
		{Filter: "a", Settings: settings, Dial: &lesions.Setting{Strength: 16, Kept: 0.9, Noise: 0.92}},
		{Filter: "b", Problem: message.Text("it cannot run")},
		{Filter: "c", Settings: settings},
	}, "x", "y")
	if len(c.Curves) != 4 {
		t.Fatalf("%d curves", len(c.Curves))
	}
	if a := c.Curves[0]; a.Name != "a" || a.Points[1].X != 50 || a.Points[1].Y != 40 {
		t.Errorf("%+v", a)
	}
	if mark := c.Curves[1]; mark.Name != "" || mark.Mark == 0 || mark.Points[0].X != 92 || mark.Points[0].Y != 90 || mark.Series != 0 {
		t.Errorf("%+v", mark)
	}
	if c.Curves[2].Name != "c" || !c.Curves[3].Dashed || c.Curves[3].Points[0].Y != 90 {
		t.Errorf("%+v", c.Curves[2:])
	}
}
