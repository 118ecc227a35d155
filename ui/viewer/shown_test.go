package viewer

import (
	"math"
	"testing"

	"quell/volume"
)

// A look that was saved shows the same again; values that cannot be are left out.
func TestLookIsShownAgain(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{20, 16, 8}, [3]float64{1, 1, 2}))
	a, b := New(), New()
	b.SetLook(Look{Planes: [3]Placed{{Zoom: 3}}}) // without a volume it does nothing
	a.Open(v, volume.Window{Center: 10, Width: 20})
	b.Open(v, volume.Window{Center: 1, Width: 2})
	a.ShowVoxel([3]int{4, 9, 6})
	for p, zoom := range map[volume.Plane]float64{volume.Axial: 2, volume.Coronal: 1.5, volume.Sagittal: 3} {
		a.SetPlane(p)
		a.Cut().ZoomAt(zoom, 5, 5, 100, 80)
		a.Cut().PanBy(4, -6-zoom, 100, 80)
	}
	a.SetPlane(volume.Sagittal)
	a.Cut().SetIndex(3)
	a.Windows.ToggleInvert()
	a.Windows.DragResidual(-50)
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
		{Plane: -1, Planes: [3]Placed{{Zoom: MinZoom / 2}}, Sigmas: minSigmas / 2},
		{Plane: 3, Planes: [3]Placed{1: {Zoom: 2 * MaxZoom}}, Sigmas: 2 * maxSigmas, Window: volume.Window{Width: -1}},
		{Plane: 7, Planes: [3]Placed{2: {Zoom: math.NaN()}}, Sigmas: math.NaN(), Window: volume.Window{Width: math.NaN()}},
	} {
		l.Index, l.Point, l.Inverted = want.Index, want.Point, want.Inverted
		for p := range l.Planes {
			l.Planes[p].Pan = want.Planes[p].Pan
		}
		if b.SetLook(l); b.Look() != want {
			t.Errorf("%+v became %+v", l, b.Look())
		}
	}
	outside := want
	outside.Point = [3]int{4, 9, 8}
	if b.SetLook(outside); b.Look() != want {
		t.Errorf("a point outside became %+v", b.Look())
	}
	far := Placed{Zoom: MaxZoom, Pan: [2]float64{-1e9, 1e9}}
	b.SetLook(Look{Plane: want.Plane, Index: 99, Planes: [3]Placed{far, far, far}, Sigmas: maxSigmas})
	limits := [3]Placed{{Zoom: MaxZoom, Pan: [2]float64{-10, 8}}, {Zoom: MaxZoom, Pan: [2]float64{-10, 8}}, {Zoom: MaxZoom, Pan: [2]float64{-8, 8}}}
	if got := b.Look(); got.Index != 19 || got.Planes != limits || got.Sigmas != maxSigmas {
		t.Errorf("limits are %+v", got)
	}
	near := Placed{Zoom: MinZoom}
	b.SetLook(Look{Plane: want.Plane, Planes: [3]Placed{near, near, near}, Sigmas: minSigmas})
	if got := b.Look(); got.Planes != [3]Placed{near, near, near} || got.Sigmas != minSigmas || got.Index != 0 {
		t.Errorf("limits are %+v", got)
	}
}
