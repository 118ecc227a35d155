package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quell/app"
	"quell/app/apptest"
	"quell/app/files"
	"quell/app/job"
	"quell/app/open"
	"quell/io/dicom/dicomtest"
	"quell/io/nifti"
	"quell/series"
	"quell/volume"
)

const bvalText, bvecText = "0\t700 1e3 \n", "0 1 0 \r\n0 0 1\r\n0 0 0\r\n" // no program's own format

// weightedJob filters a 4-D file that has gradients next to it.
func weightedJob(t *testing.T, out string) (dir string, job job.Job) {
	t.Helper()
	dir, job = groupJob(t, out)
	put(t, strings.TrimSuffix(job.Input.Path, ".nii.gz")+".bval", bvalText)
	put(t, strings.TrimSuffix(job.Input.Path, ".nii.gz")+".bvec", bvecText)
	return dir, job
}

// put writes a file.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// want compares a file, "" for none.
func want(t *testing.T, what, path, text string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) || string(data) != text {
		t.Errorf("%s: %s is %q, %v; want %q", what, filepath.Base(path), data, err, text)
	}
}

// The files next to a 4-D input stand next to each 4-D output of NIfTI, byte for byte, however it
// is made.
func TestGradientsAreCopied(t *testing.T) {
	for what, change := range map[string]func(*job.Job){
		"filtered":     func(j *job.Job) {},
		"in slabs":     func(j *job.Job) { j.Memory = twoSlices },
		"converted":    func(j *job.Job) { j.Recipe = nil },
		"some slices":  func(j *job.Job) { j.Slices = job.SliceRange{From: 1, To: 3} },
		"uncompressed": func(j *job.Job) { j.Output.Path = strings.TrimSuffix(j.Output.Path, ".gz") },
		"of integers":  func(j *job.Job) { j.Output.Dtype = "int16" },
	} {
		dir, work := weightedJob(t, "out.nii.gz")
		if change(&work); what == "filtered" {
			work.Output.Beside = map[string]string{"noise-out": filepath.Join(dir, "noise.nii")}
		}
		report, err := app.Do(t.Context(), work, job.Events{})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		if (report.Slabs != nil) != (what == "in slabs") || report.Files != 3 {
			t.Errorf("%s: %d files, slabs %+v", what, report.Files, report.Slabs)
		}
		want(t, what, filepath.Join(dir, "out.bval"), bvalText)
		want(t, what, filepath.Join(dir, "out.bvec"), bvecText)
		if what == "filtered" {
			want(t, what, filepath.Join(dir, "noise.bval"), bvalText)
		}
		// And they are read again.
		c, err := open.Scan(t.Context(), work.Output.Path)
		if err != nil || c.Entries[0].Group.Places[2].String() != "b-value 1e3 s/mm2" {
			t.Errorf("%s: %+v, %v", what, c, err)
		}
	}
	// One volume has none, nor has a folder of DICOM.
	dir, work := weightedJob(t, "one.nii")
	one := 1
	work.Input.Series = &one
	if _, err := app.Do(t.Context(), work, job.Events{}); err != nil {
		t.Fatal(err)
	}
	want(t, "one volume", filepath.Join(dir, "one.bval"), "")
}

// What stands next to an output is replaced unasked only if it was written with it.
func TestForeignGradients(t *testing.T) {
	for what, c := range map[string]struct {
		before func(dir string) // after a first run, "" for none
		first  bool
		named  string // by the error
	}{
		"nothing":                {func(string) {}, false, ""},
		"a .bval":                {func(dir string) { put(t, filepath.Join(dir, "out.bval"), "1 2 3\n") }, false, "out.bval"},
		"a .bvec":                {func(dir string) { put(t, filepath.Join(dir, "out.bvec"), "x") }, false, "out.bvec"},
		"those of the first run": {func(string) {}, true, ""},
		"a .bval in their place": {func(dir string) { put(t, filepath.Join(dir, "out.bval"), "1 2 3\n") }, true, "out.bval"},
		"a .bvec in their place": {func(dir string) { put(t, filepath.Join(dir, "out.bvec"), "x") }, true, "out.bvec"},
		"one of them, the other gone": {func(dir string) {
			if err := os.Remove(filepath.Join(dir, "out.bval")); err != nil {
				t.Fatal(err)
			}
		}, true, ""},
	} {
		dir, j := weightedJob(t, "out.nii")
		if c.first {
			if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
				t.Fatal(err)
			}
		}
		c.before(dir)
		put(t, strings.TrimSuffix(j.Input.Path, ".nii.gz")+".bval", "0 5 6") // the next run has others
		_, err := app.Do(t.Context(), j, job.Events{})
		if (err == nil) != (c.named == "") || err != nil && (!errors.Is(err, files.ErrForeignTarget) || !strings.Contains(err.Error(), c.named+" exists")) {
			t.Errorf("%s: %v", what, err)
		}
		j.Output.Overwrite = true
		if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
			t.Errorf("%s, to be overwritten: %v", what, err)
		}
		want(t, what, filepath.Join(dir, "out.bval"), "0 5 6")
		want(t, what, filepath.Join(dir, "out.bvec"), bvecText)
	}
}

// Gradients of an earlier output go with it, if the next one has none.
func TestGradientsGoWithTheirOutput(t *testing.T) {
	dir, j := weightedJob(t, "out.nii")
	if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".bval", ".bvec"} {
		if err := os.Remove(strings.TrimSuffix(j.Input.Path, ".nii.gz") + ext); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := app.Do(t.Context(), j, job.Events{}); err != nil {
		t.Fatal(err)
	}
	want(t, "afterwards", filepath.Join(dir, "out.bval"), "")
	want(t, "afterwards", filepath.Join(dir, "out.bvec"), "")
}

// The gradients next to an input are a part of it: another output cannot have their place, even
// to be overwritten.
func TestGradientsOfTheInput(t *testing.T) {
	_, j := weightedJob(t, "out.nii")
	j.Output.Path = strings.TrimSuffix(j.Input.Path, ".gz")
	j.Output.Overwrite = true
	if _, err := app.Do(t.Context(), j, job.Events{}); job.ExitCode(err) != job.ExitUsage || !strings.Contains(err.Error(), "is the input itself") {
		t.Errorf("%v", err)
	}
	want(t, "afterwards", strings.TrimSuffix(j.Input.Path, ".nii.gz")+".bval", bvalText)
}

// A series with files that give no directions says so once, and has its b-values
// alone.
func TestDirectionsThatAreMissing(t *testing.T) {
	d := dicomtest.Diffusion{Maker: "GE", Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Gradients: dicomtest.Interleaved(),
		Change: func(_, _ int, f *dicomtest.Fake) { f.With(0x00185100, "FFP") }}
	out := filepath.Join(t.TempDir(), "out.nii")
	said := 0
	r, err := app.Do(t.Context(), job.Job{Input: job.Input{Path: apptest.WriteDiffusion(t, d)}, Output: job.Output{Path: out}},
		job.Events{Message: func(s series.Severity, text string) {
			if strings.Contains(text, "gradient directions are stated in the frame of the scanner") && s == series.Warning {
				said++
			}
		}})
	if err != nil || said != 1 || r.Files != 2 {
		t.Errorf("said %d times, %d files, %v", said, r.Files, err)
	}
	bval, bvec := nifti.GradientFiles(out)
	want(t, "directions are missing", bval, "0 1000 2000 0 2000 1000 0 1000 1000\n")
	want(t, "directions are missing", bvec, "")
}
