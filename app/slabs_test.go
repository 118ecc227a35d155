package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/app/output"
	"quell/app/roomtest"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/io/nifti/niftitest"
	"quell/phantom"
	"quell/series"
	"quell/volume"
)

// slabJob filters a file of nz noisy slices, with two voxels without a value, to out.nii,
// with memory for n slices besides the ones that the filter reads around them.
func slabJob(t *testing.T, r denoise.Recipe, nz, n int) job.Job {
	t.Helper()
	dir := t.TempDir()
	v, err := noise.AddNoise(t.Context(), apptest.Wavy(9, 8, nz).Volume, noise.Gaussian, 20, 3)
	if err != nil {
		t.Fatal(err)
	}
	v.Data[5], v.Data[len(v.Data)/2] = float32(math.NaN()), float32(math.NaN())
	v.Mask = make([]bool, len(v.Data))
	for i, x := range v.Data {
		if v.Mask[i] = x == x; !v.Mask[i] {
			v.Data[i] = 0
		}
	}
	in := filepath.Join(dir, "in.nii")
	putMasked(t, in, v)
	job := job.Job{Input: job.Input{Path: in}, Recipe: &r, Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: filepath.Join(dir, "out.nii")}}
	p, err := r.Outline(v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	around := 2*p.Reach()[2] + max(p.Lattice[2], 1) - 1
	job.Memory = (executor.VoxelBytes(job, &r, v.Geometry) + 2) * int64(v.SliceVoxels()*(around+n))
	return job
}

// putMasked writes a volume of float32 with NaN as masked voxels.
func putMasked(t *testing.T, path string, v *volume.Volume) {
	t.Helper()
	data := slices.Clone(v.Data)
	for i, valid := range v.Mask {
		if !valid {
			data[i] = float32(math.NaN())
		}
	}
	plain := *v
	plain.Mask, plain.Data = nil, make([]float32, len(data))
	os.Remove(path) // of an earlier one
	if err := niftitest.Write(t.Context(), path, &plain, ""); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b, _ := volume.LittleEndian(data)
	copy(file[len(file)-len(b):], b)
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
}

// both does a job slab by slab and whole, and fails the test if the outputs or the records
// differ. It returns the report of the former.
func both(t *testing.T, j job.Job) executor.Outcome {
	t.Helper()
	report, err := app.Do(t.Context(), j, job.Events{})
	if err != nil {
		t.Fatalf("%s: %v", j.Recipe, err)
	}
	whole := j
	whole.Memory = math.MaxInt64
	whole.Recipe = report.Recipe // by the same numbers
	whole.Output.Path = filepath.Join(filepath.Dir(j.Output.Path), "whole"+filepath.Base(j.Output.Path))
	want, err := app.Do(t.Context(), whole, job.Events{})
	if err != nil || want.Slabs != nil || report.Slabs == nil || report.Slabs.Count < 2 {
		t.Fatalf("%s: %+v, %+v, %v", j.Recipe, want.Slabs, report.Slabs, err)
	}
	for k, name := range files.PartsOf(j.Output.Path) {
		a, _ := os.ReadFile(files.PartsOf(whole.Output.Path)[k])
		b, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d slabs of %d slices give another file: %v", j.Recipe, report.Slabs.Count, report.Slabs.Slices, err)
		}
	}
	var records [2]output.Record
	for i, r := range []executor.Outcome{report, want} {
		data, err := os.ReadFile(r.Record)
		if err != nil || json.Unmarshal(data, &records[i]) != nil || records[i].Source.SHA256 == "" {
			t.Errorf("%s: record %s, %v", j.Recipe, data, err)
		}
	}
	if records[0].Source != records[1].Source || records[0].Recipe.String() != records[1].Recipe.String() ||
		(records[0].Region == nil) != (records[1].Region == nil) || records[0].Quell != records[1].Quell {
		t.Errorf("%s: records %+v, want %+v", j.Recipe, records[0], records[1])
	}
	if report.Dims != want.Dims || report.Voxels != want.Voxels || report.Files != want.Files || report.Engine != "cpu" || report.Run != nil || len(report.Findings) != len(want.Findings) {
		t.Errorf("%s: report %+v, want %+v", j.Recipe, report, want)
	}
	s := report.Seconds
	if sum := s.Start + s.Load + s.Estimate + s.Filter + s.Write; math.Abs(sum-s.Total) > 1e-9 || s.Load <= 0 || s.Filter <= 0 || s.Write <= 0 {
		t.Errorf("%s: seconds %+v", j.Recipe, s)
	}
	return report
}

