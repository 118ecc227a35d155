package bids

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/batch"
	"quell/app/job"
	"quell/app/open"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/io/nifti/niftitest"
	"quell/volume"
)

// study is a dataset in a folder.
type study struct {
	t   *testing.T
	dir string
}

func (s study) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// put writes a text file.
func (s study) put(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	s.must(os.MkdirAll(filepath.Dir(path), 0o777))
	s.must(os.WriteFile(path, []byte(text), 0o666))
}

// image writes a NIfTI file of n volumes.
func (s study) image(name string, n int) {
	s.t.Helper()
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	s.must(os.MkdirAll(filepath.Dir(path), 0o777))
	v := volume.New(volume.NewGeometry([3]int{8, 6, 4}, [3]float64{1, 1, 2}))
	for i := range v.Data {
		v.Data[i] = float32(uint32(i)*2654435761>>16)/1000 + float32(i%8/4*100)
	}
	if n == 1 {
		s.must(niftitest.Write(s.t.Context(), path, v, ""))
		return
	}
	s.must(niftitest.Write4D(s.t.Context(), path, 2, slices.Repeat([]*volume.Volume{v}, n)...))
}

// magnitude writes a NIfTI file of n volumes of a signal in noise.
func (s study) magnitude(name string, n int, signal, sigma float64) {
	s.t.Helper()
	all := make([]*volume.Volume, n)
	for c := range all {
		v := volume.New(volume.NewGeometry([3]int{24, 24, 6}, [3]float64{1, 1, 2}))
		for i := range v.Data {
			re, im := noise.Normal(uint64(n), uint64(i), uint64(2*c)), noise.Normal(uint64(n), uint64(i), uint64(2*c+1))
			v.Data[i] = float32(math.Hypot(signal+sigma*float64(re), sigma*float64(im)))
		}
		all[c] = v
	}
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	s.must(os.MkdirAll(filepath.Dir(path), 0o777))
	s.must(niftitest.Write4D(s.t.Context(), path, 2, all...))
}

// newStudy is a dataset with two participants, sessions, metadata that are inherited, and files
// that are not taken.
func newStudy(t *testing.T) study {
	s := study{t, filepath.Join(t.TempDir(), "study")}
	s.put("dataset_description.json", `{"Name": "Phantoms", "BIDSVersion": "1.8.0", "DatasetType": "raw", "License": "CC0", "DatasetDOI": "doi:10.0/x", "Authors": ["A", "B"]}`)
	s.put("README", strings.Repeat("A dataset of phantoms, to try things out. ", 10))
	s.put("T1w.json", `{"EchoTime": 0.003, "FlipAngle": 8}`)
	s.put("sub-01/sub-01_T1w.json", `{"FlipAngle": 9}`)
	s.put("sub-01/anat/sub-01_T1w.json", `{"RepetitionTime": 2.3}`)
	s.image("sub-01/anat/sub-01_T1w.nii.gz", 1)
	s.image("sub-01/anat/sub-01_FLAIR.nii", 1)
	s.image("sub-02/ses-a/anat/sub-02_ses-a_T1w.nii.gz", 1)
	s.put("task-rest_bold.json", `{"TaskName": "rest", "RepetitionTime": 2.0, "SliceTiming": [0, 0.5, 1, 1.5]}`)
	s.image("sub-01/func/sub-01_task-rest_bold.nii.gz", 3)
	s.put("dwi.bval", "0 1000 1000\n")
	s.put("dwi.bvec", "0 1 0\n0 0 1\n0 0 0\n")
	s.image("sub-02/ses-a/dwi/sub-02_ses-a_dwi.nii.gz", 3)
	s.image("sub-01/fmap/sub-01_phasediff.nii.gz", 1)
	s.put("sub-01/fmap/sub-01_phasediff.json", `{"EchoTime1": 0.004, "EchoTime2": 0.006}`)
	s.put("derivatives/other/sub-01/anat/sub-01_T1w.nii.gz", "of another program")
	return s
}

func (s study) open() *Dataset {
	s.t.Helper()
	d, err := Open(s.dir)
	s.must(err)
	return d
}

