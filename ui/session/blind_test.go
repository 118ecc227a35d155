package session_test

import (
	"slices"
	"testing"

	"quell/ui/viewer"
	"quell/volume"
)

// A blind comparison shows the original, or the run that is side A, and the result of the
// volume as they are on the screen, whatever window the denoised pane has.
func TestWhatABlindComparisonShows(t *testing.T) {
	b := newBench(t)
	if b.Screen.CanCompareBlind() {
		t.Fatal("a blind comparison without a result")
	}
	b.applied(3)
	b.applied(5)
	b.settle()
	w := volume.Window{Center: 40, Width: 80}
	b.State().Windows.Set(w)
	b.settle()
	if !b.Screen.CanCompareBlind() {
		t.Fatal("no blind comparison of a result")
	}
	job, all, info, asked := b.Screen.CompareBlind()
	run := b.Results.Exportable()
	if job.Source != b.Series().Volume || job.Result != run.Result || job.Part || job.Base != nil || job.View != b.State().Cut().View() || job.Zoom != b.State().Cut().Zoom() ||
		job.Window.Width != 80 || job.Second != (volume.Window{}) || job.Compare != (viewer.Comparison{}) {
		t.Errorf("%+v", job)
	}
	if info.A != "original" || info.B != run.Resolved.String() || info.Plane != "axial" || info.Window != "80/40 "+job.Source.Unit && info.Window != "80/40" {
		t.Errorf("%+v", info)
	}
	if asked[0] != nil || asked[1] == nil || !asked[1].Equal(run.Recipe) {
		t.Errorf("asked for %v", asked)
	}
	if len(all) == 0 || !slices.IsSorted(all) || all[0] < 0 || all[len(all)-1] >= job.View.Size[2] {
		t.Errorf("slices %v of %d", all, job.View.Size[2])
	}
	b.Results.CompareWith(0)
	job, _, info, asked = b.Screen.CompareBlind()
	if first := b.Results.List()[0].Run; job.Base != first.Result || asked[0] == nil || !asked[0].Equal(first.Recipe) || info.A != first.Resolved.String() {
		t.Errorf("against an earlier run: %+v", info)
	}
}
