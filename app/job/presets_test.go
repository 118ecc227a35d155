package job_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Every preset says what it is for and what it was tuned on, and runs on any series: its
// strengths follow the noise.
func TestPresets(t *testing.T) {
	all := job.Presets()
	if len(all) < 6 || !slices.IsSortedFunc(all, func(a, b job.Preset) int { return strings.Compare(a.Name, b.Name) }) {
		t.Fatalf("%d presets", len(all))
	}
	g := volume.NewGeometry([3]int{32, 32, 16}, [3]float64{1, 1, 1})
	modalities := map[string]bool{}
	for _, p := range all {
		if p.Name == "" || p.Title == "" || p.Anatomy == "" || !strings.Contains(p.TunedOn, "dB") || p.Modality != "CT" && p.Modality != "MR" {
			t.Errorf("%+v", p)
		}
		modalities[p.Modality] = true
		var strengths [2]float64
		for i, sigma := range []float64{4, 8} {
			resolved, err := p.Recipe.Resolve(g, denoise.Facts{Hi: float32(50 * sigma), Noise: noise.Known(sigma)})
			if err != nil {
				t.Fatalf("%s: %v", p.Name, err)
			}
			if _, err := resolved.Bind(g); err != nil {
				t.Errorf("%s: %v", p.Name, err)
			}
			f, err := denoise.FilterByName(p.Recipe.Filter)
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range f.Params {
				if q.Unit == "value" && p.Recipe.Get(q.Name).IsNumber() {
					t.Errorf("%s: %s is a number, not a multiple of sigma", p.Name, q.Name)
				}
				if q.Unit == "value" {
					strengths[i] += resolved.Get(q.Name).Float()
				}
			}
		}
		if r := strengths[1] / strengths[0]; r < 1.999 || r > 2.001 {
			t.Errorf("%s: twice the noise makes the strength %g times as large", p.Name, r)
		}
		if got, err := job.PresetByName(p.Name); err != nil || got.Title != p.Title {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if !modalities["CT"] || !modalities["MR"] {
		t.Errorf("modalities %v", modalities)
	}
	var usage *job.UsageError
	if _, err := job.PresetByName("mr"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "mr-brain-3d") {
		t.Errorf("a preset that does not exist: %v", err)
	}
}
