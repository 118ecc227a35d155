package app_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/job"
	"quell/denoise"
	_ "quell/denoise/filter"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/phantom"
	"quell/volume"
)

var (
	results       = flag.String("results", "", "file of hashes of results: written if it is new, compared with if it exists")
	resultsEngine = flag.String("results-engine", "cpu", "engine of TestResultsKeepTheirBits")
)

// TestResultsKeepTheirBits filters eight small volumes by some eighty recipes and compares the bits of files and figures
// with a list that another version of the program wrote:
//
//	go test ./app -run ResultsKeepTheirBits -results FILE
//
// The lists of two processor architectures may differ, as the volumes do.
func TestResultsKeepTheirBits(t *testing.T) {
	if *results == "" {
		t.Skip("compares two versions of the program; name a list by -results")
	}
	var got []string
	dir := t.TempDir()
	for _, in := range resultInputs(t, dir) {
		for _, recipe := range resultRecipes() {
			got = append(got, fmt.Sprintf("%s %s: %s", in.name, recipe.name, resultOf(t, in.path, recipe)))
		}
	}
	before, err := os.ReadFile(*results)
	if errors.Is(err, fs.ErrNotExist) {
		apptest.WriteTestFile(t, *results, []byte(strings.Join(got, "\n")))
		t.Logf("%d results are listed in %s", len(got), *results)
		return
	}
	want := strings.Split(string(before), "\n")
	if err != nil || len(want) != len(got) {
		t.Fatalf("%d results before, %d now, %v", len(want), len(got), err)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("before %s\nnow    %s", want[i], got[i])
		}
	}
}

type resultInput struct{ name, path string }