// Every filter gives slab by slab the file that it gives whole, byte for byte.
func TestSlabsGiveTheBitsOfTheWhole(t *testing.T) {
	g := apptest.Wavy(9, 8, 10).Volume.Geometry
	for _, f := range denoise.Filters() {
		for _, dims := range f.Dims {
			r, err := apptest.MustRecipe(f.Name, dims).Resolve(g, denoise.Facts{Lo: -100, Hi: 200, Noise: noise.Known(20)})
			if err != nil {
				t.Fatal(err)
			}
			p, err := r.Bind(g)
			if err != nil {
				t.Fatal(err)
			}
			if p.Reads(denoise.NoiseMap) || p.Reads(denoise.GuideVolume) {
				continue // which are not read slab by slab
			}
			report := both(t, slabJob(t, r, 4*p.Reach()[2]+2*max(p.Lattice[2], 1)+11, 3))
			if report.Slabs.Sample != (job.SliceRange{}) || strings.Contains(report.Slabs.Text, "noise") {
				t.Errorf("%s: %+v", r, report.Slabs)
			}
		}
	}
}

// Compressed files, integers, a part of the slices and one volume of several are filtered slab
// by slab as well, and percentages are of the range of all slices.
func TestSlabsOfOtherFiles(t *testing.T) {
	median := apptest.MustRecipe("median", 3)
	percent := apptest.MustRecipe("bilateral", 3).With("sigma-range", denoise.Percent(15)).With("radius", denoise.List(1)).With("stabilise", denoise.Number(0))
	for name, change := range map[string]func(*job.Job){
		"Analyze":           func(j *job.Job) { j.Output.Path = strings.TrimSuffix(j.Output.Path, ".nii") + ".hdr" },
		"compressed output": func(j *job.Job) { j.Output.Path += ".gz" },
		"integers":          func(j *job.Job) { j.Output.Dtype = "int16" },
		"slices":            func(j *job.Job) { j.Slices = job.SliceRange{From: 8, To: 27} },
		"percent":           func(j *job.Job) { j.Recipe = &percent },
		"DICOM":             func(j *job.Job) { j.Input.Path += "-dicom"; apptest.PutDICOM(t, j.Input.Path, 9, 8, 40) },
		"DICOM with padding": func(j *job.Job) {
			j.Input.Path += "-dicom"
			s := apptest.Wavy(9, 8, 40)
			s.Volume.Mask = slices.Repeat([]bool{true}, len(s.Volume.Data))
			for z := range 40 { // at the edge of a slice
				s.Volume.Mask[72*z], s.Volume.Data[72*z] = false, float32(z)
			}
			if _, err := roomtest.Convert(t.Context(), s, j.Input.Path, job.Options{}); err != nil {
				t.Fatal(err)
			}
		},
		"slice by slice": func(j *job.Job) { j.AutoDims = false; *j.Recipe = apptest.MustRecipe("median", 2) },
		"volume 2 of 3": func(j *job.Job) {
			j.Input.Path = filepath.Join(filepath.Dir(j.Input.Path), "in.nii.gz")
			apptest.Put4D(t, j.Input.Path, 3, 2)
			one := 1
			j.Input.Series, j.Memory = &one, 7*6*12*3
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := median
			job := slabJob(t, r, 40, 4)
			change(&job)
			both(t, job)
		})
	}
}

