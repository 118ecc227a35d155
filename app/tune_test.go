package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/internal/message"
)

// "sure" in a recipe stands for the strength that Tune finds. The report and the
// record hold the number that was run, what was asked for, and the curve.
func TestSureIsTuned(t *testing.T) {
	s := apptest.Grainy(t, 10)
	asked := apptest.MustRecipe("bilateral", 2).With("sigma-range", denoise.SURE)
	want, err := run.Tune(t.Context(), cpu.New(), run.TuneRequest{Series: s, Recipe: apptest.MustRecipe("bilateral", 2)})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.nii")
	report, err := app.DoOn(t.Context(), app.On{Series: s, Engine: cpu.New()}, job.Job{Recipe: &asked, Output: job.Output{Path: out}}, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	x := report.Recipe.Get("sigma-range").Float()
	if !report.Recipe.Equal(want.Recipe) || x < 20 || x > 150 || !want.Helps() {
		t.Errorf("it ran %s; Tune finds %s", report.Recipe, want.Recipe)
	}
	if !report.Asked.Equal(asked) || report.Tuned == nil || report.Tuned.Curve.Points[report.Tuned.Curve.Best].Value.Float() != x {
		t.Errorf("asked for %s, tuned %+v", report.Asked, report.Tuned)
	}
	if report.Run.Facts == nil || report.Run.Facts.Noise.Sigma != want.Noise.Sigma {
		t.Errorf("the run keeps other facts than it was tuned by: %+v", report.Run.Facts)
	}
	record, err := os.ReadFile(out + files.RecordSuffix)
	if err != nil || !strings.Contains(string(record), `"curve"`) || !strings.Contains(string(record), `"objective": "sure"`) {
		t.Errorf("the record is %s, %v", record, err)
	}
	if back, err := files.LoadRecipe(out + files.RecordSuffix); err != nil || !back.Equal(want.Recipe) {
		t.Errorf("the record's recipe is %s, %v", back, err)
	}

	given := asked.With("sigma-range", denoise.Number(12))
	report, err = app.DoOn(t.Context(), app.On{Series: s, Engine: cpu.New()}, job.Job{Recipe: &given}, job.Events{})
	if err != nil || report.Tuned != nil || report.Recipe.Get("sigma-range").Float() != 12 {
		t.Errorf("a given strength: %+v, %v", report, err)
	}
}

func TestDoubtsAreReported(t *testing.T) {
	s := apptest.Grainy(t, 10)
	facts := apptest.FoundFacts(t, s.Volume)
	facts.Noise.Confidence, facts.Noise.Why = noise.Low, message.Verbatim("it is texture")
	asked := apptest.MustRecipe("bilateral", 2).With("sigma-range", denoise.SURE)
	report, err := app.DoOn(t.Context(), app.On{Series: s, Engine: cpu.New(), Facts: &facts}, job.Job{Recipe: &asked}, job.Events{})
	if err != nil || len(report.Tuned.Doubts) != 1 || len(report.Warnings) != 1 || !report.Warnings[0].Same(report.Tuned.Doubts[0]) {
		t.Errorf("a run by texture: %q, %q, %v", report.Tuned.Doubts, report.Warnings, err)
	}
}