// resultInputs writes the volumes: CT and MR, of a slice and of several, with correlated and Rician noise, of long voxels, of
// tiny size, as DICOM, and in time.
func resultInputs(t *testing.T, dir string) []resultInput {
	var all []resultInput
	add := func(name string, write func(path string)) {
		path := filepath.Join(dir, name)
		write(path)
		all = append(all, resultInput{name, path})
	}
	nii := func(v *volume.Volume) func(string) {
		return func(path string) {
			if err := niftitest.Write(t.Context(), path, v, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	add("ct.nii", nii(noisyPhantom(t, "ct", [3]int{48, 40, 6}, [3]float64{5, 5, 3}, noise.Gaussian, 25)))
	add("ct-slice.nii", nii(noisyPhantom(t, "abdomen", [3]int{72, 64, 1}, [3]float64{4, 4, 5}, noise.Gaussian, 15)))
	add("mr.nii", nii(noisyPhantom(t, "mr", [3]int{40, 48, 10}, [3]float64{4.4, 4.4, 4.4}, noise.Rician, 12)))
	add("mr-long.nii", nii(noisyPhantom(t, "mr", [3]int{60, 40, 4}, [3]float64{3, 4.5, 9}, noise.Rician, 8)))
	add("steps.nii", nii(noisyPhantom(t, "steps", [3]int{37, 41, 5}, [3]float64{2, 2, 2}, noise.Gaussian, 10)))
	add("tiny.nii", nii(apptest.Wavy(3, 2, 2).Volume))
	add("dicom", func(path string) {
		s := apptest.Wavy(32, 30, 5)
		s.Modality, s.Volume = "CT", noisyPhantom(t, "ct", [3]int{32, 30, 5}, [3]float64{7, 7, 2}, noise.Gaussian, 20)
		apptest.SaveDICOM(t, path, s)
	})
	add("time.nii", func(path string) {
		var volumes []*volume.Volume
		for i := range 8 {
			v := noisyPhantom(t, "mr", [3]int{20, 24, 4}, [3]float64{9, 9, 9}, noise.Gaussian, float64(6+i))
			volumes = append(volumes, v)
		}
		apptest.Write4D(t, path, 2, volumes...)
	})
	return all
}

func noisyPhantom(t *testing.T, kind string, dims [3]int, spacing [3]float64, model noise.Model, sigma float64) *volume.Volume {
	p, err := phantom.New(kind, phantom.Size{Dims: dims, Spacing: spacing})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err == nil {
		v, err = noise.AddNoise(t.Context(), v, model, sigma, uint64(sigma))
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type resultRecipe struct {
	name string
	denoise.Recipe
	change func(*job.Job)
}

// resultRecipes are the defaults of each filter, one setting changed at a time, and steps around a filter.
func resultRecipes() []resultRecipe {
	var all []resultRecipe
	for _, f := range denoise.AllFilters() {
		for _, dims := range f.Dims {
			r := apptest.MustRecipe(f.Name, dims)
			name := fmt.Sprintf("%s %d-D", f.Name, dims)
			all = append(all, resultRecipe{name, r, nil})
			for i, p := range f.Params {
				v, ok := otherValue(p)
				if changed := r.SetAll(map[string]denoise.Value{p.Name: v}); ok && i%2 == dims%2 && changed.Validate() == nil {
					all = append(all, resultRecipe{name + " " + p.Name + "=" + v.String(), changed, nil})
				}
			}
		}
	}
	steps := map[string]func(*job.Job){
		"noise map":  func(j *job.Job) { j.NoiseMap = job.MapAuto },
		"measured":   func(j *job.Job) { j.Measure = true },
		"strength":   func(j *job.Job) { *j.Recipe = j.Recipe.With("strength", denoise.Number(60)); j.Measure = true },
		"sure":       func(j *job.Job) { *j.Recipe = j.Recipe.With("sigma-range", denoise.SURE) },
		"auto":       func(j *job.Job) { j.AutoFilter, j.AutoDims = true, true },
		"stabilised": func(j *job.Job) { *j.Recipe = j.Recipe.With("stabilise", denoise.Auto) },
	}
	for _, name := range slices.Sorted(maps.Keys(steps)) {
		all = append(all, resultRecipe{name, apptest.MustRecipe("bilateral", 2), steps[name]})
	}
	return all
}

// otherValue returns a value that is not the default.
func otherValue(p denoise.Param) (denoise.Value, bool) {
	switch p.Kind {
	case denoise.Switch:
		return denoise.Bool(!p.Default.On()), true
	case denoise.Choice:
		i := slices.IndexFunc(p.Choices, func(c string) bool { return c != p.Default.String() })
		return denoise.Word(p.Choices[max(i, 0)]), i >= 0
	case denoise.Ints:
		return denoise.List(2), true
	case denoise.Int:
		return denoise.Number(float64(int(p.Lo+p.Hi) / 2)), true
	}
	if p.Unit == "value" {
		return denoise.Sigmas(p.Lo + (p.Hi-p.Lo)/4), true
	}
	return denoise.Number(p.Lo + (p.Hi-p.Lo)/4), true
}

// resultOf is the hash of the output and of the figures, or the error.
func resultOf(t *testing.T, path string, r resultRecipe) string {
	out := path + ".out.nii"
	recipe := r.Recipe
	j := job.Job{Input: job.Input{Path: path, All: strings.HasSuffix(path, "time.nii")}, Recipe: &recipe, Engine: job.EnginePolicy{Name: *resultsEngine}, Output: job.Output{Path: out}}
	j.Output.Overwrite = true
	if r.change != nil {
		r.change(&j)
	}
	o, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		return strings.ReplaceAll(err.Error(), filepath.Dir(path), "")
	}
	h := sha256.New()
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	clear(data[148:228]) // the description, which names the version of the program
	h.Write(data)
	if data, err = json.Marshal(o); err != nil {
		t.Fatal(err)
	}
	var figures any
	if err := json.Unmarshal(data, &figures); err != nil {
		t.Fatal(err)
	}
	data, err = json.Marshal(timeless(figures))
	if err != nil {
		t.Fatal(err)
	}
	h.Write([]byte(strings.ReplaceAll(string(data), filepath.Dir(path), "")))
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// timeless removes durations and the machine from a JSON value.
func timeless(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = timeless(v[i])
		}
	case map[string]any:
		for name := range v {
			if v[name] = timeless(v[name]); slices.Contains([]string{"seconds", "device", "devices"}, name) {
				delete(v, name)
			}
		}
	}
	return v
}
