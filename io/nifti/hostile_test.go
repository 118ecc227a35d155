package nifti

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// readBytes reads a file from memory and returns the error; a volume must be valid.
func readBytes(t testing.TB, name string, b []byte) error {
	t.Helper()
	s, err := Read(context.Background(), fstest.MapFS{name: {Data: b, Mode: 0o444}}, name)
	if err == nil {
		err = s.Volume.Validate()
		if err != nil {
			t.Errorf("invalid volume: %v", err)
		}
	}
	return err
}

// allocated returns the sum of all allocations of f in bytes.
func allocated(f func()) uint64 {
	total := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(total)
	before := total[0].Value.Uint64()
	f()
	metrics.Read(total)
	return total[0].Value.Uint64() - before
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func compressed(t testing.TB, b []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestHugeClaims reads small files with headers that claim huge images: they are
// refused without an allocation of that size.
func TestHugeClaims(t *testing.T) {
	claim := func(name string, set func(b []byte)) []byte {
		b := bytes.Clone(sample(t, name))
		set(b)
		return b
	}
	le := binary.LittleEndian
	seventyTB := claim("int16-le.nii", func(b []byte) {
		for i := range 3 {
			le.PutUint16(b[42+2*i:], 32767)
		}
	})
	overflow := claim("nifti2-le.nii", func(b []byte) {
		for i := range 3 {
			le.PutUint64(b[24+8*i:], 1<<31)
		}
	})
	many := claim("four-d.nii", func(b []byte) {
		for i := 3; i < 7; i++ {
			le.PutUint16(b[42+2*i:], 32767)
		}
		le.PutUint16(b[40:], 7)
	})
	gigabyte := claim("int16-le.nii", func(b []byte) {
		for i := range 3 {
			le.PutUint16(b[42+2*i:], 800)
		}
	})
	farAway := claim("int16-le.nii", func(b []byte) {
		le.PutUint32(b[108:], math.Float32bits(1<<40))
	})
	for what, b := range map[string][]byte{
		"70 TB": seventyTB, "2^93 voxels": overflow, "2^60 volumes": many,
		"1 GB": gigabyte, "an offset of 1 TB": farAway,
		"70 TB, gz": compressed(t, seventyTB), "1 GB, gz": compressed(t, gigabyte),
		"2^93 voxels, gz": compressed(t, overflow), "an offset of 1 TB, gz": compressed(t, farAway),
	} {
		var err error
		used := allocated(func() { err = readBytes(t, "big.nii", b) })
		if err == nil {
			t.Errorf("%s: read without an error", what)
		}
		if used > 4<<20 {
			t.Errorf("%s: %d bytes allocated for a file of %d (%v)", what, used, len(b), err)
		}
	}
}

// TestDecompressionBomb reads a small gzip file that expands to almost as many zeros
// as its header claims: the memory is in proportion to what arrives.
func TestDecompressionBomb(t *testing.T) {
	b := bytes.Clone(sample(t, "uint8-le.nii"))[:352]
	for i := range 3 {
		binary.LittleEndian.PutUint16(b[42+2*i:], 200) // claims 8 MB of voxels
	}
	const expanded = 7_900_000
	bomb := compressed(t, append(b, make([]byte, expanded)...))
	var err error
	used := allocated(func() { err = readBytes(t, "bomb.nii.gz", bomb) })
	if err == nil || !strings.Contains(err.Error(), "ends after") {
		t.Errorf("error %v", err)
	}
	// A float32 for each byte that arrived, the blocks that are joined, and buffers.
	if used > 3*4*expanded+8<<20 {
		t.Errorf("%d bytes allocated for %d expanded", used, expanded)
	}
}

func TestDamagedGzip(t *testing.T) {
	whole := compressed(t, sample(t, "int16-le.nii"))
	checksum := bytes.Clone(whole)
	checksum[len(checksum)-6] ^= 1
	if err := readBytes(t, "a.nii.gz", checksum); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a wrong checksum: %v", err)
	}
	for n := range whole {
		if err := readBytes(t, "a.nii.gz", whole[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes were read without an error", n, len(whole))
		}
	}
	if err := readBytes(t, "a.nii.gz", whole); err != nil {
		t.Error(err)
	}
}

// TestOtherPackings reads a file that was compressed by zstd or bzip2 as the plain one, and refuses each beginning of it.
func TestOtherPackings(t *testing.T) {
	plain := sample(t, "int16-le.nii")
	want, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: plain}}, "a.nii")
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"a.nii.zst": packed(t, plain), "a.NII.BZ2": sample(t, "int16-le.nii.bz2")} {
		got, err := Read(t.Context(), fstest.MapFS{name: {Data: b}}, name)
		if err != nil || !slices.Equal(got.Volume.Data, want.Volume.Data) || got.Volume.Geometry != want.Volume.Geometry {
			t.Fatalf("%s: %v", name, err)
		}
		if in, out := Format.Input(name); in == "" || out != ".nii.gz" || !Sniff(b[:64], name) {
			t.Errorf("%s is not recognised", name)
		}
		if Sniff(b[:64], "archive.tar.zst") {
			t.Error("another archive is recognised")
		}
		for n := range b {
			if err := readBytes(t, name, b[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes were read without an error", name, n, len(b))
			}
		}
	}
	// A small file that claims 4 GB, and holds 70 MB of zeros, is refused before it is read.
	header := bytes.Clone(plain)[:352]
	for i := range 3 {
		binary.LittleEndian.PutUint16(header[42+2*i:], 1290)
	}
	bomb := packed(t, append(header, make([]byte, 70<<20)...))
	var problem error
	used := allocated(func() { problem = readBytes(t, "a.nii.zst", bomb) })
	if problem == nil || !strings.Contains(problem.Error(), "zstd can expand to") || used > 32<<20 {
		t.Errorf("%d bytes: %v, %d bytes allocated", len(bomb), problem, used)
	}
}

