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
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"testing/synctest"

	"quell/series"
	"quell/volume"
)

func readSample(t *testing.T, name string) *series.Series {
	t.Helper()
	s, err := Read(t.Context(), os.DirFS("testdata"), name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rewrite writes v as derived from the series from, and reads the result.
func rewrite(t *testing.T, v *volume.Volume, from *series.Series, name, dtype string) (*series.Series, *header) {
	t.Helper()
	dir := t.TempDir()
	if err := Write(t.Context(), filepath.Join(dir, name), v, nil, from, dtype, ""); err != nil {
		t.Fatal(err)
	}
	s, err := Read(t.Context(), os.DirFS(dir), name)
	if err != nil {
		t.Fatal(err)
	}
	return s, headerOf(t, s)
}

// headerOf returns the header of the file that s was read from.
func headerOf(t *testing.T, s *series.Series) *header {
	t.Helper()
	h, err := sourceHeader(s)
	if err != nil || h == nil {
		t.Fatalf("source header %v, %v", h, err)
	}
	return h
}

func TestWriteKeepsTheHeader(t *testing.T) {
	from := readSample(t, "extended.nii")
	old := headerOf(t, from)
	got, h := rewrite(t, from.Volume, from, "out.nii.gz", "")
	if len(h.extensions) != 2 || h.extensions[1].code != 44 || !bytes.HasPrefix(h.extensions[1].data, old.extensions[1].data[:200]) {
		t.Errorf("extensions %v", h.extensions)
	}
	if h.srow != old.srow || h.quatern != old.quatern || h.qoffset != old.qoffset || h.sformCode != 1 || h.qformCode != 1 {
		t.Error("the transforms changed")
	}
	if h.intentCode != 1001 || h.intentName != old.intentName || h.descrip != old.descrip || h.pixdim != old.pixdim {
		t.Errorf("intent %d %s, description %s, pixdim %v", h.intentCode, h.intentName, h.descrip, h.pixdim)
	}
	if h.xyztUnits != old.xyztUnits || h.calMax != 900 || h.calMin != 100 {
		t.Errorf("units %d, display range %g to %g", h.xyztUnits, h.calMin, h.calMax)
	}
	if want := []volume.Window{{Center: 500, Width: 800, Name: "file"}}; !slices.Equal(got.Windows, want) {
		t.Errorf("windows %v", got.Windows)
	}
}

// TestWriteKeepsEachTransform: both transforms and their codes are kept, for the whole
// grid and for a part of it.
func TestWriteKeepsEachTransform(t *testing.T) {
	for _, name := range []string{"int16-le.nii", "qform-only.nii", "qfac.nii", "half-turn.nii", "no-codes.nii", "sheared.nii", "two-transforms.nii", "nifti2-be.nii"} {
		from := readSample(t, name)
		old := headerOf(t, from)
		got, h := rewrite(t, from.Volume, from, "whole.nii", "")
		if h.sformCode != old.sformCode || h.qformCode != old.qformCode || h.format != old.format {
			t.Errorf("%s: codes s %d q %d of %v, want s %d q %d of %v", name, h.sformCode, h.qformCode, h.format, old.sformCode, old.qformCode, old.format)
		}
		if got.Volume.Geometry != from.Volume.Geometry {
			t.Errorf("%s: geometry %v, want %v", name, got.Volume.Geometry, from.Volume.Geometry)
		}

		part := volume.Region{Min: [3]int{1, 1, 1}, Max: [3]int{4, 3, 3}}
		crop := from.Volume.Crop(part)
		got, h = rewrite(t, crop, from, "part.nii", "")
		if !got.Volume.SameGrid(crop.Geometry, 1e-4) {
			t.Errorf("%s: a part has the affine %v, want %v", name, got.Volume.Affine, crop.Affine)
		}
		if old.qformCode > 0 {
			corner := old.qform().Apply(1, 1, 1)
			if d := corner.Sub(h.qform().Apply(0, 0, 0)).Norm(); h.qformCode != old.qformCode || d > 1e-4 {
				t.Errorf("%s: the qform of a part is %g mm off", name, d)
			}
		}
	}
}

// TestWriteLeavesOutUnusableTransforms: a transform that Read ignores, or that other
// programs interpret in another way, is left out, so that all programs place the
// exported image as Quell does.
func TestWriteLeavesOutUnusableTransforms(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	const pixdim0, pixdim1, qformCode, sformCode, quaternB, srowX = 76, 80, 252, 254, 256, 280
	for what, c := range map[string]struct {
		change               func(f32 func(off int, x float32), code func(off int, x uint16))
		sformCode, qformCode int64
	}{
		"a singular sform": {func(f32 func(int, float32), code func(int, uint16)) {
			for i := range 12 {
				f32(srowX+4*i, 0)
			}
		}, 0, 1},
		"a NaN sform alone": {func(f32 func(int, float32), code func(int, uint16)) {
			f32(srowX, nan)
			code(qformCode, 0)
		}, xformAlignedAnat, 0},
		"a NaN quaternion": {func(f32 func(int, float32), code func(int, uint16)) {
			f32(quaternB, nan)
		}, 1, 0},
		"an infinite pixdim": {func(f32 func(int, float32), code func(int, uint16)) {
			f32(pixdim1, inf)
			code(sformCode, 0)
		}, 0, 1},
		"a qfac of -0.5": {func(f32 func(int, float32), code func(int, uint16)) {
			f32(pixdim0, -0.5)
			code(sformCode, 0)
		}, 0, 1},
	} {
		b := bytes.Clone(sample(t, "int16-le.nii"))
		c.change(
			func(off int, x float32) { binary.LittleEndian.PutUint32(b[off:], math.Float32bits(x)) },
			func(off int, x uint16) { binary.LittleEndian.PutUint16(b[off:], x) },
		)
		from, err := Read(t.Context(), fstest.MapFS{"odd.nii": {Data: b}}, "odd.nii")
		if err != nil {
			t.Fatal(err)
		}
		got, h := rewrite(t, from.Volume, from, "out.nii", "")
		if h.sformCode != c.sformCode || h.qformCode != c.qformCode || !h.validPixdim() || math.Abs(h.pixdim[0]) != 1 {
			t.Errorf("%s: codes s %d q %d, want %d and %d; pixdim %v", what, h.sformCode, h.qformCode, c.sformCode, c.qformCode, h.pixdim)
		}
		if !got.Volume.SameGrid(from.Volume.Geometry, 1e-4) {
			t.Errorf("%s: the affine %v became %v", what, from.Volume.Affine, got.Volume.Affine)
		}
	}
}

func TestNaNStaysNaN(t *testing.T) {
	from := readSample(t, "holes.nii")
	for dtype, padded := range map[string]bool{"float32": true, "float64": true, "int16": false} {
		got, _ := rewrite(t, from.Volume, from, "holes.nii.gz", dtype)
		if padded && !slices.Equal(got.Volume.Mask, from.Volume.Mask) {
			t.Errorf("%s: mask %v", dtype, got.Volume.Mask)
		}
		if !padded && got.Volume.Mask != nil {
			t.Errorf("%s: an integer type cannot hold NaN", dtype)
		}
	}
}

func TestIntegerTypes(t *testing.T) {
	g := volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 1, 1})
	fill := func(f func(i int) float32) *volume.Volume {
		v := volume.New(g)
		for i := range v.Data {
			v.Data[i] = f(i)
		}
		return v
	}
	for what, c := range map[string]struct {
		v            *volume.Volume
		dtype        string
		slope, inter float64 // -1: any
		step         float64 // largest error
	}{
		"whole numbers":         {fill(func(i int) float32 { return float32(i - 5) }), "int16", 1, 0, 0},
		"CT as unsigned":        {fill(func(i int) float32 { return float32(100*i - 1024) }), "uint16", 1, -1024, 0},
		"constant fraction":     {fill(func(int) float32 { return 0.1 }), "uint8", 1, 0.1, 1e-8},
		"fractions as bytes":    {fill(func(i int) float32 { return float32(i) / 7 }), "uint8", -1, -1, 23.0 / 7 / 253 * 0.51},
		"fractions as int32":    {fill(func(i int) float32 { return float32(i)/7 - 1e4 }), "int32", -1, -1, 1e-3},
		"the widest range":      {fill(func(i int) float32 { return float32(i%2*2-1) * 1e38 }), "int16", -1, -1, 2e38 / 65533 * 0.51},
		"a range of nothing":    {fill(func(i int) float32 { return float32(i) * 1e-42 }), "int16", -1, -1, 1e-38},
		"beyond 16 bits, whole": {fill(func(i int) float32 { return float32(i) * 1e4 }), "int16", -1, -1, 23e4 / 65533 * 0.51},
		"far from zero, narrow": {fill(func(i int) float32 { return 1e6 + float32(i)/16 }), "int16", -1, -1, 0.1},
	} {
		got, h := rewrite(t, c.v, nil, "x.nii", c.dtype)
		if c.slope >= 0 && (h.sclSlope != c.slope || math.Abs(h.sclInter-c.inter) > 1e-8) {
			t.Errorf("%s: slope %g, intercept %g", what, h.sclSlope, h.sclInter)
		}
		for i, x := range c.v.Data {
			if d := math.Abs(float64(x) - float64(got.Volume.Data[i])); !(d <= c.step) {
				t.Errorf("%s: voxel %d is %g, want %g within %g", what, i, got.Volume.Data[i], x, c.step)
				break
			}
		}
	}
}

