package nifti

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/series"
)

// withVoxels returns the file of testdata with voxels of one datatype, with the
// first voxels replaced by values and the others by 0 or, if fill is true, by
// repeating values.
func withVoxels[T any](t *testing.T, name string, fill bool, values ...T) []byte {
	t.Helper()
	var order binary.AppendByteOrder = binary.LittleEndian
	if strings.Contains(name, "-be") {
		order = binary.BigEndian
	}
	b := bytes.Clone(sample(t, name))
	voxels := b[352:]
	clear(voxels)
	var stored []byte
	for _, v := range values {
		var err error
		if stored, err = binary.Append(stored, order.(binary.ByteOrder), v); err != nil {
			t.Fatal(err)
		}
	}
	for at := 0; at < len(voxels); at += len(stored) {
		copy(voxels[at:], stored)
		if !fill {
			break
		}
	}
	return b
}

// summary returns severity, kind and first words of each finding.
func summary(findings []series.Finding) string {
	var list []string
	for _, f := range findings {
		start, _, _ := strings.Cut(f.Text.String(), ";")
		list = append(list, fmt.Sprintf("%v %s: %s", f.Severity, f.Kind, start))
	}
	return strings.Join(list, "\n")
}

// TestNonFiniteVoxels reads values that have no finite float32: each kind has a
// finding with its count, and all of them are masked.
func TestNonFiniteVoxels(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	nan32, inf32 := float32(nan), float32(inf)
	for name, c := range map[string]struct {
		file   []byte
		masked []int
		want   string
	}{
		"one of each": {withVoxels(t, "float64-le.nii", false, nan, 1, inf, 2, 1e300), []int{0, 2, 4}, "note padding: 1 voxel is NaN\n" +
			"warning padding: 1 voxel is infinite\n" +
			"warning precision: 1 voxel is beyond the range of 32-bit floating point"},
		"several of each, big-endian": {withVoxels(t, "float64-be.nii", false, nan, nan, -inf, inf, -1e300, 1e300, 4e38), []int{0, 1, 2, 3, 4, 5, 6}, "note padding: 2 voxels are NaN\n" +
			"warning padding: 2 voxels are infinite\n" +
			"warning precision: 3 voxels are beyond the range of 32-bit floating point"},
		"the largest float32": {withVoxels(t, "float64-le.nii", false, math.MaxFloat32, -math.MaxFloat32), nil, ""},
		"float32":             {withVoxels(t, "float32-be.nii", false, 1, nan32, inf32), []int{1, 2}, "note padding: 1 voxel is NaN\nwarning padding: 1 voxel is infinite"},
	} {
		s, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: c.file}}, "a.nii")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := summary(s.Findings); got != c.want {
			t.Errorf("%s: findings\n%s\nwant\n%s", name, got, c.want)
		}
		for i := range s.Volume.Data {
			if s.Volume.Valid(i) == slices.Contains(c.masked, i) {
				t.Errorf("%s: voxel %d: valid is %v", name, i, s.Volume.Valid(i))
			}
		}
	}
}

// TestScaledIntegersOverflow reads integers with a slope that takes them beyond
// float32.
func TestScaledIntegersOverflow(t *testing.T) {
	b := withVoxels[int16](t, "int16-le.nii", false, 1, 2, 3, -1)
	binary.LittleEndian.PutUint32(b[112:], math.Float32bits(3e38))
	s, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
	if err != nil {
		t.Fatal(err)
	}
	const want = "warning precision: 2 voxels are beyond the range of 32-bit floating point"
	if got := summary(s.Findings); got != want || s.Volume.Valid(1) || s.Volume.Valid(2) || !s.Volume.Valid(3) {
		t.Errorf("findings %q, want %q", got, want)
	}
}

