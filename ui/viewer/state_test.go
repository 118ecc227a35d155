package viewer

import (
	"math"
	"testing"

	"quell/volume"
)

// scene is a volume of 8 x 6 x 5 voxels of 0.5 x 1 x 3 mm whose values are
// their index.
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
	s.PointAt(1, 1, 400, 300)       // beside the picture
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
