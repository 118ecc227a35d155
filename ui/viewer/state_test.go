package viewer

import (
	"math"
	"testing"

	"quell/volume"
)

// scene is a volume of 8 x 6 x 5 voxels of 0.5 x 1 x 3 mm with its indices as
// values.
func scene() *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{8, 6, 5}, [3]float64{0.5, 1, 3}))
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	return v
}

func opened(t *testing.T) *State {
	t.Helper()
	s := New()
	s.Open(scene(), volume.Window{Center: 40, Width: 80})
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestOpenShowsTheMiddleSliceFitted(t *testing.T) {
	s := opened(t)
	if s.Cut().View().Plane != volume.Axial || s.Cut().Index() != 2 || s.Cut().Zoom() != 1 {
		t.Errorf("plane %v, slice %d, zoom %g; want axial, 2, 1", s.Cut().View().Plane, s.Cut().Index(), s.Cut().Zoom())
	}
	if w := s.Windows.Current(); w.Center != 40 || w.Width != 80 {
		t.Errorf("window %v; want the series' own", w)
	}
	s.Open(scene(), volume.Window{Center: 0.25, Width: 0.5})
	if w := s.Windows.Current(); w.Center != 0.25 || w.Width != 0.5 {
		t.Errorf("window %v; want the series' own, however narrow", w)
	}
}

func TestScrollStopsAtTheEnds(t *testing.T) {
	s := opened(t)
	changes := 0
	s.Changed = func() { changes++ }
	s.Cut().Scroll(100)
	s.Cut().Scroll(1)
	if s.Cut().Index() != 4 || changes != 1 {
		t.Errorf("slice %d after %d changes; want 4 after 1", s.Cut().Index(), changes)
	}
	s.Cut().Scroll(-7)
	if s.Cut().Index() != 0 {
		t.Errorf("slice %d; want 0", s.Cut().Index())
	}
}

// Chosen is called once for each window that was chosen, and for a drag at its end, after
// the window is set and before Changed.
func TestChosenFollowsWindows(t *testing.T) {
	s := opened(t)
	var calls []float64
	redrawn := false
	s.Chosen = func(Gesture) {
		calls = append(calls, s.Windows.Current().Width)
		if redrawn {
			t.Error("the pictures were asked for before the window was noted")
		}
	}
	s.Changed = func() { redrawn = true }
	for i, step := range []struct {
		do    func()
		calls int
	}{
		{func() { s.Windows.Set(volume.Window{Width: 7}) }, 1},
		{func() { s.Windows.Set(volume.Window{}) }, 1}, // is no window
		{func() { s.Windows.Drag(10, 0); redrawn = false; s.Windows.Drag(10, 0) }, 1},
		{s.EndDrag, 2},
		{s.EndDrag, 2},
		{func() { s.Windows.Drag(5, 5) }, 2},
		{s.EndDrag, 3},
		{func() { s.Windows.Drag(1, 0); redrawn = false; s.Windows.SetAutomatic() }, 4}, // in mid drag
		{s.EndDrag, 4},
		{func() { s.Reset(volume.Window{Width: 3}) }, 5},
		{func() { s.Windows.Drag(1, 0); s.Resume(s.Shown); s.EndDrag() }, 5},
		{func() { s.Open(scene(), volume.Window{Width: 4}) }, 5},
		{func() { redrawn = false; s.Windows.Set(volume.Window{Width: 8}) }, 6},
	} {
		redrawn = false
		step.do()
		if len(calls) != step.calls {
			t.Errorf("step %d: %d calls, want %d", i, len(calls), step.calls)
		}
	}
	if calls[0] != 7 || calls[1] <= 7 || calls[4] != 3 {
		t.Errorf("windows %v", calls)
	}
}

func TestPixelsKeepTheirShape(t *testing.T) {
	s := opened(t)
	tr := s.Cut().Transform(400, 300)
	// 4 x 6 mm into 400 x 300: the height decides, 50 units per mm.
	if !near(tr.Scale, 50) || !near(tr.PixelSize[0], 25) || !near(tr.PixelSize[1], 50) {
		t.Errorf("scale %g, pixel %v; want 50 and 25 x 50", tr.Scale, tr.PixelSize)
	}
	if !near(tr.Origin[0], 100) || !near(tr.Origin[1], 0) {
		t.Errorf("origin %v; want 100, 0", tr.Origin)
	}
}

func TestPixelIsTheInverseOfCenter(t *testing.T) {
	s := opened(t)
	s.Cut().ZoomAt(2.7, 31, 190, 400, 300)
	s.Cut().PanBy(-13, 5, 400, 300)
	tr := s.Cut().Transform(400, 300)
	for row := range 6 {
		for col := range 8 {
			x, y := tr.Center(col, row)
			if c, r := tr.Pixel(x, y); c != col || r != row {
				t.Fatalf("pixel (%d, %d) comes back as (%d, %d)", col, row, c, r)
			}
		}
	}
}

func TestZoomKeepsThePointUnderThePointer(t *testing.T) {
	s := opened(t)
	const w, h, x, y = 400, 300, 170, 60
	before := s.Cut().Transform(w, h)
	at := [2]float64{(x - before.Origin[0]) / before.PixelSize[0], (y - before.Origin[1]) / before.PixelSize[1]}
	for _, factor := range []float64{1.5, 3, 0.4, 1.15} {
		s.Cut().ZoomAt(factor, x, y, w, h)
		after := s.Cut().Transform(w, h)
		if gx, gy := after.Origin[0]+at[0]*after.PixelSize[0], after.Origin[1]+at[1]*after.PixelSize[1]; !near(gx, x) || !near(gy, y) {
			t.Errorf("after a zoom by %g the point is at (%g, %g); want (%d, %d)", factor, gx, gy, x, y)
		}
	}
	s.Cut().ZoomAt(1e9, x, y, w, h)
	if s.Cut().Zoom() != MaxZoom {
		t.Errorf("zoom %g; want it to stop at %d", s.Cut().Zoom(), MaxZoom)
	}
}

func TestPanMovesByScreenUnitsAndKeepsThePictureVisible(t *testing.T) {
	s := opened(t)
	before := s.Cut().Transform(400, 300).Origin
	s.Cut().PanBy(12, -7, 400, 300)
	after := s.Cut().Transform(400, 300).Origin
	if !near(after[0]-before[0], 12) || !near(after[1]-before[1], -7) {
		t.Errorf("moved by %g, %g; want 12, -7", after[0]-before[0], after[1]-before[1])
	}
	s.Cut().PanBy(1e6, 1e6, 400, 300)
	x0, y0, x1, y1 := s.Cut().Transform(400, 300).Visible(400, 300)
	if x1 <= x0 || y1 <= y0 {
		t.Error("the picture was panned out of its pane")
	}
}

func TestPlaneChangeKeepsTheVoxel(t *testing.T) {
	s := opened(t)
	w, h := 400.0, 300.0
	x, y := s.Cut().Transform(w, h).Center(6, 1)
	s.Cut().PointAt(x, y, w, h)
	voxel, ok := s.Cursor()
	if !ok || voxel != [3]int{6, 1, 2} {
		t.Fatalf("the pointer is on %v, %v; want 6, 1, 2", voxel, ok)
	}
	for _, p := range []volume.Plane{volume.Coronal, volume.Sagittal, volume.Axial} {
		s.SetPlane(p)
		if _, _, index := s.Cut().View().Locate(voxel); index != s.Cut().Index() {
			t.Errorf("%v shows slice %d; the voxel is in slice %d", p, s.Cut().Index(), index)
		}
	}
}

func TestPointingReportsChangesOnly(t *testing.T) {
	s := opened(t)
	drawn, pointed := 0, 0
	s.Changed = func() { drawn++ }
	s.Pointed = func() { pointed++ }
	s.Cut().PointAt(200, 150, 400, 300)
	s.Cut().PointAt(200, 150.2, 400, 300) // the same voxel
	s.Cut().PointAt(1, 1, 400, 300)       // outside the picture
	s.PointAway()
	if drawn != 0 || pointed != 2 {
		t.Errorf("%d redraws and %d moves; want 0 and 2", drawn, pointed)
	}
}

func TestDragWindow(t *testing.T) {
	s := opened(t)
	s.Windows.Drag(50, 0)
	wide := s.Windows.Current()
	if wide.Width <= 80 || wide.Center != 40 {
		t.Errorf("a drag to the right gives %v; want it wider and the level kept", wide)
	}
	s.Windows.Drag(-50, 0)
	if !near(s.Windows.Current().Width, 80) {
		t.Errorf("dragged back the width is %g; want 80", s.Windows.Current().Width)
	}
	s.Windows.Drag(0, 10)
	if s.Windows.Current().Center >= 40 {
		t.Errorf("a drag down gives level %g; want it lower, which brightens", s.Windows.Current().Center)
	}
	s.Windows.Set(volume.Window{Center: 40, Width: 80})
	s.Windows.SetInvertLevel(true)
	s.Windows.Drag(0, 10)
	if s.Windows.Current().Center <= 40 {
		t.Errorf("with the direction inverted the level is %g; want it higher", s.Windows.Current().Center)
	}
}

// TestDragsStopAtTheirLimits pins the narrowest and widest window, and the finest
// and coarsest scale of the residual.
func TestDragsStopAtTheirLimits(t *testing.T) {
	s := opened(t)
	auto := s.Windows.Automatic().Width
	for drag, want := range map[float64]float64{-1e6: auto / 2000, 1e6: 20 * auto} {
		if s.Windows.Drag(drag, 0); !near(s.Windows.Current().Width, want) {
			t.Errorf("a drag by %g gives width %g, want %g", drag, s.Windows.Current().Width, want)
		}
	}
	for drag, want := range map[float64]float64{-1e6: 0.25, 1e6: 50} {
		if s.Windows.DragResidual(drag); s.Windows.Sigmas() != want {
			t.Errorf("a drag by %g gives a scale of %g sigmas, want %g", drag, s.Windows.Sigmas(), want)
		}
	}
}

func TestResetAndReplace(t *testing.T) {
	s := opened(t)
	s.Cut().ZoomAt(3, 0, 0, 10, 10)
	s.Windows.ToggleInvert()
	s.Windows.DragResidual(100)
	s.Cut().SetIndex(4)
	s.Replace(scene())
	if s.Cut().Zoom() != 3 || s.Cut().Index() != 4 || !s.Windows.Inverted() {
		t.Error("other voxels on the same grid changed the view")
	}
	s.Reset(volume.Window{})
	if s.Cut().Zoom() != 1 || s.Windows.Inverted() || s.Windows.Sigmas() != DefaultSigmas || s.Cut().Index() != 4 {
		t.Error("reset keeps zoom, inversion or scale, or moves the slice")
	}
	if s.Windows.Current() != s.Windows.Automatic() {
		t.Errorf("window %v; want the automatic one where the series has none", s.Windows.Current())
	}
}

func TestOverlayCycles(t *testing.T) {
	s := opened(t)
	for _, want := range []Overlay{OverlayMinimal, OverlayBare, OverlayFull} {
		s.CycleOverlay()
		if s.Overlay() != want {
			t.Errorf("overlay %d; want %d", s.Overlay(), want)
		}
	}
}

// TestOpenKeepsWhatBelongsToTheUser checks what a new series resets, and that a window
// without a width is replaced by the automatic one.
func TestOpenKeepsWhatBelongsToTheUser(t *testing.T) {
	s := opened(t)
	s.Cut().ZoomAt(3, 10, 20, 400, 300)
	s.Windows.ToggleInvert()
	s.Windows.DragResidual(100)
	s.CycleOverlay()
	s.TogglePixelated()
	s.Windows.SetInvertLevel(true)
	s.Cut().PointAt(200, 150, 400, 300)
	s.Cut().SetIndex(0)
	changes := 0
	s.Changed = func() { changes++ }
	s.Open(scene(), volume.Window{})
	if changes != 1 {
		t.Errorf("%d redraws; want 1", changes)
	}
	if s.Cut().Zoom() != 1 || s.Cut().Pan() != [2]float64{} || s.Windows.Inverted() || s.Windows.Sigmas() != DefaultSigmas || s.Cut().Index() != 2 {
		t.Errorf("zoom %g, pan %v, inverted %v, sigmas %g, slice %d of the previous series", s.Cut().Zoom(), s.Cut().Pan(), s.Windows.Inverted(), s.Windows.Sigmas(), s.Cut().Index())
	}
	if _, ok := s.Cursor(); ok {
		t.Error("the pointer is on a voxel of the previous series")
	}
	if s.Focus() != [3]int{4, 3, 2} {
		t.Errorf("focus %v; want the middle voxel", s.Focus())
	}
	if s.Overlay() != OverlayMinimal || !s.Pixelated() {
		t.Errorf("overlay %d, pixelated %v; want the user's choice kept", s.Overlay(), s.Pixelated())
	}
	if s.Windows.Current() != s.Windows.Automatic() || !(s.Windows.Current().Width > 0) {
		t.Errorf("window %v; want the automatic one, %v", s.Windows.Current(), s.Windows.Automatic())
	}
	if s.Windows.Drag(0, 10); !(s.Windows.Current().Center > s.Windows.Automatic().Center) {
		t.Error("the direction of a level drag is not the user's")
	}
}

// TestNothingChangesWithoutAVolume checks every gesture before the first Open.
func TestNothingChangesWithoutAVolume(t *testing.T) {
	s := New()
	s.Changed = func() { t.Error("a redraw was requested") }
	s.Pointed = func() { t.Error("the pointer was reported") }
	s.Cut().Scroll(1)
	s.Cut().SetIndex(3)
	s.SetPlane(volume.Coronal)
	s.Cut().ZoomAt(2, 1, 1, 10, 10)
	s.Cut().PanBy(1, 1, 10, 10)
	s.Windows.Drag(1, 1)
	s.Windows.DragResidual(1)
	s.Cut().PointAt(1, 1, 10, 10)
	s.PointAway()
	s.Windows.Set(volume.Window{Center: 1})
	if s.Volume() != nil || s.Cut().Index() != 0 {
		t.Errorf("volume %v, slice %d", s.Volume(), s.Cut().Index())
	}
}

// TestChangesAreReportedOnce checks that every change requests one redraw and that a
// gesture without effect requests none.
func TestChangesAreReportedOnce(t *testing.T) {
	s := opened(t)
	for name, c := range map[string]struct {
		do   func()
		want int
	}{
		"another slice":         {func() { s.Cut().SetIndex(1) }, 1},
		"the same slice":        {func() { s.Cut().SetIndex(s.Cut().Index()) }, 0},
		"before the first":      {func() { s.Cut().SetIndex(0); s.Cut().SetIndex(-1) }, 1},
		"the same plane":        {func() { s.SetPlane(s.Cut().View().Plane) }, 0},
		"zoom":                  {func() { s.Cut().ZoomAt(1.5, 0, 0, 40, 30) }, 1},
		"zoom by 1":             {func() { s.Cut().ZoomAt(1, 0, 0, 40, 30) }, 0},
		"zoom in a flat pane":   {func() { s.Cut().ZoomAt(1.5, 0, 0, 40, 0) }, 0},
		"zoom in a narrow pane": {func() { s.Cut().ZoomAt(1.5, 0, 0, 0, 30) }, 0},
		"pan":                   {func() { s.Cut().PanBy(1, 0, 40, 30) }, 1},
		"pan in a flat pane":    {func() { s.Cut().PanBy(1, 0, 40, 0) }, 0},
		"fit":                   {s.Fit, 1},
		"window":                {func() { s.Windows.Set(volume.Window{Width: 1}) }, 1},
		"window without width":  {func() { s.Windows.Set(volume.Window{Center: 5}) }, 0},
		"automatic window":      {s.Windows.SetAutomatic, 1},
		"drag of the window":    {func() { s.Windows.Drag(1, 0) }, 1},
		"drag of the residual":  {func() { s.Windows.DragResidual(1) }, 1},
		"invert":                {s.Windows.ToggleInvert, 1},
		"overlay":               {s.CycleOverlay, 1},
		"squares":               {s.TogglePixelated, 1},
		"reset":                 {func() { s.Reset(volume.Window{Width: 7}) }, 1},
		"replaced":              {func() { s.Replace(scene()) }, 1},
		"pointer away":          {s.PointAway, 0},
	} {
		changes := 0
		s.Changed = func() { changes++ }
		s.Pointed = func() { changes += 100 }
		if c.do(); changes != c.want {
			t.Errorf("%s: %d redraws; want %d", name, changes, c.want)
		}
		s.Changed, s.Pointed = nil, nil
		s.Open(scene(), volume.Window{Center: 40, Width: 80})
	}
}

func TestReplaceShowsTheOtherVoxels(t *testing.T) {
	s := opened(t)
	next := scene()
	for i := range next.Data {
		next.Data[i] *= 10
	}
	s.Replace(next)
	if s.Volume() != next || s.Windows.Automatic() != volume.AutoWindow(next) || s.Windows.Current().Width != 80 {
		t.Errorf("automatic window %v, window %v; want that of the new voxels, and the user's kept", s.Windows.Automatic(), s.Windows.Current())
	}
	s.Reset(volume.Window{Center: 3, Width: 9})
	if s.Windows.Current() != (volume.Window{Center: 3, Width: 9}) {
		t.Errorf("window %v after a reset; want the series' own", s.Windows.Current())
	}
}

// TestScrollMovesTheFocus checks that the voxel under the pointer follows the slice.
func TestScrollMovesTheFocus(t *testing.T) {
	s := opened(t)
	s.Cut().SetIndex(4)
	if s.Focus() != [3]int{4, 3, 4} {
		t.Errorf("focus %v; want the middle voxel of slice 4", s.Focus())
	}
	s.Cut().PointAt(200, 150, 400, 300)
	at, _ := s.Cursor()
	s.Cut().SetIndex(1)
	want := [3]int{at[0], at[1], 1}
	if voxel, ok := s.Cursor(); !ok || voxel != want || s.Focus() != want {
		t.Errorf("pointer on %v, focus %v; want %v", voxel, s.Focus(), want)
	}
}

// TestPlaneChangeFitsThePicture checks that another plane passes through the voxel under
// the pointer, or the last one pointed at, and begins fitted.
func TestPlaneChangeFitsThePicture(t *testing.T) {
	s := opened(t)
	s.Cut().PointAt(1, 1, 400, 300) // outside the picture
	x, y := s.Cut().Transform(400, 300).Center(1, 4)
	s.Cut().PointAt(x, y, 400, 300)
	s.PointAway()
	s.Cut().ZoomAt(2, 0, 0, 400, 300)
	s.SetPlane(volume.Sagittal)
	_, _, want := scene().View(volume.Sagittal).Locate([3]int{1, 4, 2})
	if s.Cut().View() != scene().View(volume.Sagittal) {
		t.Errorf("view %+v; want the sagittal one", s.Cut().View())
	}
	if s.Cut().Index() != want || s.Cut().Zoom() != 1 || s.Cut().Pan() != [2]float64{} {
		t.Errorf("slice %d, zoom %g, pan %v; want slice %d, fitted", s.Cut().Index(), s.Cut().Zoom(), s.Cut().Pan(), want)
	}
	s.Cut().PointAt(200, 150, 400, 300)
	if _, ok := s.Cursor(); !ok {
		t.Fatal("the middle of the pane is beside the picture")
	}
	changes := 0
	s.Changed = func() { changes++ }
	s.SetPlane(volume.Coronal)
	if _, ok := s.Cursor(); ok || changes != 1 {
		t.Errorf("the pointer is still on a voxel of the previous plane: %v; %d changes reported, want 1", ok, changes)
	}
}

// TestGainsOfDrags pins by how much a drag of 200 units changes window and residual.
func TestGainsOfDrags(t *testing.T) {
	s := opened(t)
	s.Windows.Set(volume.Window{Center: 40, Width: 20, Name: "brain"})
	s.Windows.Drag(200, 0)
	if w := s.Windows.Current(); !near(w.Width, 20*math.E) || w.Center != 40 || w.Name != "" {
		t.Errorf("window %v; want it wider by a factor of e, and without the preset's name", w)
	}
	s.Windows.Set(volume.Window{Center: 40, Width: 20})
	s.Windows.Drag(0, 200)
	if w := s.Windows.Current(); !near(w.Center, 30) || w.Width != 20 {
		t.Errorf("window %v; want the level lower by half the width", w)
	}
	s.Windows.DragResidual(-200)
	if !near(s.Windows.Sigmas(), DefaultSigmas/math.E) {
		t.Errorf("scale %g; want %g", s.Windows.Sigmas(), DefaultSigmas/math.E)
	}
}

// TestLimitsOfZoomAndPan pins the smallest zoom and that half the picture may be moved
// out of its pane.
func TestLimitsOfZoomAndPan(t *testing.T) {
	s := opened(t)
	s.Cut().ZoomAt(1e-9, 3, 4, 400, 300)
	if s.Cut().Zoom() != 0.02 {
		t.Errorf("zoom %g; want 0.02", s.Cut().Zoom())
	}
	s.Cut().ZoomAt(1e9, 3, 4, 400, 300)
	if s.Cut().Zoom() != 40 {
		t.Errorf("zoom %g; want 40", s.Cut().Zoom())
	}
	s.Fit()
	if s.Cut().Zoom() != 1 || s.Cut().Pan() != [2]float64{} {
		t.Errorf("zoom %g, pan %v after Fit; want 1 and none", s.Cut().Zoom(), s.Cut().Pan())
	}
	// The picture has 4 x 6 mm.
	s.Cut().PanBy(1e6, 1e6, 400, 300)
	if s.Cut().Pan() != [2]float64{2, 3} {
		t.Errorf("pan %v; want 2, 3", s.Cut().Pan())
	}
	s.Cut().PanBy(-1e6, -1e6, 400, 300)
	if s.Cut().Pan() != [2]float64{-2, -3} {
		t.Errorf("pan %v; want -2, -3", s.Cut().Pan())
	}
}

// TestPointerOnTheEdges checks the outermost pixels and the first point beyond each edge.
func TestPointerOnTheEdges(t *testing.T) {
	s := opened(t)
	tr := s.Cut().Transform(400, 300)
	right, bottom := tr.Origin[0]+8*tr.PixelSize[0], tr.Origin[1]+6*tr.PixelSize[1]
	for _, c := range []struct {
		x, y float64
		want [3]int
		ok   bool
	}{
		{tr.Origin[0], 150, [3]int{0, 3, 2}, true},
		{tr.Origin[0] - 0.01, 150, [3]int{}, false},
		{right - 0.01, 150, [3]int{7, 3, 2}, true},
		{right, 150, [3]int{}, false},
		{200, tr.Origin[1], [3]int{4, 0, 2}, true},
		{200, tr.Origin[1] - 0.01, [3]int{}, false},
		{200, bottom - 0.01, [3]int{4, 5, 2}, true},
		{200, bottom, [3]int{}, false},
	} {
		s.Cut().PointAt(c.x, c.y, 400, 300)
		if voxel, ok := s.Cursor(); voxel != c.want || ok != c.ok {
			t.Errorf("point (%g, %g) is on %v, %v; want %v, %v", c.x, c.y, voxel, ok, c.want, c.ok)
		}
	}
}

// TestVisibleIsClippedToThePane checks pictures that are larger than their pane or
// partly outside, and a view without a size.
func TestVisibleIsClippedToThePane(t *testing.T) {
	for _, c := range []struct {
		origin, pixel [2]float64
		want          [4]int
	}{
		{[2]float64{-5, -7}, [2]float64{10, 10}, [4]int{0, 0, 30, 20}},
		{[2]float64{2.4, 3.6}, [2]float64{2, 2}, [4]int{2, 4, 10, 14}},
		{[2]float64{100, -90}, [2]float64{2, 2}, [4]int{30, 0, 30, 0}},
	} {
		tr := Transform{Scale: 1, Origin: c.origin, PixelSize: c.pixel, Size: [2]int{4, 5}}
		x0, y0, x1, y1 := tr.Visible(30, 20)
		if got := [4]int{x0, y0, x1, y1}; got != c.want {
			t.Errorf("origin %v: %v; want %v", c.origin, got, c.want)
		}
	}
	for name, c := range map[string][2]float64{"no width": {0, 10}, "no height": {10, 0}} {
		if tr := Place(c[0], c[1], scene().View(volume.Axial), 3, [2]float64{}); tr.Scale != 1 {
			t.Errorf("%s: scale %g; want 1", name, tr.Scale)
		}
	}
	if tr := Place(1, 0.5, volume.View{Size: [3]int{2, 4, 1}, Pixel: [2]float64{0.25, 0.25}}, 3, [2]float64{}); !near(tr.Scale, 1.5) {
		t.Errorf("0.5 x 1 mm in 1 x 0.5: scale %g; want 1.5", tr.Scale)
	}
	for _, size := range [][3]int{{0, 4, 1}, {4, 0, 1}} {
		if tr := Place(10, 10, volume.View{Size: size, Pixel: [2]float64{1, 1}}, 3, [2]float64{}); tr.Scale != 1 {
			t.Errorf("%v pixels: scale %g; want 1", size, tr.Scale)
		}
	}
	if tr := Place(10, 10, volume.View{}, 3, [2]float64{}); tr.Scale != 1 {
		t.Errorf("no picture: scale %g; want 1", tr.Scale)
	}
}

func TestShowVoxel(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{8, 6, 5}, [3]float64{1, 1, 2}))
	s := New()
	s.ShowVoxel([3]int{1, 1, 1}) // without a volume
	s.Open(v, volume.Window{})
	changes := 0
	s.Changed = func() { changes++ }
	for _, plane := range []volume.Plane{volume.Axial, volume.Coronal, volume.Sagittal} {
		s.SetPlane(plane)
		changes = 0
		voxel := [3]int{7, 0, 4}
		s.ShowVoxel(voxel)
		cursor, ok := s.Cursor()
		if _, _, i := s.Cut().View().Locate(voxel); s.Cut().Index() != i || !ok || cursor != voxel || s.Focus() != voxel || changes != 1 {
			t.Errorf("%v: slice %d, cursor %v %v, %d changes; want slice %d through %v", plane, s.Cut().Index(), cursor, ok, changes, i, voxel)
		}
		for _, outside := range [][3]int{{8, 0, 0}, {0, 6, 0}, {0, 0, 5}, {-1, 0, 0}} {
			s.ShowVoxel(outside)
		}
		if cursor, _ := s.Cursor(); cursor != voxel || changes != 1 {
			t.Errorf("%v: a voxel outside was shown", plane)
		}
	}
}