// packed compresses by zstd.
func packed(t testing.TB, b []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	return z.EncodeAll(b, nil)
}

func TestIncompletePair(t *testing.T) {
	for _, name := range []string{"pair.hdr", "pair.img"} {
		err := readBytes(t, name, sample(t, name))
		if err == nil || !strings.Contains(err.Error(), "put both files into one folder") {
			t.Errorf("%s alone: %v", name, err)
		}
	}
	both := fstest.MapFS{
		"p.hdr":    {Data: sample(t, "pair.hdr")},
		"p.img.gz": {Data: compressed(t, sample(t, "pair.img"))},
	}
	for _, name := range []string{"p.hdr", "p.img.gz"} {
		if _, err := Read(t.Context(), both, name); err != nil {
			t.Error(err)
		}
	}
}

func TestOddHeaders(t *testing.T) {
	le := binary.LittleEndian
	f32 := func(b []byte, off int, x float32) { le.PutUint32(b[off:], math.Float32bits(x)) }
	for what, c := range map[string]struct {
		change func(b []byte)
		want   string // in the error; "" for none
	}{
		"negative pixdim":        {func(b []byte) { f32(b, 80, -0.75) }, ""},
		"zero pixdim, no codes":  {func(b []byte) { f32(b, 84, 0); le.PutUint32(b[252:], 0) }, ""},
		"NaN pixdim, qform":      {func(b []byte) { f32(b, 84, float32(math.NaN())); le.PutUint16(b[254:], 0) }, ""},
		"singular sform":         {func(b []byte) { clear(b[280:328]) }, ""},
		"NaN sform":              {func(b []byte) { f32(b, 280, float32(math.NaN())) }, ""},
		"no dimensions":          {func(b []byte) { le.PutUint16(b[40:], 0) }, "dimensions"},
		"8 dimensions":           {func(b []byte) { le.PutUint16(b[40:], 8) }, "dimensions"},
		"a negative dimension":   {func(b []byte) { le.PutUint16(b[44:], 0xfffe) }, "voxels along axis 2"},
		"no columns":             {func(b []byte) { le.PutUint16(b[42:], 0) }, "0 voxels along axis 1"},
		"no rows":                {func(b []byte) { le.PutUint16(b[44:], 0) }, "0 voxels along axis 2"},
		"no slices":              {func(b []byte) { le.PutUint16(b[46:], 0) }, ""},
		"FreeSurfer's surface":   {func(b []byte) { le.PutUint16(b[42:], 0xffff) }, "FreeSurfer"},
		"an unknown datatype":    {func(b []byte) { le.PutUint16(b[70:], 77) }, "datatype 77"},
		"bits":                   {func(b []byte) { le.PutUint16(b[70:], 1) }, "one bit"},
		"a NaN offset":           {func(b []byte) { f32(b, 108, float32(math.NaN())) }, "start of the voxels"},
		"a negative offset":      {func(b []byte) { f32(b, 108, -100) }, ""},
		"a NaN intercept":        {func(b []byte) { f32(b, 112, 2); f32(b, 116, float32(math.NaN())) }, "scl_inter"},
		"an infinite slope":      {func(b []byte) { f32(b, 112, float32(math.Inf(1))) }, ""},
		"a slope that overflows": {func(b []byte) { f32(b, 112, 3e38) }, "all of its 60 voxels"},
		"no magic":               {func(b []byte) { clear(b[344:348]) }, "not a NIfTI"},
		"metres":                 {func(b []byte) { b[123] = 1 }, ""},
	} {
		b := bytes.Clone(sample(t, "int16-le.nii"))
		c.change(b)
		err := readBytes(t, "odd.nii", b)
		if (err == nil) != (c.want == "") || (err != nil && !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
}

// FuzzRead reads the last component of the last volume, which depends on every field
// of the header.
func FuzzRead(f *testing.F) {
	for _, name := range []string{
		"int16-le.nii", "float64-be.nii", "nifti2-le.nii", "nifti2-be.nii", "extended.nii", "four-d.nii", "vector.nii", "holes.nii", "scaled.nii",
		"complex64-le.nii", "complex128-be.nii", "rgb24.nii", "rgba32.nii", "two-members.nii.gz", "trailing-garbage.nii.gz",
		"pair.hdr", "pair2.hdr", "analyze-le.hdr", "analyze-be.hdr",
	} {
		f.Add(sample(f, name), strings.HasSuffix(name, ".hdr"))
	}
	voxels := sample(f, "pair.img")
	f.Fuzz(func(t *testing.T, b []byte, pair bool) {
		files, name := fstest.MapFS{"a.nii": {Data: b}}, "a.nii"
		if pair {
			files, name = fstest.MapFS{"a.hdr": {Data: b}, "a.img": {Data: voxels}}, "a.hdr"
		}
		used := allocated(func() {
			info, err := Open.ReadHeader(files, name)
			if err != nil {
				return
			}
			var c Component
			if n := len(info.Components); n > 0 {
				c = info.Components[n-1]
			}
			s, err := ReadComponent(t.Context(), files, name, info.Volumes-1, c)
			if err != nil {
				return
			}
			if err := s.Volume.Validate(); err != nil {
				t.Errorf("invalid volume: %v", err)
			}
		})
		// A float32 for each byte that deflate could give, and buffers.
		if limit := uint64(8<<20 + 3*4*1032*(len(b)+len(voxels))); used > limit {
			t.Errorf("%d bytes allocated for %d stored", used, len(b))
		}
	})
}
