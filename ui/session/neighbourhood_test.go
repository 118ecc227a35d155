package session_test

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// The neighbourhood under the pointer is that of the current recipe, in the plane that
// the filter works in, and there is none of filters that choose none.
func TestNeighbourhoodUnderThePointer(t *testing.T) {
	b := newBench(t)
	if _, ok := b.Neighbourhood(); ok {
		t.Error("a neighbourhood without a series")
	}
	s := tissueSeries(t)
	b.show(s)
	lpa := func(gamma float64) denoise.Recipe {
		r, err := denoise.NewRecipe("lpa", 2)
		if err != nil {
			t.Fatal(err)
		}
		return r.With("gamma", denoise.Number(gamma)).With("sigma", denoise.Number(4)).With("stabilise", denoise.Number(0))
	}
	b.SetRecipe(lpa(100), true)
	b.settle()
	if _, ok := b.Neighbourhood(); ok {
		t.Error("a neighbourhood while nothing is pointed at")
	}
	b.State().PointAt(150, 150, 300, 300)
	whole := denoise.Lengths{8, 8, 8, 8, 8, 8, 8, 8}
	if l, ok := b.Neighbourhood(); !ok || l != whole {
		t.Errorf("%v, %t with wide intervals; want %v", l, ok, whole)
	}
	b.SetRecipe(lpa(0.01), true)
	b.settle()
	narrow, ok := b.Neighbourhood()
	if again, _ := b.Neighbourhood(); !ok || narrow == whole || narrow != again {
		t.Errorf("%v, then %v, %t with narrow intervals", narrow, again, ok)
	}
	v := s.Volume
	voxel, _ := b.State().Cursor()
	at, err := lpa(0.01).Neighbourhoods(t.Context(), denoise.Input{Volume: v}, v.Bounds())
	if err != nil {
		t.Fatal(err)
	}
	if want, _ := at(voxel[0], voxel[1], voxel[2]); narrow != want {
		t.Errorf("%v at %v; want %v", narrow, voxel, want)
	}
	for _, plane := range []volume.Plane{volume.Axial, volume.Coronal, volume.Sagittal} {
		b.State().SetPlane(plane)
		b.settle()
		b.State().PointAt(150, 150, 300, 300)
		if _, ok := b.Neighbourhood(); ok != (plane == v.Acquired()) {
			t.Errorf("plane %v: a neighbourhood is there %t", plane, ok)
		}
	}
	b.State().SetPlane(v.Acquired())
	b.settle()
	b.State().PointAt(150, 150, 300, 300)
	r, err := denoise.NewRecipe("median", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.SetRecipe(r, true)
	b.settle()
	if _, ok := b.Neighbourhood(); ok {
		t.Error("median has a neighbourhood")
	}
}
