package viewer

import (
	"math"
	"testing"

	"quell/volume"
)

// A look that was saved shows the same again; values that cannot be are left out.
func TestLookIsShownAgain(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{20, 16, 8}, [3]float64{1, 1, 2}))
	var a, b State
	b.SetLook(Look{Zoom: 3}) // without a volume it does nothing
	a.Open(v, volume.Window{Center: 10, Width: 20})
	b.Open(v, volume.Window{Center: 1, Width: 2})
	a.ShowVoxel([3]int{4, 9, 6})
	a.SetPlane(volume.Sagittal)
	a.SetIndex(3)
	a.ZoomAt(3, 5, 5, 100, 80)
	a.PanBy(4, -6, 100, 80)
	a.ToggleInvert()
	a.DragResidual(-50)
	changes := 0
	b.Changed = func() { changes++ }
	b.SetLook(a.Look())
	if b.Look() != a.Look() || changes == 0 {
		t.Errorf("%+v; want %+v", b.Look(), a.Look())
	}
	if _, pointed := b.Cursor(); pointed {
		t.Error("a voxel is pointed at")
	}
	want := b.Look()
	for _, l := range []Look{
		{Plane: -1, Zoom: MinZoom / 2, Sigmas: minSigmas / 2},
		{Plane: 3, Zoom: 2 * MaxZoom, Sigmas: 2 * maxSigmas, Window: volume.Window{Width: -1}},
		{Plane: 7, Zoom: math.NaN(), Sigmas: math.NaN(), Window: volume.Window{Width: math.NaN()}},
	} {
		l.Index, l.Point, l.Pan, l.Inverted = want.Index, want.Point, want.Pan, want.Inverted
		if b.SetLook(l); b.Look() != want {
			t.Errorf("%+v became %+v", l, b.Look())
		}
	}
	outside := want
	outside.Point = [3]int{4, 9, 8}
	if b.SetLook(outside); b.Look() != want {
		t.Errorf("a point outside became %+v", b.Look())
	}
	b.SetLook(Look{Plane: want.Plane, Index: 99, Zoom: MaxZoom, Pan: [2]float64{-1e9, 1e9}, Sigmas: maxSigmas})
	if got := b.Look(); got.Index != 19 || got.Zoom != MaxZoom || got.Sigmas != maxSigmas || got.Pan != [2]float64{-8, 8} {
		t.Errorf("limits are %+v", got)
	}
	b.SetLook(Look{Plane: want.Plane, Zoom: MinZoom, Sigmas: minSigmas})
	if got := b.Look(); got.Zoom != MinZoom || got.Sigmas != minSigmas || got.Index != 0 {
		t.Errorf("limits are %+v", got)
	}
}
