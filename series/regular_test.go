package series_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"quell/series"
	"quell/volume"
)

// slicesAt returns a series of slices of one row with values that are their
// heights.
func slicesAt(heights ...float64) *series.Series {
	s := &series.Series{Volume: volume.New(volume.NewGeometry([3]int{2, 1, len(heights)}, [3]float64{1, 1, 1}))}
	for z, h := range heights {
		s.Sources = append(s.Sources, series.Source{Position: volume.Vec{5, 6, h}})
		s.Volume.Plane(z)[0], s.Volume.Plane(z)[1] = float32(h), float32(-h)
	}
	s.Irregular = 1
	s.Findings = []series.Finding{{Kind: series.Gap, Slicewise: true}, {Kind: series.Tilt}}
	return s
}

func TestRegularParts(t *testing.T) {
	for name, c := range map[string]struct {
		heights []float64
		want    []series.Part
	}{
		"one":                     {[]float64{3}, []series.Part{{0, 1}}},
		"two":                     {[]float64{3, 9}, []series.Part{{0, 2}}},
		"even":                    {[]float64{0, 2, 4, 6}, []series.Part{{0, 4}}},
		"rounded":                 {[]float64{0, 2.04, 4, 6}, []series.Part{{0, 4}}},
		"more than rounded":       {[]float64{0, 2.3, 4, 6}, []series.Part{{0, 1}, {1, 3}, {3, 4}}},
		"gap":                     {[]float64{0, 1, 2, 5, 6, 7}, []series.Part{{0, 3}, {3, 6}}},
		"wider":                   {[]float64{0, 1, 2, 3, 8, 13, 18}, []series.Part{{0, 4}, {4, 7}}},
		"finer":                   {[]float64{0, 5, 10, 11, 12, 13}, []series.Part{{0, 3}, {3, 6}}},
		"one apart":               {[]float64{0, 5, 6, 7}, []series.Part{{0, 1}, {1, 4}}},
		"last apart":              {[]float64{0, 1, 2, 9}, []series.Part{{0, 3}, {3, 4}}},
		"2 % of a wide step":      {[]float64{0, 100, 202}, []series.Part{{0, 3}}},
		"more than 2 %":           {[]float64{0, 100, 202.1}, []series.Part{{0, 2}, {2, 3}}},
		"a tenth of a fine step":  {[]float64{0, 0.1, 0.209}, []series.Part{{0, 3}}},
		"more than a tenth of it": {[]float64{0, 0.1, 0.211}, []series.Part{{0, 2}, {2, 3}}},
	} {
		if got := slicesAt(c.heights...).RegularParts(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	shifted := slicesAt(0, 1, 2, 3)
	shifted.Sources[3].Position[0] = 9
	if got := shifted.RegularParts(); !slices.Equal(got, []series.Part{{0, 3}, {3, 4}}) {
		t.Errorf("a slice that is shifted sideways: %v", got)
	}
	shifted.Sources = nil
	if got := shifted.RegularParts(); !slices.Equal(got, []series.Part{{0, 4}}) {
		t.Errorf("no positions: %v", got)
	}
}

// A section lies at the height at which its slices were measured.
func TestSection(t *testing.T) {
	s := slicesAt(0, 1, 2, 8, 13, 18)
	s.Volume.Mask = make([]bool, 12)
	s.Volume.Mask[6] = true
	part := s.Section(series.Part{From: 3, To: 6})
	v := part.Volume
	if v.Dims != [3]int{2, 1, 3} || v.Spacing[2] != 5 || v.Affine.Apply(0, 0, 1) != (volume.Vec{5, 6, 13}) || v.Data[0] != 8 || !v.Mask[0] || v.Mask[1] || len(v.Mask) != 6 {
		t.Errorf("%+v", v)
	}
	if part.Irregular != 0 || len(part.Sources) != 3 || len(part.Findings) != 1 || part.Findings[0].Kind != series.Tilt || len(s.Findings) != 2 || s.Volume.Dims[2] != 6 {
		t.Errorf("%+v", part)
	}
	if one := s.Section(series.Part{From: 1, To: 2}); one.Volume.Dims[2] != 1 || one.Volume.Spacing[2] != 1 || one.Volume.Affine.Apply(0, 0, 0)[2] != 1 {
		t.Errorf("%+v", one.Volume.Geometry)
	}
}

// Values that grow with the height stay as they are, and positions are stated.
func TestResample(t *testing.T) {
	s := slicesAt(10, 11, 12, 18, 23)
	out, err := s.Resample(2)
	if err != nil {
		t.Fatal(err)
	}
	v := out.Volume
	if v.Dims != [3]int{2, 1, 7} || v.Spacing[2] != 2 {
		t.Fatalf("%+v", v.Geometry)
	}
	for k := range 7 {
		h := v.Affine.Apply(0, 0, float64(k))[2]
		if h != 10+2*float64(k) || math.Abs(float64(v.Plane(k)[0])-h) > 1e-5 || math.Abs(float64(v.Plane(k)[1])+h) > 1e-5 {
			t.Errorf("slice %d at %g is %v", k, h, v.Plane(k))
		}
	}
	r := out.Resampled
	if r.Slices != 7 || r.Between != 4 || r.Farthest != 2 || !slices.Equal(r.Measured, []float64{0, 1, 2, 8, 13}) || r.Spacing != 2 {
		t.Errorf("%+v", r)
	}
	f := out.Findings[len(out.Findings)-1]
	if out.Irregular != 0 || out.Sources != nil || len(out.Findings) != 2 || f.Severity != series.Warning ||
		!strings.Contains(f.Text.String(), "5 slices measured over 13.00 mm became 7 slices every 2 mm; 4 of them lie between measured ones, up to 2.00 mm from the nearest") {
		t.Errorf("%+v", out.Findings)
	}
	if usual, err := s.Resample(0); err != nil || usual.Resampled.Spacing != 1 || usual.Volume.Dims[2] != 14 || usual.Volume.Plane(13)[0] != 23 {
		t.Errorf("the usual spacing: %+v, %v", usual, err)
	}
}

// A voxel is valid if those are that it comes from.
func TestResampleMasks(t *testing.T) {
	s := slicesAt(0, 2, 4)
	s.Volume.Mask = []bool{true, true, false, true, true, true}
	out, err := s.Resample(1)
	if err != nil || !slices.Equal(out.Volume.Mask, []bool{true, true, false, true, false, true, false, true, true, true}) {
		t.Errorf("%v, %v", out.Volume.Mask, err)
	}
}

func TestResampleRefuses(t *testing.T) {
	shifted := slicesAt(0, 1, 3)
	shifted.Sources[1].Position[0] += 0.11
	none := slicesAt(0, 1, 3)
	none.Sources = none.Sources[:2]
	for want, c := range map[string]struct {
		s       *series.Series
		spacing float64
	}{
		"slice 2 lies 0.11 mm beside":     {shifted, 1},
		"does not say where":              {none, 1},
		"not between 2 and 96":            {slicesAt(0, 1, 3), 4},
		"every 0.03 mm over 3.0 mm":       {slicesAt(0, 1, 3), 0.03},
		"every -1 mm over 3.0 mm are not": {slicesAt(0, 1, 3), -1},
	} {
		if _, err := c.s.Resample(c.spacing); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	shifted.Sources[1].Position[0] -= 0.02
	if _, err := shifted.Resample(1); err != nil {
		t.Errorf("0.09 mm beside: %v", err)
	}
}
