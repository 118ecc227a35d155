package app_test

import (
	"math"
	"path/filepath"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/judge"
	"quell/app/open"
	"quell/app/open/opentest"
	"quell/app/roomtest"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/verdict"
	"quell/volume"
)

// TestWorkflow takes the bundled series the whole way: open, filter, measure,
// export in both formats, open again.
func TestWorkflow(t *testing.T) {
	s, err := open.Bundled(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Modality != "CT" || s.Volume.Dims != [3]int{512, 512, 9} || s.Volume.Unit != "HU" || len(s.Sources) != 9 {
		t.Fatalf("%s, %v, %q, %d sources", s.Modality, s.Volume.Dims, s.Volume.Unit, len(s.Sources))
	}
	eng, err := engines.Pick("auto")
	if err != nil {
		t.Fatal(err)
	}
	facts := apptest.FoundFacts(t, s.Volume)
	region := volume.Slices(s.Volume.Geometry, 4, 7)
	judged := func(r denoise.Recipe) (*run.Run, verdict.Word) {
		var done, total int64
		run, err := run.Denoise(t.Context(), eng, run.Request{Series: s, Recipe: r, Region: region, Facts: &facts}, func(d, n int64) { done, total = d, n })
		if err != nil {
			t.Fatal(err)
		}
		if done != total || total != int64(region.Voxels()) {
			t.Errorf("%s: progress ends at %d of %d, want %d", r.Filter, done, total, region.Voxels())
		}
		m, err := judge.Measure(t.Context(), nil, run, nil)
		if err != nil {
			t.Fatal(err)
		}
		return run, m.Judgement
	}
	if _, v := judged(apptest.MustRecipe("gaussian", 2)); v != verdict.Fades {
		t.Errorf("a blur of 1 mm removes anatomy from a CT, but its verdict is %s", v)
	}
	run, _ := judged(apptest.MustRecipe("nlm", 2))

	dir := t.TempDir()
	for name, tolerance := range map[string]float64{
		"out":        math.Abs(s.Sources[0].Slope) / 2,
		"out.nii.gz": 0,
	} {
		report, err := roomtest.ExportRun(t.Context(), run, filepath.Join(dir, name), job.Options{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if report.Clipped != 0 {
			t.Errorf("%s: %d voxels clipped", name, report.Clipped)
		}
		back := opentest.Reopen(t, report.Output)
		worst := 0.0
		for i := range back.Volume.Data {
			if run.Result.Valid(i) {
				worst = max(worst, math.Abs(float64(back.Volume.Data[i])-float64(run.Result.Data[i])))
			}
		}
		if worst > tolerance+1e-4 {
			t.Errorf("%s: values differ by %g HU, more than half a rescale step (%g)", name, worst, tolerance)
		}
		if !back.Volume.SameGrid(run.Result.Geometry, open.GridTolerance) {
			t.Errorf("%s: the slices are not where they were", name)
		}
	}
}
