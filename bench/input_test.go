package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"quell/app/job"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/volume"
)

func TestToGrey(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{100, 40, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i%1000) - 100
	}
	v.Data[7], v.Data[9] = 5000, 6000 // beyond the share of the brightest, 2 voxels of 4000
	got := toGrey(v, v)
	if got.Data[0] != 0 || got.Data[7] != grey || math.Abs(float64(got.Data[999])-grey) > 1e-3 || math.Abs(float64(got.Data[100])-100*grey/999.) > 1e-3 {
		t.Errorf("%g %g %g %g", got.Data[0], got.Data[7], got.Data[999], got.Data[100])
	}
	// The T1 template has this range already and stays as it is.
	again := toGrey(got, got)
	for i, x := range again.Data {
		if math.Abs(float64(x-got.Data[i])) > 1e-4 {
			t.Fatalf("voxel %d: %g became %g", i, got.Data[i], x)
		}
	}
	flat := volume.New(v.Geometry)
	if m := toGrey(flat, flat); m.Data[0] != 0 {
		t.Errorf("a constant volume became %g", m.Data[0])
	}
}

func TestPadded(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 8, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = float32(i + 1)
	}
	got := padded(v, [3]int{10, 6, 1})
	if got.At(2, 0, 0) != 0 || got.At(7, 3, 0) != 0 || got.At(3, 0, 0) != v.At(0, 1, 0) || got.At(6, 5, 0) != v.At(3, 6, 0) {
		t.Errorf("padded: %v", got.Data)
	}
}

func TestInputs(t *testing.T) {
	ctx := context.Background()
	phantoms, err := openInputs(ctx, "", false, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	q := Input{Kind: MR, Dims: [3]int{20, 22, 9}, Model: "gaussian", Sigma: 10, Slices: 3}
	m, err := phantoms.get(ctx, q)
	if err != nil || m.noisy.Dims != q.Dims || m.truth == nil || m.peak != grey {
		t.Fatalf("%+v, %v", m, err)
	}
	if !m.phantom {
		t.Error("the phantom is not called one")
	}
	if again, _ := phantoms.get(ctx, q); again != m {
		t.Error("an image is made twice")
	}
	quick, _ := openInputs(ctx, "", true, job.Events{})
	if short, err := quick.get(ctx, q); err != nil || short.noisy.Dims != [3]int{20, 22, 3} || short.key == m.key {
		t.Errorf("a quick run: %v, key %q, %v", short.noisy.Dims, short.key, err)
	}
	path := smallVolume(t, [3]int{14, 12, 5})
	given, err := openInputs(ctx, path, false, job.Events{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kind  Kind
		dims  [3]int
		text  string
		truth bool
	}{
		{MR, [3]int{14, 12, 5}, "scaled to 0..255, gaussian noise of sigma 10", true},
		{Slice, [3]int{20, 22, 5}, "slices 1 to 5 of ", true},
		{CT, [3]int{14, 12, 5}, "as it is", false},
	} {
		q := q
		q.Kind = c.kind
		m, err := given.get(ctx, q)
		if err != nil || m.noisy.Dims != c.dims || !strings.Contains(m.text, c.text) || !strings.Contains(m.text, path) || (m.truth != nil) != c.truth || m.phantom {
			t.Errorf("%s: %v %q, truth %v, %v", c.kind, m.noisy.Dims, m.text, m.truth != nil, err)
		}
		if m.key == phantoms.key(q) {
			t.Errorf("%s: the volume has the key of the phantom", c.kind)
		}
	}
	scanned := Input{Kind: Scan, Dims: [3]int{32, 32, 1}}
	if given.key(scanned) != phantoms.key(scanned) {
		t.Error("the volume replaces the scan")
	}
	if m, err := given.get(ctx, scanned); err != nil || m.noisy.Dims != scanned.Dims || !strings.Contains(m.text, "90 views") || m.peak < 1000 {
		t.Errorf("scan: %+v, %v", m, err)
	}
	if m, err := given.get(ctx, Input{Kind: Steps, Dims: [3]int{64, 64, 4}, Model: "gaussian", Sigma: 5}); err != nil || m.noisy.Dims != [3]int{64, 64, 4} || m.text != "phantom of steps, 64x64x4 voxels, gaussian noise of sigma 5" || m.peak != 140 || !m.phantom {
		t.Errorf("steps: %+v, %v", m, err)
	}
	other, _ := openInputs(ctx, smallVolume(t, [3]int{14, 12, 6}), false, job.Events{})
	if other.hash == given.hash {
		t.Error("two volumes have one hash")
	}
}

// A volume without noise, for which the automatic strength would be 0, gets some, and
// the text says so; others are filtered as they are.
func TestGivenCT(t *testing.T) {
	ctx := context.Background()
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{64, 64, 16}, Spacing: [3]float64{3, 3, 3}})
	if err != nil {
		t.Fatal(err)
	}
	clean, err := p.Voxels(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for sigma, want := range map[float64]string{0: "head.nii, 64x64x16 voxels, whose noise is negligible, gaussian noise of sigma 9.02", 5: "head.nii, 64x64x16 voxels, as it is"} {
		v := clean
		if sigma > 0 {
			if v, err = noise.AddNoise(ctx, clean, noise.Gaussian, sigma, 1); err != nil {
				t.Fatal(err)
			}
		}
		m, err := (&inputs{path: "head.nii"}).givenCT(ctx, v)
		if err != nil || m.text != want || (m.noisy == v) != (sigma > 0) {
			t.Errorf("noise of %g: %q, %v", sigma, m.text, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := (&inputs{}).givenCT(cancelled, clean); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
}

// Pixels with a middle that lies outside the circle become air.
func TestFillCorners(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{8, 8, 1}, [3]float64{1, 1, 1}))
	fillCorners(v, -7)
	for _, c := range []struct {
		x, y int
		air  bool
	}{{0, 0, true}, {7, 7, true}, {1, 0, true}, {2, 0, false}, {0, 2, false}, {1, 1, false}, {4, 4, false}, {7, 1, true}, {7, 2, false}, {5, 7, false}, {6, 7, true}} {
		if got := v.At(c.x, c.y, 0) == -7; got != c.air {
			t.Errorf("pixel %d, %d: air %v", c.x, c.y, got)
		}
	}
	// The middle of pixel (4, 4) lies on the circle, 2 and 1.5 from the centre.
	v = volume.New(volume.NewGeometry([3]int{5, 6, 1}, [3]float64{1, 1, 1}))
	fillCorners(v, -7)
	if v.At(4, 4, 0) == -7 || v.At(4, 5, 0) != -7 {
		t.Errorf("on the circle: %g, outside: %g", v.At(4, 4, 0), v.At(4, 5, 0))
	}
}

// A large image is dropped when another is made.
func TestLargeImages(t *testing.T) {
	in, _ := openInputs(context.Background(), "", false, job.Events{})
	large := Input{Kind: CT, Dims: [3]int{1, 1, 2}}
	in.images[large] = &sample{noisy: &volume.Volume{Geometry: volume.NewGeometry([3]int{kept + 1, 1, 1}, [3]float64{1, 1, 1})}}
	small := Input{Kind: MR, Dims: [3]int{8, 8, 2}}
	for range 2 {
		if _, err := in.get(context.Background(), small); err != nil {
			t.Fatal(err)
		}
	}
	if in.images[large] != nil || in.images[small] == nil {
		t.Errorf("kept: %v", in.images)
	}
}
