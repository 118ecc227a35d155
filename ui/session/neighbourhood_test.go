package session_test

import (
	"testing"

	"quell/denoise"
	"quell/volume"
)

// The neighbourhood under the pointer is found by the current recipe, in the plane
// that the filter works in, and there is none of filters that choose none.
func TestNeighbourhoodUnderThePointer(t *testing.T) {
	b := newBench(t)
	if _, ok := b.Neighbourhoods.Here(); ok {
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
	b.Tuning.Set(lpa(100), true)
	b.settle()
	if _, ok := b.Neighbourhoods.Here(); ok {
		t.Error("a neighbourhood while nothing is pointed at")
	}
	b.State().Cut().PointAt(150, 150, 300, 300)
	whole := denoise.Lengths{8, 8, 8, 8, 8, 8, 8, 8}
	if _, ok := b.Neighbourhoods.Here(); ok {
		t.Error("a neighbourhood before those of the slice are found")
	}
	b.settle()
	if l, ok := b.Neighbourhoods.Here(); !ok || l != whole {
		t.Errorf("%v, %t with wide intervals; want %v", l, ok, whole)
	}
	b.Tuning.Set(lpa(0.01), true)
	if _, ok := b.Neighbourhoods.Here(); ok {
		t.Error("a neighbourhood of the last recipe")
	}
	b.settle()
	narrow, ok := b.Neighbourhoods.Here()
	if again, _ := b.Neighbourhoods.Here(); !ok || narrow == whole || narrow != again {
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
		b.State().Cut().PointAt(150, 150, 300, 300)
		b.findNeighbourhoods()
		if _, ok := b.Neighbourhoods.Here(); ok != (plane == v.Acquired()) {
			t.Errorf("plane %v: a neighbourhood is there %t", plane, ok)
		}
	}
	b.State().SetPlane(v.Acquired())
	b.settle()
	b.State().Cut().PointAt(150, 150, 300, 300)
	r, err := denoise.NewRecipe("median", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Tuning.Set(r, true)
	b.settle()
	if _, ok := b.Neighbourhoods.Here(); ok {
		t.Error("median has a neighbourhood")
	}
}

// findNeighbourhoods asks for the neighbourhood under the pointer, as panels do, and waits
// for the answer.
func (b *bench) findNeighbourhoods() {
	b.Neighbourhoods.Here()
	b.settle()
}

// Moves of the pointer within a slice read no map again: one piece of work serves a slice.
func TestNeighbourhoodsAreFoundOncePerSlice(t *testing.T) {
	b := newBench(t)
	b.show(tissueSeries(t))
	r, err := denoise.NewRecipe("sadct", 2)
	if err != nil {
		t.Fatal(err)
	}
	b.Preview.SetAuto(false)
	b.Tuning.Set(r.With("stabilise", denoise.Number(0)), true)
	b.Noise.ToggleFollow()
	b.settle()
	v := b.Series().Volume
	at := func(voxel [3]int) denoise.Lengths {
		q := b.Request()
		l, ok := q.Neighbourhoods(t.Context())(voxel[0], voxel[1], voxel[2])
		if !ok {
			t.Fatalf("no neighbourhood at %v", voxel)
		}
		return l
	}
	b.State().Cut().PointAt(150, 150, 300, 300)
	b.findNeighbourhoods()
	if !b.Noise.Follows() {
		t.Fatal("the filter does not follow the noise")
	}
	works := b.works
	seen := map[denoise.Lengths]bool{}
	for x := 60.0; x < 240; x += 20 {
		b.State().Cut().PointAt(x, 150, 300, 300)
		voxel, _ := b.State().Cursor()
		l, ok := b.Neighbourhoods.Here()
		if want := at(voxel); !ok || l != want {
			t.Errorf("%v at %v of %v; want %v", l, voxel, v.Dims, want)
		}
		seen[l] = true
	}
	b.settle()
	if b.works != works || len(seen) < 2 {
		t.Errorf("%d pieces of work for the pointer, %d neighbourhoods", b.works-works, len(seen))
	}
	b.State().Cut().Scroll(-1)
	b.State().Cut().PointAt(150, 150, 300, 300)
	if _, ok := b.Neighbourhoods.Here(); ok {
		t.Error("a neighbourhood of the last slice")
	}
	b.settle()
	if _, ok := b.Neighbourhoods.Here(); !ok || b.works == works {
		t.Error("no neighbourhood of the next slice")
	}
}
