package iotest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"quell/volume"
)

// Run runs the whole suite on a format.
func Run(t *testing.T, f Format) {
	t.Run("dims", f.dims)
	t.Run("grids", f.grids)
	t.Run("contents", f.contents)
	t.Run("mask", f.mask)
	t.Run("names", f.names)
	t.Run("missing", f.missing)
	t.Run("cancelled", f.cancelled)
	t.Run("repeatable", f.repeatable)
	t.Run("truncated", f.truncated)
	t.Run("flipped bits", f.flippedBits)
	t.Run("other files", f.otherFiles)
}

// write writes v to a new folder. It returns the folder and the name in it.
func (f Format) write(t *testing.T, v *volume.Volume, base string) (dir, name string) {
	t.Helper()
	dir, name = t.TempDir(), base+f.Ext
	before := v.Clone()
	if err := f.Write(t.Context(), dir, name, v); err != nil {
		t.Fatalf("Write: %v", err)
	}
	if !slices.Equal(before.Data, v.Data) || !slices.Equal(before.Mask, v.Mask) || before.Geometry != v.Geometry {
		t.Fatal("Write changed its input")
	}
	for _, e := range list(t, dir) {
		if strings.HasPrefix(e, ".") || strings.HasSuffix(e, ".part") || strings.HasSuffix(e, ".tmp") {
			t.Errorf("Write left %s behind", e)
		}
	}
	return dir, name
}

// roundTrip writes v, reads it back and checks everything that the format is said to
// keep.
func (f Format) roundTrip(t *testing.T, v *volume.Volume, base string) {
	t.Helper()
	dir, name := f.write(t, v, base)
	s, err := f.Read(t.Context(), os.DirFS(dir), name)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	if s.Format == "" || len(s.Sources) == 0 {
		t.Errorf("the series has format %q and %d sources", s.Format, len(s.Sources))
	}
	f.check(t, v, s.Volume)
}

func (f Format) check(t *testing.T, want, got *volume.Volume) {
	t.Helper()
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	if got.Dims != want.Dims {
		t.Fatalf("dims %v, want %v", got.Dims, want.Dims)
	}
	if !got.SameGrid(want.Geometry, f.Position) {
		t.Errorf("affine\n%v, want\n%v", got.Affine, want.Affine)
	}
	for c := range 3 {
		// The rounding of positions is divided by the number of steps.
		if d := math.Abs(got.Spacing[c] - want.Spacing[c]); d > 2*f.Position/float64(max(want.Dims[c]-1, 1)) {
			t.Errorf("spacing %v, want %v", got.Spacing, want.Spacing)
		}
	}
	if f.Unit && got.Unit != want.Unit {
		t.Errorf("unit %q, want %q", got.Unit, want.Unit)
	}
	f.checkValues(t, want, got)
}

