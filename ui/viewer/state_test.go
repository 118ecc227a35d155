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
	s := &State{}
	s.Open(scene(), volume.Window{Center: 40, Width: 80})
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

func TestOpenShowsTheMiddleSliceFitted(t *testing.T) {
	s := opened(t)
	if s.View().Plane != volume.Axial || s.Index() != 2 || s.Zoom() != 1 {
		t.Errorf("plane %v, slice %d, zoom %g; want axial, 2, 1", s.View().Plane, s.Index(), s.Zoom())
	}
	if w := s.Window(); w.Center != 40 || w.Width != 80 {
		t.Errorf("window %v; want the series' own", w)
	}
	s.Open(scene(), volume.Window{Center: 0.25, Width: 0.5})
	if w := s.Window(); w.Center != 0.25 || w.Width != 0.5 {
		t.Errorf("window %v; want the series' own, however narrow", w)
	}
}

func TestScrollStopsAtTheEnds(t *testing.T) {
	s := opened(t)
	changes := 0
	s.Changed = func() { changes++ }
	s.Scroll(100)
	s.Scroll(1)
	if s.Index() != 4 || changes != 1 {
		t.Errorf("slice %d after %d changes; want 4 after 1", s.Index(), changes)
	}
	s.Scroll(-7)
	if s.Index() != 0 {
		t.Errorf("slice %d; want 0", s.Index())
	}
}

