package ui_test

import (
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"quell/app/workbench"
	"quell/denoise"
	"quell/volume"
)

// greedy is an engine with plans that need nearly all of its memory.
type greedy struct{ denoise.Engine }

func (greedy) Info() denoise.Info { return denoise.Info{Name: "greedy", Memory: 1e9} }

func (greedy) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{Memory: 9e8, Slabs: 3}, nil
}

// What memory a run takes is said above Apply, or in the status bar if the column is
// hidden, if it is much; a small series says nothing.
func TestTheMemoryOfARunIsForetold(t *testing.T) {
	for _, column := range []string{"shown", "hidden"} {
		b := newBenchWith(t, large, func(s *workbench.Settings) { s.Column = column })
		const want = "The GPU filters the volume in 3 slabs, 900 MB of its 1.0 GB at a time."
		said := func() bool {
			return slices.ContainsFunc(test.LaidOutObjects(b.canvas().Content()), func(o fyne.CanvasObject) bool {
				l, ok := o.(*widget.Label)
				return ok && l.Visible() && l.Text == want
			})
		}
		if b.drain(); said() {
			t.Errorf("%s: a small series has a forecast", column)
		}
		b.session().SetEngine(greedy{b.engine})
		if b.drain(); !said() {
			t.Errorf("%s: the slabs are not named", column)
		}
	}
}
