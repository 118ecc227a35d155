package noise

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/volume"
)

// White noise on a plane of constant slope is found in two and three dimensions; excluded
// voxels and what lies beside them are not.
func TestPseudoResiduals(t *testing.T) {
	of := func(v *volume.Volume) float64 {
		t.Helper()
		sigma, err := PseudoResiduals(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		return sigma
	}
	for _, dims := range [][3]int{{64, 60, 1}, {46, 42, 2}, {24, 20, 18}} {
		v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
		for i := range v.Data {
			v.Data[i] = float32(200 + 3*(i%dims[0]) - 2*(i/dims[0]%dims[1]))
		}
		if got := of(v); got > 1e-6 {
			t.Errorf("%v: %g without noise", dims, got)
		}
		noisy, err := AddNoise(context.Background(), v, Gaussian, 5, 7)
		if err != nil {
			t.Fatal(err)
		}
		if got := of(noisy); math.Abs(got-5) > 0.2 {
			t.Errorf("%v: %g, want 5", dims, got)
		}
		noisy.Mask = make([]bool, len(noisy.Data))
		for i := range noisy.Mask {
			noisy.Mask[i] = i%dims[0] < dims[0]/2
			if !noisy.Mask[i] {
				noisy.Data[i] = 1e6
			}
		}
		if got := of(noisy); math.Abs(got-5) > 0.4 {
			t.Errorf("%v with padding: %g, want 5", dims, got)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := PseudoResiduals(cancelled, volume.New(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1}))); !errors.Is(err, context.Canceled) {
		t.Errorf("after a cancel: %v", err)
	}
	flat := volume.New(volume.NewGeometry([3]int{2, 9, 9}, [3]float64{1, 1, 1}))
	if got := of(flat); got != 0 {
		t.Errorf("%g without a voxel that has six neighbours", got)
	}
}