// Chosen is called once for each window that was chosen, and for a drag at its end, after
// the window is set and before Changed.
func TestChosenFollowsWindows(t *testing.T) {
	s := opened(t)
	var calls []float64
	redrawn := false
	s.Chosen = func(Gesture) {
		calls = append(calls, s.Window().Width)
		if redrawn {
			t.Error("the pictures were asked for before the window was noted")
		}
	}
	s.Changed = func() { redrawn = true }
	coronal := s.In(volume.Coronal)
	for i, step := range []struct {
		do    func()
		calls int
	}{
		{func() { s.SetWindow(volume.Window{Width: 7}) }, 1},
		{func() { s.SetWindow(volume.Window{}) }, 1}, // is no window
		{func() { s.DragWindow(10, 0); redrawn = false; s.DragWindow(10, 0) }, 1},
		{s.EndDrag, 2},
		{s.EndDrag, 2},
		{func() { coronal.DragWindow(5, 5) }, 2},
		{coronal.EndDrag, 3},
		{func() { s.DragWindow(1, 0); redrawn = false; s.AutoWindow() }, 4}, // in mid drag
		{s.EndDrag, 4},
		{func() { s.Reset(volume.Window{Width: 3}) }, 5},
		{func() { s.DragWindow(1, 0); s.Resume(*s); s.EndDrag() }, 5},
		{func() { s.Open(scene(), volume.Window{Width: 4}) }, 5},
		{func() { redrawn = false; s.SetWindow(volume.Window{Width: 8}) }, 6},
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
	tr := s.Transform(400, 300)
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
	s.ZoomAt(2.7, 31, 190, 400, 300)
	s.PanBy(-13, 5, 400, 300)
	tr := s.Transform(400, 300)
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
	before := s.Transform(w, h)
	at := [2]float64{(x - before.Origin[0]) / before.PixelSize[0], (y - before.Origin[1]) / before.PixelSize[1]}
	for _, factor := range []float64{1.5, 3, 0.4, 1.15} {
		s.ZoomAt(factor, x, y, w, h)
		after := s.Transform(w, h)
		if gx, gy := after.Origin[0]+at[0]*after.PixelSize[0], after.Origin[1]+at[1]*after.PixelSize[1]; !near(gx, x) || !near(gy, y) {
			t.Errorf("after a zoom by %g the point is at (%g, %g); want (%d, %d)", factor, gx, gy, x, y)
		}
	}
	s.ZoomAt(1e9, x, y, w, h)
	if s.Zoom() != MaxZoom {
		t.Errorf("zoom %g; want it to stop at %d", s.Zoom(), MaxZoom)
	}
}

func TestPanMovesByScreenUnitsAndKeepsThePictureVisible(t *testing.T) {
	s := opened(t)
	before := s.Transform(400, 300).Origin
	s.PanBy(12, -7, 400, 300)
	after := s.Transform(400, 300).Origin
	if !near(after[0]-before[0], 12) || !near(after[1]-before[1], -7) {
		t.Errorf("moved by %g, %g; want 12, -7", after[0]-before[0], after[1]-before[1])
	}
	s.PanBy(1e6, 1e6, 400, 300)
	x0, y0, x1, y1 := s.Transform(400, 300).Visible(400, 300)
	if x1 <= x0 || y1 <= y0 {
		t.Error("the picture was panned out of its pane")
	}
}

func TestPlaneChangeKeepsTheVoxel(t *testing.T) {
	s := opened(t)
	w, h := 400.0, 300.0
	x, y := s.Transform(w, h).Center(6, 1)
	s.PointAt(x, y, w, h)
	voxel, ok := s.Cursor()
	if !ok || voxel != [3]int{6, 1, 2} {
		t.Fatalf("the pointer is on %v, %v; want 6, 1, 2", voxel, ok)
	}
	for _, p := range []volume.Plane{volume.Coronal, volume.Sagittal, volume.Axial} {
		s.SetPlane(p)
		if _, _, index := s.View().Locate(voxel); index != s.Index() {
			t.Errorf("%v shows slice %d; the voxel is in slice %d", p, s.Index(), index)
		}
	}
}

func TestPointingReportsChangesOnly(t *testing.T) {
	s := opened(t)
	drawn, pointed := 0, 0
	s.Changed = func() { drawn++ }
	s.Pointed = func() { pointed++ }
	s.PointAt(200, 150, 400, 300)
	s.PointAt(200, 150.2, 400, 300) // the same voxel
	s.PointAt(1, 1, 400, 300)       // outside the picture
	s.PointAway()
	if drawn != 0 || pointed != 2 {
		t.Errorf("%d redraws and %d moves; want 0 and 2", drawn, pointed)
	}
}

func TestDragWindow(t *testing.T) {
	s := opened(t)
	s.DragWindow(50, 0)
	wide := s.Window()
	if wide.Width <= 80 || wide.Center != 40 {
		t.Errorf("a drag to the right gives %v; want it wider and the level kept", wide)
	}
	s.DragWindow(-50, 0)
	if !near(s.Window().Width, 80) {
		t.Errorf("dragged back the width is %g; want 80", s.Window().Width)
	}
	s.DragWindow(0, 10)
	if s.Window().Center >= 40 {
		t.Errorf("a drag down gives level %g; want it lower, which brightens", s.Window().Center)
	}
	s.SetWindow(volume.Window{Center: 40, Width: 80})
	s.SetInvertLevel(true)
	s.DragWindow(0, 10)
	if s.Window().Center <= 40 {
		t.Errorf("with the direction inverted the level is %g; want it higher", s.Window().Center)
	}
}

// TestDragsStopAtTheirLimits pins the narrowest and widest window, and the finest
// and coarsest scale of the residual.
func TestDragsStopAtTheirLimits(t *testing.T) {
	s := opened(t)
	auto := s.Automatic().Width
	for drag, want := range map[float64]float64{-1e6: auto / 2000, 1e6: 20 * auto} {
		if s.DragWindow(drag, 0); !near(s.Window().Width, want) {
			t.Errorf("a drag by %g gives width %g, want %g", drag, s.Window().Width, want)
		}
	}
	for drag, want := range map[float64]float64{-1e6: 0.25, 1e6: 50} {
		if s.DragResidual(drag); s.Sigmas() != want {
			t.Errorf("a drag by %g gives a scale of %g sigmas, want %g", drag, s.Sigmas(), want)
		}
	}
}

func TestResetAndReplace(t *testing.T) {
	s := opened(t)
	s.ZoomAt(3, 0, 0, 10, 10)
	s.ToggleInvert()
	s.DragResidual(100)
	s.SetIndex(4)
	s.Replace(scene())
	if s.Zoom() != 3 || s.Index() != 4 || !s.Inverted() {
		t.Error("other voxels on the same grid changed the view")
	}
	s.Reset(volume.Window{})
	if s.Zoom() != 1 || s.Inverted() || s.Sigmas() != DefaultSigmas || s.Index() != 4 {
		t.Error("reset keeps zoom, inversion or scale, or moves the slice")
	}
	if s.Window() != s.Automatic() {
		t.Errorf("window %v; want the automatic one where the series has none", s.Window())
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
	s.ZoomAt(3, 10, 20, 400, 300)
	s.ToggleInvert()
	s.DragResidual(100)
	s.CycleOverlay()
	s.TogglePixelated()
	s.SetInvertLevel(true)
	s.PointAt(200, 150, 400, 300)
	s.SetIndex(0)
	changes := 0
	s.Changed = func() { changes++ }
	s.Open(scene(), volume.Window{})
	if changes != 1 {
		t.Errorf("%d redraws; want 1", changes)
	}
	if s.Zoom() != 1 || s.Pan() != [2]float64{} || s.Inverted() || s.Sigmas() != DefaultSigmas || s.Index() != 2 {
		t.Errorf("zoom %g, pan %v, inverted %v, sigmas %g, slice %d of the previous series", s.Zoom(), s.Pan(), s.Inverted(), s.Sigmas(), s.Index())
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
	if s.Window() != s.Automatic() || !(s.Window().Width > 0) {
		t.Errorf("window %v; want the automatic one, %v", s.Window(), s.Automatic())
	}
	if s.DragWindow(0, 10); !(s.Window().Center > s.Automatic().Center) {
		t.Error("the direction of a level drag is not the user's")
	}
}

// TestNothingChangesWithoutAVolume checks every gesture before the first Open.
func TestNothingChangesWithoutAVolume(t *testing.T) {
	s := &State{}
	s.Changed = func() { t.Error("a redraw was requested") }
	s.Pointed = func() { t.Error("the pointer was reported") }
	s.Scroll(1)
	s.SetIndex(3)
	s.SetPlane(volume.Coronal)
	s.ZoomAt(2, 1, 1, 10, 10)
	s.PanBy(1, 1, 10, 10)
	s.DragWindow(1, 1)
	s.DragResidual(1)
	s.PointAt(1, 1, 10, 10)
	s.PointAway()
	s.SetWindow(volume.Window{Center: 1})
	if s.Volume() != nil || s.Index() != 0 {
		t.Errorf("volume %v, slice %d", s.Volume(), s.Index())
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
		"another slice":         {func() { s.SetIndex(1) }, 1},
		"the same slice":        {func() { s.SetIndex(s.Index()) }, 0},
		"before the first":      {func() { s.SetIndex(0); s.SetIndex(-1) }, 1},
		"the same plane":        {func() { s.SetPlane(s.View().Plane) }, 0},
		"zoom":                  {func() { s.ZoomAt(1.5, 0, 0, 40, 30) }, 1},
		"zoom by 1":             {func() { s.ZoomAt(1, 0, 0, 40, 30) }, 0},
		"zoom in a flat pane":   {func() { s.ZoomAt(1.5, 0, 0, 40, 0) }, 0},
		"zoom in a narrow pane": {func() { s.ZoomAt(1.5, 0, 0, 0, 30) }, 0},
		"pan":                   {func() { s.PanBy(1, 0, 40, 30) }, 1},
		"pan in a flat pane":    {func() { s.PanBy(1, 0, 40, 0) }, 0},
		"fit":                   {s.Fit, 1},
		"window":                {func() { s.SetWindow(volume.Window{Width: 1}) }, 1},
		"window without width":  {func() { s.SetWindow(volume.Window{Center: 5}) }, 0},
		"automatic window":      {s.AutoWindow, 1},
		"drag of the window":    {func() { s.DragWindow(1, 0) }, 1},
		"drag of the residual":  {func() { s.DragResidual(1) }, 1},
		"invert":                {s.ToggleInvert, 1},
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
	if s.Volume() != next || s.Automatic() != volume.AutoWindow(next) || s.Window().Width != 80 {
		t.Errorf("automatic window %v, window %v; want that of the new voxels, and the user's kept", s.Automatic(), s.Window())
	}
	s.Reset(volume.Window{Center: 3, Width: 9})
	if s.Window() != (volume.Window{Center: 3, Width: 9}) {
		t.Errorf("window %v after a reset; want the series' own", s.Window())
	}
}

// TestScrollMovesTheFocus checks that the voxel under the pointer follows the slice.
func TestScrollMovesTheFocus(t *testing.T) {
	s := opened(t)
	s.SetIndex(4)
	if s.Focus() != [3]int{4, 3, 4} {
		t.Errorf("focus %v; want the middle voxel of slice 4", s.Focus())
	}
	s.PointAt(200, 150, 400, 300)
	at, _ := s.Cursor()
	s.SetIndex(1)
	want := [3]int{at[0], at[1], 1}
	if voxel, ok := s.Cursor(); !ok || voxel != want || s.Focus() != want {
		t.Errorf("pointer on %v, focus %v; want %v", voxel, s.Focus(), want)
	}
}

// TestPlaneChangeFitsThePicture checks that another plane passes through the voxel under
// the pointer, or the last one pointed at, and begins fitted.
func TestPlaneChangeFitsThePicture(t *testing.T) {
	s := opened(t)
	s.PointAt(1, 1, 400, 300) // outside the picture
	x, y := s.Transform(400, 300).Center(1, 4)
	s.PointAt(x, y, 400, 300)
	s.PointAway()
	s.ZoomAt(2, 0, 0, 400, 300)
	s.SetPlane(volume.Sagittal)
	_, _, want := scene().View(volume.Sagittal).Locate([3]int{1, 4, 2})
	if s.View() != scene().View(volume.Sagittal) {
		t.Errorf("view %+v; want the sagittal one", s.View())
	}
	if s.Index() != want || s.Zoom() != 1 || s.Pan() != [2]float64{} {
		t.Errorf("slice %d, zoom %g, pan %v; want slice %d, fitted", s.Index(), s.Zoom(), s.Pan(), want)
	}
	s.PointAt(200, 150, 400, 300)
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
	s.SetWindow(volume.Window{Center: 40, Width: 20, Name: "brain"})
	s.DragWindow(200, 0)
	if w := s.Window(); !near(w.Width, 20*math.E) || w.Center != 40 || w.Name != "" {
		t.Errorf("window %v; want it wider by a factor of e, and without the preset's name", w)
	}
	s.SetWindow(volume.Window{Center: 40, Width: 20})
	s.DragWindow(0, 200)
	if w := s.Window(); !near(w.Center, 30) || w.Width != 20 {
		t.Errorf("window %v; want the level lower by half the width", w)
	}
	s.DragResidual(-200)
	if !near(s.Sigmas(), DefaultSigmas/math.E) {
		t.Errorf("scale %g; want %g", s.Sigmas(), DefaultSigmas/math.E)
	}
}

// TestLimitsOfZoomAndPan pins the smallest zoom and that half the picture may be moved
// out of its pane.
func TestLimitsOfZoomAndPan(t *testing.T) {
	s := opened(t)
	s.ZoomAt(1e-9, 3, 4, 400, 300)
	if s.Zoom() != 0.02 {
		t.Errorf("zoom %g; want 0.02", s.Zoom())
	}
	s.ZoomAt(1e9, 3, 4, 400, 300)
	if s.Zoom() != 40 {
		t.Errorf("zoom %g; want 40", s.Zoom())
	}
	s.Fit()
	if s.Zoom() != 1 || s.Pan() != [2]float64{} {
		t.Errorf("zoom %g, pan %v after Fit; want 1 and none", s.Zoom(), s.Pan())
	}
	// The picture has 4 x 6 mm.
	s.PanBy(1e6, 1e6, 400, 300)
	if s.Pan() != [2]float64{2, 3} {
		t.Errorf("pan %v; want 2, 3", s.Pan())
	}
	s.PanBy(-1e6, -1e6, 400, 300)
	if s.Pan() != [2]float64{-2, -3} {
		t.Errorf("pan %v; want -2, -3", s.Pan())
	}
}

// TestPointerOnTheEdges checks the outermost pixels and the first point beyond each edge.
func TestPointerOnTheEdges(t *testing.T) {
	s := opened(t)
	tr := s.Transform(400, 300)
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
		s.PointAt(c.x, c.y, 400, 300)
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
	var s State
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
		if _, _, i := s.View().Locate(voxel); s.Index() != i || !ok || cursor != voxel || s.Focus() != voxel || changes != 1 {
			t.Errorf("%v: slice %d, cursor %v %v, %d changes; want slice %d through %v", plane, s.Index(), cursor, ok, changes, i, voxel)
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
	s.PanBy(5, 5, 100, 100)
	s.Mirror(true)
	if v := s.View(); v.Letters != [4]string{"L", "R", "A", "P"} || s.Pan() != [2]float64{} || changes != 2 {
		t.Errorf("letters %v, pan %v, %d changes", v.Letters, s.Pan(), changes)
	}
	w, h := 400.0, 300.0
	x, y := s.Transform(w, h).Center(0, 0)
	s.PointAt(x, y, w, h)
	if voxel, ok := s.Cursor(); !ok || voxel != [3]int{7, 0, 2} {
		t.Errorf("the corner shows voxel %v", voxel)
	}
	s.Clockwise()
	if v := s.View(); v.Size != [3]int{6, 8, 5} || s.Turned() != (volume.Turn{Mirrored: true, Quarters: 1}) || s.Index() != 2 {
		t.Errorf("size %v, %+v, slice %d", v.Size, s.Turned(), s.Index())
	}
	s.Mirror(false)
	s.SetPlane(volume.Coronal)
	if s.Turned() != (volume.Turn{}) || s.View().Letters[0] != "R" {
		t.Error("the coronal plane is turned with the axial one")
	}
	s.In(volume.Sagittal).Clockwise()
	look := s.Look()
	other := opened(t)
	look.Planes[volume.Coronal].Quarters = -3 // damaged
	other.SetLook(look)
	if want := [3]volume.Turn{s.In(volume.Axial).Turned(), {Quarters: 1}, {Quarters: 1}}; other.turns != want {
		t.Errorf("turns %+v, want %+v", other.turns, want)
	}
	for p := range volume.Sagittal + 1 {
		if got := other.In(p).View(); got != scene().View(p).Turned(other.turns[p]) {
			t.Errorf("%v: %+v", p, got)
		}
	}
	other.Reset(volume.Window{})
	for p := range volume.Sagittal + 1 {
		if got := other.In(p).View(); got != scene().View(p) || other.turns[p] != (volume.Turn{}) {
			t.Errorf("%v after Reset: %+v", p, got)
		}
	}
	empty := &State{}
	empty.Mirror(true)
	empty.Clockwise()
	empty.Reset(volume.Window{})
	if empty.Turned() != (volume.Turn{}) {
		t.Error("nothing was turned")
	}
}
