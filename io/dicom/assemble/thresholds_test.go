package assemble_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"quell/io/dicom/assemble"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestTiltThreshold stacks slices just below and just above 0.5 degrees to their
// normal.
func TestTiltThreshold(t *testing.T) {
	for degrees, want := range map[float64]bool{0.49: false, 0.51: true, -0.51: true} {
		fakes := positions(heights(5, 0, 4), func(z float64) float64 { return z * math.Tan(degrees*math.Pi/180) })
		e := dicomtest.Scan(t, dicomtest.FilesOf(fakes)).Entries[0]
		tilted := slices.ContainsFunc(e.Findings, func(f series.Finding) bool { return f.Kind == series.Tilt })
		if tilted != want || len(e.Findings) > 1 {
			t.Errorf("%g degrees: %v", degrees, e.Findings)
		}
	}
}

// TestShiftThreshold moves one slice sideways by just less and just more than
// 0.1 mm.
func TestShiftThreshold(t *testing.T) {
	for mm, want := range map[float64]bool{0.09: false, 0.11: true} {
		fakes := positions(heights(5, 0, 4), func(z float64) float64 {
			if z == 8 {
				return mm
			}
			return 0
		})
		e := dicomtest.Scan(t, dicomtest.FilesOf(fakes)).Entries[0]
		shifted := slices.ContainsFunc(e.Findings, func(f series.Finding) bool { return f.Kind == series.Shift })
		if shifted != want || (e.Irregular != 0) != want {
			t.Errorf("%g mm: irregular by %g mm, %v", mm, e.Irregular, e.Findings)
		}
	}
}

// TestRoundedSpacingThreshold moves one slice along the normal by just less and just
// more than 0.1 mm, which is the rounding of positions.
func TestRoundedSpacingThreshold(t *testing.T) {
	for mm, want := range map[float64]series.Severity{0.09: series.Note, 0.11: series.Warning} {
		z := heights(5, 0, 1)
		z[2] += mm
		e := dicomtest.Scan(t, dicomtest.FilesOf(positions(z, func(float64) float64 { return 0 }))).Entries[0]
		if f := dicomtest.Finding(t, e.Findings, series.Spacing); f.Severity != want || (e.Irregular != 0) != (want == series.Warning) {
			t.Errorf("%g mm: irregular by %g mm, %v", mm, e.Irregular, e.Findings)
		}
	}
}

// TestStationThreshold places a second image at every height, just less and just more
// than 10 mm away from the first: a repetition, and another station.
func TestStationThreshold(t *testing.T) {
	for mm, want := range map[float64]string{9.9: "repeat 2 of 2", 10.1: "station 2"} {
		c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(slices.Repeat(heights(4, 0, 5), 2), func(i int, f *dicomtest.Fake) {
			f.With(part10.TagImagePositionPatient, fmt.Sprintf(`0\%g\%d`, mm*float64(i/4), 5*(i%4))).With(part10.TagInstanceNumber, fmt.Sprint(i))
		})))
		if len(c.Entries) != 2 || c.Entries[1].Part != want {
			t.Errorf("%g mm: %d entries, the last is %q, want %q", mm, len(c.Entries), c.Entries[len(c.Entries)-1].Part, want)
		}
	}
}

// TestPlaneLimit forms the volumes of a series with 1000 orientations of two slices each
// and refuses one with 1001.
func TestPlaneLimit(t *testing.T) {
	for planes, refused := range map[int]bool{1000: false, 1001: true} {
		var hs []*instance.Slice
		for i := range 2 * planes {
			sin, cos := math.Sincos(2.5e-3 * float64(i/2))
			h := &instance.Slice{Instance: &instance.Instance{Name: "x"}, Frame: i, Placed: true, Row: volume.Vec{cos, sin}, Column: volume.Vec{0, 0, 1}, Spacing: [2]float64{1, 1}}
			h.Format.Rows, h.Format.Cols = 4, 4
			h.Position = h.Normal().Scale(float64(i % 2))
			hs = append(hs, h)
		}
		entries := assemble.Entries(hs)
		if refused {
			dicomtest.WantError(t, entries[0].Err, "lie in more than 1000 planes")
		} else if len(entries) != planes || entries[0].Err != nil {
			t.Errorf("%d planes form %d volumes: %v", planes, len(entries), entries[0].Err)
		}
	}
}

// TestRoundingOfThinSlices moves a slice of a 0.5 mm spacing by just less and just more
// than 15 % of it: the first is rounding, the second uneven.
func TestRoundingOfThinSlices(t *testing.T) {
	for mm, want := range map[float64]series.Severity{0.07: series.Note, 0.08: series.Warning} {
		fakes := positions([]float64{0, 0.5, 1 + mm, 1.5, 2}, func(float64) float64 { return 0 })
		e := dicomtest.Scan(t, dicomtest.FilesOf(fakes)).Entries[0]
		if f := dicomtest.Finding(t, e.Findings, series.Spacing); f.Severity != want {
			t.Errorf("%g mm: %+v", mm, f)
		}
	}
}
