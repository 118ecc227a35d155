package assemble_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom/assemble"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/series"
	"quell/volume"
)

// TestOrientations loads the three planes and an oblique one; the affine must put
// every voxel at the place that the header gives.
func TestOrientations(t *testing.T) {
	c, s := math.Cos(0.3), math.Sin(0.3)
	for name, iop := range map[string][2]volume.Vec{
		"axial": {{1, 0, 0}, {0, 1, 0}}, "coronal": {{1, 0, 0}, {0, 0, -1}}, "sagittal": {{0, 1, 0}, {0, 0, -1}},
		"oblique sagittal": {{0, c, s}, {-0.6 * s, 0.6 * s * s, -0.6 * s * c}}, // made perpendicular and unit below
	} {
		row, col := iop[0], iop[1]
		col = col.Sub(row.Scale(col.Dot(row))).Unit()
		normal := row.Cross(col)
		fakes := map[string]*dicomtest.Fake{}
		for z := range 4 {
			pos := volume.Vec{3, 4, 5}.Add(normal.Scale(1.5 * float64(z)))
			fakes[fmt.Sprint("x", (z*7)%4)] = dicomtest.NewFake(fmt.Sprint(z), 0, 100*z).
				With(part10.TagImagePositionPatient, string(part10.Decimals(pos[:]...))).
				With(part10.TagImageOrientationPatient, string(part10.Decimals(append(row[:], col[:]...)...)))
		}
		v := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(fakes)), 0).Volume
		for z := range 4 {
			if got, want := v.Plane(z)[0], float32(200*z-1000); got != want {
				t.Errorf("%s: slice %d begins with %g, want %g", name, z, got, want)
			}
		}
		want := volume.Vec{3, 4, 5}.Add(row.Scale(2 * 0.5)).Add(col.Scale(1 * 0.75)).Add(normal.Scale(3 * 1.5))
		if d := v.Affine.Apply(2, 1, 3).Sub(want).Norm(); d > 1e-9 {
			t.Errorf("%s: voxel (2, 1, 3) is %g mm off", name, d)
		}
		if got := assemble.Orientation(normal); !strings.HasSuffix(name, strings.TrimPrefix(got, "oblique ")) {
			t.Errorf("%s is called %s", name, got)
		}
	}
}

// positions returns a stack of slices at the given z, each also moved along y.
func positions(z []float64, y func(z float64) float64) map[string]*dicomtest.Fake {
	out := map[string]*dicomtest.Fake{}
	for i, at := range z {
		out[fmt.Sprintf("%02d", i)] = dicomtest.NewFake(fmt.Sprint(i), at, 0).With(part10.TagImagePositionPatient, fmt.Sprintf(`0\%g\%g`, y(at), at))
	}
	return out
}

func TestGeometryFindings(t *testing.T) {
	straight := func(float64) float64 { return 0 }
	for name, c := range map[string]struct {
		z    []float64
		y    func(float64) float64
		kind series.Kind
		off  float64 // Irregular
		text string
	}{
		"gap":    {[]float64{0, 5, 10, 25, 30}, straight, "gap", 5, "2 slices are missing (15.0 mm after slice 3, where 5.00 mm is usual)"},
		"uneven": {[]float64{0, 5, 11, 15, 21}, straight, "spacing", 0.75, "from 4.00 to 6.00 mm"},
		"tilt":   {[]float64{0, 5, 10}, func(z float64) float64 { return z * math.Tan(18.5*math.Pi/180) }, "tilt", 0, "18.5 degrees"},
		"shift": {[]float64{0, 5, 10, 15}, func(z float64) float64 {
			if z == 5 {
				return 3
			}
			return 0
		}, "shift", 3, "up to 3.00 mm"},
	} {
		e := dicomtest.Scan(t, dicomtest.FilesOf(positions(c.z, c.y))).Entries[0]
		f := dicomtest.Finding(t, e.Findings, c.kind)
		if f.Severity != series.Warning || !strings.Contains(f.Text.String(), c.text) {
			t.Errorf("%s: %v", name, f)
		}
		if s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(positions(c.z, c.y))), 0); math.Abs(e.Irregular-c.off) > 1e-9 || s.Irregular != e.Irregular {
			t.Errorf("%s: irregular by %g and %g mm, want %g", name, e.Irregular, s.Irregular, c.off)
		}
		if len(e.Findings) != 1 {
			t.Errorf("%s: also %v", name, e.Findings)
		}
		// First and last slice are exact whatever lies between.
		n := len(c.z) - 1
		if got := e.Geometry.Affine.Apply(0, 0, float64(n)); got.Sub(volume.Vec{0, c.y(c.z[n]), c.z[n]}).Norm() > 1e-9 {
			t.Errorf("%s: last slice at %v", name, got)
		}
	}
	if e := dicomtest.Scan(t, dicomtest.FilesOf(positions([]float64{0, 5.001, 9.999, 15}, straight))).Entries[0]; len(e.Findings) > 0 || e.Irregular != 0 {
		t.Errorf("rounded positions: irregular by %g mm, %v", e.Irregular, e.Findings)
	}
}

// heights returns n heights from a first one on, step mm apart.
func heights(n int, first, step float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = first + step*float64(i)
	}
	return out
}

