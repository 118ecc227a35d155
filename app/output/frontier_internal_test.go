package output

import (
	"testing"

	"quell/app/judge"
	"quell/denoise/verdict"
	"quell/internal/message"
)

// The chart has a curve for every filter that was measured, with a mark where the dial stops, and the bound.
func TestTheChartOfFrontiers(t *testing.T) {
	of := func(strength, removed, kept float64) judge.Setting {
		s := func(x float64) verdict.Share { return verdict.Share{Value: x, Low: x, High: x} }
		return judge.Setting{Strength: strength, Figures: verdict.Of(s(removed), s(kept), s(1))}
	}
	settings, dial := []judge.Setting{of(0, 0, 1), of(100, 0.5, 0.4)}, of(16, 0.25, 0.9)
	c := FrontierChart([]judge.Frontier{
		{Filter: "a", Settings: settings, Dial: &dial},
		{Filter: "b", Problem: message.Text("it cannot run")},
		{Filter: "c", Settings: settings},
	}, "x", "y")
	if len(c.Curves) != 4 {
		t.Fatalf("%d curves", len(c.Curves))
	}
	if a := c.Curves[0]; a.Name != "a" || a.Points[1].X != 50 || a.Points[1].Y != 40 {
		t.Errorf("%+v", a)
	}
	if mark := c.Curves[1]; mark.Name != "" || mark.Mark == 0 || mark.Points[0].X != 75 || mark.Points[0].Y != 90 || mark.Series != 0 {
		t.Errorf("%+v", mark)
	}
	if c.Curves[2].Name != "c" || !c.Curves[3].Dashed || c.Curves[3].Points[0].Y != 90 {
		t.Errorf("%+v", c.Curves[2:])
	}
}