// A plane is mirrored and turned by itself; the voxels under the pointer stay the ones of
// the picture, and Reset brings the convention back.
func TestMirrorAndTurn(t *testing.T) {
	s := opened(t)
	changes := 0
	s.Changed = func() { changes++ }
	s.Cut().PanBy(5, 5, 100, 100)
	s.Cut().Mirror(true)
	if v := s.Cut().View(); v.Letters != [4]string{"L", "R", "A", "P"} || s.Cut().Pan() != [2]float64{} || changes != 2 {
		t.Errorf("letters %v, pan %v, %d changes", v.Letters, s.Cut().Pan(), changes)
	}
	w, h := 400.0, 300.0
	x, y := s.Cut().Transform(w, h).Center(0, 0)
	s.Cut().PointAt(x, y, w, h)
	if voxel, ok := s.Cursor(); !ok || voxel != [3]int{7, 0, 2} {
		t.Errorf("the corner shows voxel %v", voxel)
	}
	s.Cut().Clockwise()
	if v := s.Cut().View(); v.Size != [3]int{6, 8, 5} || s.Cut().Turned() != (volume.Turn{Mirrored: true, Quarters: 1}) || s.Cut().Index() != 2 {
		t.Errorf("size %v, %+v, slice %d", v.Size, s.Cut().Turned(), s.Cut().Index())
	}
	s.Cut().Mirror(false)
	s.SetPlane(volume.Coronal)
	if s.Cut().Turned() != (volume.Turn{}) || s.Cut().View().Letters[0] != "R" {
		t.Error("the coronal plane is turned with the axial one")
	}
	s.In(volume.Sagittal).Clockwise()
	look := s.Look()
	other := opened(t)
	turns := func() [3]volume.Turn {
		return [3]volume.Turn{other.In(volume.Axial).Turned(), other.In(volume.Coronal).Turned(), other.In(volume.Sagittal).Turned()}
	}
	look.Planes[volume.Coronal].Quarters = -3 // damaged
	other.SetLook(look)
	if want := [3]volume.Turn{s.In(volume.Axial).Turned(), {Quarters: 1}, {Quarters: 1}}; turns() != want {
		t.Errorf("turns %+v, want %+v", turns(), want)
	}
	for p := range volume.Sagittal + 1 {
		if got := other.In(p).View(); got != scene().View(p).Turned(other.In(p).Turned()) {
			t.Errorf("%v: %+v", p, got)
		}
	}
	other.Reset(volume.Window{})
	for p := range volume.Sagittal + 1 {
		if got := other.In(p).View(); got != scene().View(p) || other.In(p).Turned() != (volume.Turn{}) {
			t.Errorf("%v after Reset: %+v", p, got)
		}
	}
	empty := New()
	empty.Cut().Mirror(true)
	empty.Cut().Clockwise()
	empty.Reset(volume.Window{})
	if empty.Cut().Turned() != (volume.Turn{}) {
		t.Error("nothing was turned")
	}
}
