package app_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/output"
	"quell/app/run"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Whatever is written besides a result is the same slab by slab as whole, byte for byte: what
// was removed, the scales, the pictures; under masks and noise maps, and of added noise.
func TestSlabsGiveEveryOutput(t *testing.T) {
	lpa := apptest.MustRecipe("lpa", 2).With("sigma", denoise.Number(20))
	for name, change := range map[string]func(t *testing.T, j *job.Job){
		"removed": func(t *testing.T, j *job.Job) {
			j.Output.Beside = map[string]string{"noise-out": filepath.Join(filepath.Dir(j.Output.Path), "removed.nii")}
		},
		"pictures": func(t *testing.T, j *job.Job) {
			j.Output.Beside = map[string]string{"pictures": filepath.Join(filepath.Dir(j.Output.Path), "pictures")}
		},
		"scales": func(t *testing.T, j *job.Job) {
			j.Recipe, j.Output.Beside = &lpa, map[string]string{"scales-out": filepath.Join(filepath.Dir(j.Output.Path), "scales.nii")}
		},
		"noise": func(_ *testing.T, j *job.Job) { j.Noise = &job.AddedNoise{Model: noise.Gaussian, Sigma: 3, Seed: 5} },
		"mask":  func(t *testing.T, j *job.Job) { j.Mask = putMap(t, 30, func(i int) float32 { return float32(i % 3) }) },
		"noise map": func(t *testing.T, j *job.Job) {
			j.NoiseMap = putMap(t, 30, func(i int) float32 { return 10 + float32(i%7) })
		},
		"slices": func(t *testing.T, j *job.Job) {
			j.Slices = job.SliceRange{From: 8, To: 27}
			j.Mask = putMap(t, 30, func(i int) float32 { return float32(i % 2) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := apptest.MustRecipe("bilateral", 3).With("sigma-range", denoise.Number(30)).With("radius", denoise.List(1)).With("stabilise", denoise.Number(0))
			work := slabJob(t, r, 30, 12)
			change(t, &work)
			var dirs [2]map[string][]byte
			var records [2]output.Record
			for i, memory := range []int64{math.MaxInt64, work.Memory} {
				work := work
				work.Memory = memory
				dir := t.TempDir()
				work.Output.Path = filepath.Join(dir, filepath.Base(work.Output.Path))
				work.Output.Beside = maps.Clone(work.Output.Beside)
				for name, path := range work.Output.Beside {
					work.Output.Beside[name] = filepath.Join(dir, filepath.Base(path))
				}
				report, err := app.Do(t.Context(), work, job.Events{})
				if err != nil || (report.Slabs != nil) != (i == 1) {
					t.Fatalf("%+v, %v", report.Slabs, err)
				}
				dirs[i] = filesIn(t, dir)
				if err := json.Unmarshal(dirs[i]["out.nii"+files.RecordSuffix], &records[i]); err != nil {
					t.Fatal(err)
				}
				delete(dirs[i], "out.nii"+files.RecordSuffix)
			}
			if len(dirs[0]) != len(dirs[1]) || len(dirs[0]) == 0 {
				t.Errorf("%d files whole, %d slab by slab", len(dirs[0]), len(dirs[1]))
			}
			for name, want := range dirs[0] {
				if name == "pictures/before.png" || name == "pictures/after.png" {
					continue // their window is the one of the slice, as the series has none
				}
				if !bytes.Equal(dirs[1][name], want) {
					t.Errorf("%s differs", name)
				}
			}
			a, b := records[0], records[1]
			if a.Source.SHA256 != b.Source.SHA256 || !sameMap(a.NoiseMap, b.NoiseMap) || !sameMap(a.Mask, b.Mask) || a.Recipe.String() != b.Recipe.String() {
				t.Errorf("records %+v, %+v", a, b)
			}
		})
	}
}

func sameMap(a, b *run.MapRecord) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// putMap writes a map on the grid of slabJob's volume.
func putMap(t *testing.T, nz int, value func(i int) float32) string {
	t.Helper()
	v := volume.New(apptest.Wavy(9, 8, nz).Volume.Geometry)
	for i := range v.Data {
		v.Data[i] = value(i)
	}
	path := filepath.Join(t.TempDir(), "map.nii")
	putMasked(t, path, v)
	return path
}

// filesIn returns the files under a folder by their names.
func filesIn(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		files[strings.TrimPrefix(path, dir+"/")] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A mask that is 0 everywhere is refused slab by slab as it is whole.
func TestSlabsUnderAnEmptyMask(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 30, 8)
	j.Mask = putMap(t, 30, func(int) float32 { return 0 })
	_, err := app.Do(t.Context(), j, job.Events{})
	j.Memory = math.MaxInt64
	_, want := app.Do(t.Context(), j, job.Events{})
	if job.ExitCode(err) != job.ExitInput || want == nil || err.Error() != want.Error() {
		t.Errorf("%v; want %v", err, want)
	}
	j = slabJob(t, apptest.MustRecipe("median", 3), 30, 8)
	j.NoiseMap = putMap(t, 29, func(int) float32 { return 1 })
	if _, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), "not on the grid") {
		t.Errorf("a map of another grid: %v", err)
	}
}

