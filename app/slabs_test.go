package app

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

	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/enginetest"
	"quell/denoise/noise"
	"quell/internal/message"
	"quell/io/nifti/niftitest"
	"quell/series"
	"quell/volume"
)

// slabJob filters a file of nz noisy slices, of which two voxels have no value, to out.nii,
// with memory for n slices beside those that the filter reads around them.
func slabJob(t *testing.T, r denoise.Recipe, nz, n int) Job {
	t.Helper()
	dir := t.TempDir()
	v, err := noise.AddNoise(t.Context(), wavy(9, 8, nz).Volume, noise.Gaussian, 20, 3)
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
	job := Job{Input: Input{Path: in}, Recipe: &r, Engine: EnginePolicy{Name: "cpu"}, Output: Output{Path: filepath.Join(dir, "out.nii")}}
	p, err := r.Outline(v.Geometry)
	if err != nil {
		t.Fatal(err)
	}
	around := 2*p.Reach()[2] + max(p.Lattice[2], 1) - 1
	job.Memory = (job.voxelBytes(&r, v.Geometry) + 2) * int64(v.SliceVoxels()*(around+n))
	return job
}

// putMasked writes a volume of float32 whose masked voxels are NaN.
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

// both does a job slab by slab and whole, and fails the test where the outputs or the records
// differ. It returns the report of the former.
func both(t *testing.T, job Job) Report {
	t.Helper()
	report, err := Do(t.Context(), job, Events{})
	if err != nil {
		t.Fatalf("%s: %v", job.Recipe, err)
	}
	whole := job
	whole.Memory = math.MaxInt64
	whole.Recipe = report.Recipe // by the same numbers
	whole.Output.Path = filepath.Join(filepath.Dir(job.Output.Path), "whole"+filepath.Base(job.Output.Path))
	want, err := Do(t.Context(), whole, Events{})
	if err != nil || want.Slabs != nil || report.Slabs == nil || report.Slabs.Count < 2 {
		t.Fatalf("%s: %+v, %+v, %v", job.Recipe, want.Slabs, report.Slabs, err)
	}
	format := FormatOf(job.Output.Path)
	for k, name := range format.Files(job.Output.Path) {
		a, _ := os.ReadFile(format.Files(whole.Output.Path)[k])
		b, err := os.ReadFile(name)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: %d slabs of %d slices give another file: %v", job.Recipe, report.Slabs.Count, report.Slabs.Slices, err)
		}
	}
	var records [2]Record
	for i, r := range []Report{report, want} {
		data, err := os.ReadFile(r.Record)
		if err != nil || json.Unmarshal(data, &records[i]) != nil || records[i].Source.SHA256 == "" {
			t.Errorf("%s: record %s, %v", job.Recipe, data, err)
		}
	}
	if records[0].Source != records[1].Source || records[0].Recipe.String() != records[1].Recipe.String() ||
		(records[0].Region == nil) != (records[1].Region == nil) || records[0].Quell != records[1].Quell {
		t.Errorf("%s: records %+v, want %+v", job.Recipe, records[0], records[1])
	}
	if report.Dims != want.Dims || report.Voxels != want.Voxels || report.Files != want.Files || report.Engine != "cpu" || report.Run != nil || len(report.Findings) != len(want.Findings) {
		t.Errorf("%s: report %+v, want %+v", job.Recipe, report, want)
	}
	s := report.Seconds
	if sum := s.Start + s.Load + s.Filter + s.Write; math.Abs(sum-s.Total) > 1e-9 || s.Load <= 0 || s.Filter <= 0 || s.Write <= 0 {
		t.Errorf("%s: seconds %+v", job.Recipe, s)
	}
	return report
}

// Every filter gives slab by slab the file that it gives whole, byte for byte.
func TestSlabsGiveTheBitsOfTheWhole(t *testing.T) {
	g := wavy(9, 8, 10).Volume.Geometry
	for _, f := range denoise.Filters() {
		for _, dims := range f.Dims {
			r, err := mustRecipe(f.Name, dims).Resolve(g, denoise.Facts{Lo: -100, Hi: 200, Noise: noise.Known(20)})
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
			if report.Slabs.Sample != (SliceRange{}) || strings.Contains(report.Slabs.Text, "noise") {
				t.Errorf("%s: %+v", r, report.Slabs)
			}
		}
	}
}

