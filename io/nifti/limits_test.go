package nifti

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/series"
	"quell/volume"
)

// edited returns a file of testdata after a change of its header.
func edited(t *testing.T, name string, change func(b []byte)) []byte {
	t.Helper()
	b := bytes.Clone(sample(t, name))
	change(b)
	return b
}

func readMem(t *testing.T, b []byte) (*series.Series, error) {
	t.Helper()
	return Read(t.Context(), fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
}

// TestInvertible tilts two axes until they almost coincide.
func TestInvertible(t *testing.T) {
	for sine, want := range map[float64]bool{1: true, 2e-6: true, 0.5e-6: false, 0: false} {
		var m volume.Affine
		m.SetColumn(0, volume.Vec{3, 0, 0})
		m.SetColumn(1, volume.Vec{math.Sqrt(1 - sine*sine), sine, 0})
		m.SetColumn(2, volume.Vec{0, 0, 0.5})
		if got := invertible(m); got != want {
			t.Errorf("sine %g: %v", sine, got)
		}
	}
	identity := volume.NewGeometry([3]int{1, 1, 1}, [3]float64{1, 1, 1}).Affine
	far, nan := identity, identity
	far[0][3], nan[0][3] = math.Inf(1), math.NaN()
	if invertible(far) || invertible(nan) || !invertible(identity) {
		t.Error("the translation must be finite")
	}
}

// TestExtensionLimit: extensions of a megabyte are kept, those beyond maxExtensions are
// not, and the image is read in both cases.
func TestExtensionLimit(t *testing.T) {
	for size, kept := range map[int]bool{1 << 20: true, maxExtensions + 1<<10: false} {
		whole := sample(t, "int16-le.nii")
		b := append(bytes.Clone(whole[:352]), make([]byte, size)...)
		b = append(b, whole[352:]...)
		b[348] = 1
		binary.LittleEndian.PutUint32(b[352:], uint32(size))
		binary.LittleEndian.PutUint32(b[356:], 6)
		binary.LittleEndian.PutUint32(b[108:], math.Float32bits(float32(352+size)))
		s, err := readMem(t, b)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(headerOf(t, s).extensions) == 1; got != kept {
			t.Errorf("%d bytes: kept is %v", size, got)
		}
		if got := summary(s.Findings); kept != (got == "") {
			t.Errorf("%d bytes: findings %q", size, got)
		}
		if !slices.Equal(s.Volume.Data, readSample(t, "int16-le.nii").Volume.Data) {
			t.Errorf("%d bytes: the voxels differ", size)
		}
	}
}

// TestVolumeLimit reads the last volume of a file with maxVolumes of them, and refuses
// one more.
func TestVolumeLimit(t *testing.T) {
	for _, n := range []int{maxVolumes, maxVolumes + 1} {
		b := edited(t, "nifti2-le.nii", func(b []byte) {
			for i, d := range []int{4, 1, 1, 1, n, 1, 1, 1} {
				binary.LittleEndian.PutUint64(b[16+8*i:], uint64(d))
			}
		})
		b = append(b[:544:544], make([]byte, 2*n)...)
		b[544+2*n-2] = 7
		s, err := ReadVolume(t.Context(), fstest.MapFS{"a.nii": {Data: b}}, "a.nii", n-1)
		switch {
		case n > maxVolumes && (err == nil || !strings.Contains(err.Error(), "65537 volumes")):
			t.Errorf("%d volumes: %v", n, err)
		case n <= maxVolumes && (err != nil || s.Volume.Data[0] != 7):
			t.Errorf("%d volumes: %v", n, err)
		}
	}
}

// TestTrailingBytes: the checksum of a compressed file is verified across bytes after
// the last voxel, up to maxTrailing of them.
func TestTrailingBytes(t *testing.T) {
	for size, damaged := range map[int]bool{0: true, 1000: true, maxTrailing + 1<<10: false} {
		b := compressed(t, append(bytes.Clone(sample(t, "int16-le.nii")), make([]byte, size)...))
		if _, err := readMem(t, b); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		b[len(b)-8] ^= 1 // the checksum
		if _, err := readMem(t, b); (err != nil) != damaged {
			t.Errorf("%d bytes, wrong checksum: %v", size, err)
		}
	}
}

// TestShiftLimit: an intercept that the header's float32 cannot represent is not used,
// so that whole numbers beyond 2^24 survive in 16 bits.
func TestShiftLimit(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{10, 1, 1}, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 1<<25 - 2 + float32(i)*4
	}
	for _, dtype := range []string{"int16", "uint16", "uint8"} {
		if got, _ := rewrite(t, v, nil, "a.nii", dtype); !slices.Equal(got.Volume.Data, v.Data) {
			t.Errorf("%s: %v, want %v", dtype, got.Volume.Data, v.Data)
		}
	}
}

