package app

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// gappy is grainy with slices missing between the second and the third.
func gappy(t *testing.T) *series.Series {
	t.Helper()
	s := grainy(t, 10)
	s.Irregular, s.Sources = 3, nil
	for _, z := range []float64{0, 2.2, 8.8, 11, 13.2, 15.4} {
		s.Sources = append(s.Sources, series.Source{Position: volume.Vec{0, 0, z}})
	}
	return s
}

// "sure" with split parts: the strength is that of the longest part, for all of them. The report
// says so.
func TestSureOfSplitParts(t *testing.T) {
	s := gappy(t)
	long := series.Part{From: 2, To: 6}
	asked := mustRecipe("bilateral", 3).With("radius", denoise.Number(1)).With("sigma-range", denoise.SURE)
	if _, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: asked}, nil); ExitCode(err) != ExitInput {
		t.Errorf("without splitting: %v", err)
	}
	facts, err := denoise.FactsOf(t.Context(), s.Volume)
	if err != nil {
		t.Fatal(err)
	}
	want, err := Tune(t.Context(), cpu.New(), TuneRequest{Series: s.Section(long), Recipe: asked, Facts: &facts})
	if err != nil {
		t.Fatal(err)
	}
	job := Job{Recipe: &asked, Uneven: UnevenSplit, Measure: true}
	report, err := DoOn(t.Context(), On{Series: s, Engine: cpu.New()}, job, Events{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.Recipe.Equal(want.Recipe) || report.Tuned.Part == nil || *report.Tuned.Part != long || !slices.Equal(report.Parts, []series.Part{{From: 0, To: 2}, long}) {
		t.Errorf("it ran %s, found on %v of %v; want %s, on %v", report.Recipe, report.Tuned.Part, report.Parts, want.Recipe, long)
	}
	if text := message.Join(" ", report.Warnings...).String(); !strings.Contains(text, "The slices 1:2, 3:6 are evenly spaced and were filtered by themselves, with the strength that is best for 3:6; such a result is not judged") {
		t.Errorf("warnings %q", text)
	}
	alone, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s.Section(long), Recipe: want.Recipe}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.Run.Result.Data[2*s.Volume.SliceVoxels():], alone.Result.Data) {
		t.Error("the longest part differs from that part filtered alone")
	}
	// Of a series of one part, and of a 2-D recipe, the strength is that of all slices.
	even := *s
	even.Sources = slices.Clone(s.Sources)
	even.Sources[0].Position[2], even.Sources[1].Position[2] = 4.4, 6.6
	for name, q := range map[string]TuneRequest{
		"even": {Series: &even, Recipe: asked, Facts: &facts, Split: true},
		"2-D":  {Series: s, Recipe: mustRecipe("bilateral", 2).With("radius", denoise.Number(1)), Facts: &facts, Split: true},
	} {
		if tuned, err := Tune(t.Context(), cpu.New(), q); err != nil || tuned.Part != nil {
			t.Errorf("%s: found on %v, %v", name, tuned.Part, err)
		}
	}
}

// Each part is filtered with its part of the mask and of the noise map.
func TestPartsHaveTheirPartsOfTheMaps(t *testing.T) {
	s := gappy(t)
	maps := Maps{Mask: make([]bool, s.Volume.Voxels()), Noise: volume.New(s.Volume.Geometry)}
	maps.Noise.Mask = make([]bool, s.Volume.Voxels())
	for i := range maps.Mask {
		maps.Mask[i] = i%7 != 0
		maps.Noise.Data[i] = 5 + float32(i%300)/20
		maps.Noise.Mask[i] = i%13 != 0
	}
	in := maps.input(s.Volume)
	recipe := mustRecipe("bilateral", 3).With("radius", denoise.Number(1)).With("sigma-range", denoise.Number(2))
	recipe.InSigmas = true
	run, err := Denoise(t.Context(), cpu.New(), RunRequest{Series: s, Recipe: recipe, Maps: maps, Split: true}, nil)
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
	fails := engineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) { return nil, broken })
	if _, err := Denoise(t.Context(), fails, RunRequest{Series: s, Recipe: mustRecipe("median", 3), Split: true}, nil); !errors.Is(err, broken) {
		t.Errorf("%v; want the engine's error", err)
	}
}