// TestAnalyzeReordersVoxels: Analyze has one orientation; a volume with another one is
// reordered, and every voxel keeps its position in the patient.
func TestAnalyzeReordersVoxels(t *testing.T) {
	g := volume.Geometry{Dims: [3]int{5, 4, 3}}
	g.Affine.SetColumn(0, volume.Vec{0, 2, 0})  // to the back
	g.Affine.SetColumn(1, volume.Vec{0, 0, -3}) // to the feet
	g.Affine.SetColumn(2, volume.Vec{-4, 0, 0}) // to the right
	g.Affine.SetColumn(3, volume.Vec{4, -6, 3}) // whole voxels from the origin
	g = volume.FromAffine(g.Dims, g.Affine)
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	got, _ := rewrite(t, v, nil, "turned.hdr", "")
	w := got.Volume
	if w.Dims != [3]int{3, 5, 4} || w.Spacing != [3]float64{4, 2, 3} {
		t.Fatalf("dims %v, spacing %v", w.Dims, w.Spacing)
	}
	inverse, err := v.Affine.Inverse()
	if err != nil {
		t.Fatal(err)
	}
	for z := range w.Dims[2] {
		for y := range w.Dims[1] {
			for x := range w.Dims[0] {
				p := w.Affine.Apply(float64(x), float64(y), float64(z))
				i := inverse.Apply(p[0], p[1], p[2])
				if want := v.At(int(math.Round(i[0])), int(math.Round(i[1])), int(math.Round(i[2]))); w.At(x, y, z) != want {
					t.Fatalf("voxel %d %d %d at %v is %g, want %g", x, y, z, p, w.At(x, y, z), want)
				}
			}
		}
	}
}

