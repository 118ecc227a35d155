package nifti

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/format"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// row returns a volume of one row.
func row(values ...float32) *volume.Volume {
	v := volume.New(volume.NewGeometry([3]int{len(values), 1, 1}, [3]float64{1, 1, 1}))
	copy(v.Data, values)
	return v
}

// TestAnalyzeIntegers: Analyze has no intercept, so integers that do not fit are scaled by
// a slope alone, which maps the largest magnitude to just below the type's limit.
func TestAnalyzeIntegers(t *testing.T) {
	for what, c := range map[string]struct {
		v      *volume.Volume
		dtype  string
		scaled bool
		top    float64 // stored value of the largest magnitude
	}{
		"the whole range of bytes": {row(0, 7, 255), "uint8", false, 255},
		"one more":                 {row(0, 7, 256), "uint8", true, 254},
		"the range of int16":       {row(math.MinInt16, 1, math.MaxInt16), "int16", false, math.MaxInt16},
		"one less":                 {row(math.MinInt16-1, 1, 5), "int16", true, math.MaxInt16 - 1},
		"fractions":                {row(0, 0.5, 1), "int16", true, math.MaxInt16 - 1},
		"negative fractions":       {row(-3, 0.5, 1), "int32", true, math.MaxInt32 - 1},
		"tiny":                     {row(0, 1e-42), "int16", true, 0},
		"floating point":           {row(0, 0.5, 1e6), "float32", false, 1e6},
	} {
		got, h := rewrite(t, c.v, nil, "a.hdr", c.dtype)
		if (h.sclSlope != 1) != c.scaled || h.sclInter != 0 {
			t.Errorf("%s: slope %g, intercept %g", what, h.sclSlope, h.sclInter)
		}
		largest := 0.0
		for i, x := range got.Volume.Data {
			largest = max(largest, math.Abs(math.Round(float64(x)/h.sclSlope)))
			if d := math.Abs(float64(x - c.v.Data[i])); d > 0.51*h.sclSlope && c.scaled || d > 0 && !c.scaled {
				t.Errorf("%s: voxel %d is %g, want %g", what, i, x, c.v.Data[i])
			}
		}
		if c.scaled && math.Abs(largest-c.top) > max(1, 1e-6*c.top) {
			t.Errorf("%s: the largest magnitude is stored as %g, want %g", what, largest, c.top)
		}
	}
	for _, dtype := range []string{"uint8", "uint16"} {
		if err := Write(t.Context(), filepath.Join(t.TempDir(), "a.hdr"), row(-1, 0), nil, nil, dtype, ""); err == nil {
			t.Errorf("-1 was written as %s", dtype)
		}
	}
}

// TestAnalyzeStoredRange: glmin and glmax are the stored values.
func TestAnalyzeStoredRange(t *testing.T) {
	_, h := rewrite(t, row(-5, 3, 12), nil, "a.hdr", "int16")
	if h.glmin != -5 || h.glmax != 12 {
		t.Errorf("stored range %d to %d, want -5 to 12", h.glmin, h.glmax)
	}
	e := raster.Encoder{Slope: 0.5}
	for x, want := range map[float32]int64{1.2: 2, -3: -6, 3e9: math.MaxInt32, -3e9: math.MinInt32} {
		if got := storedInt(x, e); got != want {
			t.Errorf("%g is stored as %d, want %d", x, got, want)
		}
	}
}