// Compressed files, integers, a part of the slices and one volume of several are filtered slab
// by slab as well, and percentages are of the range of all slices.
func TestSlabsOfOtherFiles(t *testing.T) {
	median := mustRecipe("median", 3)
	percent := mustRecipe("bilateral", 3).With("sigma-range", denoise.Percent(15)).With("radius", denoise.List(1)).With("stabilise", denoise.Number(0))
	for name, change := range map[string]func(*Job){
		"Analyze":           func(j *Job) { j.Output.Path = strings.TrimSuffix(j.Output.Path, ".nii") + ".hdr" },
		"compressed output": func(j *Job) { j.Output.Path += ".gz" },
		"integers":          func(j *Job) { j.Output.Dtype = "int16" },
		"slices":            func(j *Job) { j.Slices = SliceRange{From: 8, To: 27} },
		"percent":           func(j *Job) { j.Recipe = &percent },
		"DICOM":             func(j *Job) { j.Input.Path += "-dicom"; putDICOM(t, j.Input.Path, 9, 8, 40) },
		"DICOM with padding": func(j *Job) {
			j.Input.Path += "-dicom"
			s := wavy(9, 8, 40)
			s.Volume.Mask = slices.Repeat([]bool{true}, len(s.Volume.Data))
			for z := range 40 { // at the edge of a slice
				s.Volume.Mask[72*z], s.Volume.Data[72*z] = false, float32(z)
			}
			if _, err := convert(t.Context(), s, j.Input.Path, ExportOptions{}); err != nil {
				t.Fatal(err)
			}
		},
		"slice by slice": func(j *Job) { j.AutoDims = false; *j.Recipe = mustRecipe("median", 2) },
		"volume 2 of 3": func(j *Job) {
			j.Input.Path = filepath.Join(filepath.Dir(j.Input.Path), "in.nii.gz")
			put4D(t, j.Input.Path, 3, 2)
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
		r := mustRecipe("nlm", 2).With("h", h).With("search-radius", denoise.Number(2))
		job := slabJob(t, mustRecipe("median", 2), 30, 14)
		job.Recipe = &r
		job.Input.Path = filepath.Join(t.TempDir(), "in.nii")
		v, err := noise.AddNoise(t.Context(), volume.New(volume.NewGeometry([3]int{48, 48, 30}, [3]float64{1, 1, 1})), noise.Gaussian, 20, 3)
		if err != nil {
			t.Fatal(err)
		}
		putMasked(t, job.Input.Path, v)
		job.Memory = 8 * 4 * 48 * 48 * 5 // samples of 5 slices
		report := both(t, job)
		if want := (SliceRange{From: 12, To: 17}); report.Slabs.Sample != want || !strings.HasSuffix(report.Slabs.Text, "with the noise of slices 13:17") {
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

// A volume is filtered whole as long as it fits.
func TestSlabsOnlyWhereNeeded(t *testing.T) {
	job := slabJob(t, mustRecipe("median", 3), 30, 5)
	in, err := OpenVolumes(t.Context(), job.Input, Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	plan := func() MemoryPlan { return job.Plan(in.geometry(), 1) }
	need := plan().Whole
	if want := int64(2 * 4 * 9 * 8 * 30); need != want {
		t.Errorf("it needs %d bytes; want %d", need, want)
	}
	for memory, slabs := range map[int64]bool{0: false, need: false, need - 1: true} {
		job.Memory = memory
		var said []string
		report, err := Do(t.Context(), job, Events{Message: func(_ series.Severity, text string) { said = append(said, text) }})
		if err != nil || (report.Slabs != nil) != slabs {
			t.Errorf("memory %d: %+v, %v", memory, report.Slabs, err)
		}
		if slabs && (report.Slabs.Memory != memory || !slices.Contains(said, report.Slabs.Text) || !strings.Contains(report.Slabs.Text, fmt.Sprintf("of %s that it may take: filtered in %d slabs of %d slices", Bytes(memory), report.Slabs.Count, report.Slabs.Slices))) {
			t.Errorf("%+v", report.Slabs)
		}
	}
	job.Recipe = nil
	if n := plan().Whole; n != need/2 {
		t.Errorf("a conversion needs %d", n)
	}
	job.Noise = &Noise{}
	if n := plan().Whole; n != need {
		t.Errorf("noise needs %d", n)
	}
}

// The fewest slices that the memory has to hold are one and those around it.
func TestSlabsOfOneSlice(t *testing.T) {
	job := slabJob(t, mustRecipe("median", 3), 12, 1)
	if report := both(t, job); report.Slabs.Count != 12 || report.Slabs.Slices != 1 {
		t.Errorf("%+v", report.Slabs)
	}
	job.Memory--
	_, err := Do(t.Context(), job, Events{})
	if ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), "allow more with --memory") {
		t.Errorf("error %v", err)
	}
}

// Noise and conversions give slab by slab the files that they give whole, byte for byte.
func TestSlabsWithoutFilter(t *testing.T) {
	for _, n := range []*Noise{nil, {Model: noise.Gaussian, Sigma: 3, Seed: 5}, {Model: noise.Rician, Sigma: 3, Seed: 5}} {
		for _, dtype := range []string{"", "int16"} {
			job := slabJob(t, mustRecipe("median", 3), 30, 5)
			job.Recipe, job.Noise, job.Output.Dtype, job.Engine = nil, n, dtype, EnginePolicy{}
			job.Memory = (job.voxelBytes(nil, wavy(9, 8, 30).Volume.Geometry) + 2) * 9 * 8 * 7
			if dtype != "" {
				job.Output.Path += ".gz"
			}
			var lines []string
			report, err := Do(t.Context(), job, Events{Message: func(_ series.Severity, text string) { lines = append(lines, text) }})
			if err != nil {
				t.Fatal(err)
			}
			whole := job
			whole.Memory = 0
			whole.Output.Path = filepath.Join(filepath.Dir(job.Output.Path), "whole"+filepath.Base(job.Output.Path))
			want, err := Do(t.Context(), whole, Events{})
			if err != nil || want.Slabs != nil || report.Slabs == nil || report.Slabs.Count != 5 || report.Slabs.Slices != 6 {
				t.Fatalf("%v: %+v, %+v, %v", n, want.Slabs, report.Slabs, err)
			}
			a, _ := os.ReadFile(whole.Output.Path)
			b, err := os.ReadFile(job.Output.Path)
			if err != nil || !bytes.Equal(a, b) {
				t.Errorf("%v as %q: slabs give another file: %v", n, dtype, err)
			}
			verb := "converted in 5 slabs of 6 slices"
			if n != nil {
				verb = "given noise in 5 slabs of 6 slices"
				var records [2]Record
				for i, r := range []Report{report, want} {
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

// Where it is not asked for, only what can be done slab by slab is; a limit is kept.
func TestSlabsWithoutFilterThatAreRefused(t *testing.T) {
	job := slabJob(t, mustRecipe("median", 3), 30, 5)
	job.Recipe = nil
	for want, change := range map[string]func(j *Job){
		"no slices are resampled": func(j *Job) { j.Uneven = UnevenResample },
		"a slice of":              func(j *Job) { j.Memory = 100 },
	} {
		refused := job
		change(&refused)
		if _, err := Do(t.Context(), refused, Events{}); ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	in, err := OpenVolumes(t.Context(), job.Input, Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	small := in.Source()
	huge := small
	huge.Geometry.Dims[2] = 1 << 30
	unread := huge
	unread.Slices = nil
	recipe := mustRecipe("median", 3)
	for what, x := range map[string]struct {
		src  Source
		job  Job
		want bool
	}{
		"fits":                     {small, Job{Output: job.Output}, false},
		"fits the limit":           {small, Job{Output: job.Output, Memory: 4 * 9 * 8 * 30}, false},
		"beyond the limit":         {small, Job{Output: job.Output, Memory: 4*9*8*30 - 1}, true},
		"too large":                {huge, Job{Output: job.Output}, true},
		"too large to read":        {unread, Job{Output: job.Output}, false},
		"too large, to Analyze":    {huge, Job{Output: Output{Path: "x.hdr"}}, true},
		"too large to resample":    {huge, Job{Output: job.Output, Uneven: UnevenResample}, false},
		"too large for a filter":   {huge, Job{Output: Output{Path: "x"}, Recipe: &recipe}, true},
		"Analyze beyond the limit": {huge, Job{Output: Output{Path: "x.hdr"}, Memory: 1}, true},
	} {
		if got := newExecution(x.job, x.src, Means{}, nil, Events{}).plan.Slabs; got != x.want {
			t.Errorf("%s: in slabs: %v", what, got)
		}
	}
}

// What cannot be done slab by slab is refused in one sentence before anything is read.
func TestSlabsThatAreRefused(t *testing.T) {
	for want, change := range map[string]func(j *Job){
		"noise map":                  func(j *Job) { j.NoiseMap = MapAuto },
		"chooses no neighbourhood":   func(j *Job) { j.Output.Beside = map[string]string{"scales-out": j.Output.Path + "x.nii"} },
		"in.nii is the input itself": func(j *Job) { j.Output.Beside = map[string]string{"noise-out": j.Input.Path} },
		"no slices are resampled":    func(j *Job) { j.Uneven = UnevenResample },
		"Analyze files hold one volume": func(j *Job) {
			j.Input.Path += ".gz"
			put4D(t, j.Input.Path, 3, 2)
			j.Memory = 1344
			j.Output.Path = j.Output.Path[:len(j.Output.Path)-4] + ".hdr"
		},
		"the series has the slices 1:30": func(j *Job) { j.Slices = SliceRange{From: 20, To: 31} },
		"is the input itself":            func(j *Job) { j.Output.Path = j.Input.Path },
		"the memory cannot be negative":  func(j *Job) { j.Memory = -1 },
	} {
		job := slabJob(t, mustRecipe("median", 3), 30, 5)
		change(&job)
		read := false
		_, err := Do(t.Context(), job, Events{Progress: func(Step, int64, int64) { read = true }})
		if ExitCode(err) != ExitUsage || !strings.Contains(err.Error(), want) || read {
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
		job := slabJob(t, mustRecipe("median", 3), 30, 5)
		if err := damage(job.Input.Path); err != nil {
			t.Fatal(err)
		}
		_, err := Do(t.Context(), job, Events{})
		whole := job
		whole.Memory = math.MaxInt64
		_, want := Do(t.Context(), whole, Events{})
		if ExitCode(err) != ExitInput || want == nil || err.Error() != want.Error() {
			t.Errorf("%s: %v; want %v", name, err, want)
		}
		if files, _ := os.ReadDir(filepath.Dir(job.Output.Path)); len(files) != 1 {
			t.Errorf("%s: %v", name, files)
		}
	}
}

// A file that loses its values while it is filtered is noticed.
func TestSlabsOfAFileThatChanges(t *testing.T) {
	job := slabJob(t, mustRecipe("median", 3), 30, 5)
	v := wavy(9, 8, 30).Volume
	putMasked(t, job.Input.Path, v)
	changed := v.Clone()
	changed.Mask = make([]bool, len(v.Data))
	in, err := OpenVolumes(t.Context(), job.Input, Events{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	_, err = Execute(t.Context(), job, in.Source(), Means{Engine: func() (denoise.Engine, error) {
		putMasked(t, job.Input.Path, changed)
		return cpu.New(), nil
	}}, Events{})
	if err == nil || !strings.Contains(err.Error(), "was changed while it was read") {
		t.Errorf("error %v", err)
	}
}

// A cancel at any time leaves neither an output nor a stage.
func TestSlabsCancelled(t *testing.T) {
	job := slabJob(t, mustRecipe("median", 3), 30, 5)
	count := enginetest.CancelAtPoll(t.Context(), math.MaxInt)
	if _, err := Do(count, job, Events{}); err != nil {
		t.Fatal(err)
	}
	all := int(count.Count())
	for _, n := range []int{1, 2, all / 4, all / 2, all - 3} {
		job := slabJob(t, mustRecipe("median", 3), 30, 5)
		_, err := Do(enginetest.CancelAtPoll(t.Context(), n), job, Events{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at poll %d of %d: %v", n, all, err)
		}
		if files, _ := os.ReadDir(filepath.Dir(job.Output.Path)); len(files) != 1 {
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
		return nil, fmt.Errorf("the worker died: %w", ErrEngineFailed)
	}
	return e.Engine.Run(ctx, r, in, region, progress)
}

// Where the GPU fails in the middle, the CPU filters all slabs, unless the GPU was asked for.
func TestSlabsFallBack(t *testing.T) {
	for _, name := range []string{"auto", "cuda"} {
		job := slabJob(t, mustRecipe("median", 3), 30, 5)
		job.Engine.Name = name
		in, err := OpenVolumes(t.Context(), job.Input, Events{})
		if err != nil {
			t.Fatal(err)
		}
		fell, runs := 0, 0
		var last [2]int64
		events := Events{
			Progress: func(step Step, done, total int64) {
				if step == Filtering {
					last = [2]int64{done, total}
				}
			},
			Message: func(_ series.Severity, text string) {
				if strings.Contains(text, "the CPU filters instead") {
					fell++
				}
			},
		}
		report, err := Execute(t.Context(), job, in.Source(), Means{Engine: func() (denoise.Engine, error) { return failingEngine{cpu.New(), &runs}, nil }, Fallback: true}, events)
		in.Close()
		if name == "cuda" {
			if !errors.Is(err, ErrEngineFailed) || fell != 0 {
				t.Errorf("error %v, %d fallbacks", err, fell)
			}
			continue
		}
		if want := int64(9 * 8 * 30); err != nil || fell != 1 || last != [2]int64{want, want} || runs != 3 {
			t.Errorf("error %v, %d fallbacks, progress %v, %d runs", err, fell, last, runs)
		}
		whole := job
		whole.Memory, whole.Engine.Name, whole.Output.Path = math.MaxInt64, "cpu", job.Output.Path+"2.nii"
		if _, err := Do(t.Context(), whole, Events{}); err != nil {
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
	r := mustRecipe("nlm", 3).With("search-radius", denoise.Number(1)).With("patch-radius", denoise.Number(1))
	job := slabJob(t, r, 30, 5)
	putMasked(t, job.Input.Path, volume.New(volume.NewGeometry([3]int{9, 8, 30}, [3]float64{1, 1, 1})))
	report := both(t, job)
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0].String(), "Give the strength yourself") {
		t.Errorf("warnings %q", report.Warnings)
	}
}
