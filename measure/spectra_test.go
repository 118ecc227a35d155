package measure

import (
	"math"
	"strings"
	"testing"

	"quell/volume"
)

func TestSliceOfAVolume(t *testing.T) {
	g := volume.NewGeometry([3]int{3, 2, 2}, [3]float64{0.5, 0.7, 3})
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	v.Mask = make([]bool, len(v.Data))
	v.Mask[7] = true
	s, err := SliceOf(v, 1)
	if err != nil || s.Width != 3 || s.Height != 2 || math.Abs(s.Pixel[0]-0.5) > 1e-12 || math.Abs(s.Pixel[1]-0.7) > 1e-12 || s.Values[0] != 6 || !s.Mask[1] || s.Mask[0] {
		t.Errorf("%+v, %v", s, err)
	}
	v.Affine[0][1] = 0.1
	if _, err := SliceOf(v, 1); err == nil || !strings.Contains(err.Error(), "right angles") {
		t.Errorf("sheared pixels: %v", err)
	}
}

func TestSpectraOfAFilter(t *testing.T) {
	before, other := noisySlice(1, 64, 64, [2]float64{0.5, 0.5}, 10, nil), noisySlice(2, 64, 64, [2]float64{0.5, 0.5}, 10, nil)
	half := func(s Slice) Slice { // of the noise is left
		out, ground := s, noisySlice(0, 64, 64, s.Pixel, 0, nil)
		out.Values = append([]float32(nil), s.Values...)
		for i := range out.Values {
			out.Values[i] = ground.Values[i] + (s.Values[i]-ground.Values[i])/2
		}
		return out
	}
	rois := []Outline{{Shape: Box, Points: [][2]float64{{0, 0}, {31, 31}}}, {Shape: Box, Points: [][2]float64{{32, 32}, {63, 63}}}}
	s, err := SpectraOf([]Slice{before, other}, []Slice{half(before), half(other)}, rois)
	if err != nil {
		t.Fatal(err)
	}
	if s.Original.ROIs != 4 || s.Result.ROIs != 4 || s.Residual.ROIs != 4 {
		t.Errorf("%d, %d, %d ROIs", s.Original.ROIs, s.Result.ROIs, s.Residual.ROIs)
	}
	if v := s.Original.Variance; math.Abs(v-100) > 10 || math.Abs(s.Result.Variance/v-0.25) > 1e-4 || math.Abs(s.Residual.Variance/v-0.25) > 1e-4 {
		t.Errorf("variances %g, %g, %g", v, s.Result.Variance, s.Residual.Variance)
	}
	if s, err := SpectraOf([]Slice{before}, nil, rois); err != nil || s.Result != nil || s.Residual != nil || s.Original.ROIs != 2 {
		t.Errorf("without a result: %+v, %v", s, err)
	}
	before.Values[40*64+40] += 200
	if _, err := SpectraOf([]Slice{other, before}, nil, rois); err == nil || !strings.Contains(err.Error(), "not homogeneous") {
		t.Errorf("a spot in one of four: %v", err)
	}
}

func TestTransfersOfAFilter(t *testing.T) {
	const pixel = 0.6
	before := discSlice(1, pixel, 27.3, 29.9, 12, 0.5, 300, 10)
	after := discSlice(1, pixel, 27.3, 29.9, 12, 0.9, 300, 1)
	m, err := TransfersOf(before, &after, aroundDisc(pixel))
	if err != nil || !m.Round || math.Abs(m.Radius-12) > 0.1 || m.Result == nil || m.Why.String() != "" {
		t.Fatalf("%+v, %v", m, err)
	}
	closeTo(t, "before", m.Original.F50, gaussian(0.5, 0.5), 0.1)
	closeTo(t, "after", m.Result.F50, gaussian(0.5, 0.9), 0.02)
	gone := after
	gone.Values = make([]float32, len(after.Values))
	if m, err := TransfersOf(before, &gone, aroundDisc(pixel)); err != nil || m.Result != nil || !strings.Contains(m.Why.String(), "after the filter the contrast") {
		t.Errorf("an edge that is gone: %+v, %v", m.Why, err)
	}
	if m, err := TransfersOf(before, nil, aroundDisc(pixel)); err != nil || m.Result != nil || m.Why.String() != "" {
		t.Errorf("without a result: %+v, %v", m, err)
	}
	if _, err := TransfersOf(gone, &after, aroundDisc(pixel)); err == nil {
		t.Error("no edge in the input")
	}
}

func TestMeanSlice(t *testing.T) {
	a, b := Slice{Values: []float32{1, 2, 3}, Width: 3, Height: 1}, Slice{Values: []float32{3, 2, 7}, Mask: []bool{true, false, true}, Width: 3, Height: 1}
	if m := MeanSlice([]Slice{a, b}); m.Values[0] != 2 || m.Values[2] != 5 || !m.Mask[0] || m.Mask[1] || m.Width != 3 {
		t.Errorf("%+v", m)
	}
	if m := MeanSlice([]Slice{a}); m.Values[2] != 3 || m.Mask != nil {
		t.Errorf("of one: %+v", m)
	}
}