// TestAnalyzeInSlices: a pair that is written some slices at a time has the bytes of the whole, whichever way the
// slices run through the file, of every type, and with padding, which is NaN where the source's was.
func TestAnalyzeInSlices(t *testing.T) {
	holes := readSample(t, "holes.nii")
	turned := func(x, y, z volume.Vec) *volume.Volume {
		g := volume.Geometry{Dims: [3]int{5, 4, 7}}
		for c, axis := range []volume.Vec{x, y, z} {
			g.Affine.SetColumn(c, axis)
		}
		v := volume.New(volume.FromAffine(g.Dims, g.Affine))
		for i := range v.Data {
			v.Data[i] = float32(i*i%97) / 3
		}
		return v
	}
	masked := turned(volume.Vec{0, 0, -1}, volume.Vec{1, 0, 0}, volume.Vec{0, 1, 0})
	masked.Mask = make([]bool, len(masked.Data))
	for i := range masked.Mask {
		masked.Mask[i] = i%3 == 1
	}
	for name, c := range map[string]struct {
		v    *volume.Volume
		from *series.Series
	}{
		"axial":    {turned(volume.Vec{1}, volume.Vec{0, 1}, volume.Vec{0, 0, 1}), nil},
		"as it is": {turned(volume.Vec{1}, volume.Vec{0, -1}, volume.Vec{0, 0, 1}), nil},
		"sagittal": {turned(volume.Vec{0, 1}, volume.Vec{0, 0, -1}, volume.Vec{-1}), nil},
		"coronal":  {turned(volume.Vec{-1}, volume.Vec{0, 0, 1}, volume.Vec{0, 1}), nil},
		"masked":   {masked, nil}, "holes": {holes.Volume, holes}, "masked like holes": {masked, holes},
	} {
		for _, dtype := range []string{"", "float64", "int16", "uint8"} {
			if c.v == holes.Volume && dtype == "uint8" {
				continue // it has negative values
			}
			dir := t.TempDir()
			if err := Write(t.Context(), filepath.Join(dir, "whole.hdr"), c.v, nil, c.from, dtype, "text"); err != nil {
				t.Fatal(name, err)
			}
			for _, n := range []int{1, 3} {
				w := Make.NewWriter(filepath.Join(dir, "parts.hdr"), format.Options{Datatype: dtype})
				if err := w.Begin(t.Context(), On(c.v.Geometry, c.from), format.Derived{Description: "text"}); err != nil {
					t.Fatal(err)
				}
				for z := 0; z < c.v.Dims[2]; z += n {
					if err := w.Add(t.Context(), c.v.Crop(volume.Slices(c.v.Geometry, z, min(z+n, c.v.Dims[2]))), nil); err != nil {
						t.Fatal(err)
					}
				}
				if r, err := w.Close(t.Context()); err != nil || r.Files != 2 {
					t.Fatal(r, err)
				}
				for _, ext := range []string{".hdr", ".img"} {
					a, _ := os.ReadFile(filepath.Join(dir, "whole"+ext))
					b, err := os.ReadFile(filepath.Join(dir, "parts"+ext))
					if err != nil || len(a) == 0 || !bytes.Equal(a, b) {
						t.Errorf("%s as %s, %d slices at a time: another %s, %v", name, dtype, n, ext, err)
					}
					os.Remove(filepath.Join(dir, "parts"+ext))
				}
				if files, _ := os.ReadDir(dir); len(files) != 2 {
					t.Errorf("%s: %v", name, files)
				}
			}
		}
	}
}

// TestAnalyzeScale: an Analyze header scales by SPM's factor, else from its stored range to
// its calibrated range.
func TestAnalyzeScale(t *testing.T) {
	inf := math.Inf(1)
	for what, c := range map[string]struct {
		h            header
		slope, inter float64
		findings     string
	}{
		"SPM's factor":           {header{sclSlope: 2, sclInter: 3, glmax: 10, calMax: 5}, 2, 3, ""},
		"an offset not finite":   {header{sclSlope: 2, sclInter: inf}, 2, 0, ""},
		"the calibrated range":   {header{glmin: 10, glmax: 110, calMin: -1, calMax: 1}, 0.02, -1.2, "note scaling: Values were scaled from the header's stored range to its calibrated range."},
		"no stored range":        {header{glmin: 10, glmax: 10, calMin: -1, calMax: 1}, 1, 0, ""},
		"no calibrated range":    {header{glmin: 10, glmax: 110, calMin: 1, calMax: 1}, 1, 0, ""},
		"an infinite range":      {header{glmin: 10, glmax: 110, calMax: inf}, 1, 0, ""},
		"NIfTI with ranges":      {header{format: nifti1, glmin: 10, glmax: 110, calMin: -1, calMax: 1}, 1, 0, ""},
		"NIfTI, infinite slope":  {header{format: nifti1, sclSlope: inf, sclInter: 4}, 1, 0, "note scaling: The header's slope (scl_slope) is not finite"},
		"NIfTI, slope 0":         {header{format: nifti1, sclInter: 4}, 1, 0, ""},
		"NIfTI, slope, no inter": {header{format: nifti1, sclSlope: -2}, -2, 0, ""},
	} {
		slope, inter, findings, err := c.h.scaling()
		if err != nil || math.Abs(slope-c.slope) > 1e-12 || math.Abs(inter-c.inter) > 1e-12 || summary(findings) != c.findings {
			t.Errorf("%s: slope %g, intercept %g, findings %q, error %v", what, slope, inter, summary(findings), err)
		}
	}
}

