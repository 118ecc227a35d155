package app_test

import (
	"path/filepath"
	"slices"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/open/opentest"
	"quell/phantom"
)

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
		if scan != asked {
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
