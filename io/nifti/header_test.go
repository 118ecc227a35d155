package nifti

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/raster"
	"quell/volume"
)

// TestHalfTurnQform normalises a quaternion that rounding has made longer than 1.
func TestHalfTurnQform(t *testing.T) {
	for _, q := range [][3]float64{{0.8, 0.8, 0}, {2, 0, 0}, {0.6, 0.6, 0.6}, {0, 0, 1}} {
		h := header{quatern: q, pixdim: [8]float64{1, 1, 2, 3}}
		m := h.qform()
		if math.Abs(m.Det()-6) > 1e-9 {
			t.Errorf("%v: determinant %g", q, m.Det())
		}
		axis := volume.Vec(q).Unit()
		for c, size := range []float64{1, 2, 3} {
			// A half turn about u takes x to 2 u (u.x) - x.
			want := axis.Scale(2 * axis[c])
			want[c]--
			if got := m.Column(c); got.Sub(want.Scale(size)).Norm() > 1e-9 {
				t.Errorf("%v: axis %d is %v, want %v times %g", q, c, got, want, size)
			}
		}
	}
}

// TestVoxelSizes takes the magnitude of a voxel size, 1 if there is none, and says so.
func TestVoxelSizes(t *testing.T) {
	negative, none := "The header gives a negative voxel size along y; its magnitude is used.", "The header gives no voxel size along y; 1 is assumed unless a transform gives it."
	for p, c := range map[float64]struct {
		size float64
		want string
	}{
		0.25: {0.25, ""}, -0.25: {0.25, negative}, -1: {1, negative}, 0: {1, none},
		math.Inf(1): {1, none}, math.Inf(-1): {1, none}, math.NaN(): {1, none},
	} {
		h := header{format: nifti1, dim: [8]int64{3, 2, 2, 2, 1, 1, 1, 1}, pixdim: [8]float64{1, 0.5, p, 2}, qformCode: 1, xyztUnits: 2}
		g, findings := h.geometry()
		if g.Spacing != [3]float64{0.5, c.size, 2} {
			t.Errorf("%g: spacing %v", p, g.Spacing)
		}
		if got := len(findings) == 0; got != (c.want == "") || !got && (len(findings) != 1 || findings[0].Text.String() != c.want) {
			t.Errorf("%g: findings %v", p, findings)
		}
	}
}

// TestNearestAxesOfATie leaves the axes in order if two of them are as near.
func TestNearestAxesOfATie(t *testing.T) {
	half := math.Sqrt(0.5)
	for what, m := range map[string]volume.Affine{
		"x and y": {{half, -half, 0}, {half, half, 0}, {0, 0, 1}},
		"y and z": {{1, 0, 0}, {0, half, -half}, {0, half, half}},
	} {
		if got := nearestAxes(m); got != [3]int{0, 1, 2} {
			t.Errorf("%s: %v", what, got)
		}
	}
	for _, want := range [][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
		var m volume.Affine
		for c, a := range want {
			m[c][a] = float64(a) - 1.5 // each axis along one of the patient's, in either direction
			m[c][3] = 100 * float64(c)
			m[c][(a+1)%3] += 0.1
		}
		if got := nearestAxes(m); got != want {
			t.Errorf("%v: %v, want %v", m, got, want)
		}
	}
}

// TestWrittenHeader compares the parts of a new header that no reader of this package uses.
func TestWrittenHeader(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{4, 5, 6}, [3]float64{1, 1, 1}))
	for dtype, code := range map[string]int64{"uint8": raster.Uint8, "int16": raster.Int16, "float64": raster.Float64} {
		d, err := raster.DatatypeByName(dtype)
		if err != nil {
			t.Fatal(err)
		}
		e := raster.Encoder{Datatype: d, Slope: 1}
		h := newHeader(v.Geometry, nil, e, "a description")
		if h.dim != [8]int64{3, 4, 5, 6, 1, 1, 1, 1} || h.datatype != code || h.bitpix != int64(8*d.Bytes) || text(h.descrip[:]) != "a description" {
			t.Errorf("NIfTI, %s: %+v", dtype, h)
		}
		if h = newAnalyzeHeader(v.Geometry, nil, e, raster.Limits{Lo: -3, Hi: 7}, "another"); h.glmin != -3 || h.glmax != 7 ||
			h.dim != [8]int64{4, 4, 5, 6, 1, 1, 1, 1} || h.datatype != code || h.bitpix != int64(8*d.Bytes) || text(h.descrip[:]) != "another" {
			t.Errorf("Analyze, %s: %+v", dtype, h)
		}
	}
}