// TestCentredOrigin: an origin within a thousandth of a voxel of the volume's middle is not
// stored.
func TestCentredOrigin(t *testing.T) {
	for c := range 3 {
		for off, stored := range map[float64]bool{0: false, 0.9e-3: false, -0.9e-3: false, 1.1e-3: true, -1.1e-3: true, 1: true} {
			g, _ := analyzeGrid(volume.NewGeometry([3]int{11, 11, 11}, [3]float64{2, 2, 2}))
			for a := range 3 {
				g.Affine[a][3] = -5 * g.Affine[a][a]
			}
			g.Affine[c][3] -= off * g.Affine[c][c]
			var h header
			h.setAnalyzeGrid(g)
			if got := h.origin != [5]int64{}; got != stored {
				t.Errorf("axis %d, %g voxels off: origin %v", c, off, h.origin)
			}
			if stored && h.origin[c] != int64(math.Round(5+off))+1 {
				t.Errorf("axis %d, %g voxels off: origin %v", c, off, h.origin)
			}
		}
	}
}

func TestImagePath(t *testing.T) {
	for path, want := range map[string]string{
		"a/b.hdr": "a/b.img", "b.HDR": "b.IMG", "b.Hdr": "b.img", "b.hdr.gz": "b.hdr.gz", "b.nii": "b.nii", "b.img": "b.img", "hdr": "hdr",
	} {
		if got := imagePath(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

// TestOtherOfPair finds the second file in upper and lower case, compressed or not, and no
// folder of its name.
func TestOtherOfPair(t *testing.T) {
	file, folder := &fstest.MapFile{}, &fstest.MapFile{Mode: os.ModeDir}
	for what, c := range map[string]struct {
		fsys fstest.MapFS
		ext  string
		want string // in the error if it begins with a space
	}{
		"lower case first":       {fstest.MapFS{"a.img": file, "a.IMG": file, "a.img.gz": file}, ".img", "a.img"},
		"upper case":             {fstest.MapFS{"a.IMG": file, "a.img.gz": file}, ".img", "a.IMG"},
		"compressed":             {fstest.MapFS{"a.img.gz": file}, ".img", "a.img.gz"},
		"compressed, upper case": {fstest.MapFS{"a.HDR.GZ": file}, ".hdr", "a.HDR.GZ"},
		"a folder":               {fstest.MapFS{"a.img": folder, "a.IMG": file}, ".img", "a.IMG"},
		"no voxels":              {fstest.MapFS{}, ".img", " voxel file, a.img, is missing"},
		"no header":              {fstest.MapFS{}, ".hdr", " header file, a.hdr, is missing"},
	} {
		got, err := otherOfPair(c.fsys, "a.nii", c.ext)
		if missing := c.want[0] == ' '; missing && (err == nil || !strings.Contains(err.Error(), c.want)) || !missing && (err != nil || got != c.want) {
			t.Errorf("%s: %q, %v", what, got, err)
		}
	}
}

func TestDescription(t *testing.T) {
	b := bytes.Clone(sample(t, "analyze-le.hdr"))
	clear(b[148:228])
	copy(b[148:], " T1\tgrey\x00rest")
	fsys := fstest.MapFS{"a.hdr": {Data: b}, "cut.hdr": {Data: b[:300]}, "text.hdr": {Data: []byte("text")}}
	if got, err := descriptionIn(fsys, "a.hdr"); got != "T1 grey" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	for name, want := range map[string]string{"cut.hdr": "ends inside its header", "text.hdr": "not a NIfTI", "none.hdr": "no such file"} {
		if got, err := descriptionIn(fsys, name); got != "" || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestOriginOfTwoZeros: an originator is not stored only if all three numbers are 0.
func TestOriginOfTwoZeros(t *testing.T) {
	for c := range 3 {
		h := header{format: analyze75, dim: [8]int64{3, 10, 10, 10}}
		h.origin[c] = 1
		if !h.hasOrigin() {
			t.Errorf("origin %v", h.origin)
		}
	}
}