func (s study) options(out string) batch.Options {
	recipe, err := denoise.NewRecipe("gaussian", 2)
	s.must(err)
	return batch.Options{Output: out, Job: job.Job{Recipe: &recipe, Engine: job.EnginePolicy{Name: "cpu"}}}
}

func TestImages(t *testing.T) {
	s := newStudy(t)
	s.image("sub-01/anat/sub-01_desc-brain_mask.nii.gz", 1)
	s.image("sub-01/anat/sub-01_part-phase_T1w.nii.gz", 1)
	s.image("sub-01/anat/sub-01_part-mag_T2w.nii.gz", 1)
	s.image("sub-01/anat/bad name_T1w.nii.gz", 1)
	s.image("sub-01/anat/sub-01_acq-x_T1w.nii.gz", 1)
	s.put(".bidsignore", "# comment\n*acq-x*\nsub-03/\n")
	s.image("sub-03/anat/sub-03_T1w.nii.gz", 1)
	for _, x := range []struct {
		f    Filter
		want string
	}{
		{Filter{}, "sub-01_FLAIR sub-01_T1w sub-01_part-mag_T2w sub-02_ses-a_T1w"},
		{Filter{Participants: []string{"01"}}, "sub-01_FLAIR sub-01_T1w sub-01_part-mag_T2w"},
		{Filter{Participants: []string{"sub-02"}}, "sub-02_ses-a_T1w"},
		{Filter{Sessions: []string{"ses-a"}}, "sub-02_ses-a_T1w"},
		{Filter{Modalities: []string{"T1w", "bold"}}, "sub-01_T1w sub-01_task-rest_bold sub-02_ses-a_T1w"},
		{Filter{Modalities: []string{"dwi", "phasediff", "mask"}}, "sub-02_ses-a_dwi"},
	} {
		units, err := s.open().Images(t.Context(), x.f)
		s.must(err)
		var names []string
		for _, u := range units {
			base, _, _ := strings.Cut(filepath.Base(u.Name), ".")
			names = append(names, base)
			if info, err := os.Stat(u.Path); err != nil || info.Size() != u.Bytes {
				t.Errorf("%s: %d bytes, %v", u.Path, u.Bytes, err)
			}
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != x.want {
			t.Errorf("%+v: %s, want %s", x.f, got, x.want)
		}
	}
	if _, err := s.open().Images(t.Context(), Filter{Participants: []string{"04"}}); job.ExitCode(err) != job.ExitUsage {
		t.Errorf("no such participant: %v", err)
	}
	if _, err := s.open().Images(t.Context(), Filter{Modalities: []string{"PET"}}); job.ExitCode(err) != job.ExitInput {
		t.Errorf("no such image: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.open().Images(ctx, Filter{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	s := study{t, t.TempDir()}
	if _, err := Open(s.dir); job.ExitCode(err) != job.ExitInput {
		t.Errorf("no description: %v", err)
	}
	s.put("dataset_description.json", "[1]")
	if _, err := Open(s.dir); job.ExitCode(err) != job.ExitInput || !strings.Contains(err.Error(), "no JSON object") {
		t.Errorf("a list: %v", err)
	}
}

func TestDerivedNames(t *testing.T) {
	for name, want := range map[string]string{
		"sub-01/anat/sub-01_T1w.nii.gz":                        "sub-01/anat/sub-01_desc-denoised_T1w.nii.gz",
		"sub-01/anat/sub-01_space-MNI_desc-preproc_T1w.nii":    "sub-01/anat/sub-01_space-MNI_desc-preprocDenoised_T1w.nii",
		"sub-01/ses-2/func/sub-01_ses-2_task-x_run-1_bold.nii": "sub-01/ses-2/func/sub-01_ses-2_task-x_run-1_desc-denoised_bold.nii",
		"sub-01/anat/T1w.nii":                                  "",
		"sub-01/anat/sub-01_x_T1w.nii":                         "",
		"sub-01/anat/sub-01_T1w.json":                          "",
		"sub-01/anat/sub-01_acq-.nii":                          "",
		"sub-01/anat/sub-01.nii.gz":                            "",
		"sub-01/anat/ses-1_T1w.nii.gz":                         "",
		"sub-01/anat/sub-01_acq-a.b_T1w.nii.gz":                "",
	} {
		im, ok := parse(name)
		if ok != (want != "") || ok && im.derived() != want {
			t.Errorf("%s: %v, %v", name, ok, im)
		}
	}
}

func TestIgnored(t *testing.T) {
	for _, x := range []struct {
		pattern, name string
		folder, want  bool
	}{
		{"*.log", "sub-01/a.log", false, true}, {"*.log", "sub-01/a.txt", false, false}, {"sub-01/", "sub-01", true, true}, {"sub-01/", "sub-01", false, false},
		{"/sub-01/x.nii", "sub-01/x.nii", false, true}, {"sub-01/x.nii", "sub-02/sub-01/x.nii", false, false}, {"**/x.nii", "sub-01/anat/x.nii", false, true},
		{"sub-01/**", "sub-01", true, true}, {"[", "[", false, false},
	} {
		d := Dataset{ignored: []string{x.pattern}}
		if got := d.ignores(x.name, x.folder); got != x.want {
			t.Errorf("%s of %s: %v", x.pattern, x.name, got)
		}
	}
}

// read parses a JSON file.
func (s study) read(path string) (v map[string]any) {
	s.t.Helper()
	data, err := os.ReadFile(path)
	s.must(err)
	s.must(json.Unmarshal(data, &v))
	return v
}

func TestDerivative(t *testing.T) {
	s := newStudy(t)
	out := filepath.Join(s.dir, "derivatives", "quell")
	f := Filter{Modalities: []string{"T1w", "FLAIR", "bold", "dwi"}}
	sum, err := Run(t.Context(), s.dir, f, s.options(out), batch.Events{})
	s.must(err)
	if sum.Done != 5 || sum.Failed != 0 {
		t.Fatalf("%+v, %v", sum.Progress, sum.Err())
	}
	at := func(name string) string { return filepath.Join(out, filepath.FromSlash(name)) }
	sidecar := s.read(at("sub-01/anat/sub-01_desc-denoised_T1w.json"))
	for key, want := range map[string]any{"EchoTime": 0.003, "FlipAngle": 9.0, "RepetitionTime": 2.3, "SkullStripped": false} {
		if sidecar[key] != want {
			t.Errorf("%s is %v, want %v", key, sidecar[key], want)
		}
	}
	if sources := sidecar["Sources"].([]any); len(sources) != 1 || sources[0] != "bids:source:sub-01/anat/sub-01_T1w.nii.gz" {
		t.Errorf("sources %v", sources)
	}
	quell := sidecar["Quell"].(map[string]any)
	if recipe := quell["Recipe"].(map[string]any); recipe["filter"] != "gaussian" || quell["Judgement"] == nil || quell["Version"] != job.Version() {
		t.Errorf("%v", quell)
	}
	// The recipe of a sidecar runs.
	data, err := json.Marshal(quell["Recipe"])
	s.must(err)
	if _, err := denoise.ParseRecipe(data); err != nil {
		t.Error(err)
	}
	bold := s.read(at("sub-01/func/sub-01_task-rest_desc-denoised_bold.json"))
	if bold["TaskName"] != "rest" || bold["SkullStripped"] != false || bold["Quell"].(map[string]any)["Recipe"] == nil {
		t.Errorf("%v", bold)
	}
	for _, ext := range []string{".bval", ".bvec"} {
		data, err := os.ReadFile(at("sub-02/ses-a/dwi/sub-02_ses-a_desc-denoised_dwi" + ext))
		source, _ := os.ReadFile(filepath.Join(s.dir, "dwi"+ext))
		if err != nil || string(data) != string(source) {
			t.Errorf("%s: %q, %v", ext, data, err)
		}
	}
	d := s.read(at("dataset_description.json"))
	if d["DatasetType"] != "derivative" || d["License"] != "CC0" || d["Name"] != "Quell: denoised images of Phantoms" || d["DatasetLinks"].(map[string]any)["source"] != "../.." ||
		d["SourceDatasets"].([]any)[0].(map[string]any)["DOI"] != "doi:10.0/x" {
		t.Errorf("%v", d)
	}
	if source := d["SourceDatasets"].([]any)[0].(map[string]any); source["URL"] != "bids:source:" {
		t.Errorf("the source is %v", source)
	}
	s.rules(out)
	for _, name := range []string{"README", ".bidsignore", "report.html", "sub-02/ses-a/anat/sub-02_ses-a_desc-denoised_T1w.nii.gz"} {
		if _, err := os.Stat(at(name)); err != nil {
			t.Error(err)
		}
	}
	// What belongs to an image comes again, without the image being filtered again.
	for _, name := range []string{"sub-01/anat/sub-01_desc-denoised_T1w.json", "sub-02/ses-a/dwi/sub-02_ses-a_desc-denoised_dwi.bvec"} {
		before, err := os.ReadFile(at(name))
		s.must(err)
		s.must(os.Remove(at(name)))
		if again, err := Run(t.Context(), s.dir, f, s.options(out), batch.Events{}); err != nil || again.Reused != 5 {
			t.Errorf("%v, %+v", err, again.Progress)
		}
		if after, err := os.ReadFile(at(name)); err != nil || string(after) != string(before) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.validate(out)
}

// rules checks a derivative as a dataset of its own by what the BIDS schema 1.10 asks for beyond
// names of raw data: each NIfTI file has desc and a sidecar with the fields that are required of
// derived images, each sidecar and gradient an image, and .bidsignore names everything else.
func (s study) rules(out string) {
	s.t.Helper()
	root := study{s.t, out}
	description := root.read(filepath.Join(out, "dataset_description.json"))
	for _, key := range []string{"Name", "BIDSVersion", "DatasetType", "GeneratedBy", "SourceDatasets", "DatasetLinks"} {
		if description[key] == nil {
			s.t.Errorf("the description has no %s", key)
		}
	}
	d := root.open()
	s.must(filepath.WalkDir(out, func(full string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(out, full)
		name := filepath.ToSlash(rel)
		switch {
		case err != nil || name == ".":
			return err
		case d.ignores(name, e.IsDir()):
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case e.IsDir() || slices.Contains([]string{"README", ".bidsignore", "dataset_description.json"}, name):
			return nil
		}
		base, ext := strings.TrimSuffix(full, ".gz"), filepath.Ext(strings.TrimSuffix(name, ".gz"))
		base = strings.TrimSuffix(base, ext)
		im, ok := parse(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ext) + ".nii")
		if !ok || im.entities["desc"] == "" || im.order[len(im.order)-1] != "desc" {
			s.t.Errorf("%s is no name of a derivative", name)
		}
		switch ext {
		case ".nii":
			sidecar := s.read(base + ".json")
			for _, key := range []string{"SkullStripped", "Description", "Sources"} {
				if sidecar[key] == nil {
					s.t.Errorf("%s has no %s", name, key)
				}
			}
		case ".json", ".bval", ".bvec":
			_, plain := os.Stat(base + ".nii")
			_, compressed := os.Stat(base + ".nii.gz")
			if (plain == nil) == (compressed == nil) {
				s.t.Errorf("%s belongs to no image", name)
			}
		default:
			s.t.Errorf("%s is in no dataset", name)
		}
		return nil
	}))
}

// TestDamagedMetadata: a series with metadata that cannot be read fails, the others do
// not.
func TestDamagedMetadata(t *testing.T) {
	s := newStudy(t)
	s.put("sub-01/anat/sub-01_T1w.json", "{")
	out := filepath.Join(t.TempDir(), "out")
	sum, err := Run(t.Context(), s.dir, Filter{}, s.options(out), batch.Events{})
	s.must(err)
	if sum.Done != 2 || sum.Failed != 1 || job.ExitCode(sum.Err()) != job.ExitInput || !strings.Contains(slices.Collect(sum.Results())[0].Problem, "no JSON object") {
		t.Errorf("%+v, %v", sum.Progress, sum.Err())
	}
	s.put("sub-01/anat/sub-01_T1w.json", "\ufeff{}") // a byte order mark does no harm
	if sum, err = Run(t.Context(), s.dir, Filter{}, s.options(out), batch.Events{}); err != nil || sum.Done != 3 || sum.Reused != 2 {
		t.Errorf("%v, %+v", err, sum.Progress)
	}
}

func TestForeignOutput(t *testing.T) {
	s := newStudy(t)
	for _, out := range []string{s.dir, ""} {
		if _, err := Run(t.Context(), s.dir, Filter{}, s.options(out), batch.Events{}); job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%q: %v", out, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.dir, ".quell-batch")); err == nil {
		t.Error("something was written to the input")
	}
}

// validate runs the bids-validator of npm (1.15) if QUELL_BIDS_VALIDATOR names it: on the
// dataset with its derivatives, and on the derivative alone. That version knows the names of raw
// data only, so of the derivative desc-denoised is left out and everything else is checked.
func (s study) validate(out string) {
	s.t.Helper()
	validator := os.Getenv("QUELL_BIDS_VALIDATOR")
	if validator == "" {
		return
	}
	raw := filepath.Join(s.t.TempDir(), "raw")
	s.must(os.CopyFS(raw, os.DirFS(out)))
	s.must(filepath.WalkDir(raw, func(path string, d os.DirEntry, err error) error {
		if err == nil && strings.Contains(path, "_desc-denoised") {
			err = os.Rename(path, strings.ReplaceAll(path, "_desc-denoised", ""))
		}
		return err
	}))
	for _, dir := range []string{s.dir, raw} {
		if text, err := exec.Command(validator, "--ignoreWarnings", dir).CombinedOutput(); err != nil {
			s.t.Errorf("%s: %v\n%s", dir, err, text)
		}
	}
}

// A run that is filtered together takes sigma from the volumes without excitation that were acquired with it, and says so. They
// are no images. Volumes of other entities, of a phase, and of a run with a sigma of its own are not used.
func TestNoiseWithoutExcitation(t *testing.T) {
	const folder = "sub-01/func/"
	for _, c := range []struct {
		name, file string
		change     func(*batch.Options)
		sigma      float64 // 0 for the estimate of the run
	}{
		{name: "beside", file: "sub-01_task-rest_noRF.nii", sigma: 7},
		{name: "magnitude", file: "sub-01_task-rest_part-mag_noRF.nii.gz", sigma: 7},
		{name: "phase", file: "sub-01_task-rest_part-phase_noRF.nii.gz"},
		{name: "another run", file: "sub-01_task-rest_run-2_noRF.nii.gz"},
		{name: "a sigma", file: "sub-01_task-rest_noRF.nii.gz", change: func(o *batch.Options) {
			r := o.Job.Recipe.With("sigma", denoise.Number(5))
			o.Job.Recipe = &r
		}},
		{name: "no map", file: "sub-01_task-rest_noRF.nii.gz", change: func(o *batch.Options) { o.Job.NoiseMap = job.GivenMap(job.NoMap) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := study{t, filepath.Join(t.TempDir(), "study")}
			s.put("dataset_description.json", `{"Name": "Phantoms", "BIDSVersion": "1.10.0"}`)
			s.magnitude(folder+"sub-01_task-rest_bold.nii.gz", 9, 200, 10)
			o := s.options(filepath.Join(s.dir, "derivatives", "quell"))
			r, err := denoise.NewRecipe("lowrank", 3)
			s.must(err)
			o.Job.Recipe, o.Job.NoiseMap = &r, job.GivenMap("")
			if c.change != nil {
				c.change(&o)
			}
			f := Filter{Modalities: []string{"bold", "noRF"}}
			_, err = Run(t.Context(), s.dir, f, o, batch.Events{})
			s.must(err)
			s.magnitude(folder+c.file, 5, 0, 7)
			sum, err := Run(t.Context(), s.dir, f, o, batch.Events{})
			s.must(err)
			if again := sum.Reused == 0; sum.Done != 1 || again != (c.sigma > 0) {
				t.Errorf("%+v, %v", sum.Progress, sum.Err())
			}
			about := s.read(filepath.Join(o.Output, folder+"sub-01_task-rest_desc-denoised_bold.json"))
			sources, from := len(about["Sources"].([]any)), about["Quell"].(map[string]any)["NoiseMap"]
			if c.sigma == 0 {
				if sources != 1 || from != nil {
					t.Errorf("%v", about)
				}
				return
			}
			if sources != 2 || from != "bids:source:"+folder+c.file {
				t.Errorf("%v", about)
			}
			v, err := open.Open(t.Context(), job.Input{Path: filepath.Join(o.Output, folder+"sub-01_task-rest_desc-noise_boldmap.nii.gz")}, job.Events{})
			s.must(err)
			defer v.Close()
			for _, sigma := range v.Volume.Data {
				if math.Abs(float64(sigma)-c.sigma) > 0.2*c.sigma {
					t.Fatalf("sigma %g", sigma)
				}
			}
			s.rules(o.Output)
			if sum, err = Run(t.Context(), s.dir, f, o, batch.Events{}); err != nil || sum.Reused != 1 {
				t.Errorf("again: %v, %+v", err, sum.Progress)
			}
		})
	}
}

// Volumes that hold signal, or lie on another grid, give no noise: the run fails.
func TestNoiseRefused(t *testing.T) {
	s := study{t, filepath.Join(t.TempDir(), "study")}
	s.put("dataset_description.json", `{"Name": "Phantoms", "BIDSVersion": "1.10.0"}`)
	s.magnitude("sub-01/func/sub-01_task-a_bold.nii", 9, 200, 10)
	s.magnitude("sub-01/func/sub-01_task-a_noRF.nii", 5, 200, 10)
	s.magnitude("sub-01/func/sub-01_task-b_bold.nii", 9, 200, 10)
	s.image("sub-01/func/sub-01_task-b_noRF.nii", 5)
	o := s.options(filepath.Join(s.dir, "derivatives", "quell"))
	r, err := denoise.NewRecipe("lowrank", 3)
	s.must(err)
	o.Job.Recipe, o.Job.NoiseMap = &r, job.GivenMap("")
	sum, err := Run(t.Context(), s.dir, Filter{Modalities: []string{"bold"}}, o, batch.Events{})
	s.must(err)
	var problems string
	for r := range sum.Results() {
		problems += r.Problem + "\n"
	}
	if sum.Failed != 2 || !strings.Contains(problems, "a_noRF.nii: the volumes hold more than noise") || !strings.Contains(problems, "b_noRF.nii: the noise map is not on the grid") {
		t.Errorf("%+v, %s", sum.Progress, problems)
	}
}

// A series that is filtered together has its maps beside it, under names of BIDS with sidecars.
func TestMapsOfSeries(t *testing.T) {
	s := newStudy(t)
	s.must(os.Remove(filepath.Join(s.dir, "sub-01", "func", "sub-01_task-rest_bold.nii.gz")))
	s.image("sub-01/func/sub-01_task-rest_bold.nii.gz", 9)
	out := filepath.Join(s.dir, "derivatives", "quell")
	o := s.options(out)
	r, err := denoise.NewRecipe("lowrank", 3)
	s.must(err)
	r = r.With("sigma", denoise.Number(5))
	o.Job.Recipe = &r
	sum, err := Run(t.Context(), s.dir, Filter{Modalities: []string{"bold"}}, o, batch.Events{})
	s.must(err)
	if sum.Done != 1 || sum.Failed != 0 {
		t.Fatalf("%+v, %v", sum.Progress, sum.Err())
	}
	for _, param := range []string{"rank", "noise"} {
		base := filepath.Join(out, "sub-01", "func", "sub-01_task-rest_desc-"+param+"_boldmap")
		if _, err := os.Stat(base + ".nii.gz"); err != nil {
			t.Error(err)
		}
		if about := s.read(base + ".json"); about["Sources"].([]any)[0] != "bids:source:sub-01/func/sub-01_task-rest_bold.nii.gz" {
			t.Errorf("%v", about)
		}
	}
	s.rules(out)
}
