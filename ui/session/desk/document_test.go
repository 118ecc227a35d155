package desk

import (
	"testing"

	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// A request that is in progress or has failed is no answer to one of another series, plane,
// slice or recipe.
func TestARequestIsTheSameInEveryPart(t *testing.T) {
	s, other := &series.Series{}, &series.Series{}
	recipe := func(dims int) denoise.Recipe {
		r, err := denoise.NewRecipe("nlm", dims)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	q := workbench.PreviewRequest{Series: s, Recipe: recipe(2), Plane: volume.Axial, Index: 3}
	if !SameRequest(q, q) {
		t.Error("a request differs from itself")
	}
	for name, change := range map[string]func(*workbench.PreviewRequest){
		"series": func(q *workbench.PreviewRequest) { q.Series = other },
		"plane":  func(q *workbench.PreviewRequest) { q.Plane = volume.Coronal },
		"slice":  func(q *workbench.PreviewRequest) { q.Index = 4 },
		"recipe": func(q *workbench.PreviewRequest) { q.Recipe = recipe(3) },
	} {
		changed := q
		change(&changed)
		if SameRequest(q, changed) {
			t.Errorf("a request of another %s is the same", name)
		}
	}
}

// The state that a part keeps of the voxels of a document goes with them, what it keeps of the document stays,
// and other documents and other slots are not concerned.
func TestSlots(t *testing.T) {
	d, other := NewDocument(), NewDocument()
	all, voxels, second := Slot[int]{}, Slot[int]{OfVoxels: true}, Slot[int]{OfVoxels: true}
	*all.Of(d), *voxels.Of(d), *second.Of(d), *voxels.Of(other) = 1, 2, 3, 4
	if *all.Of(d) != 1 || *voxels.Of(d) != 2 || *second.Of(d) != 3 || *voxels.Of(other) != 4 {
		t.Errorf("%d, %d, %d, %d; want 1 to 4", *all.Of(d), *voxels.Of(d), *second.Of(d), *voxels.Of(other))
	}
	d.ResetVoxels()
	if *all.Of(d) != 1 || *voxels.Of(d) != 0 || *voxels.Of(other) != 4 {
		t.Errorf("%d, %d, %d with other voxels; want 1, 0, 4", *all.Of(d), *voxels.Of(d), *voxels.Of(other))
	}
}