// TestMarshalledBlocks: the flag before the extensions, their sizes in steps of 16 bytes, and
// voxels from a multiple of 16 on.
func TestMarshalledBlocks(t *testing.T) {
	for what, c := range map[string]struct {
		format variant
		sizes  []int // of the extensions' data
		offset int
	}{
		"none":            {nifti1, nil, 352},
		"none, version 2": {nifti2, nil, 544},
		"fits":            {nifti1, []int{8}, 368},
		"one less":        {nifti1, []int{7}, 368},
		"one more":        {nifti1, []int{9}, 384},
		"empty":           {nifti2, []int{0}, 560},
		"two":             {nifti2, []int{8, 24}, 592},
	} {
		h := &header{format: c.format, single: true, order: binary.LittleEndian}
		for i, n := range c.sizes {
			h.extensions = append(h.extensions, extension{int32(4 + i), bytes.Repeat([]byte{'x'}, n)})
		}
		b := h.marshal()
		if len(b) != c.offset || h.voxOffset != float64(c.offset) {
			t.Errorf("%s: %d bytes, voxels from %g on, want %d", what, len(b), h.voxOffset, c.offset)
		}
		size := c.format.size()
		if flag := b[size : size+4]; !bytes.Equal(flag, []byte{byte(min(len(c.sizes), 1)), 0, 0, 0}) {
			t.Errorf("%s: flag %v", what, flag)
		}
		at := size + 4
		for i, n := range c.sizes {
			esize := int(binary.LittleEndian.Uint32(b[at:]))
			if esize%16 != 0 || esize < 8+n || esize > 8+n+15 || binary.LittleEndian.Uint32(b[at+4:]) != uint32(4+i) ||
				!bytes.Equal(b[at+8:at+8+n], h.extensions[i].data) || len(bytes.Trim(b[at+8+n:at+esize], "\x00")) != 0 {
				t.Errorf("%s: block %d: % x", what, i, b[at:at+esize])
			}
			at += esize
		}
	}
	for _, c := range []struct {
		format variant
		at     int
		magic  string
	}{{nifti1, 344, "n+1\x00"}, {nifti2, 4, "n+2\x00\r\n\x1a\n"}} {
		b := (&header{format: c.format, single: true}).marshal()
		if got := string(b[c.at : c.at+len(c.magic)]); got != c.magic || binary.LittleEndian.Uint32(b) != uint32(c.format.size()) {
			t.Errorf("%s: magic %q", c.format, got)
		}
	}
	// dbh.h: extents is 16384, regular is r, and so it is in NIfTI-1.
	b := (&header{format: analyze75}).marshal()
	if len(b) != 348 || binary.LittleEndian.Uint32(b[32:]) != 16384 || b[38] != 'r' || (&header{format: nifti1}).marshal()[38] != 'r' {
		t.Errorf("Analyze: % x", b[:40])
	}
}

// TestPairWithExtensions reads the extensions behind the header of a NIfTI pair; behind an
// Analyze header there are none.
func TestPairWithExtensions(t *testing.T) {
	block := []byte{1, 0, 0, 0, 16, 0, 0, 0, 6, 0, 0, 0, 'c', 'o', 'm', 'm', 'e', 'n', 't', 's'}
	for name, kept := range map[string]int{"pair": 1, "analyze-le": 0} {
		fsys := fstest.MapFS{
			"a.hdr": {Data: append(bytes.Clone(sample(t, name+".hdr")[:348]), block...)},
			"a.img": {Data: sample(t, name+".img")},
		}
		h, err := readFullHeader(fsys, "a.hdr")
		if err != nil || len(h.extensions) != kept {
			t.Errorf("%s: %d extensions, %v", name, len(h.extensions), err)
		}
	}
}