// TestNothingLeft refuses a volume without one finite voxel, and opens one that has
// a single one.
func TestNothingLeft(t *testing.T) {
	for name, b := range map[string][]byte{
		"NaN":            withVoxels(t, "float32-le.nii", true, float32(math.NaN())),
		"infinite":       withVoxels(t, "float64-be.nii", true, math.Inf(-1)),
		"beyond float32": withVoxels(t, "float64-le.nii", true, 1e39, -1e39),
		"a mixture":      withVoxels(t, "float64-le.nii", true, math.NaN(), math.Inf(1), 1e39),
	} {
		_, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
		if err == nil || !strings.HasPrefix(err.Error(), "a.nii: all of its 60 voxels are NaN, infinite or beyond") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	b := withVoxels(t, "float32-le.nii", true, float32(math.NaN()))
	copy(b[352+4*17:], []byte{0, 0, 0x80, 0x3f}) // 1
	s, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: b}}, "a.nii")
	if err != nil || !s.Volume.Valid(17) || s.Volume.Valid(16) || s.Volume.Data[16] != 1 {
		t.Errorf("one voxel left: %v", err)
	}
}

// TestRoundedIntegers reports the integers that float32 cannot hold, and none that
// it can, however large.
func TestRoundedIntegers(t *testing.T) {
	const limit = 1 << 24 // every integer up to here has a float32
	for name, c := range map[string]struct {
		file         []byte
		slope, inter float32
		want         int
	}{
		"int32 up to the limit":        {withVoxels[int32](t, "int32-le.nii", false, limit, -limit, limit-1), 1, 0, 0},
		"int32 beyond it":              {withVoxels[int32](t, "int32-le.nii", false, limit+1, -limit-1, limit+3, limit+2), 1, 0, 3},
		"large int32, few digits":      {withVoxels[int32](t, "int32-be.nii", false, 1<<30, math.MinInt32, 3<<28), 1, 0, 0},
		"uint32":                       {withVoxels[uint32](t, "uint32-be.nii", false, math.MaxUint32, 1<<31, 1<<31+1), 1, 0, 2},
		"int64 beyond 53 bits":         {withVoxels[int64](t, "int64-le.nii", false, 1<<53+1, -1<<53-1, 1<<62, math.MinInt64), 1, 0, 2},
		"uint64":                       {withVoxels[uint64](t, "uint64-le.nii", false, math.MaxUint64, 1<<63, 12), 1, 0, 1},
		"int32 that a slope halves":    {withVoxels[int32](t, "int32-le.nii", false, limit, limit+2, limit+1), 0.5, 0, 1},
		"int16 with a wide intercept":  {withVoxels[int16](t, "int16-le.nii", false, 1, 2, 3, 4), 1, limit, 2},
		"int16 with half an intercept": {withVoxels[int16](t, "int16-le.nii", false, 1, 2, 3, 4), 1, 1<<23 - 0.5, 2},
		"int16 with half a small one":  {withVoxels[int16](t, "int16-le.nii", false, 1, 2, 3, 4), 1, 1<<22 - 0.5, 0},
		"int16, CT":                    {withVoxels[int16](t, "int16-le.nii", false, math.MinInt16, math.MaxInt16), 1, -1024, 0},
		"uint8 with a fine slope":      {withVoxels[uint8](t, "uint8-le.nii", false, 1, 255), 1e-6, 0, 0},
		"negative slope":               {withVoxels[int32](t, "int32-le.nii", false, limit+1, -limit), -1, 0, 1},
	} {
		binary.LittleEndian.PutUint32(c.file[112:], math.Float32bits(c.slope))
		binary.LittleEndian.PutUint32(c.file[116:], math.Float32bits(c.inter))
		if c.file[0] == 0 { // big-endian
			binary.BigEndian.PutUint32(c.file[112:], math.Float32bits(c.slope))
			binary.BigEndian.PutUint32(c.file[116:], math.Float32bits(c.inter))
		}
		s, err := Read(t.Context(), fstest.MapFS{"a.nii": {Data: c.file}}, "a.nii")
		if err != nil {
			t.Fatal(err)
		}
		want := ""
		switch {
		case c.want == 1:
			want = "warning precision: 1 voxel has more digits than 32-bit floating point holds (24 bits)"
		case c.want > 1:
			want = fmt.Sprintf("warning precision: %d voxels have more digits than 32-bit floating point holds (24 bits)", c.want)
		}
		if got := summary(s.Findings); got != want {
			t.Errorf("%s: findings %q, want %q", name, got, want)
		}
	}
}
