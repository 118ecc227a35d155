package preview

import (
	"testing"

	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// TestFoundPreviews: of the previews of a slice the newest of the recipe counts, else the
// newest of any recipe.
func TestFoundPreviews(t *testing.T) {
	s, other := &series.Series{}, &series.Series{}
	recipe := func(h float64) denoise.Recipe {
		r, err := denoise.NewRecipe("nlm", 2)
		if err != nil {
			t.Fatal(err)
		}
		return r.With("h", denoise.Number(h))
	}
	request := func(s *series.Series, h float64, p volume.Plane, index int) workbench.PreviewRequest {
		return workbench.PreviewRequest{Series: s, Recipe: recipe(h), Plane: p, Index: index}
	}
	var ps previews
	for i, q := range []workbench.PreviewRequest{
		request(s, 1, volume.Axial, 3), request(s, 2, volume.Axial, 3), request(s, 1, volume.Axial, 3),
		request(s, 3, volume.Axial, 3), request(s, 9, volume.Axial, 4), request(s, 9, volume.Coronal, 3), request(other, 9, volume.Axial, 3),
	} {
		ps.add(workbench.Preview{Request: q, Generation: uint64(i)})
	}
	for _, c := range []struct {
		q         workbench.PreviewRequest
		at        uint64
		exact, ok bool
	}{
		{request(s, 1, volume.Axial, 3), 2, true, true},
		{request(s, 2, volume.Axial, 3), 1, true, true},
		{request(s, 7, volume.Axial, 3), 3, false, true},
		{request(s, 9, volume.Axial, 3), 3, false, true},
		{request(s, 9, volume.Axial, 4), 4, true, true},
		{request(s, 9, volume.Sagittal, 3), 0, false, false},
		{request(other, 1, volume.Axial, 3), 6, false, true},
	} {
		p, exact, ok := ps.find(c.q)
		if p.Generation != c.at || exact != c.exact || ok != c.ok {
			t.Errorf("%v %d, %v: preview %d, exact %v, found %v; want %d, %v, %v", c.q.Plane, c.q.Index, c.q.Recipe, p.Generation, exact, ok, c.at, c.exact, c.ok)
		}
	}
	for i := range 2 * previewLimit {
		ps.add(workbench.Preview{Generation: uint64(100 + i)})
	}
	if len(ps) != previewLimit || ps[0].Generation != 100+previewLimit {
		t.Errorf("%d previews are kept, the oldest is %d", len(ps), ps[0].Generation)
	}
}
