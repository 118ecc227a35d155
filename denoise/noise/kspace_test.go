package noise_test

import (
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/denoise/noise/noisetest"
	"quell/volume"
)

// TestTableOfKSpace measures noise of 1, 2 and 4 % of the range that scanners coloured, at three resolutions, with the
// background and without it. The estimator was chosen on the T1 template, on the mean of 152 heads and on phantoms, with other
// seeds.
func TestTableOfKSpace(t *testing.T) {
	if !full() {
		t.Skip("several minutes: QUELL_NOISE_TABLE=1 measures it")
	}
	to255 := func(v *volume.Volume) *volume.Volume {
		_, hi, _ := v.Range(t.Context())
		return scaled(v, 255/hi)
	}
	chris := to255(series(t, "nifti/niivue/chris_t1.nii.gz", -1))
	mni := to255(series(t, "template/mni152-2009-t1-1mm.nii.gz", -1))
	for i, a := range mni.Data { // as T2 shows it
		mni.Data[i] = a * 1.2 * (1.9 - 1.55*a/255)
	}
	near, held, high, all := 0, 0, 0, 0
	for ai, a := range []struct {
		name string
		v    *volume.Volume
	}{
		{"chris, 1 mm", slab(chris, 74, 86)},
		{"chris, 5 mm", noisetest.Thick(slab(chris, 50, 110), 5)},
		{"sagittal, 1 mm", noisetest.Turned(mni, true, 12)},
		{"coronal, 2 mm", noisetest.Coarse(noisetest.Thick(noisetest.Turned(mni, false, 36), 2), 2)},
	} {
		for ki, k := range noisetest.Acquisitions {
			clean := k.Make(a.v, 0, 1)
			for _, share := range []float64{1, 2, 4} {
				v := k.Make(a.v, 2.55*share, uint64(1000*ai+10*ki)+uint64(share))
				n, sum, squares := 0.0, 0.0, 0.0
				for i, c := range clean.Data {
					if d := float64(v.Data[i] - c); c > 40 {
						n, sum, squares = n+1, sum+d, squares+d*d
					}
				}
				sigma := math.Sqrt(squares/n - sum*sum/(n*n))
				for _, masked := range []bool{false, true} {
					for i, c := range clean.Data {
						if masked && c < 25 {
							v.Data[i] = 0
						}
					}
					e, err := noise.Of(t.Context(), v)
					if err != nil {
						t.Fatal(err)
					}
					all++
					if off := e.Sigma / sigma; off >= 0.8 && off <= 1.2 {
						near++
					}
					if e.Low <= sigma && e.High >= sigma {
						held++
					}
					if e.Acting() > 1.2*sigma {
						high++
					}
					t.Logf("%-14s %-16s %g %% masked %-5v: %.2f (%.2f to %.2f) %-4s acts at %.2f, by %s", a.name, k.Name, share, masked, e.Sigma/sigma, e.Low/sigma, e.High/sigma, e.Confidence, e.Acting()/sigma, e.Method)
				}
			}
		}
	}
	t.Logf("of %d: within 20 %% %d, held %d, acts above 1.2 %d", all, near, held, high)
	if near*10 < all*9 || held*100 < all*85 || high*20 > all {
		t.Errorf("of %d: within 20 %% %d, of 90 %% at least; held %d, of 85 %%; acts above 1.2 %d, of 5 %% at most", all, near, held, high)
	}
}
