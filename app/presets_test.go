package app

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Every preset says what it is for and what it was tuned on, and runs on any series: its
// strengths follow the noise.
func TestPresets(t *testing.T) {
	all := Presets()
	if len(all) < 6 || !slices.IsSortedFunc(all, func(a, b Preset) int { return strings.Compare(a.Name, b.Name) }) {
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
		if got, err := PresetByName(p.Name); err != nil || got.Title != p.Title {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if !modalities["CT"] || !modalities["MR"] {
		t.Errorf("modalities %v", modalities)
	}
	var usage *UsageError
	if _, err := PresetByName("mr"); !errors.As(err, &usage) || !strings.Contains(err.Error(), "mr-brain-3d") {
		t.Errorf("a preset that does not exist: %v", err)
	}
}

// A preset that cannot run, or that says what nothing reads, is a mistake.
func TestPresetsAreChecked(t *testing.T) {
	for name, data := range map[string]string{
		"unknown field": `{"titel":"x","recipe":{"version":1,"filter":"median","dims":2,"parameters":{}}}`,
		"no filter":     `{"title":"x","recipe":{"version":1,"filter":"none","dims":2,"parameters":{}}}`,
		"no recipe":     `{"title":"x"}`,
	} {
		files := fstest.MapFS{"bad.json": {Data: []byte(data)}}
		if _, err := readPresets(files); err == nil || !strings.Contains(err.Error(), "preset bad.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	files := fstest.MapFS{"b.json": {Data: []byte(`{"recipe":{"version":1,"filter":"median","dims":2,"parameters":{}}}`)}}
	if all, err := readPresets(files); err != nil || len(all) != 1 || all[0].Name != "b" {
		t.Errorf("%+v, %v", all, err)
	}
}