// TestAnalyzeError compares the distance with the distance of the volume that is read
// back, for grids along the patient's axes with an origin on and between voxels, an
// oblique grid and one far from the origin.
func TestAnalyzeError(t *testing.T) {
	grid := func(angle float64, origin volume.Vec) volume.Geometry {
		s, c := math.Sincos(angle)
		g := volume.Geometry{Dims: [3]int{16, 20, 12}}
		g.Affine.SetColumn(0, volume.Vec{2 * c, 2 * s, 0})
		g.Affine.SetColumn(1, volume.Vec{-3 * s, 3 * c, 0})
		g.Affine.SetColumn(2, volume.Vec{0, 0, 4})
		g.Affine.SetColumn(3, origin)
		return volume.FromAffine(g.Dims, g.Affine)
	}
	for name, c := range map[string]struct {
		g           volume.Geometry
		least, most float64
	}{
		"exact":       {grid(0, volume.Vec{-8, -30, -12}), 0, 1e-9},
		"half voxels": {grid(0, volume.Vec{-9, -30, -12}), 0.999, 1.001},
		"off a voxel": {grid(0, volume.Vec{-15.8, -30, -20}), 0.199, 0.201},
		"oblique":     {grid(0.3, volume.Vec{-8, -30, -12}), 5, 30},
		"far away":    {grid(0, volume.Vec{-8, -30, 500}), 500, 600},
	} {
		ordered, _ := analyzeGrid(c.g)
		got := analyzeError(ordered)
		if !(got >= c.least && got <= c.most) {
			t.Errorf("%s: %g mm, want %g to %g", name, got, c.least, c.most)
		}
		s, _ := rewrite(t, volume.New(c.g), nil, "a.hdr", "")
		if !s.Volume.SameGrid(ordered, got+1e-4) || (got > 1e-3 && s.Volume.SameGrid(ordered, got-1e-4)) {
			t.Errorf("%s: the volume that is read back is not %g mm off", name, got)
		}
	}
}

func TestAnalyzeRoundTrip(t *testing.T) {
	for _, name := range []string{"analyze-le.hdr", "analyze-be.hdr"} {
		from := readSample(t, name)
		got, _ := rewrite(t, from.Volume, from, "again.hdr", "")
		if got.Volume.Geometry != from.Volume.Geometry || !slices.Equal(got.Volume.Data, from.Volume.Data) {
			t.Errorf("%s: geometry %v, want %v", name, got.Volume.Geometry, from.Volume.Geometry)
		}
	}
}

