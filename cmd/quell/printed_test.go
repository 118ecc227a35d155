package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/io/nifti/niftitest"
	"quell/kernels"
	"quell/volume"
)

// printed runs a command that must succeed and returns what it prints.
func printed(t *testing.T, args ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := execute(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("quell %s: code %d, stderr %q", strings.Join(args, " "), code, &stderr)
	}
	return stdout.String()
}

// parsed is the one JSON object that a command prints.
func parsed[T any](t *testing.T, args ...string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(printed(t, append(args, "--json")...)), &v); err != nil {
		t.Fatalf("quell %s: %v", strings.Join(args, " "), err)
	}
	return v
}

// columns splits what is printed into the words of its lines.
func columns(text string) (rows [][]string) {
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Fields(line))
	}
	return rows
}

// The list of series has a block for each, without the lines for what is not known; the
// size counts in 10^6 bytes, and of several the one that commands take is marked.
func TestPrintedInfo(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	v := volume.New(volume.NewGeometry([3]int{100, 90, 30}, [3]float64{0.123456, 2, 3.5}))
	if err := niftitest.Write(t.Context(), at("b.nii"), v, "float32"); err != nil {
		t.Fatal(err)
	}
	const one = `series 1
  format     NIfTI-1
  voxels     100 x 90 x 30
  spacing    0.1235 x 2 x 3.5 mm
  slices     axial
  stored as  float32
  size       1.1 MB
`
	if got := printed(t, "info", dir); got != one {
		t.Errorf("one series:\n%s\nwant\n%s", got, one)
	}
	data, err := os.ReadFile(at("b.nii"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(at("a.nii"), data[:5000], 0o600), os.WriteFile(at("c.nii"), data, 0o600)); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(one, "series 1", "series 1 (taken by default)", 1) + strings.Replace(one, "series 1", "series 2", 1) +
		"refused      " + at("a.nii") + ": the voxels should end at byte 1080352, but the file has 5000 bytes; get a complete copy.\n"
	if got := printed(t, "info", dir); got != want {
		t.Errorf("three files:\n%s\nwant\n%s", got, want)
	}
}

// noisyFolder holds noisy.nii, which has noise of sigma 5 on plates of even values.
func noisyFolder(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	printed(t, "phantom", filepath.Join(dir, "truth.nii"), "--kind", "steps", "--dims", "36,32,8")
	printed(t, "noise", filepath.Join(dir, "truth.nii"), filepath.Join(dir, "noisy.nii"), "--model", "gaussian", "--sigma", "5")
	return dir
}

// The curve has a line for each strength, with the figures of the JSON; one is marked.
func TestPrintedCurve(t *testing.T) {
	noisy := filepath.Join(noisyFolder(t), "noisy.nii")
	command := []string{"tune", noisy, "--filter", "gaussian", "--dims", "2"}
	tuned := parsed[run.Tuned](t, command...)
	want := [][]string{{"sigma-spatial", "error", "(sigmas)", "noise", "kept"}}
	for i, p := range tuned.Curve.Points {
		row := []string{p.Value.String(), fmt.Sprintf("%.3f", p.RMSE()), fmt.Sprintf("%.0f", 100*p.Kept), "%"}
		if i == tuned.Curve.Best {
			row = append(row, "best")
		}
		want = append(want, row)
	}
	want = append(want, strings.Fields(tuned.Recipe.String()))
	if got := columns(printed(t, command...)); !reflect.DeepEqual(got, want) {
		t.Errorf("%q; want %q", got, want)
	}
}

// What is printed of a verdict is what the JSON says, slice by slice: with all figures, and without those that are not known.
func TestPrintedVerdict(t *testing.T) {
	few, head := noisyFolder(t), t.TempDir()
	printed(t, "phantom", filepath.Join(head, "truth.nii"), "--kind", "mr", "--dims", "160,190,3", "--spacing", "1.2,1.2,2")
	printed(t, "noise", filepath.Join(head, "truth.nii"), filepath.Join(head, "noisy.nii"), "--model", "gaussian", "--sigma", "6")
	words := map[string]string{"unknown": "cannot be judged", "nothing": "nothing removed", "fades": "objects fade"}
	type share struct{ value, low, high *float64 }
	type figures struct {
		Judgement, Why  string
		Noise           *float64 `json:"noise_removed"`
		NoiseLow        *float64 `json:"noise_removed_low"`
		NoiseHigh       *float64 `json:"noise_removed_high"`
		Contrast        *float64 `json:"contrast_kept"`
		ContrastLow     *float64 `json:"contrast_kept_low"`
		ContrastHigh    *float64 `json:"contrast_kept_high"`
		Texture         *float64 `json:"texture_kept"`
		TextureLow      *float64 `json:"texture_kept_low"`
		TextureHigh     *float64 `json:"texture_kept_high"`
		Object          float64  `json:"object_mm"`
		Sigma           float64
		Low             float64 `json:"sigma_low"`
		High            float64 `json:"sigma_high"`
		SigmaConfidence string  `json:"sigma_confidence"`
	}
	percent := func(s share) string {
		return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100**s.value, 100**s.low, 100**s.high)
	}
	for _, c := range []struct {
		dir, sigma, judgement string
		slices                int
	}{{few, "0.4", "unknown", 8}, {head, "0.4", "nothing", 3}, {head, "1.4", "fades", 3}} {
		noisy, quiet := filepath.Join(c.dir, "noisy.nii"), filepath.Join(c.dir, "quiet.nii")
		printed(t, "denoise", noisy, quiet, "--filter", "gaussian", "--dims", "2", "--sigma-spatial", c.sigma, "--overwrite")
		judged := parsed[struct {
			figures
			Residual float64 `json:"residual_sd"`
			Mean     float64 `json:"residual_mean"`
			Anatomy  float64 `json:"anatomy_removed"`
			Spectrum []struct{ Scale, Power float64 }
			Place    *struct{}
			Slices   []figures
		}](t, "assess", noisy, quiet)
		if judged.Judgement != c.judgement || (judged.Noise == nil) != (c.judgement == "unknown") || len(judged.Slices) != c.slices || len(judged.Spectrum) < 2 {
			t.Errorf("sigma %s: %+v; want %s", c.sigma, judged, c.judgement)
		}
		want := fmt.Sprintf("Verdict              %s\n                     %s\n", words[judged.Judgement], judged.Why)
		if judged.Noise != nil {
			want += fmt.Sprintf("Noise removed        %s\nContrast kept        %s, of objects of %.3g mm, the smallest that are visible\nTexture kept         %s, mean frequency of the noise, of that before\n",
				percent(share{judged.Noise, judged.NoiseLow, judged.NoiseHigh}), percent(share{judged.Contrast, judged.ContrastLow, judged.ContrastHigh}),
				judged.Object, percent(share{judged.Texture, judged.TextureLow, judged.TextureHigh}))
		}
		want += fmt.Sprintf("Noise σ              %.4g (%.3g to %.3g), confidence %s\nResidual SD          %.4g\nResidual mean        %.4g\nAnatomy in residual  %.4g σ\n",
			judged.Sigma, judged.Low, judged.High, judged.SigmaConfidence, judged.Residual, judged.Mean, judged.Anatomy)
		for _, b := range judged.Spectrum {
			want += fmt.Sprintf("Residual power       %.3g x white noise, after a Gaussian of %g voxels\n", b.Power, b.Scale)
		}
		got := printed(t, "assess", noisy, quiet)
		if judged.Place != nil {
			place := regexp.MustCompile(`(?m)^Most anatomy         .+ at x \d+, y \d+ in slice \d+\n`).FindString(got)
			if place == "" {
				t.Errorf("no place of anatomy in\n%s", got)
			}
			want += place
		}
		for z, s := range judged.Slices {
			want += fmt.Sprintf("slice %d      %-16s sigma %.4g", z+1, words[s.Judgement], s.Sigma)
			if s.Noise != nil {
				want += fmt.Sprintf("; Noise removed %s; Contrast kept %s; Texture kept %s", percent(share{s.Noise, s.NoiseLow, s.NoiseHigh}),
					percent(share{s.Contrast, s.ContrastLow, s.ContrastHigh}), percent(share{s.Texture, s.TextureLow, s.TextureHigh}))
			}
			want += "\n"
		}
		if got != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	}
}

