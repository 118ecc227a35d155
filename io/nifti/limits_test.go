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
	const maxTrailing = 1 << 20 // of package raster
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
	for n, want := range map[int]variant{32767: nifti1, 32768: nifti2} {
		v := volume.New(volume.NewGeometry([3]int{1, n, 1}, [3]float64{1, 1, 1}))
		v.Data[n-1] = 3
		s, h := rewrite(t, v, nil, "a.nii", "uint8")
		if h.format != want || !slices.Equal(s.Volume.Data, v.Data) {
			t.Errorf("%d voxels: %v", n, h.format)
		}
		err := Write(t.Context(), t.TempDir()+"/a.hdr", v, nil, nil, "uint8", "")
		if (err == nil) != (want == nifti1) {
			t.Errorf("%d voxels in Analyze: %v", n, err)
		}
	}
}

// TestDisplayRange: the header's display range is a window unless it is empty, reversed
// or not finite.
func TestDisplayRange(t *testing.T) {
	for calMax, want := range map[float32]int{110: 1, 100.5: 1, 100: 0, 90: 0, float32(math.Inf(1)): 0} {
		s, err := readMem(t, edited(t, "int16-le.nii", func(b []byte) {
			binary.LittleEndian.PutUint32(b[124:], math.Float32bits(calMax))
			binary.LittleEndian.PutUint32(b[128:], math.Float32bits(100))
		}))
		if err != nil || len(s.Windows) != want {
			t.Errorf("100 to %g: windows %v, %v", calMax, s.Windows, err)
		}
	}
}

// TestDataOffset: voxels start no earlier than after the header, and 0 means just there.
func TestDataOffset(t *testing.T) {
	for what, c := range map[string]struct {
		h       header
		want    int64
		warning bool
		err     bool
	}{
		"NIfTI-1":           {header{format: nifti1, single: true, voxOffset: 352}, 352, false, false},
		"one too early":     {header{format: nifti1, single: true, voxOffset: 351}, 352, true, false},
		"NIfTI-1, 0":        {header{format: nifti1, single: true}, 352, false, false},
		"NIfTI-2":           {header{format: nifti2, single: true, voxOffset: 544}, 544, false, false},
		"NIfTI-2, early":    {header{format: nifti2, single: true, voxOffset: 352}, 544, true, false},
		"a pair":            {header{format: nifti1}, 0, false, false},
		"a pair, negative":  {header{format: analyze75, voxOffset: -1}, 0, true, false},
		"a pair, later":     {header{format: analyze75, voxOffset: 16}, 16, false, false},
		"beyond every file": {header{format: nifti2, single: true, voxOffset: 1 << 62}, 0, false, true},
		"far, but possible": {header{format: nifti2, single: true, voxOffset: 1 << 61}, 1 << 61, false, false},
		"infinite":          {header{format: nifti2, voxOffset: math.Inf(-1)}, 0, false, true},
	} {
		got, findings, err := c.h.dataOffset()
		if got != c.want || (len(findings) > 0) != c.warning || (err != nil) != c.err {
			t.Errorf("%s: %d, findings %v, error %v", what, got, findings, err)
		}
	}
}