func TestWriteRefusals(t *testing.T) {
	v := readSample(t, "int16-le.nii").Volume
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "folder.nii"), 0o755); err != nil {
		t.Fatal(err)
	}
	bad := v.Clone()
	bad.Data = bad.Data[1:]
	negative := v.Clone()
	negative.Data[0] = -0.5
	for what, c := range map[string]struct {
		name, dtype string
		v           *volume.Volume
		want        string
	}{
		"an unknown datatype":    {"a.nii", "int12", v, `"int12"`},
		"an unknown extension":   {"a.txt", "", v, "must end in"},
		"the file of the voxels": {"a.img", "", v, "must end in"},
		"a folder of that name":  {"folder.nii", "", v, "file exists"},
		"a missing folder":       {"none/a.nii", "", v, "no such file"},
		"an invalid volume":      {"a.nii", "", bad, "values for"},
		"Analyze in uint16":      {"a.hdr", "uint16", v, "Analyze"},
		"Analyze below zero":     {"a.hdr", "uint8", negative, "negative"},
	} {
		path := filepath.Join(dir, filepath.FromSlash(c.name))
		err := Write(t.Context(), path, c.v, nil, nil, c.dtype, "")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", what, err, c.want)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("files left behind: %v %v", left, err)
	}
}

func TestWriteLeavesNothingAfterACancel(t *testing.T) {
	dir := t.TempDir()
	v := volume.New(volume.NewGeometry([3]int{256, 256, 32}, [3]float64{1, 1, 1}))
	for _, name := range []string{"a.nii", "a.nii.gz", "a.hdr"} {
		ctx := after(t.Context(), 5)
		if err := Write(ctx, filepath.Join(dir, name), v, nil, nil, "", ""); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

// TestACancelledCompressionEndsItsGoroutines fails if a goroutine outlives the write.
func TestACancelledCompressionEndsItsGoroutines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.nii.gz")
	v := volume.New(volume.NewGeometry([3]int{256, 256, 32}, [3]float64{1, 1, 1}))
	synctest.Test(t, func(t *testing.T) {
		if err := Write(after(t.Context(), 5), path, v, nil, nil, "", ""); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
}

func TestWriteKeepsWhatExists(t *testing.T) {
	v := volume.New(volume.NewGeometry([3]int{2, 2, 2}, [3]float64{1, 1, 1}))
	for _, name := range []string{"a.nii", "b.hdr", "b.img"} {
		dir := t.TempDir()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("earlier"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Write(t.Context(), strings.Replace(path, ".img", ".hdr", 1), v, nil, nil, "", ""); !errors.Is(err, fs.ErrExist) {
			t.Errorf("%s: error %v", name, err)
		}
		if b, err := os.ReadFile(path); err != nil || string(b) != "earlier" {
			t.Errorf("%s holds %q, %v", name, b, err)
		}
		if left, _ := os.ReadDir(dir); len(left) != 1 {
			t.Errorf("%s: files %v", name, left)
		}
	}
}

// countdown is a context that is cancelled after a number of calls of Err, from any
// goroutine.
type countdown struct {
	context.Context
	left atomic.Int64
}

// after returns a context that is cancelled after n calls of Err.
func after(ctx context.Context, n int64) *countdown {
	c := &countdown{Context: ctx}
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestDescriptionIsTruncatedBetweenCharacters(t *testing.T) {
	var h header
	h.setDescription(strings.Repeat("ä", 60))
	if got := text(h.descrip[:]); got != strings.Repeat("ä", 39) {
		t.Errorf("%q", got)
	}
}

func TestDescriptionIsTruncatedBetweenWords(t *testing.T) {
	for s, want := range map[string]string{
		strings.Repeat("x", 70) + ", centre=one, r=2": strings.Repeat("x", 70),
		strings.Repeat("x", 70) + " h=1.2345 r=2":     strings.Repeat("x", 70) + " h=1.2345", // 79 bytes
		strings.Repeat("x", 70) + " h=1.23456 r=2":    strings.Repeat("x", 70),               // one more
		strings.Repeat("x", 70) + " h=1.2345":         strings.Repeat("x", 70) + " h=1.2345",
	} {
		var h header
		if h.setDescription(s); text(h.descrip[:]) != want {
			t.Errorf("%q becomes %q; want %q", s, text(h.descrip[:]), want)
		}
	}
}
