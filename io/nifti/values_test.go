package nifti

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/raster"
	"quell/volume"
)

// TestQfacOfZero is 1, as nifti1.h says; only a negative one turns the third axis.
func TestQfacOfZero(t *testing.T) {
	for qfac, want := range map[float64]float64{-1: -3, 0: 3, 0.5: 3, 1: 3} {
		h := header{pixdim: [8]float64{qfac, 1, 2, 3}}
		if got := h.qform()[2][2]; got != want {
			t.Errorf("qfac %g: %g, want %g", qfac, got, want)
		}
	}
}

// TestThinAxesAreInvertible: what counts is the angle between axes, not their lengths.
func TestThinAxesAreInvertible(t *testing.T) {
	for c := range 3 {
		m := volume.NewGeometry([3]int{1, 1, 1}, [3]float64{1, 1, 1}).Affine
		m[c][c] = 1e-7
		if !invertible(m) {
			t.Errorf("axis %d of 1e-7 mm", c)
		}
	}
}

// TestUnusableTransformsAreReported, of code 1 too.
func TestUnusableTransformsAreReported(t *testing.T) {
	base := header{format: nifti1, dim: [8]int64{3, 2, 2, 2, 1, 1, 1, 1}, pixdim: [8]float64{1, 1, 1, 1}, xyztUnits: 2}
	for code := int64(1); code <= 2; code++ {
		h := base
		h.sformCode = code
		if _, f := h.geometry(); len(f) != 2 || f[0].Text.String() != "The header's sform is not finite or not invertible; it is ignored." {
			t.Errorf("sform, code %d: %v", code, f)
		}
		h = base
		h.qformCode, h.qoffset[0] = code, math.NaN()
		if _, f := h.geometry(); len(f) != 2 || f[0].Text.String() != "The header's qform is not finite; it is ignored." {
			t.Errorf("qform, code %d: %v", code, f)
		}
	}
	if _, f := base.geometry(); len(f) != 1 {
		t.Errorf("without transforms: %v", f)
	}
}

// TestLargestDimensionOfEachAxis needs NIfTI-2 along any of them.
func TestLargestDimensionOfEachAxis(t *testing.T) {
	for c := range 3 {
		for n, want := range map[int]variant{32767: nifti1, 32768: nifti2} {
			dims := [3]int{1, 1, 1}
			dims[c] = n
			h := newHeader(volume.NewGeometry(dims, [3]float64{1, 1, 1}), nil, raster.Encoder{}, "")
			if h.format != want || h.sformCode != xformScannerAnat || h.qformCode != xformScannerAnat {
				t.Errorf("axis %d, %d voxels: %v, codes %d and %d", c, n, h.format, h.sformCode, h.qformCode)
			}
		}
	}
	h := header{dim: [8]int64{3, 4, 5, 6}, sliceStart: 1, sliceEnd: 2, sliceCode: 3, sliceDuration: 4}
	h.clearVolumeFields(volume.NewGeometry([3]int{4, 5, 7}, [3]float64{1, 1, 1}))
	if h.sliceStart != 0 || h.sliceEnd != 0 || h.sliceCode != 0 || h.sliceDuration != 0 {
		t.Errorf("slices of another grid: %+v", h)
	}
}

// TestLengthOfDescriptions: 79 bytes fit.
func TestLengthOfDescriptions(t *testing.T) {
	for n, want := range map[int]int{78: 78, 79: 79, 80: 79, 200: 79} {
		var h header
		if h.setDescription(strings.Repeat("x", n)); text(h.descrip[:]) != strings.Repeat("x", want) || h.descrip[79] != 0 {
			t.Errorf("%d bytes: %q", n, h.descrip)
		}
	}
}

func TestTexts(t *testing.T) {
	for field, want := range map[string]string{
		"abc": "abc", "\x00abc": "", "ab\x00cd": "ab", "a\x01b": "a b", "a\x7fb": "a b", "a\x1fb~": "a b~", " x \x00": "x", "\xff": "?", "ä": "ä", "!": "!",
	} {
		if got := text([]byte(field)); got != want {
			t.Errorf("%q: %q, want %q", field, got, want)
		}
	}
}

// TestBytesInErrors: the end of the voxels, and the end of a file that shrank.
func TestBytesInErrors(t *testing.T) {
	b := fileOf(t, phantom([3]int{128, 128, 40}), "int16", ".nii")
	short := fstest.MapFS{"a.nii": {Data: b[:len(b)-1]}}
	_, err := Read(t.Context(), short, "a.nii")
	if want := "a.nii: the voxels should end at byte 1311072, but the file has 1311071 bytes; get a complete copy"; err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	_, err = Read(t.Context(), wrongSizeFS{short}, "a.nii")
	if want := "a.nii: the file ends after 1310719 of 1310720 bytes of voxels; get a complete copy"; err == nil || err.Error() != want {
		t.Errorf("in parallel: %v", err)
	}
	_, err = Read(t.Context(), sequentialFS{short, 1}, "a.nii")
	if want := "a.nii: the file ends after 1310719 of 1310720 bytes of voxels; get a complete copy"; err == nil || err.Error() != want {
		t.Errorf("in order: %v", err)
	}
	h := header{format: nifti1, single: true, voxOffset: 300}
	_, findings, err := h.dataOffset()
	if want := "The header gives byte 300 as the start of the voxels; byte 352, the first possible, is used."; err != nil || len(findings) != 1 || findings[0].Text.String() != want {
		t.Errorf("%v, %v", findings, err)
	}
}

// TestManyVolumesOfTheLargestSize: the limit of voxels applies to one volume.
func TestManyVolumesOfTheLargestSize(t *testing.T) {
	h := header{format: nifti2, dim: [8]int64{4, volume.MaxVoxels, 1, 1, 2}}
	if err := h.checkDims(); err != nil || h.volumes() != 2 {
		t.Errorf("%v", err)
	}
}

// TestColoursAreNotScaled, whatever the header says.
func TestColoursAreNotScaled(t *testing.T) {
	for _, slope := range []float32{0, 1, 5} {
		s := readComponent(t, "rgb24.nii", raster.Red, slope, 3)
		if src := s.Sources[0]; src.Slope != 1 || src.Inter != 0 {
			t.Errorf("slope %g: %+v", slope, src)
		}
	}
}

// TestLargestExtensions: with the flag before them they have maxExtensions bytes.
func TestLargestExtensions(t *testing.T) {
	for size, kept := range map[int]bool{maxExtensions - 4: true, maxExtensions - 3: false} {
		whole := sample(t, "int16-le.nii")
		b := slices.Concat(whole[:352], make([]byte, size), whole[352:])
		b[348] = 1
		binary.LittleEndian.PutUint32(b[352:], uint32(size))
		binary.LittleEndian.PutUint32(b[108:], math.Float32bits(float32(352+size)))
		h, err := readFullHeader(fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
		if err != nil || len(h.extensions) == 1 != kept {
			t.Errorf("%d bytes: %d are kept, %v", size, len(h.extensions), err)
		}
	}
}

// TestHeaderErrorsInWords: an early end, and errors of the system as they are.
func TestHeaderErrorsInWords(t *testing.T) {
	other := errors.New("broken disk")
	for err, want := range map[error]string{io.EOF: "the file ends inside its header", io.ErrUnexpectedEOF: "the file ends inside its header", other: "broken disk"} {
		if got := headerError(err); !strings.HasPrefix(got.Error(), want) {
			t.Errorf("%v: %v", err, got)
		}
	}
}