// TestGridLimits: a volume has at most volume.MaxVoxels voxels, and a file no more bytes
// than an int64 counts.
func TestGridLimits(t *testing.T) {
	for what, c := range map[string]struct {
		dim [8]int64
		ok  bool
	}{
		"the largest volume": {[8]int64{3, volume.MaxVoxels, 1, 1}, true},
		"one voxel more":     {[8]int64{3, volume.MaxVoxels + 1, 1, 1}, false},
		"spread over axes":   {[8]int64{3, volume.MaxVoxels / 2, 2, 2}, false},
		"one dimension":      {[8]int64{1, 5, -1, -1, -1, -1, -1, -1}, true},
		"seven dimensions":   {[8]int64{7, 2, 2, 2, 2, 2, 2, 2}, true},
		"no rows":            {[8]int64{2, 5, 0}, false},
		"no slices":          {[8]int64{3, 5, 5, 0}, true},
		"negative slices":    {[8]int64{3, 5, 5, -1}, false},
		"too many bytes":     {[8]int64{5, volume.MaxVoxels, 1, 1, maxVolumes, math.MaxInt64 / volume.MaxVoxels}, false},
	} {
		h := header{format: nifti2, dim: c.dim}
		if err := h.checkDims(); (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
		for i := 1; c.ok && i <= 7; i++ {
			if h.dim[i] < 1 {
				t.Errorf("%s: dimensions %v", what, h.dim)
			}
		}
	}
}

// TestExtensionBlocks ends at the first block with an impossible size.
func TestExtensionBlocks(t *testing.T) {
	block := func(size, code uint32, n int) []byte {
		b := binary.LittleEndian.AppendUint32(nil, size)
		return append(binary.LittleEndian.AppendUint32(b, code), make([]byte, n)...)
	}
	for what, c := range map[string]struct {
		flag    byte
		blocks  []byte
		kept    int
		damaged bool
	}{
		"none":               {1, nil, 0, false},
		"not announced":      {0, block(16, 6, 8), 0, false},
		"one":                {1, block(16, 6, 8), 1, false},
		"two":                {1, append(block(16, 6, 8), block(32, 4, 24)...), 2, false},
		"the smallest":       {1, append(block(8, 6, 0), block(16, 4, 8)...), 2, false},
		"too small":          {1, block(7, 6, 8), 0, true},
		"negative":           {1, block(0xfffffff0, 6, 8), 0, true},
		"beyond the end":     {1, block(17, 6, 8), 0, true},
		"damage after one":   {1, append(block(16, 6, 8), block(33, 4, 24)...), 1, true},
		"a rest of 15 bytes": {1, block(15, 6, 7), 0, false},
	} {
		h := header{order: binary.LittleEndian}
		findings := h.parseExtensions(append([]byte{c.flag, 0, 0, 0}, c.blocks...))
		if len(h.extensions) != c.kept || (len(findings) > 0) != c.damaged {
			t.Errorf("%s: %d kept, findings %v", what, len(h.extensions), findings)
		}
	}
	var h header
	if h.parseExtensions([]byte{1, 0, 0}) != nil {
		t.Error("three bytes are no extension")
	}
}

// TestShearedQform: a qform cannot hold shear, so it becomes an sform of the same code
// if the file has no sform.
func TestShearedQform(t *testing.T) {
	sheared := volume.NewGeometry([3]int{4, 4, 4}, [3]float64{2, 3, 4}).Affine
	sheared[0][1] = 1
	straight := volume.NewGeometry([3]int{4, 4, 4}, [3]float64{2, 3, 4}).Affine
	for what, c := range map[string]struct {
		sform        volume.Affine
		sformCode    int64
		qform        volume.Affine
		qformCode    int64
		wantS, wantQ int64
		spacing1     float64
	}{
		"both":                 {straight, 2, straight, 3, 2, 3, 3},
		"a sheared qform":      {straight, 0, sheared, 3, 3, 0, math.Sqrt(10)},
		"beside an sform":      {straight, 2, sheared, 3, 2, 0, 3},
		"a sheared sform":      {sheared, 2, straight, 0, 2, 0, math.Sqrt(10)},
		"a straight qform":     {sheared, 0, straight, 1, 0, 1, 3},
		"neither is announced": {straight, 0, straight, 0, 0, 0, 3},
	} {
		h := header{qformCode: 9, sformCode: 9, srow: [3][4]float64{{7}}}
		h.setCodes(c.sform, c.sformCode, c.qform, c.qformCode)
		if h.sformCode != c.wantS || h.qformCode != c.wantQ || math.Abs(h.pixdim[2]-c.spacing1) > 1e-12 || h.pixdim[0] != 1 {
			t.Errorf("%s: codes s %d q %d, pixdim %v", what, h.sformCode, h.qformCode, h.pixdim)
		}
		if zero := h.srow == [3][4]float64{}; zero != (c.wantS == 0) {
			t.Errorf("%s: sform %v", what, h.srow)
		}
	}
}

// TestHeaderAlone: what ReadHeader says of one volume and of several.
func TestHeaderAlone(t *testing.T) {
	fsys := fstest.MapFS{"one.nii": {Data: sample(t, "int16-le.nii")}, "many.nii": {Data: sample(t, "four-d.nii")}}
	one, err := Open.ReadHeader(fsys, "one.nii")
	if err != nil || one.Volumes != 1 || len(one.Findings) != 0 || one.Bytes != 2*int64(one.Geometry.Voxels()) || one.Datatype != "int16" {
		t.Errorf("%+v, %v", one, err)
	}
	many, err := Open.ReadHeader(fsys, "many.nii")
	if err != nil || many.Volumes < 2 || !strings.Contains(summary(many.Findings), "note volumes: The file contains") ||
		many.Bytes%int64(many.Volumes*many.Geometry.Voxels()) != 0 {
		t.Errorf("%+v, %v", many, err)
	}
	for _, v := range []int{-1, many.Volumes} {
		if _, err := ReadVolume(t.Context(), fsys, "many.nii", v); err == nil || !strings.Contains(err.Error(), "it has no volume") {
			t.Errorf("volume %d of %d: %v", v, many.Volumes, err)
		}
	}
}