// TestSpacingFindings distinguishes rounded positions, a change of spacing and gaps, and which of them are to
// be filtered slice by slice.
func TestSpacingFindings(t *testing.T) {
	rounded := heights(20, 0, 0.625)
	for i, z := range rounded {
		rounded[i] = math.Round(10*z) / 10
	}
	for name, c := range map[string]struct {
		z         []float64
		kind      series.Kind
		severity  series.Severity
		slicewise bool
		text      string
	}{
		"rounded to 0.1 mm":  {rounded, "spacing", series.Note, false, "up to 0.05 mm off the even spacing of 0.63 mm"},
		"5 mm, then 10 mm":   {append(heights(8, 0, 5), heights(8, 45, 10)...), "spacing", series.Warning, true, "from 5.00 to 10.00 mm"},
		"two slices missing": {append(heights(8, 0, 5), heights(8, 50, 5)...), "gap", series.Warning, true, "2 slices are missing"},
	} {
		e := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(c.z, nil))).Entries[0]
		f := dicomtest.Finding(t, e.Findings, c.kind)
		if f.Severity != c.severity || f.Slicewise != c.slicewise || !strings.Contains(f.Text.String(), c.text) || len(e.Findings) != 1 {
			t.Errorf("%s: %v", name, e.Findings)
		}
	}
}

// TestFineSlices reads slices of a microscope: 0.008 mm apart they are at different positions.
func TestFineSlices(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(4, 0, 0.008), func(_ int, f *dicomtest.Fake) { f.With(part10.TagPixelSpacing, `0.008\0.008`) })))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 4 || math.Abs(c.Entries[0].Geometry.Spacing[2]-0.008) > 1e-9 {
		t.Errorf("entries %+v", c.Entries)
	}
}

// TestPlaneFallbacks uses the spacing of a scanned film, and directions that are not of unit length.
func TestPlaneFallbacks(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(3, 0, 2), func(_ int, f *dicomtest.Fake) {
		f.With(part10.TagPixelSpacing, nil).With(part10.TagNominalScannedPixelSpacing, `0.4\0.3`).With(part10.TagImageOrientationPatient, `0\2\0\0\0\-2`).
			With(part10.TagImagePositionPatient, strings.Join([]string{strings.Split(f.Values[part10.TagImagePositionPatient].(string), `\`)[2], "0", "0"}, `\`))
	})))
	want := volume.Affine{{0, 0, -2, 4}, {0.3, 0, 0, 0}, {0, -0.4, 0, 0}}
	if e := c.Entries[0]; len(c.Entries) != 1 || e.Geometry.Affine != want || len(e.Findings) != 0 {
		t.Errorf("entry %+v", e)
	}
}

// TestPixelsWithoutSpacing keeps the aspect ratio of pixels of unknown size.
func TestPixelsWithoutSpacing(t *testing.T) {
	e := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(2, 0, 3), func(_ int, f *dicomtest.Fake) {
		f.With(part10.TagPixelSpacing, nil).With(part10.TagPixelAspectRatio, `6\5`)
	}))).Entries[0]
	if e.Geometry.Spacing != [3]float64{1, 1.2, 3} {
		t.Errorf("spacing %v", e.Geometry.Spacing)
	}
	dicomtest.Finding(t, e.Findings, "spacing")
}

// TestRotatedSlices lists the steps of a rotating projection as one volume.
func TestRotatedSlices(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(seriesOf(heights(6, 0, 0), func(i int, f *dicomtest.Fake) {
		sin, cos := math.Sincos(0.3 * float64(i))
		f.With(part10.TagImageOrientationPatient, fmt.Sprintf(`%.6f\%.6f\0\0\0\-1`, cos, sin)).With(part10.TagInstanceNumber, fmt.Sprint(9-i))
	})))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 6 {
		t.Fatalf("entries %+v", c.Entries)
	}
	if f := dicomtest.Finding(t, c.Entries[0].Findings, "orientation"); f.Severity != series.Warning || !f.Slicewise {
		t.Errorf("%v", f)
	}
	if got := dicomtest.Load(t, c, 0).Volume.Data[0]; got != 2*500-1000 {
		t.Errorf("the first slice begins with %g, not with that of instance 4", got)
	}
}

// TestUnplacedImages opens images without a position, as secondary captures are: one volume by instance
// number per kind of image.
func TestUnplacedImages(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 3 {
		f := dicomtest.NewFake(fmt.Sprint(i), 0, 100*i).With(part10.TagImagePositionPatient, nil).
			With(part10.TagPhotometricInterpretation, "MONOCHROME1").With(part10.TagInstanceNumber, fmt.Sprint(12-i))
		if i == 2 {
			f.With(part10.TagImageType, `DERIVED\SECONDARY`)
		}
		files[fmt.Sprintf("x%d", i)] = &fstest.MapFile{Data: f.File()}
	}
	c := dicomtest.Scan(t, files)
	if len(c.Entries) != 2 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	for i, first := range []float32{-800, -600} { // of x1 and of x2
		e := c.Entries[i]
		if f := dicomtest.Finding(t, e.Findings, "position"); f.Severity != series.Warning || f.Slicewise != (i == 0) {
			t.Errorf("entry %d: %v", i, f)
		}
		dicomtest.Finding(t, e.Findings, "monochrome1")
		if v := dicomtest.Load(t, c, i).Volume; v.Dims != [3]int{4, 3, 2 - i} || v.Spacing[0] != 0.5 || v.Spacing[1] != 0.75 || v.Data[0] != first {
			t.Errorf("entry %d begins with %g, geometry %+v", i, v.Data[0], v.Geometry)
		}
	}
}
