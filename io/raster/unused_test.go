package raster_test

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/klauspost/compress/gzip"

	"quell/io/format"
	"quell/io/metaimage"
	"quell/io/nifti"
	"quell/io/nifti/niftitest"
	"quell/series"
	"quell/volume"
)

// said returns the findings of a file about bytes that are not read, of its header and of its voxels.
func said(t *testing.T, f format.Format, fsys fs.FS, name string) (header, voxels string) {
	t.Helper()
	found, err := f.Scan(t.Context(), fsys, []string{name})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text := func(all []series.Finding) (texts string) {
		for _, one := range all {
			if strings.Contains(one.Text.String(), "not read") {
				texts += one.Severity.String() + ": " + one.Text.String()
			}
		}
		return texts
	}
	var r format.Reading
	defer r.Close()
	s, err := found.Entries[0].Volume.Load(context.Background(), &r)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return text(found.Entries[0].Findings), text(s.Findings)
}

// TestBytesBehindTheVoxels: as many as a slice has are a warning, fewer a note, none nothing; in one file, compressed or not,
// in pairs and in files that are joined.
func TestBytesBehindTheVoxels(t *testing.T) {
	dir := t.TempDir()
	v := volume.New(volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 1, 1})) // 48 bytes a slice
	for i := range v.Data {
		v.Data[i] = float32(i)
	}
	for _, name := range []string{"one.nii", "pair.hdr"} {
		if err := niftitest.Write(t.Context(), filepath.Join(dir, name), v, ""); err != nil {
			t.Fatal(err)
		}
	}
	read := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	pack := func(parts ...[]byte) []byte {
		var out bytes.Buffer
		for _, part := range parts {
			z := gzip.NewWriter(&out)
			_, _ = z.Write(part)
			_ = z.Close()
		}
		return out.Bytes()
	}
	one, header, image := read("one.nii"), read("pair.hdr"), read("pair.img")
	meta := func(file string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("ObjectType = Image\nNDims = 3\nDimSize = 4 3 2\nElementType = MET_FLOAT\nElementDataFile = " + file + "\n")}
	}
	for _, n := range []int{0, 1, 47, 48, 1000} {
		more := make([]byte, n)
		fsys := fstest.MapFS{
			"one.nii": {Data: append(bytes.Clone(one), more...)}, "one.nii.gz": {Data: pack(append(bytes.Clone(one), more...))},
			"parts.nii.gz": {Data: pack(one, more)},
			"pair.hdr":     {Data: header}, "pair.img": {Data: append(bytes.Clone(image), more...)},
			"one.mhd": meta("one.raw"), "one.raw": {Data: append(bytes.Clone(image), more...)},
			"slices.mhd": meta("slice%d.raw 1 2 1"), "slice1.raw": {Data: append(bytes.Clone(image[:48]), more...)}, "slice2.raw": {Data: image[48:]},
		}
		want := fmt.Sprintf("note: %d bytes follow the voxels that the header describes; they are not read.", n)
		if n >= 48 {
			want = "warning" + want[len("note"):]
		}
		if n == 0 {
			want = ""
		}
		for name, f := range map[string]format.Format{"one.nii": nifti.Format, "one.nii.gz": nifti.Format, "pair.hdr": nifti.Format, "one.mhd": metaimage.Format, "slices.mhd": metaimage.Format} {
			if first, second := said(t, f, fsys, name); first != want || second != want {
				t.Errorf("%s: %q of its header and %q of its voxels, want %q", name, first, second, want)
			}
		}
		if _, second := said(t, nifti.Format, fsys, "parts.nii.gz"); second != want { // the trailer is the last part's
			t.Errorf("parts: %q, want %q", second, want)
		}
	}
}