// A result that is made slab by slab is judged, every slice of it, and reported on.
func TestSlabsAreJudged(t *testing.T) {
	r := apptest.MustRecipe("bilateral", 2).With("sigma-range", denoise.Number(60)).With("stabilise", denoise.Number(0))
	j := slabJob(t, apptest.MustRecipe("median", 2), 30, 14)
	j.Recipe, j.Measure = &r, true
	v := apptest.Wavy(64, 48, 24).Volume
	for z := range 24 {
		for i := range v.Plane(z) {
			v.Plane(z)[i] = float32(100 * (i / 8 % 2))
		}
	}
	noisy, err := noise.AddNoise(t.Context(), v, noise.Gaussian, 5, 3)
	if err != nil {
		t.Fatal(err)
	}
	putMasked(t, j.Input.Path, noisy)
	j.Output.Beside = map[string]string{"report": filepath.Join(filepath.Dir(j.Output.Path), "report.html")}
	whole := j
	whole.Memory = math.MaxInt64
	want, err := app.Do(t.Context(), whole, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	j.Memory = 3 * 4 * 64 * 48 * 8
	got, err := app.Do(t.Context(), j, job.Events{})
	if err != nil || got.Slabs == nil || got.Measures == nil {
		t.Fatalf("%+v, %v", got, err)
	}
	m, w := got.Measures, want.Measures
	if m.Judgement != w.Judgement || len(m.Slices) != 24 || !strings.Contains(m.Why.String(), "parts; slices ") || m.Map != nil {
		t.Errorf("%s: %s, %d slices; want %s: %s", m.Judgement, m.Why, len(m.Slices), w.Judgement, w.Why)
	}
	near := func(a, b, slack float64) bool { return math.Abs(a-b) <= slack*math.Abs(b) }
	if !near(float64(m.Change.MSE), float64(w.Change.MSE), 1e-6) || m.Change.MaxAbsDiff != w.Change.MaxAbsDiff || !near(float64(m.Change.SSIM), float64(w.Change.SSIM), 1e-6) ||
		!near(float64(m.ResidualSD), float64(w.ResidualSD), 0.02) || !near(m.Sigma, w.Sigma, 0.1) {
		t.Errorf("%+v, sigma %g; want %+v, %g", m.Change, m.Sigma, w.Change, w.Sigma)
	}
	page, err := os.ReadFile(j.Output.Beside["report"])
	if err != nil || !bytes.Contains(page, []byte(m.Judgement.Message().String())) || bytes.Count(page, []byte("<img")) == 0 {
		t.Errorf("%v: %d bytes", err, len(page))
	}
}

// A report on a 4-D series shows the volume that is judged worst.
func TestReportOf4D(t *testing.T) {
	dir, j := groupJob(t, "out.nii")
	j.Measure, j.Output.Beside = true, map[string]string{"report": filepath.Join(dir, "report.html")}
	r, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	worst := 0
	for k, v := range r.Volumes {
		if v.Measures.Worse(r.Volumes[worst].Measures.Assessment) {
			worst = k
		}
	}
	page, err := os.ReadFile(j.Output.Beside["report"])
	if err != nil || !bytes.Contains(page, []byte(r.Volumes[worst].Name)) {
		t.Errorf("%v: no %q in %d bytes", err, r.Volumes[worst].Name, len(page))
	}
}