// checkValues compares valid voxels: exactly if all are whole numbers that fit 16 bits,
// else within the format's tolerance.
func (f Format) checkValues(t *testing.T, want, got *volume.Volume) {
	t.Helper()
	lo, hi, _ := want.Range(t.Context())
	tolerance := f.Tolerance * float64(hi-lo)
	if isWhole(want) {
		tolerance = 0
	}
	wrong, worst := 0, 0.0
	for i, w := range want.Data {
		if f.Mask && want.Valid(i) != got.Valid(i) {
			t.Fatalf("voxel %d: valid is %v, want %v", i, got.Valid(i), want.Valid(i))
		}
		if !want.Valid(i) {
			continue
		}
		d := math.Abs(float64(w) - float64(got.Data[i]))
		worst = max(worst, d)
		if !(d <= tolerance) {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d voxels differ by more than %g, by up to %g", wrong, len(want.Data), tolerance, worst)
	}
}

func isWhole(v *volume.Volume) bool {
	for i, x := range v.Data {
		if v.Valid(i) && (float64(x) != math.Trunc(float64(x)) || math.Abs(float64(x)) > math.MaxInt16) {
			return false
		}
	}
	return true
}

func (f Format) dims(t *testing.T) {
	for _, dims := range [][3]int{{1, 1, 1}, {2, 1, 1}, {1, 7, 1}, {16, 16, 1}, {1, 1, 5}, {3, 5, 7}, {31, 33, 2}, {64, 32, 17}} {
		f.roundTrip(t, whole.fill(f.Grids[0].geometry(dims)), "dims")
	}
}

func (f Format) grids(t *testing.T) {
	for _, g := range f.Grids {
		t.Run(string(g), func(t *testing.T) {
			f.roundTrip(t, whole.fill(g.geometry([3]int{13, 11, 9})), "grid")
		})
	}
}

func (f Format) contents(t *testing.T) {
	for _, c := range []content{whole, fraction, large, constant, zero} {
		t.Run(string(c), func(t *testing.T) {
			f.roundTrip(t, c.fill(f.Grids[0].geometry([3]int{12, 10, 5})), "content")
		})
	}
}

func (f Format) mask(t *testing.T) {
	if !f.Mask {
		t.Skip("the format does not keep a mask")
	}
	v := whole.fill(f.Grids[0].geometry([3]int{12, 10, 5}))
	lo, _, _ := v.Range(t.Context())
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i%7 != 0
		if !v.Mask[i] {
			v.Data[i] = lo - 500 // a padding value outside the range, as scanners use
		}
	}
	f.roundTrip(t, v, "mask")
}

func (f Format) names(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{4, 3, 2}))
	for _, base := range []string{"série n°1", "脳 MRI", "два.слова", "with space.and.dots", strings.Repeat("long", 30)} {
		f.roundTrip(t, v, base)
	}
}

func (f Format) missing(t *testing.T) {
	name := "nothing-here" + f.Ext
	_, err := f.Read(t.Context(), os.DirFS(t.TempDir()), name)
	if err == nil {
		t.Fatal("a missing file was read without an error")
	}
	if !strings.Contains(err.Error(), name) && f.Ext != "" {
		t.Errorf("the error does not name the file: %v", err)
	}
}

func (f Format) cancelled(t *testing.T) {
	v := whole.fill(f.Grids[0].geometry([3]int{16, 16, 4}))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	if err := f.Write(ctx, dir, "cancelled"+f.Ext, v); !errors.Is(err, context.Canceled) {
		t.Errorf("Write under a cancelled context: %v", err)
	}
	if left := list(t, dir); len(left) > 0 {
		t.Errorf("a cancelled Write left %v", left)
	}
	dir, name := f.write(t, v, "whole")
	if _, err := f.Read(ctx, os.DirFS(dir), name); !errors.Is(err, context.Canceled) {
		t.Errorf("Read under a cancelled context: %v", err)
	}
}

// repeatable checks that reading a file twice gives the same bits, and that a volume
// which was read survives writing and reading.
func (f Format) repeatable(t *testing.T) {
	v := fraction.fill(f.Grids[0].geometry([3]int{9, 8, 7}))
	dir, name := f.write(t, v, "first")
	first, err := f.Read(t.Context(), os.DirFS(dir), name)
	if err != nil {
		t.Fatal(err)
	}
	again, err := f.Read(t.Context(), os.DirFS(dir), name)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.Volume.Data, again.Volume.Data) || first.Volume.Geometry != again.Volume.Geometry {
		t.Error("two readings of one file differ")
	}
	f.roundTrip(t, first.Volume, "second")
}

// list returns every file below dir, slash-separated.
func list(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && p != "." {
			names = append(names, p)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// files returns the content of every file below dir by its path.
func files(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	content := map[string][]byte{}
	for _, name := range list(t, dir) {
		b, err := fs.ReadFile(os.DirFS(dir), name)
		if err != nil {
			continue // a folder
		}
		content[name] = bytes.Clone(b)
	}
	return content
}