// TestAnalyzeOriginLimits: an originator within one volume's size of the volume is a
// voxel, any other value is not.
func TestAnalyzeOriginLimits(t *testing.T) {
	for c := range 3 {
		for offset, want := range map[int64]bool{-10: false, -9: true, 1: true, 19: true, 20: false} {
			h := header{format: analyze75, dim: [8]int64{4, 10, 10, 10, 1, 1, 1, 1}, origin: [5]int64{1, 1, 1}}
			h.origin[c] = offset
			if got := h.hasOrigin(); got != want {
				t.Errorf("axis %d, voxel %d of 10: %v", c, offset, got)
			}
		}
	}
	h := header{format: analyze75, dim: [8]int64{4, 10, 10, 10, 1, 1, 1, 1}}
	if h.hasOrigin() {
		t.Error("zeros are not an origin")
	}
	h.origin, h.format = [5]int64{1, 1, 1}, nifti1
	if h.hasOrigin() {
		t.Error("NIfTI has no originator")
	}
}

// TestIntents: CIFTI's range of intents is refused; intents that give voxels several
// numbers are removed when a component or volume is written, others are kept.
func TestIntents(t *testing.T) {
	for code, want := range map[uint16]string{
		2999: "kept", 3000: "refused", 3099: "refused", 3100: "kept",
		1003: "kept", 1004: "removed", 1005: "removed", 1010: "removed", 1011: "kept",
		2002: "kept", 2003: "removed", 2004: "removed", 2005: "kept",
	} {
		s, err := readMem(t, edited(t, "int16-le.nii", func(b []byte) { binary.LittleEndian.PutUint16(b[68:], code) }))
		got := "refused"
		if err == nil {
			got = "kept"
			if _, h := rewrite(t, s.Volume, s, "out.nii", ""); h.intentCode == 0 {
				got = "removed"
			} else if h.intentCode != int64(code) {
				t.Errorf("intent %d became %d", code, h.intentCode)
			}
		}
		if got != want {
			t.Errorf("intent %d: %s, want %s", code, got, want)
		}
	}
}

// TestSliceTiming is kept for the source's grid and removed from a part of it.
func TestSliceTiming(t *testing.T) {
	s, err := readMem(t, edited(t, "int16-le.nii", func(b []byte) {
		binary.LittleEndian.PutUint16(b[120:], 2) // slice_end
		b[122] = 1                                // slice_code: sequential
		binary.LittleEndian.PutUint32(b[132:], math.Float32bits(0.25))
	}))
	if err != nil {
		t.Fatal(err)
	}
	if _, h := rewrite(t, s.Volume, s, "whole.nii", ""); h.sliceEnd != 2 || h.sliceCode != 1 || h.sliceDuration != 0.25 {
		t.Errorf("whole: slices %d to %d, code %d, %g s", h.sliceStart, h.sliceEnd, h.sliceCode, h.sliceDuration)
	}
	for c := range 3 {
		r := s.Volume.Bounds()
		r.Min[c] = 1
		if _, h := rewrite(t, s.Volume.Crop(r), s, "part.nii", ""); h.sliceEnd != 0 || h.sliceCode != 0 || h.sliceDuration != 0 {
			t.Errorf("cropped along axis %d: slices %d to %d, code %d, %g s", c, h.sliceStart, h.sliceEnd, h.sliceCode, h.sliceDuration)
		}
	}
}

// TestLargestDimension: 32767 voxels along an axis fit NIfTI-1 and Analyze, one more
// needs NIfTI-2.
func TestLargestDimension(t *testing.T) {
	for n, want := range map[int]format{32767: nifti1, 32768: nifti2} {
		v := volume.New(volume.NewGeometry([3]int{1, n, 1}, [3]float64{1, 1, 1}))
		v.Data[n-1] = 3
		s, h := rewrite(t, v, nil, "a.nii", "uint8")
		if h.format != want || !slices.Equal(s.Volume.Data, v.Data) {
			t.Errorf("%d voxels: %v", n, h.format)
		}
		err := Write(t.Context(), t.TempDir()+"/a.hdr", v, nil, "uint8", "")
		if (err == nil) != (want == nifti1) {
			t.Errorf("%d voxels in Analyze: %v", n, err)
		}
	}
}

// TestDisplayRange: the header's display range is a window unless it is empty, reversed
// or not finite.
func TestDisplayRange(t *testing.T) {
	for calMax, want := range map[float32]int{110: 1, 100: 0, 90: 0, float32(math.Inf(1)): 0} {
		s, err := readMem(t, edited(t, "int16-le.nii", func(b []byte) {
			binary.LittleEndian.PutUint32(b[124:], math.Float32bits(calMax))
			binary.LittleEndian.PutUint32(b[128:], math.Float32bits(100))
		}))
		if err != nil || len(s.Windows) != want {
			t.Errorf("100 to %g: windows %v, %v", calMax, s.Windows, err)
		}
	}
}
