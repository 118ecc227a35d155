package job_test

import (
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/denoise/noise"
	"quell/volume"
)

func TestSliceRanges(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 3, 8}, [3]float64{1, 1, 1})
	for _, c := range []struct {
		r        job.SliceRange
		text     string
		from, to int // -1 for an error
	}{
		{job.SliceRange{}, "1:", 0, 8},
		{job.SliceRange{From: 7}, "8:", 7, 8},
		{job.SliceRange{From: 8}, "9:", -1, -1},
		{job.SliceRange{From: 2, To: 5}, "3:5", 2, 5},
		{job.SliceRange{To: 8}, "1:8", 0, 8},
		{job.SliceRange{To: 9}, "1:9", -1, -1},
		{job.SliceRange{From: 4, To: 5}, "5:5", 4, 5},
		{job.SliceRange{From: 5, To: 5}, "6:5", -1, -1},
		{job.SliceRange{From: -1, To: 5}, "0:5", -1, -1},
		{job.SliceRange{To: -1}, "1:-1", -1, -1},
	} {
		got, err := c.r.Region(g)
		if c.r.String() != c.text {
			t.Errorf("%+v is %q, want %q", c.r, c.r, c.text)
		}
		if c.from < 0 {
			if job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "has the slices 1:8") {
				t.Errorf("%s: error %v", c.text, err)
			}
		} else if err != nil || got != volume.Slices(g, c.from, c.to) {
			t.Errorf("%s: %v, %v", c.text, got, err)
		}
	}
}

func TestJobsThatAreRefused(t *testing.T) {
	recipe, bad := apptest.MustRecipe("median", 3), apptest.MustRecipe("median", 3)
	bad.Dims = 7
	number := 0
	for what, c := range map[string]struct {
		change func(j *job.Job)
		want   string // "" for a valid job
	}{
		"as it is":                     {func(*job.Job) {}, ""},
		"no input":                     {func(j *job.Job) { j.Input.Path = "" }, "the input has no name"},
		"no output":                    {func(j *job.Job) { j.Output.Path = "" }, "the output has no name"},
		"a series":                     {func(j *job.Job) { j.Input.Series = &number }, ""},
		"a component":                  {func(j *job.Job) { j.Input.Component = "red" }, ""},
		"a series and a component":     {func(j *job.Job) { j.Input.Series, j.Input.Component = &number, "red" }, "not both"},
		"no threads":                   {func(j *job.Job) { j.Engine.Threads = -1 }, "give 1 or more"},
		"a conversion":                 {func(j *job.Job) { j.Recipe = nil }, ""},
		"pictures of a conversion":     {func(j *job.Job) { j.Recipe, j.Output.Beside = nil, map[string]string{"pictures": "p"} }, "give a recipe"},
		"measures of a conversion":     {func(j *job.Job) { j.Recipe, j.Measure = nil, true }, "give a recipe"},
		"dimensions of a conversion":   {func(j *job.Job) { j.Recipe, j.AutoDims = nil, true }, "give a recipe"},
		"slices of a conversion":       {func(j *job.Job) { j.Recipe, j.Slices.To = nil, 3 }, "give a recipe"},
		"noise":                        {func(j *job.Job) { j.Noise = &job.AddedNoise{Model: noise.Gaussian} }, ""},
		"negative noise":               {func(j *job.Job) { j.Noise = &job.AddedNoise{Model: noise.Gaussian, Sigma: -1} }, "sigma of -1"},
		"seven dimensions":             {func(j *job.Job) { j.Recipe = &bad }, "7"},
		"dimensions that are replaced": {func(j *job.Job) { j.Recipe, j.AutoDims = &bad, true }, ""},
	} {
		j := job.Job{Input: job.Input{Path: "in.nii"}, Recipe: &recipe, Output: job.Output{Path: "out.nii"}}
		c.change(&j)
		err := j.Validate()
		if (err == nil) != (c.want == "") || err != nil && (job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
}