// What depends on the noise is found in a sample, which the report and the first message name.
func TestSlabsWithTheNoiseOfASample(t *testing.T) {
	for _, h := range []denoise.Value{denoise.Auto, denoise.Sigmas(1), denoise.SURE} {
		r := apptest.MustRecipe("nlm", 2).With("h", h).With("search-radius", denoise.Number(2))
		j := slabJob(t, apptest.MustRecipe("median", 2), 30, 14)
		j.Recipe = &r
		j.Input.Path = filepath.Join(t.TempDir(), "in.nii")
		v, err := noise.AddNoise(t.Context(), volume.New(volume.NewGeometry([3]int{48, 48, 30}, [3]float64{1, 1, 1})), noise.Gaussian, 20, 3)
		if err != nil {
			t.Fatal(err)
		}
		putMasked(t, j.Input.Path, v)
		j.Memory = 8 * 4 * 48 * 48 * 5 // samples of 5 slices
		report := both(t, j)
		if want := (job.SliceRange{From: 12, To: 17}); report.Slabs.Sample != want || !strings.HasSuffix(report.Slabs.Text, "with the noise of slices 13:17") {
			t.Errorf("%s: %+v", r, report.Slabs)
		}
		if len(report.Warnings) != 0 && (report.Tuned == nil || !slices.EqualFunc(report.Warnings, report.Tuned.Doubts, message.Message.Same)) {
			t.Errorf("%s: warnings %q", r, report.Warnings)
		}
		if (report.Tuned != nil) != h.IsSURE() || report.Asked.String() != r.String() {
			t.Errorf("%s: tuned %+v, asked %s", r, report.Tuned, report.Asked)
		}
	}
}

// TestSlabsWithoutMap: slab by slab no noise map is estimated, and a warning says so if the noise differs from place to
// place and a map would be used; not if it is even, or if a strength is a number.
func TestSlabsWithoutMap(t *testing.T) {
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 150, 12}, Spacing: [3]float64{1.5, 1.5, 2}})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	automatic := apptest.MustRecipe("bilateral", 2)
	for _, x := range []struct {
		name   string
		rise   float64
		recipe denoise.Recipe
		want   bool
	}{{"rising", 14, automatic, true}, {"even", 0, automatic, false}, {"a number", 14, automatic.With("sigma-range", denoise.Number(20)), false}} {
		v := clean.Clone()
		for i := range v.Data {
			v.Data[i] += float32((10 - x.rise/2 + x.rise*float64(i%128)/128) * noise.Normal(9, uint64(i), 0))
		}
		in := filepath.Join(t.TempDir(), "in.nii")
		putMasked(t, in, v)
		j := job.Job{Input: job.Input{Path: in}, Recipe: &x.recipe, NoiseMap: job.GivenMap(""), Engine: job.EnginePolicy{Name: "cpu"}, Output: job.Output{Path: in + ".out.nii"}, Memory: 8 * 128 * 150 * 11}
		report, err := app.Do(t.Context(), j, job.Events{})
		if err != nil || report.Slabs == nil {
			t.Fatalf("%s: %v, slabs %v", x.name, err, report.Slabs)
		}
		if got := slices.ContainsFunc(report.Warnings, func(m message.Message) bool { return m.Kind() == message.NoiseVaries }); got != x.want {
			t.Errorf("%s: warned %t: %q, noise %+v", x.name, got, report.Warnings, report.Slabs)
		}
	}
}

