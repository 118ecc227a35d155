package workbench

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/app/apptest"
	"quell/app/engines"
	"quell/denoise/verdict"
	"quell/volume"
)

func TestMeasurePreviewIsTheSlice(t *testing.T) {
	s := apptest.Wavy(20, 18, 16)
	ref := apptest.Wavy(20, 18, 16)
	for i := range ref.Volume.Data {
		ref.Volume.Data[i] += float32(i % 3)
	}
	eng, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	q := PreviewRequest{Series: s, Recipe: apptest.MustRecipe("gaussian", 3), Facts: apptest.FoundFacts(t, s.Volume), Index: 7}
	for q.Plane = volume.Axial; q.Plane <= volume.Sagittal; q.Plane++ {
		pv := filterSlice(t.Context(), eng, q)
		m, err := MeasurePreview(t.Context(), pv, ref)
		if err != nil {
			t.Fatalf("%v: %v", q.Plane, err)
		}
		before := s.Volume.Crop(q.Region())
		sum, n := 0.0, 0
		for i, x := range before.Data {
			d := float64(x) - float64(pv.Part.Data[i])
			sum += d * d
			n++
		}
		if want := sum / float64(n); math.Abs(float64(m.Change.MSE)-want) > 1e-9*want {
			t.Errorf("%v: MSE %v, want %v", q.Plane, m.Change.MSE, want)
		}
		if alone, err := MeasurePreview(t.Context(), pv, nil); err != nil || alone.Change.Max != m.Change.Max || alone.Change.PSNR != m.Change.PSNR || alone.Change.SSIM != m.Change.SSIM {
			t.Errorf("%v: against the original %+v, and without a reference %+v; %v", q.Plane, m.Change, alone.Change, err)
		}
		if math.IsNaN(float64(m.Change.SSIM)) || m.Truth == nil {
			t.Errorf("%v: SSIM %v, truth %v", q.Plane, m.Change.SSIM, m.Truth)
		}
	}
	broken := errors.New("broken")
	if _, err := MeasurePreview(context.Background(), Preview{Err: broken}, nil); !errors.Is(err, broken) {
		t.Errorf("a failed preview was measured: %v", err)
	}
}

// Of a slice of padding nothing is measured, and the numbers say so instead of an error.
func TestMeasuresOfAnEmptySlice(t *testing.T) {
	s := apptest.Disc(32, 3)
	v := s.Volume
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i < 2*v.SliceVoxels()
	}
	eng, err := engines.Pick("cpu")
	if err != nil {
		t.Fatal(err)
	}
	q := PreviewRequest{Series: s, Recipe: apptest.MustRecipe("median", 2), Facts: apptest.FoundFacts(t, v), Index: 2}
	m, err := MeasurePreview(t.Context(), filterSlice(t.Context(), eng, q), s)
	if err != nil || m.Why.String() != "It has nothing but padding: there is nothing to measure." || m.Judgement != verdict.Unknown {
		t.Errorf("%q, verdict %s, %v", m.Why, m.Judgement, err)
	}
	if m.Change.MSE.Finite() || m.Change.PSNR.Finite() || m.Change.SSIM.Finite() || m.ResidualSD.Finite() || !m.Change.Max.Finite() || m.Truth != nil {
		t.Errorf("%+v", m.Change)
	}
}
