package nifti

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"testing"
	"testing/fstest"

	"quell/io/raster"
	"quell/series"
)

// readComponent reads a component of a sample after setting its slope and intercept.
func readComponent(t *testing.T, name string, c Component, slope, inter float32) *series.Series {
	t.Helper()
	b := bytes.Clone(sample(t, name))
	binary.LittleEndian.PutUint32(b[112:], math.Float32bits(slope))
	binary.LittleEndian.PutUint32(b[116:], math.Float32bits(inter))
	s, err := ReadComponent(t.Context(), fstest.MapFS{name: {Data: b}}, name, 0, c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestScaleOfComponents checks nifti1.h's rule: both parts of a complex number are
// scaled, colours are not. nibabel adds scl_inter to the real part alone, so that
// its results cannot be compared.
func TestScaleOfComponents(t *testing.T) {
	const slope, inter = 0.5, 2
	for _, c := range []Component{raster.Real, raster.Imaginary} {
		stored := readComponent(t, "complex64-le.nii", c, 1, 0).Volume.Data
		for i, x := range readComponent(t, "complex64-le.nii", c, slope, inter).Volume.Data {
			if want := float32(float64(stored[i])*slope + inter); x != want {
				t.Fatalf("%s part of voxel %d is %g, want %g", c, i, x, want)
			}
		}
	}
	re := readComponent(t, "complex64-le.nii", raster.Real, slope, inter).Volume.Data
	im := readComponent(t, "complex64-le.nii", raster.Imaginary, slope, inter).Volume.Data
	for i, x := range readComponent(t, "complex64-le.nii", raster.Magnitude, slope, inter).Volume.Data {
		if want := math.Hypot(float64(re[i]), float64(im[i])); math.Abs(float64(x)-want) > 1e-6*want {
			t.Fatalf("the magnitude of voxel %d is %g, want %g", i, x, want)
		}
	}
	stored := sample(t, "rgba32.nii")[352:]
	s := readComponent(t, "rgba32.nii", raster.Green, 3, float32(math.NaN()))
	for i, x := range s.Volume.Data {
		if want := float32(stored[4*i+1]); x != want {
			t.Fatalf("the green of voxel %d is %g, want %g", i, x, want)
		}
	}
	if len(s.Findings) != 0 {
		t.Errorf("findings %v", s.Findings)
	}
}

func TestPhaseUnitAndFinding(t *testing.T) {
	s, err := ReadComponent(t.Context(), os.DirFS("testdata"), "complex128-be.nii", 1, raster.Phase)
	if err != nil {
		t.Fatal(err)
	}
	if s.Volume.Unit != "rad" || s.Findings[0].Kind != series.Phase || s.Findings[0].Severity != series.Warning {
		t.Errorf("unit %q, findings %v", s.Volume.Unit, s.Findings)
	}
}

// TestComponentIsWrittenAsScalar writes a component as an image of single numbers at
// the same positions.
func TestComponentIsWrittenAsScalar(t *testing.T) {
	for name, c := range map[string]Component{"complex128-le.nii": raster.Magnitude, "rgb24.nii": raster.Luminance} {
		b := bytes.Clone(sample(t, name))
		const rgbVector = 2003
		binary.LittleEndian.PutUint16(b[68:], rgbVector)
		from, err := ReadComponent(t.Context(), fstest.MapFS{name: {Data: b}}, name, 0, c)
		if err != nil {
			t.Fatal(err)
		}
		got, h := rewrite(t, from.Volume, from, "out.nii.gz", "")
		if h.datatype != raster.Float32 || h.bitpix != 32 || h.intentCode != 0 {
			t.Errorf("%s: datatype %d of %d bits, intent %d", name, h.datatype, h.bitpix, h.intentCode)
		}
		if got.Volume.Geometry != from.Volume.Geometry {
			t.Errorf("%s: geometry %v, want %v", name, got.Volume.Geometry, from.Volume.Geometry)
		}
		for i, x := range from.Volume.Data {
			if got.Volume.Data[i] != x {
				t.Fatalf("%s: voxel %d is %g, want %g", name, i, got.Volume.Data[i], x)
			}
		}
	}
}
