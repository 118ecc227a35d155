package app_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"quell/app"
	"quell/app/engines"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/denoise"
	"quell/measure"
	"quell/phantom"
	"quell/volume"
)

// A filter after every pass of the iterative reconstruction gives a better image of few views than
// the filter once after it, with the best of some strengths for either: the regularisation that
// Zheng 2011 proposes.
func TestRegularisedReconstruction(t *testing.T) {
	dir := t.TempDir()
	size := phantom.Size{Dims: [3]int{128, 128, 1}, Spacing: [3]float64{2, 2, 2}}
	p, err := phantom.New("ct", size)
	if err != nil {
		t.Fatal(err)
	}
	truth, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	made := func(name string, regularise *denoise.Recipe) *volume.Volume {
		j := app.PhantomJob{Kind: "ct", Size: size, Seed: 1, Output: filepath.Join(dir, name), Regularise: regularise,
			Scan: &phantom.Scan{Views: 30, SNR: 25, Recon: phantom.Recon{Method: "sart", Iterations: 20, Relaxation: 0.3}}}
		written, err := app.MakePhantom(t.Context(), j, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		return opentest.Reopen(t, written[0]).Volume
	}
	plain := made("plain.nii", nil)
	psnr := func(v *volume.Volume) float64 {
		c, err := measure.Compare(t.Context(), truth, v, measure.Options{Max: 2000})
		if err != nil {
			t.Fatal(err)
		}
		return float64(c.PSNR)
	}
	filter, err := denoise.FilterByName("nlm")
	if err != nil {
		t.Fatal(err)
	}
	after, within := 0.0, 0.0
	for _, h := range []float64{30, 60, 120} {
		r, err := filter.Recipe(denoise.Case{Dims: 2, Set: fmt.Sprintf("h=%g search-radius=5 patch-radius=2 patch-weights=uniform", h)})
		if err != nil {
			t.Fatal(err)
		}
		once, err := engines.CPU().Run(t.Context(), r, denoise.Input{Volume: plain}, plain.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		after, within = max(after, psnr(once)), max(within, psnr(made(fmt.Sprintf("%g.nii", h), &r)))
	}
	t.Logf("%.2f dB, filtered after it %.2f dB, after every pass %.2f dB", psnr(plain), after, within)
	if within < after+0.3 || after < psnr(plain) {
		t.Errorf("%.2f dB without a filter, %.2f dB with it once, %.2f dB with it after every pass", psnr(plain), after, within)
	}
	r, err := denoise.NewRecipe("nlm", 3)
	if err != nil {
		t.Fatal(err)
	}
	scan := phantom.Scan{Views: 9, Recon: phantom.Recon{Method: "sart", Iterations: 1, Relaxation: 0.3}}
	j := app.PhantomJob{Kind: "ct", Size: size, Output: filepath.Join(dir, "x.nii"), Regularise: &r, Scan: &scan}
	if _, err := app.MakePhantom(t.Context(), j, job.Events{}); err == nil || !strings.Contains(err.Error(), "two dimensions") {
		t.Errorf("a recipe of three dimensions: %v", err)
	}
}

// TestScannedPhantoms: the truth of a scan is the same scan without noise, each image
// has a seed of its own, and the ideal is not scanned.
func TestScannedPhantoms(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	size := phantom.Size{Dims: [3]int{24, 24, 1}, Spacing: [3]float64{10, 10, 2}}
	for _, scan := range []phantom.Scan{{Views: 30, SNR: 20}, {Views: 30, Photons: 1e4}} {
		scan.Recon = phantom.Recon{Method: "fbp", Kernel: "soft"}
		asked := scan
		j := app.PhantomJob{Kind: "ct", Size: size, Scan: &scan, Seed: 3, Repeats: 2, Output: at("n.nii"), Truth: at("truth.nii"), Ideal: at("ideal.nii")}
		written, err := app.MakePhantom(t.Context(), j, job.Events{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(scan, asked) {
			t.Errorf("the scan became %+v", scan)
		}
		p, err := phantom.New("ct", size)
		if err != nil {
			t.Fatal(err)
		}
		first, second, clean := asked, asked, asked
		first.Seed, second.Seed, clean.SNR, clean.Photons = 3, 4, 0, 0
		for k, s := range []phantom.Scan{first, second, clean} {
			want, err := p.Image(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if got := opentest.Reopen(t, written[k]).Volume.Data; !slices.Equal(got, want.Data) {
				t.Errorf("%s is not the scan %+v", written[k], s)
			}
		}
		want, err := p.Voxels(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := opentest.Reopen(t, written[3]).Volume.Data; !slices.Equal(got, want.Data) {
			t.Error("the ideal is not the phantom itself")
		}
	}
}
