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
	var found tally
	for ai, a := range heads(t) {
		for ki, k := range noisetest.Acquisitions {
			clean := k.Make(a.v, 0, 1)
			for _, share := range []float64{1, 2, 4} {
				v := k.Make(a.v, 2.55*share, uint64(1000*ai+10*ki)+uint64(share))
				sigma := noiseIn(clean, v)
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
					found.add(e.Figure, sigma)
					t.Logf("%-14s %-16s %g %% masked %-5v: %.2f (%.2f to %.2f) %-4s acts at %.2f, by %s", a.name, k.Name, share, masked, e.Sigma/sigma, e.Low/sigma, e.High/sigma, e.Confidence, e.Acting()/sigma, e.Method)
				}
			}
		}
	}
	t.Logf("of %d: within 20 %% %d, held %d, acts above 1.2 %d", found.all, found.near, found.held, found.high)
	if found.near*10 < found.all*9 || found.held*100 < found.all*85 || found.high*20 > found.all {
		t.Errorf("of %d: within 20 %% %d, of 90 %% at least; held %d, of 85 %%; acts above 1.2 %d, of 5 %% at most", found.all, found.near, found.held, found.high)
	}
}

// A homodyne reconstruction makes more of the upper half of k-space, which differences read: the figure was 6 to 9 % high, and the
// interval held the truth in none.
func TestHomodyne(t *testing.T) {
	clean := volume.New(volume.NewGeometry([3]int{160, 160, 14}, [3]float64{1, 1, 2}))
	for i := range clean.Data {
		x, y := float64(i%160)-79.5, float64(i/160%160)-79.5
		if math.Hypot(x, y) < 65 {
			clean.Data[i] = float32(200 + 20*math.Sin(x/9)*math.Cos(y/11))
		}
	}
	for name, response := range map[string]func(fx, fy float64) float64{
		"ramp": func(_, fy float64) float64 { return min(max(1+fy/0.2, 0), 2) },
		"step": func(_, fy float64) float64 { return min(max(1+fy/0.02, 0), 2) },
		"none": func(_, _ float64) float64 { return 1 },
	} {
		e := estimate(t, noisetest.KSpace{Response: response, Real: true}.Scan(clean, 6, 9))
		if math.Abs(e.Sigma/6-1) > 0.035 || e.Low > 6 || e.High < 6 || e.Confidence != noise.High {
			t.Errorf("%s: %+v, by %s", name, e.Figure, e.Method)
		}
	}
}

// tally counts cases of a table.
type tally struct {
	near, held, high, all int // within 20 %, held by the interval, acting above 1.2 of the truth
}

func (c *tally) add(f noise.Figure, sigma float64) {
	c.all++
	if off := f.Sigma / sigma; off >= 0.8 && off <= 1.2 {
		c.near++
	}
	if f.Low <= sigma && f.High >= sigma {
		c.held++
	}
	if f.Acting() > 1.2*sigma {
		c.high++
	}
}

type head struct {
	name string
	v    *volume.Volume
}

// heads returns anatomies of three resolutions.
func heads(t *testing.T) []head {
	t.Helper()
	to255 := func(v *volume.Volume) *volume.Volume {
		_, hi, _ := v.Range(t.Context())
		return scaled(v, 255/hi)
	}
	chris := to255(series(t, "nifti/niivue/chris_t1.nii.gz", -1))
	mni := to255(series(t, "template/mni152-2009-t1-1mm.nii.gz", -1))
	for i, a := range mni.Data { // as T2 shows it
		mni.Data[i] = a * 1.2 * (1.9 - 1.55*a/255)
	}
	return []head{
		{"chris, 1 mm", slab(chris, 74, 86)},
		{"chris, 5 mm", noisetest.Thick(slab(chris, 50, 110), 5)},
		{"sagittal, 1 mm", noisetest.Turned(mni, true, 12)},
		{"coronal, 2 mm", noisetest.Coarse(noisetest.Thick(noisetest.Turned(mni, false, 36), 2), 2)},
	}
}

// noiseIn returns the standard deviation of the noise in tissue.
func noiseIn(clean, noisy *volume.Volume) float64 {
	n, sum, squares := 0.0, 0.0, 0.0
	for i, c := range clean.Data {
		if d := float64(noisy.Data[i] - c); c > 40 {
			n, sum, squares = n+1, sum+d, squares+d*d
		}
	}
	return math.Sqrt(squares/n - sum*sum/(n*n))
}

// TestTableOfSharedSlices measures noise that slices share, as they overlap or were interpolated: each slice holds a part of those
// beside it. The limits were chosen on these anatomies, with half of the acquisitions.
func TestTableOfSharedSlices(t *testing.T) {
	if !full() {
		t.Skip("several minutes: QUELL_NOISE_TABLE=1 measures it")
	}
	for _, part := range []float64{0.5, 0.25} {
		var found tally
		for ai, a := range heads(t) {
			for ki, k := range noisetest.Acquisitions {
				if ki%2 == 0 {
					continue
				}
				for _, share := range []float64{1, 2, 4} {
					clean, v := k.Make(a.v, 0, 1), k.Make(a.v, 2.55*share, uint64(7000+1000*ai+10*ki)+uint64(share))
					shareSlices(clean, part)
					shareSlices(v, part)
					e, sigma := estimate(t, v), noiseIn(clean, v)
					found.add(e.Figure, sigma)
					t.Logf("%-14s %-16s %g %% part %g: %.2f (%.2f to %.2f) acts at %.2f", a.name, k.Name, share, part, e.Sigma/sigma, e.Low/sigma, e.High/sigma, e.Acting()/sigma)
				}
			}
		}
		t.Logf("part %g, of %d: within 20 %% %d, held %d, acts above 1.2 %d", part, found.all, found.near, found.held, found.high)
		if found.near*10 < found.all*5 || found.held*10 < found.all*6 || found.high*10 > found.all {
			t.Errorf("part %g, of %d: within 20 %% %d, of half at least; held %d, of 60 %%; acts above 1.2 %d, of 10 %% at most", part, found.all, found.near, found.held, found.high)
		}
	}
}

// shareSlices adds to each slice a part of those beside it, and divides by the sum of the parts.
func shareSlices(v *volume.Volume, part float64) {
	n, was := v.SliceVoxels(), v.Clone().Data
	for i := range v.Data {
		below, above := max(i/n-1, 0)*n+i%n, min(i/n+1, v.Dims[2]-1)*n+i%n
		v.Data[i] = float32((float64(was[i]) + part*float64(was[below]+was[above])) / (1 + 2*part))
	}
}
