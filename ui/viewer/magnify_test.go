package viewer

import (
	"image/color"
	"testing"

	"quell/ui/palette"
	"quell/volume"
)

// Within the circle the picture is three times as large about the voxel; beyond it, and in
// panes of other slices, it is as before.
func TestTheLensMagnifies(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{20, 20, 2}, [3]float64{1, 1, 1}))
	for i := range v.Data { // columns, 10 apart
		v.Data[i] = float32(10 * (i % 20))
	}
	j := Job{Source: v, View: v.View(volume.Axial), Zoom: 1, Window: volume.Window{Center: 100, Width: 200, Exact: true}, Pixelated: true}
	for role := range j.Panes {
		j.Panes[role] = Pane{Width: 120, Height: 120} // 6 pixels a voxel, a lens of 20
	}
	grey := func(value int) uint8 { return uint8(float64(value)*255/200 + 0.5) }
	at := func(j Job, x, y int) color.RGBA {
		_, frames := (&Renderer{}).Render(j)
		return frames[Original].Image.RGBAAt(x, y)
	}
	j.Lens = Lens{On: true, Voxel: [3]int{10, 10, 0}} // its centre is at (63, 63)
	for x, want := range map[int]uint8{63: grey(100), 63 + 8: grey(100), 63 + 10: grey(110), 63 - 10: grey(90), 63 + 18: grey(110), 63 + 21: grey(140), 10: grey(10)} {
		if got := at(j, x, 63); got.R != want || got.G != want {
			t.Errorf("at x %d the grey is %d; want %d", x, got.R, want)
		}
	}
	if got := at(j, 63+19, 63); got != color.RGBA(palette.Picture.Lens) {
		t.Errorf("the ring is %v", got)
	}
	if got := at(j, 63+15, 63+15); got.R != grey(130) { // in the corner of the square around the circle
		t.Errorf("beyond the circle the grey is %d", got.R)
	}
	for _, l := range []Lens{{On: false, Voxel: [3]int{10, 10, 0}}, {On: true, Voxel: [3]int{10, 10, 1}}} {
		j.Lens = l
		if got := at(j, 63+10, 63); got.R != grey(120) {
			t.Errorf("%+v: the grey is %d; want no lens", l, got.R)
		}
	}
	j.Lens = Lens{On: true, Voxel: [3]int{0, 19, 0}} // at the edge
	if got := at(j, 3, 117); got.R != 0 {
		t.Errorf("at the edge the grey is %d", got.R)
	}
	j.Lens.Voxel = [3]int{10, 10, 0}
	j.Zoom, j.Pan = 4, [2]float64{-10, -10} // its place is outside the pane
	if at(j, 1, 1) == color.RGBA(palette.Picture.Lens) {
		t.Error("a lens outside the pane is drawn")
	}
}

// The lens shows both sides of a comparison, divided as the picture.
func TestTheLensCompares(t *testing.T) {
	j := flat()
	j.Compare = Comparison{Mode: Swipe, Share: 0.5}
	j.Lens = Lens{On: true, Voxel: [3]int{8, 8, 0}} // at (17, 17), with a radius of 5
	row := greys(j, 17)
	if row[14] != greyA || row[15] != greyA || row[16] != greyB || row[19] != greyB {
		t.Errorf("%v; want the divider at 16", row)
	}
}

func TestTheLensFollowsThePointer(t *testing.T) {
	changes := 0
	s := New()
	s.Changed = func() { changes++ }
	s.Open(volume.New(volume.NewGeometry([3]int{10, 10, 4}, [3]float64{1, 1, 1})), volume.Window{})
	s.Cut().PointAt(3.5, 4.5, 10, 10)
	if s.Lens().On {
		t.Error("there is a lens at first")
	}
	changes = 0
	s.ToggleMagnifier()
	if got := s.Lens(); got != (Lens{On: true, Voxel: [3]int{3, 4, 2}}) || changes != 1 || !s.Magnifies() {
		t.Errorf("%+v", got)
	}
	s.PointAway()
	if s.Lens().On {
		t.Error("the lens stays when the pointer has left")
	}
	s.Open(s.Volume(), volume.Window{})
	if !s.Magnifies() {
		t.Error("another series takes the lens away")
	}
	s.ToggleMagnifier()
	if s.Magnifies() {
		t.Error("it is not switched off")
	}
}
