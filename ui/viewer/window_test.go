package viewer

import (
	"testing"

	"quell/volume"
)

// Windows of their own: a change is for the picture last pointed at, and that is what both
// have when they are linked again.
func TestOriginalAndDenoisedCanHaveTheirOwnWindows(t *testing.T) {
	s := opened(t)
	width := func(role Role) float64 { return s.Windows.Of(role).Width }
	chosen, redrawn, pointed := 0, 0, 0
	s.Chosen = func(Gesture) { chosen++ }
	s.Changed = func() { redrawn++ }
	s.Pointed = func() { pointed++ }
	for i, step := range []struct {
		do               func()
		original, second float64 // widths
		unlinked         bool
		now              float64 // width of Current
	}{
		{func() { s.Windows.Set(volume.Window{Width: 10}) }, 10, 10, false, 10},
		{func() { s.Windows.Attend(Original); s.Windows.Set(volume.Window{Width: 12}) }, 12, 12, false, 12},
		{s.Windows.ToggleLink, 12, 12, true, 12},
		{func() { s.Windows.Set(volume.Window{Width: 20}) }, 20, 12, true, 20},
		{func() { s.Windows.Attend(Residual); s.Windows.Set(volume.Window{Width: 21}) }, 21, 12, true, 21},
		{func() { s.Windows.Attend(Denoised) }, 21, 12, true, 12},
		{func() { s.Windows.Set(volume.Window{Width: 13}) }, 21, 13, true, 13},
		{func() {
			s.Windows.Attend(Original)
			s.Windows.Attend(Denoised)
			s.Windows.Set(volume.Window{Width: 14})
		}, 21, 14, true, 14},
		{func() { s.Windows.Set(volume.Window{Width: -1}) }, 21, 14, true, 14},
		{s.Windows.ToggleLink, 14, 14, false, 14},
		{func() { s.Windows.ToggleLink(); s.Windows.Attend(Original); s.Windows.Set(volume.Window{Width: 30}) }, 30, 14, true, 30},
		{s.Windows.ToggleLink, 30, 30, false, 30},
		{func() { s.Windows.Show(volume.Window{Width: 5}, volume.Window{Width: 6}) }, 5, 6, true, 5},
		{func() { s.Windows.Show(volume.Window{}, volume.Window{Width: -6}) }, 5, 5, false, 5},
		{func() { s.Windows.ToggleLink(); s.Reset(volume.Window{Width: 7}) }, 7, 7, false, 7},
		{func() { s.Windows.ToggleLink(); s.Open(scene(), volume.Window{Width: 8}) }, 8, 8, false, 8},
		{func() { s.Windows.ToggleLink(); s.Windows.Set(volume.Window{Width: 9}) }, 9, 8, true, 9}, // the original is still the one pointed at
	} {
		step.do()
		if width(Original) != step.original || width(Denoised) != step.second || s.Windows.Unlinked() != step.unlinked || s.Windows.Current().Width != step.now {
			t.Errorf("step %d: widths %g and %g, unlinked %v, now %g; want %+v", i, width(Original), width(Denoised), s.Windows.Unlinked(), s.Windows.Current().Width, step)
		}
	}
	if s.Windows.Of(Denoised) != s.Windows.Of(Denoised) || !s.Windows.Unlinked() {
		t.Error("the pane of a plane has other windows")
	}
	chosen, redrawn, pointed = 0, 0, 0
	s.Windows.ToggleLink()
	if chosen != 1 || redrawn != 1 {
		t.Errorf("the toggle was reported %d times and drawn %d times; want 1 and 1", chosen, redrawn)
	}
	s.Windows.Attend(Denoised)
	if pointed != 0 {
		t.Error("linked pictures were told apart")
	}
	s.Windows.ToggleLink()
	s.Windows.Attend(Original)
	s.Windows.Attend(Original)
	if pointed != 1 {
		t.Errorf("the other picture was reported %d times; want once", pointed)
	}
	s.Windows.Show(volume.Window{Width: 5}, volume.Window{})
	if chosen != 2 || redrawn != 3 {
		t.Errorf("%d windows were chosen and %d drawn; want 2 and 3", chosen, redrawn)
	}
	empty := New()
	if empty.Windows.ToggleLink(); empty.Windows.Unlinked() {
		t.Error("windows of no picture")
	}
}

// A drag changes one of two windows.
func TestADragOfOneOfTwoWindows(t *testing.T) {
	for _, role := range []Role{Original, Denoised} {
		s := opened(t)
		s.Windows.ToggleLink()
		s.Windows.Attend(role)
		before := [2]volume.Window{s.Windows.Of(Original), s.Windows.Of(Denoised)}
		s.Windows.Drag(30, 10)
		after := [2]volume.Window{s.Windows.Of(Original), s.Windows.Of(Denoised)}
		if other := Denoised - role; after[other] != before[other] || !(after[role].Width > before[role].Width) || !(after[role].Center < before[role].Center) {
			t.Errorf("a drag on %v made %v of %v", role, after, before)
		}
	}
}

// The look of a series has both windows.
func TestALookHasBothWindows(t *testing.T) {
	s := opened(t)
	s.Windows.ToggleLink()
	s.Windows.Attend(Denoised)
	s.Windows.Set(volume.Window{Center: 3, Width: 4})
	look := s.Look()
	again := opened(t)
	if again.SetLook(look); again.Look() != look || !again.Windows.Unlinked() {
		t.Errorf("%+v became %+v", look, again.Look())
	}
	look.Second = volume.Window{}
	if again.SetLook(look); again.Windows.Unlinked() {
		t.Error("a look with one window shows two")
	}
}

// Each pane is drawn with its window, inverted or not; both sides of a comparison with the
// window of the pane.
func TestPanesAreDrawnWithTheirWindows(t *testing.T) {
	geometry := volume.NewGeometry([3]int{2, 2, 1}, [3]float64{1, 1, 1})
	source, result := volume.New(geometry), volume.New(geometry)
	for i := range source.Data {
		source.Data[i], result.Data[i] = 25, 50
	}
	pane := Pane{Width: 20, Height: 20}
	job := Job{
		Source: source, Result: result, View: source.View(volume.Axial), Zoom: 1, Panes: [Roles]Pane{pane, pane, pane},
		Window: volume.Window{Center: 50, Width: 100, Exact: true},
	}
	var r Renderer
	grey := func() (values [3]uint8) {
		_, frames := r.Render(job)
		left := frames[Denoised].Image.RGBAAt(1, 10)
		return [3]uint8{frames[Original].Image.RGBAAt(10, 10).R, frames[Denoised].Image.RGBAAt(18, 10).R, left.R}
	}
	for _, c := range []struct {
		change func()
		want   [3]uint8
	}{
		{func() {}, [3]uint8{64, 128, 128}},
		{func() { job.Second = volume.Window{Center: 100, Width: 200, Exact: true} }, [3]uint8{64, 64, 64}},
		{func() { job.Compare = Comparison{Mode: Swipe, Share: 0.5} }, [3]uint8{64, 64, 32}},
		{func() { job.Invert = true }, [3]uint8{255 - 64, 255 - 64, 255 - 32}},
	} {
		c.change()
		if got := grey(); got != c.want {
			t.Errorf("greys %v, want %v", got, c.want)
		}
	}
}
