package viewer

import (
	"testing"

	"quell/volume"
)

// The cuts of the three planes share point and pointer, and have their own zoom and pan; the cut
// of the plane that is chosen is placed as the one of its pane.
func TestPlanesShareThePointAndHaveTheirPlace(t *testing.T) {
	changes, points := 0, 0
	s := New()
	s.Changed, s.Pointed = func() { changes++ }, func() { points++ }
	var in [3]Cut
	for p := range in {
		in[p] = s.In(volume.Plane(p))
	}
	if s.Volume() != nil || in[0].View() != (volume.View{}) {
		t.Error("there is a view before a volume is open")
	}
	in[1].Scroll(1)
	in[1].ZoomAt(2, 1, 1, 2, 2)
	in[1].PanBy(1, 1, 2, 2)
	s.Windows.Drag(1, 1)
	in[1].PointAt(1, 1, 2, 2)
	if changes+points != 0 {
		t.Fatal("there is nothing to change yet")
	}
	v := volume.New(volume.NewGeometry([3]int{20, 10, 6}, [3]float64{1, 1, 1}))
	s.Open(v, volume.Window{Center: 1, Width: 10})
	for p, cut := range in {
		_, _, middle := cut.View().Locate([3]int{10, 5, 3})
		if cut.View() != v.View(volume.Plane(p)) || cut.Index() != middle || cut.Zoom() != 1 || s.Windows.Current().Width != 10 || s.Volume() != v {
			t.Errorf("plane %d begins at slice %d", p, cut.Index())
		}
	}
	changes = 0
	in[volume.Coronal].Scroll(2)
	if point, _ := s.Crosshair(); point != [3]int{10, 7, 3} || in[volume.Coronal].Index() != 7 || s.Cut().Index() != 3 || changes != 1 {
		t.Errorf("the wheel on the coronal plane gives %v after %d changes", point, changes)
	}
	s.Cut().SetIndex(1)
	if point, _ := s.Crosshair(); point[2] != 1 || in[volume.Axial].Index() != 1 {
		t.Errorf("the axial plane is at %v", point)
	}
	in[volume.Coronal].ZoomAt(2, 5, 5, 10, 10)
	if s.Cut().Zoom() != 1 || in[volume.Sagittal].Zoom() != 1 || in[volume.Coronal].Zoom() != 2 {
		t.Error("the zoom of a plane is that of another")
	}
	in[volume.Axial].ZoomAt(3, 5, 5, 10, 10)
	in[volume.Axial].PanBy(1, 0, 10, 10)
	if s.Cut().Zoom() != 3 || s.Cut().Pan() != in[volume.Axial].Pan() || s.Cut().Pan()[0] == 0 {
		t.Error("the plane that is chosen is placed otherwise than its pane")
	}
	s.Fit()
	if in[volume.Coronal].Zoom() != 1 || s.Cut().Zoom() != 1 || s.Cut().Pan() != [2]float64{} {
		t.Error("a plane was not fitted")
	}
	in[volume.Sagittal].PointAt(5, 3, 10, 6)
	cursor, ok := s.Cursor()
	if !ok || cursor[0] != 10 || points != 1 {
		t.Errorf("the pointer on the sagittal plane is at %v", cursor)
	}
	s.PointAway()
	if _, ok := s.Cursor(); ok || points != 2 {
		t.Error("the pointer stays")
	}
}

func TestTheCrosshairIsMovedAndKept(t *testing.T) {
	changes := 0
	s := New()
	s.Changed = func() { changes++ }
	v := volume.New(volume.NewGeometry([3]int{20, 10, 6}, [3]float64{1, 1, 1}))
	s.Open(v, volume.Window{})
	axial, coronal := s.In(volume.Axial), s.In(volume.Coronal)
	changes = 0
	axial.MoveCrosshair(3.5, 2.5, 20, 10)
	if point, marked := s.Crosshair(); marked || changes != 0 || point != [3]int{10, 5, 3} {
		t.Errorf("a click moves a crosshair that is not marked to %v", point)
	}
	s.Cut().PointAt(3.5, 2.5, 20, 10)
	s.MarkCrosshair(true)
	if point, marked := s.Crosshair(); !marked || point != [3]int{3, 2, 3} {
		t.Errorf("it begins at %v; want the voxel under the pointer", point)
	}
	s.MarkCrosshair(false)
	s.Cut().PointAt(15.5, 8.5, 20, 10)
	s.PointAway() // to a button of the tool bar
	s.MarkCrosshair(true)
	if point, _ := s.Crosshair(); point != [3]int{3, 2, 3} {
		t.Errorf("it begins at %v; want the place where it was", point)
	}
	s.Cut().PointAt(15.5, 8.5, 20, 10)
	s.MarkCrosshair(true)
	changes = 0
	axial.MoveCrosshair(3.5, 2.5, 20, 10) // its place
	axial.MoveCrosshair(-1, 2, 20, 10)
	axial.MoveCrosshair(20.5, 2, 20, 10)
	if point, _ := s.Crosshair(); point != [3]int{3, 2, 3} || changes != 0 {
		t.Errorf("it moved to %v with %d changes", point, changes)
	}
	// The head is at the top of the coronal plane: its first row is the last slice.
	coronal.MoveCrosshair(7.5, 0.5, 20, 6)
	if point, _ := s.Crosshair(); point != [3]int{7, 2, 5} || s.Cut().Index() != 5 || s.Focus() != point || changes != 1 {
		t.Errorf("a click on the coronal plane moves it to %v", point)
	}
	s.Cut().PointAt(15.5, 8.5, 20, 10)
	s.SetPlane(volume.Sagittal)
	if x := s.Cut().View().Voxel(0, 0, s.Cut().Index())[0]; x != 7 {
		t.Errorf("the next plane is shown at %d; want that of the crosshair", x)
	}
	s.MarkCrosshair(false)
	s.SetPlane(volume.Axial)
	s.Cut().PointAt(15.5, 8.5, 20, 10)
	s.SetPlane(volume.Sagittal)
	if x := s.Cut().View().Voxel(0, 0, s.Cut().Index())[0]; x != 15 {
		t.Errorf("without it the next plane is shown at %d; want that of the pointer", x)
	}
	s.MarkCrosshair(true)
	s.Open(v, volume.Window{})
	if _, marked := s.Crosshair(); !marked {
		t.Error("another series takes the mark away")
	}
}