// A phantom is scanned if a flag of the scan is given; then the values that the help
// states are the values of the flags that are left out.
func TestDefaultsOfPhantoms(t *testing.T) {
	dir := t.TempDir()
	made := 0
	phantom := func(args ...string) []float32 {
		t.Helper()
		made++
		out := filepath.Join(dir, fmt.Sprint(made)+".nii")
		printed(t, append([]string{"phantom", out, "--dims", "24,20,1", "--spacing", "9,9,5"}, args...)...)
		v, err := open.Open(t.Context(), job.Input{Path: out}, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Close()
		return v.Volume.Data
	}
	full := []string{"--kind", "ct", "--views", "720", "--snr", "25", "--recon", "fbp", "--kernel", "soft", "--seed", "1"}
	scan := phantom(full...)
	for i := 0; i < len(full); i += 2 {
		if full[i] == "--snr" {
			continue
		}
		if !slices.Equal(phantom(slices.Delete(slices.Clone(full), i, i+2)...), scan) {
			t.Errorf("without %s %s another image is made", full[i], full[i+1])
		}
	}
	if slices.Equal(phantom(slices.Replace(slices.Clone(full), 2, 4, "--views", "719")...), scan) {
		t.Error("719 views give the same image")
	}
	sart := phantom("--views", "30", "--recon", "sart", "--iterations", "5")
	if !slices.Equal(phantom("--views", "30", "--recon", "sart"), sart) || slices.Equal(phantom("--views", "30", "--recon", "sart", "--iterations", "4"), sart) {
		t.Error("the passes of sart are not 5 unless they are given")
	}
	exact := phantom()
	for _, flag := range [][]string{{"--views", "60"}, {"--photons", "1e5"}, {"--recon", "fbp"}, {"--kernel", "soft"}, {"--snr", "25"}} {
		if slices.Equal(phantom(flag...), exact) {
			t.Errorf("%s does not scan the phantom", flag[0])
		}
	}
}

// The command and the flag print the same line; --json has the parts.
func TestPrintedVersion(t *testing.T) {
	want := "quell version " + job.Version() + "\n"
	if got := printed(t, "version"); got != want {
		t.Errorf("version prints %q, want %q", got, want)
	}
	if got := printed(t, "--version"); got != want {
		t.Errorf("--version prints %q, want %q", got, want)
	}
	v := parsed[struct {
		Version, Program, Go, System, Kernels string
		Codecs                                []string
	}](t, "version")
	if v.Version != job.Version() || v.Go != runtime.Version() || v.System != runtime.GOOS+"/"+runtime.GOARCH || v.Kernels != kernels.Digest() ||
		!strings.HasSuffix(v.Version, "+executable."+v.Program) || !slices.Equal(v.Codecs, []string{"JPEG", "JPEG 2000", "JPEG Lossless", "JPEG-LS", "RLE"}) {
		t.Errorf("version --json has %+v", v)
	}
}