// A volume is filtered whole as long as it fits.
func TestSlabsOnlyWhereNeeded(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
	in, err := open.Select(t.Context(), j.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plan := func() executor.MemoryPlan { return executor.Plan(j, in.Geometry(), 1) }
	need := plan().Whole
	if want := int64(2 * 4 * 9 * 8 * 30); need != want {
		t.Errorf("it needs %d bytes; want %d", need, want)
	}
	for memory, slabs := range map[int64]bool{0: false, need: false, need - 1: true} {
		j.Memory = memory
		var said []string
		report, err := app.Do(t.Context(), j, job.Events{Message: func(_ series.Severity, text string) { said = append(said, text) }})
		if err != nil || (report.Slabs != nil) != slabs {
			t.Errorf("memory %d: %+v, %v", memory, report.Slabs, err)
		}
		if slabs && (report.Slabs.Memory != memory || !slices.Contains(said, report.Slabs.Text) || !strings.Contains(report.Slabs.Text, fmt.Sprintf("of %s that it may take: filtered in %d slabs of %d slices", job.Bytes(memory), report.Slabs.Count, report.Slabs.Slices))) {
			t.Errorf("%+v", report.Slabs)
		}
	}
	j.Recipe = nil
	if n := plan().Whole; n != need/2 {
		t.Errorf("a conversion needs %d", n)
	}
	j.Noise = &job.AddedNoise{}
	if n := plan().Whole; n != need {
		t.Errorf("noise needs %d", n)
	}
}

// The fewest slices that the memory has to hold are one and those around it.
func TestSlabsOfOneSlice(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 12, 1)
	if report := both(t, j); report.Slabs.Count != 12 || report.Slabs.Slices != 1 {
		t.Errorf("%+v", report.Slabs)
	}
	j.Memory--
	_, err := app.Do(t.Context(), j, job.Events{})
	if job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "allow more with --memory") {
		t.Errorf("error %v", err)
	}
}

// Noise and conversions give slab by slab the files that they give whole, byte for byte.
func TestSlabsWithoutFilter(t *testing.T) {
	for _, n := range []*job.AddedNoise{nil, {Model: noise.Gaussian, Sigma: 3, Seed: 5}, {Model: noise.Rician, Sigma: 3, Seed: 5}} {
		for _, dtype := range []string{"", "int16"} {
			j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
			j.Recipe, j.Noise, j.Output.Dtype, j.Engine = nil, n, dtype, job.EnginePolicy{}
			j.Memory = (executor.VoxelBytes(j, nil, apptest.Wavy(9, 8, 30).Volume.Geometry) + 2) * 9 * 8 * 7
			if dtype != "" {
				j.Output.Path += ".gz"
			}
			var lines []string
			report, err := app.Do(t.Context(), j, job.Events{Message: func(_ series.Severity, text string) { lines = append(lines, text) }})
			if err != nil {
				t.Fatal(err)
			}
			whole := j
			whole.Memory = 0
			whole.Output.Path = filepath.Join(filepath.Dir(j.Output.Path), "whole"+filepath.Base(j.Output.Path))
			want, err := app.Do(t.Context(), whole, job.Events{})
			if err != nil || want.Slabs != nil || report.Slabs == nil || report.Slabs.Count != 5 || report.Slabs.Slices != 6 {
				t.Fatalf("%v: %+v, %+v, %v", n, want.Slabs, report.Slabs, err)
			}
			a, _ := os.ReadFile(whole.Output.Path)
			b, err := os.ReadFile(j.Output.Path)
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%v as %q: slabs give another file: %v", n, dtype, err)
			}
			verb := "converted in 5 slabs of 6 slices"
			if n != nil {
				verb = "given noise in 5 slabs of 6 slices"
				var records [2]output.Record
				for i, r := range []executor.Outcome{report, want} {
					data, err := os.ReadFile(r.Record)
					if err != nil || json.Unmarshal(data, &records[i]) != nil {
						t.Errorf("%v: record %s, %v", n, data, err)
					}
				}
				if records[0].Source != records[1].Source || records[0].Source.SHA256 == "" || *records[0].Noise != *n {
					t.Errorf("%v: records %+v, want %+v", n, records[0], records[1])
				}
			}
			if len(lines) == 0 || !strings.HasSuffix(lines[len(lines)-1], verb) || (report.Record == "") != (n == nil) {
				t.Errorf("%v: lines %q, record %q", n, lines, report.Record)
			}
			if report.Dims != want.Dims || report.Voxels != want.Voxels || report.Recipe != nil || len(report.Warnings) != len(want.Warnings) || len(report.Findings) != len(want.Findings) {
				t.Errorf("%v: report %+v, want %+v", n, report, want)
			}
		}
	}
}

