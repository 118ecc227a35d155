package run

import (
	"errors"
	"slices"
	"testing"

	"quell/app/apptest"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/series"
	"quell/volume"
)

// Each part is filtered with its part of the mask and of the noise map.
func TestPartsHaveTheirPartsOfTheMaps(t *testing.T) {
	s := apptest.Gappy(t)
	maps := Maps{Mask: make([]bool, s.Volume.Voxels()), Noise: volume.New(s.Volume.Geometry)}
	maps.Noise.Mask = make([]bool, s.Volume.Voxels())
	for i := range maps.Mask {
		maps.Mask[i] = i%7 != 0
		maps.Noise.Data[i] = 5 + float32(i%300)/20
		maps.Noise.Mask[i] = i%13 != 0
	}
	in := maps.Input(s.Volume)
	recipe := apptest.MustRecipe("bilateral", 3).With("radius", denoise.Number(1)).With("sigma-range", denoise.Number(2))
	recipe.InSigmas = true
	run, err := Denoise(t.Context(), cpu.New(), Request{Series: s, Recipe: recipe, Maps: maps, Split: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := s.Volume.SliceVoxels()
	for _, p := range []series.Part{{From: 0, To: 2}, {From: 2, To: 6}} {
		part := denoise.Input{Volume: s.Section(p).Volume, Mask: in.Mask[p.From*n : p.To*n]}
		part.Noise = &volume.Volume{Geometry: part.Volume.Geometry, Data: in.Noise.Data[p.From*n : p.To*n], Mask: in.Noise.Mask[p.From*n : p.To*n]}
		want, err := cpu.New().Run(t.Context(), recipe, part, part.Volume.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(run.Result.Data[p.From*n:p.To*n], want.Data) {
			t.Errorf("the part %v differs from that part alone", p)
		}
	}
	broken := errors.New("broken")
	fails := apptest.EngineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) { return nil, broken })
	if _, err := Denoise(t.Context(), fails, Request{Series: s, Recipe: apptest.MustRecipe("median", 3), Split: true}, nil); !errors.Is(err, broken) {
		t.Errorf("%v; want the engine's error", err)
	}
}