// TestFindingsAboutVolumes: a file of two volumes says which one is read; one of one does not.
func TestFindingsAboutVolumes(t *testing.T) {
	for n, want := range map[int][2]string{
		1: {"", ""},
		2: {"note volumes: The file contains 2 volumes; the first is opened unless another one is chosen.", "note volumes: The file contains 2 volumes; this is number 1."},
	} {
		b := edited(t, "int16-le.nii", func(b []byte) {
			binary.LittleEndian.PutUint16(b[40:], 4)
			binary.LittleEndian.PutUint16(b[48:], uint16(n))
		})
		b = append(b, bytes.Repeat(b[352:], n-1)...)
		s, err := readMem(t, b)
		if err != nil {
			t.Fatal(err)
		}
		info, err := Open.ReadHeader(fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
		if err != nil || summary(info.Findings) != want[0] && !strings.HasPrefix(want[0], summary(info.Findings)) || summary(s.Findings) != want[1] && !strings.HasPrefix(want[1], summary(s.Findings)) {
			t.Errorf("%d volumes: findings %q, %q, %v", n, summary(info.Findings), summary(s.Findings), err)
		}
		if len(info.Findings) != n-1 || len(s.Findings) != n-1 {
			t.Errorf("%d volumes: %d and %d findings", n, len(info.Findings), len(s.Findings))
		}
	}
}

// TestReadHeaderRefuses: what the header alone shows.
func TestReadHeaderRefuses(t *testing.T) {
	le := binary.LittleEndian
	for what, c := range map[string]struct {
		change func(b []byte)
		want   string
	}{
		"a NaN offset":  {func(b []byte) { le.PutUint32(b[108:], math.Float32bits(float32(math.NaN()))) }, "start of the voxels"},
		"a longer file": {func(b []byte) { le.PutUint16(b[46:], 1000) }, "the voxels should end at byte"},
		"an intercept": {func(b []byte) {
			le.PutUint32(b[112:], math.Float32bits(2))
			le.PutUint32(b[116:], math.Float32bits(float32(math.Inf(1))))
		}, "scl_inter"},
		"surface voxels": {func(b []byte) { le.PutUint16(b[68:], 3000) }, "CIFTI"},
	} {
		_, err := Open.ReadHeader(fstest.MapFS{"a.nii": {Data: edited(t, "int16-le.nii", c.change)}}, "a.nii")
		if err == nil || !strings.HasPrefix(err.Error(), "a.nii: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
	huge := edited(t, "nifti2-le.nii", func(b []byte) {
		le.PutUint64(b[400:], math.Float64bits(1e153)) // the sform's first voxel size; its square in mm is infinite
		le.PutUint32(b[500:], 1)                       // metres
	})
	if _, err := Open.ReadHeader(fstest.MapFS{"a.nii": {Data: huge}}, "a.nii"); err == nil || !strings.Contains(err.Error(), "its grid is not usable") {
		t.Errorf("a huge grid: %v", err)
	}
	// The header of a source is not used if the start of its voxels is not known.
	bad := edited(t, "int16-le.nii", func(b []byte) { le.PutUint32(b[108:], math.Float32bits(float32(math.NaN()))) })
	if _, err := readFullHeader(fstest.MapFS{"a.nii": {Data: bad}}, "a.nii"); err == nil || !strings.Contains(err.Error(), "start of the voxels") {
		t.Errorf("the header of a source: %v", err)
	}
}

// TestCancelBeforeTheVoxels cancels while the volumes before the chosen one are skipped.
func TestCancelBeforeTheVoxels(t *testing.T) {
	fsys := sequentialFS{FS: os.DirFS("testdata")}
	if _, err := ReadVolume(after(t.Context(), 0), fsys, "four-d.nii", 3); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestTimeStepStays while the transforms are stored.
func TestTimeStepStays(t *testing.T) {
	m := volume.NewGeometry([3]int{4, 4, 4}, [3]float64{2, 3, 4}).Affine
	m.SetColumn(3, volume.Vec{7, 8, 9})
	h := header{pixdim: [8]float64{0, 0, 0, 0, 2.5}}
	h.setCodes(m, 1, m, 1)
	if h.pixdim != [8]float64{1, 2, 3, 4, 2.5} {
		t.Errorf("pixdim %v", h.pixdim)
	}
}

// TestSizesInErrors: the sentence about too many voxels names the four sizes.
func TestSizesInErrors(t *testing.T) {
	h := header{format: nifti2, dim: [8]int64{4, 1 << 40, 3, 5, 7}}
	if err := h.checkDims(); err == nil || !strings.Contains(err.Error(), "1099511627776 x 3 x 5 x 7 voxels") {
		t.Errorf("%v", err)
	}
}

// TestAnalyzeWriteFailures leaves neither file of a pair.
func TestAnalyzeWriteFailures(t *testing.T) {
	v := row(1, 2, 3)
	v.Mask = []bool{true, true, false}
	for _, blocked := range []string{"a.hdr", "a.img"} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, blocked), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), filepath.Join(dir, "a.hdr"), v, nil, nil, "", ""); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: %v", blocked, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 || !left[0].IsDir() {
			t.Errorf("%s: left %v", blocked, left)
		}
	}
}
