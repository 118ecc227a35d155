package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quell/app/apptest"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/denoise/noise"
	"quell/phantom"
)

// coarse is a phantom's grid that is filled in milliseconds.
var coarse = phantom.Size{Dims: [3]int{24, 20, 2}, Spacing: [3]float64{10, 10, 2}}

func TestPhantomsAreWrittenInOrder(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	j := PhantomJob{Kind: "steps", Size: coarse, SNR: 8, Seed: 5, Repeats: 2, Output: at("n.nii"), Truth: at("truth.nii"), Ideal: at("ideal.nii")}
	files := 0
	written, err := MakePhantom(t.Context(), j, job.Events{Progress: func(step job.Step, done, total int64) {
		if step == job.Writing && done == total {
			files++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{at("n-1.nii"), at("n-2.nii"), at("truth.nii"), at("ideal.nii")}; !slices.Equal(written, want) || files != 4 {
		t.Fatalf("%q, progress of %d files; want %q", written, files, want)
	}
	p, err := phantom.New("steps", coarse)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sum, n := 0.0, 0.0
	for _, x := range exact.Data {
		if float64(x) > p.Background {
			sum, n = sum+float64(x), n+1
		}
	}
	if n == 0 || n == float64(len(exact.Data)) {
		t.Fatalf("the object has %g of %d voxels", n, len(exact.Data))
	}
	for k, path := range written {
		want := exact
		if k < 2 {
			if want, err = noise.AddNoise(t.Context(), exact, noise.Gaussian, sum/n/8, 5+uint64(k)); err != nil {
				t.Fatal(err)
			}
		}
		if got := opentest.Reopen(t, path); !slices.Equal(got.Volume.Data, want.Data) {
			t.Errorf("%s does not hold the phantom with the noise of seed %d", path, 5+k)
		}
	}
}

// TestNoiseOfPhantoms: mr has the noise of magnitudes, and without an SNR there is none.
func TestNoiseOfPhantoms(t *testing.T) {
	dir := t.TempDir()
	made := func(j PhantomJob) []float32 {
		t.Helper()
		j.Size = coarse
		j.Output = filepath.Join(dir, "out.nii")
		written, err := MakePhantom(t.Context(), j, job.Events{})
		if err != nil || len(written) != 1 || written[0] != j.Output {
			t.Fatalf("%+v: %q, %v", j, written, err)
		}
		return opentest.Reopen(t, written[0]).Volume.Data
	}
	p, err := phantom.New("mr", coarse)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := made(PhantomJob{Kind: "mr"}); !slices.Equal(got, exact.Data) {
		t.Error("without an SNR the image is not the phantom itself")
	}
	noisy := made(PhantomJob{Kind: "mr", SNR: 3})
	if slices.Min(noisy) < 0 || slices.Equal(noisy, exact.Data) {
		t.Errorf("the smallest magnitude is %g", slices.Min(noisy))
	}
	if steps := made(PhantomJob{Kind: "steps", SNR: 3}); slices.Min(steps) >= 0 {
		t.Errorf("Gaussian noise has no value below 0: %g", slices.Min(steps))
	}
}

// TestPhantomsThatAreRefused: nothing is written if any of the outputs cannot be.
func TestPhantomsThatAreRefused(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	apptest.WriteTestFile(t, at("theirs.nii"), []byte("x"))
	for what, c := range map[string]struct {
		change func(*PhantomJob)
		want   string
	}{
		"an unknown kind":          {func(j *PhantomJob) { j.Kind = "cow" }, "no phantom is called"},
		"an impossible size":       {func(j *PhantomJob) { j.Size.Dims = [3]int{-1, 1, 1} }, "-1 voxels"},
		"an impossible scan":       {func(j *PhantomJob) { j.Scan = &phantom.Scan{} }, "0 views"},
		"one name twice":           {func(j *PhantomJob) { j.Truth = at("./n.nii") }, "OUT and --truth would both be written to"},
		"one name twice, repeated": {func(j *PhantomJob) { j.Repeats, j.Truth = 2, at("n-2.nii") }, "n-2.nii"},
		"ideal and truth":          {func(j *PhantomJob) { j.Truth, j.Ideal = at("t.nii"), at("t.nii") }, "t.nii"},
		"the last one is foreign":  {func(j *PhantomJob) { j.Ideal = at("theirs.nii") }, "Quell did not write it"},
		"a data type that is none": {func(j *PhantomJob) { j.Options.Dtype = "int3" }, "no data type is called"},
		"no name":                  {func(j *PhantomJob) { j.Output = "" }, "no name"},
		"patients are not removed": {func(j *PhantomJob) { j.Options.Deidentify = true }, "de-identif"},
		"a name that ends in .img": {func(j *PhantomJob) { j.Output = at("n.img") }, "name the header"},
		"a scan of what has no mu": {func(j *PhantomJob) {
			j.Scan = &phantom.Scan{Views: 3, Recon: phantom.Recon{Method: "fbp", Kernel: "soft"}}
		}, "only ct can be scanned"},
	} {
		j := PhantomJob{Kind: "steps", Size: coarse, Output: at("n.nii")}
		c.change(&j)
		written, err := MakePhantom(t.Context(), j, job.Events{})
		if err == nil || !strings.Contains(err.Error(), c.want) || len(written) != 0 {
			t.Errorf("%s: %q, %v; want %q", what, written, err, c.want)
		}
		if what != "a scan of what has no mu" && job.ExitCode(err) != job.ExitUsage {
			t.Errorf("%s: exit code %d", what, job.ExitCode(err))
		}
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v; want their file alone", entries, err)
	}
}

// TestPhantomsThatFailLater returns what was written before.
func TestPhantomsThatFailLater(t *testing.T) {
	dir := t.TempDir()
	first, second := filepath.Join(dir, "n-1.nii"), filepath.Join(dir, "n-2.nii")
	j := PhantomJob{Kind: "steps", Size: coarse, Repeats: 2, Output: filepath.Join(dir, "n.nii")}
	written, err := MakePhantom(t.Context(), j, job.Events{Progress: func(job.Step, int64, int64) {
		apptest.WriteTestFile(t, second, []byte("theirs")) // another program writes there meanwhile
	}})
	if err == nil || !slices.Equal(written, []string{first}) {
		t.Errorf("%q, %v; want the first and an error", written, err)
	}
}

func TestSeriesOfAPhantom(t *testing.T) {
	for kind, modality := range map[string]string{"ct": "CT", "mr": "MR", "steps": ""} {
		p, err := phantom.New(kind, coarse)
		if err != nil {
			t.Fatal(err)
		}
		s := phantomSeries(p, nil)
		if s.Modality != modality || s.Format != "phantom" || s.Description != "Quell "+kind+" phantom" {
			t.Errorf("%s: %+v", kind, s.Meta)
		}
	}
}

func TestNumberedOutputs(t *testing.T) {
	for _, c := range []struct {
		out  string
		k    int
		want string
	}{
		{"a.nii", 1, "a-1.nii"}, {"a.nii.gz", 2, "a-2.nii.gz"}, {"dir.nii/A.NII.GZ", 3, "dir.nii/A-3.NII.GZ"},
		{"a.hdr", 10, "a-10.hdr"}, {"folder", 1, "folder-1"}, {"v1.2", 4, "v1.2-4"}, {"a.nii.nii", 1, "a.nii-1.nii"},
	} {
		if got := numbered(c.out, c.k); got != c.want {
			t.Errorf("%s, %d: %s, want %s", c.out, c.k, got, c.want)
		}
	}
}