// If it is not asked for, only what can be done slab by slab is; a limit is kept.
func TestSlabsWithoutFilterThatAreRefused(t *testing.T) {
	work := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
	work.Recipe = nil
	for want, change := range map[string]func(j *job.Job){
		"no slices are resampled": func(j *job.Job) { j.Uneven = job.UnevenResample },
		"a slice of":              func(j *job.Job) { j.Memory = 100 },
	} {
		refused := work
		change(&refused)
		if _, err := app.Do(t.Context(), refused, job.Events{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// What cannot be done slab by slab is refused in one sentence before anything is read.
func TestSlabsThatAreRefused(t *testing.T) {
	for want, change := range map[string]func(j *job.Job){
		"noise map":                  func(j *job.Job) { j.NoiseMap = job.MapAuto },
		"the filter that gains most": func(j *job.Job) { j.AutoFilter = true },
		"chooses no neighbourhood":   func(j *job.Job) { j.Output.Beside = map[string]string{"scales-out": j.Output.Path + "x.nii"} },
		"in.nii is the input itself": func(j *job.Job) { j.Output.Beside = map[string]string{"noise-out": j.Input.Path} },
		"no slices are resampled":    func(j *job.Job) { j.Uneven = job.UnevenResample },
		"Analyze files contain one volume": func(j *job.Job) {
			j.Input.Path += ".gz"
			apptest.Put4D(t, j.Input.Path, 3, 2)
			j.Memory = 1344
			j.Output.Path = j.Output.Path[:len(j.Output.Path)-4] + ".hdr"
		},
		"the series has the slices 1:30": func(j *job.Job) { j.Slices = job.SliceRange{From: 20, To: 31} },
		"is the input itself":            func(j *job.Job) { j.Output.Path = j.Input.Path },
		"the memory cannot be negative":  func(j *job.Job) { j.Memory = -1 },
	} {
		work := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
		change(&work)
		read := false
		_, err := app.Do(t.Context(), work, job.Events{Progress: func(job.Step, int64, int64) { read = true }})
		if job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), want) || read {
			t.Errorf("%s: %v, read: %v", want, err, read)
		}
	}
}

// A damaged file and one without values give the errors that they give whole, and leave
// nothing.
func TestSlabsOfDamagedFiles(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"short": func(path string) error { return os.Truncate(path, 3000) },
		"empty": func(path string) error {
			b, err := os.ReadFile(path)
			if err == nil {
				nan, _ := volume.LittleEndian(slices.Repeat([]float32{float32(math.NaN())}, 9*8*30))
				copy(b[len(b)-len(nan):], nan)
				err = os.WriteFile(path, b, 0o644)
			}
			return err
		},
	} {
		j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
		if err := damage(j.Input.Path); err != nil {
			t.Fatal(err)
		}
		_, err := app.Do(t.Context(), j, job.Events{})
		whole := j
		whole.Memory = math.MaxInt64
		_, want := app.Do(t.Context(), whole, job.Events{})
		if job.ExitCode(err) != job.ExitInput || want == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
		if files, _ := os.ReadDir(filepath.Dir(j.Output.Path)); len(files) != 1 {
			t.Errorf("%s: %v", name, files)
		}
	}
}

// A file that loses its values while it is filtered is noticed.
func TestSlabsOfAFileThatChanges(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
	v := apptest.Wavy(9, 8, 30).Volume
	putMasked(t, j.Input.Path, v)
	changed := v.Clone()
	changed.Mask = make([]bool, len(v.Data))
	in, err := open.Select(t.Context(), j.Input, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = app.Execute(t.Context(), j, executor.SourceOf(in), executor.Means{Engine: func() (denoise.Engine, error) {
		putMasked(t, j.Input.Path, changed)
		return cpu.New(), nil
	}}, job.Events{})
	if err == nil || !strings.Contains(err.Error(), "was changed while it was read") {
		t.Errorf("error %v", err)
	}
}

// A cancel at any time leaves neither an output nor a stage.
func TestSlabsCancelled(t *testing.T) {
	j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
	count := enginetest.CancelAtPoll(t.Context(), math.MaxInt)
	if _, err := app.Do(count, j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	all := int(count.Count())
	for _, n := range []int{1, 2, all / 4, all / 2, all - 3} {
		j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
		_, err := app.Do(enginetest.CancelAtPoll(t.Context(), n), j, job.Events{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at poll %d of %d: %v", n, all, err)
		}
		if files, _ := os.ReadDir(filepath.Dir(j.Output.Path)); len(files) != 1 {
			t.Errorf("cancelled at poll %d of %d: %v", n, all, files)
		}
	}
}

// failingEngine fails at its third slab.
type failingEngine struct {
	denoise.Engine
	runs *int
}

func (e failingEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if *e.runs++; *e.runs == 3 {
		return nil, fmt.Errorf("the worker died: %w", engines.ErrFailed)
	}
	return e.Engine.Run(ctx, r, in, region, progress)
}

// If the GPU fails in the middle, the CPU filters all slabs, unless the GPU was asked for.
func TestSlabsFallBack(t *testing.T) {
	for _, name := range []string{"auto", "cuda"} {
		j := slabJob(t, apptest.MustRecipe("median", 3), 30, 5)
		j.Engine.Name = name
		in, err := open.Select(t.Context(), j.Input, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		fell, runs := 0, 0
		var last [2]int64
		events := job.Events{
			Progress: func(step job.Step, done, total int64) {
				if step == job.Filtering {
					last = [2]int64{done, total}
				}
			},
			Message: func(_ series.Severity, text string) {
				if strings.Contains(text, "the CPU filters instead") {
					fell++
				}
			},
		}
		report, err := app.Execute(t.Context(), j, executor.SourceOf(in), executor.Means{Engine: func() (denoise.Engine, error) { return failingEngine{cpu.New(), &runs}, nil }, Fallback: true}, events)
		in.Close()
		if name == "cuda" {
			if !errors.Is(err, engines.ErrFailed) || fell != 0 {
				t.Errorf("error %v, %d fallbacks", err, fell)
			}
			continue
		}
		if want := int64(9 * 8 * 30); err != nil || fell != 1 || last != [2]int64{want, want} || runs != 3 {
			t.Errorf("error %v, %d fallbacks, progress %v, %d runs", err, fell, last, runs)
		}
		whole := j
		whole.Memory, whole.Engine.Name, whole.Output.Path = math.MaxInt64, "cpu", j.Output.Path+"2.nii"
		if _, err := app.Do(t.Context(), whole, job.Events{}); err != nil {
			t.Fatal(err)
		}
		a, _ := os.ReadFile(whole.Output.Path)
		if b, err := os.ReadFile(report.Output); err != nil || !bytes.Equal(a, b) {
			t.Errorf("another result, %v", err)
		}
	}
}

// A series in which no noise is found is left as it is, with the warning of a whole run.
func TestSlabsWithoutNoise(t *testing.T) {
	r := apptest.MustRecipe("nlm", 3).With("search-radius", denoise.Number(1)).With("patch-radius", denoise.Number(1))
	job := slabJob(t, r, 30, 5)
	putMasked(t, job.Input.Path, volume.New(volume.NewGeometry([3]int{9, 8, 30}, [3]float64{1, 1, 1})))
	report := both(t, job)
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0].String(), "Give the strength yourself") {
		t.Errorf("warnings %q", report.Warnings)
	}
}
