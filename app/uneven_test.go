package app_test

import (
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/internal/message"
	"quell/series"
)

// "sure" with split parts: the strength is the strength of the longest part, for all of them.
// The report says so.
func TestSureOfSplitParts(t *testing.T) {
	s := apptest.Gappy(t)
	long := series.Part{From: 2, To: 6}
	asked := apptest.MustRecipe("bilateral", 3).With("radius", denoise.Number(1)).With("sigma-range", denoise.SURE)
	if _, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: asked}, nil); job.ExitCode(err) != job.ExitInput {
		t.Errorf("without splitting: %v", err)
	}
	facts, err := denoise.FactsOf(t.Context(), s.Volume)
	if err != nil {
		t.Fatal(err)
	}
	want, err := run.Tune(t.Context(), cpu.New(), run.TuneRequest{Series: s.Section(long), Recipe: asked, Facts: &facts})
	if err != nil {
		t.Fatal(err)
	}
	j := job.Job{Recipe: &asked, Uneven: job.UnevenSplit, Measure: true}
	report, err := app.DoOn(t.Context(), app.On{Series: s, Engine: cpu.New()}, j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	if !report.Recipe.Equal(want.Recipe) || report.Tuned.Part == nil || *report.Tuned.Part != long || !slices.Equal(report.Parts, []series.Part{{From: 0, To: 2}, long}) {
		t.Errorf("it ran %s, found on %v of %v; want %s, on %v", report.Recipe, report.Tuned.Part, report.Parts, want.Recipe, long)
	}
	if text := message.Join(" ", report.Warnings...).String(); !strings.Contains(text, "The slices 1:2, 3:6 are evenly spaced and were filtered by themselves, with the strength that is best for 3:6; such a result is not judged") {
		t.Errorf("warnings %q", text)
	}
	alone, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s.Section(long), Recipe: want.Recipe}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(report.Run.Result.Data[2*s.Volume.SliceVoxels():], alone.Result.Data) {
		t.Error("the longest part differs from that part filtered alone")
	}
	// Of a series of one part, and of a 2-D recipe, the strength is the strength of all
	// slices.
	even := *s
	even.Sources = slices.Clone(s.Sources)
	even.Sources[0].Position[2], even.Sources[1].Position[2] = 4.4, 6.6
	for name, q := range map[string]run.TuneRequest{
		"even": {Series: &even, Recipe: asked, Facts: &facts, Split: true},
		"2-D":  {Series: s, Recipe: apptest.MustRecipe("bilateral", 2).With("radius", denoise.Number(1)), Facts: &facts, Split: true},
	} {
		if tuned, err := run.Tune(t.Context(), cpu.New(), q); err != nil || tuned.Part != nil {
			t.Errorf("%s: found on %v, %v", name, tuned.Part, err)
		}
	}
}
