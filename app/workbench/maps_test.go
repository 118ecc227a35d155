package workbench

import (
	"reflect"
	"testing"

	"quell/app/apptest"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/volume"
)

// A preview is steered like the run.
func TestPreviewsWithMaps(t *testing.T) {
	s := apptest.Wavy(6, 5, 8)
	m := run.Maps{Noise: s.Volume.Clone(), Mask: make([]bool, s.Volume.Voxels())}
	for i := range m.Mask {
		m.Mask[i], m.Noise.Data[i] = i%4 != 0, 1+float32(i%6)
	}
	r := apptest.MustRecipe("bilateral", 3).With("sigma-range", denoise.Sigmas(2.5))
	facts, err := denoise.FactsFor(t.Context(), m.Input(s.Volume))
	if err != nil {
		t.Fatal(err)
	}
	run, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: r, Maps: m}, nil)
	if err != nil {
		t.Fatal(err)
	}
	q := PreviewRequest{Series: s, Recipe: r, Maps: m, Facts: facts, Plane: volume.Axial, Index: 3}
	got := filterSlice(t.Context(), cpu.New(), q)
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	if want := run.Result.Crop(q.Region()); !reflect.DeepEqual(got.Part.Data, want.Data) {
		t.Error("the preview differs from the run")
	}
}
