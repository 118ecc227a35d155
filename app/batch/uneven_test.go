package batch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// TestUnevenSeries: a 3-D recipe takes a series with a gap if the job says how. Split parts
// are not judged, and another way asks for the series again.
func TestUnevenSeries(t *testing.T) {
	c := newCohort(t)
	path := filepath.Join(c.in, "ct")
	v := volume.New(volume.NewGeometry([3]int{8, 6, 6}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(i * 7919 % 101)
	}
	_, err := app.DoOn(t.Context(), app.On{Series: &series.Series{Meta: series.Meta{Format: "phantom"}, Volume: v}}, job.Job{Output: job.Output{Path: path}}, job.Events{})
	c.must(err)
	c.must(os.Remove(filepath.Join(path, "IM00003.dcm")))
	recipe, err := denoise.NewRecipe("gaussian", 3)
	c.must(err)
	run := func(uneven string) SeriesResult {
		t.Helper()
		o := c.options()
		o.Job.Recipe, o.Job.Uneven, o.Job.Output.Overwrite = &recipe, uneven, true
		return resultsOf(c.run(o))[0]
	}
	if r := run(""); r.State != Failed || !strings.Contains(r.Problem, "off even spacing") {
		t.Errorf("%+v", r)
	}
	for _, x := range []struct{ uneven, warning string }{
		{job.UnevenSplit, "The slices 1:2, 3:5 are evenly spaced and were filtered by themselves."},
		{job.UnevenResample, "Resampled on request: 5 slices measured over 10.00 mm became 6 slices every 2 mm"},
		{"resample=2.5", "became 5 slices every 2.5 mm"},
	} {
		r := run(x.uneven)
		if r.State != Done || r.Reused || !strings.Contains(strings.Join(r.Warnings, " "), x.warning) {
			t.Errorf("%s: %+v", x.uneven, r)
		}
		if split := strings.HasPrefix(r.Why, "What was filtered in evenly spaced parts is not judged"); split != (x.uneven == job.UnevenSplit) || split && (r.Judgement != "unknown" || sigmaText(r) != "") {
			t.Errorf("%s: verdict %s: %s", x.uneven, r.Judgement, r.Why)
		}
		if !run(x.uneven).Reused {
			t.Errorf("%s: done twice", x.uneven)
		}
	}
	o := c.options()
	o.Job.Uneven = "nothing"
	if _, err := Run(t.Context(), o, Events{}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("%v", err)
	}
}
