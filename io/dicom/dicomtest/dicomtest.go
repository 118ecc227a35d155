// Package dicomtest makes synthetic DICOM files and has the helpers that the tests of
// the io/dicom packages share.
package dicomtest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quell/internal/shareddata"
	"quell/io/dicom"
	"quell/io/dicom/derive"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// DeriveOne makes the derived file of a series' first file, b, from the source's
// own values, and reads it back.
func DeriveOne(t *testing.T, what string, s *series.Series, b []byte, c pixel.Compression) error {
	t.Helper()
	from := *s
	from.Sources = slices.Clone(s.Sources)
	for z := range from.Sources {
		from.Sources[z].FS = fstest.MapFS{from.Sources[0].Name: {Data: b}}
	}
	derived := TestDerived
	derived.Compress = c
	d, err := Derive(t, &from, derived)
	if err != nil {
		return err
	}
	out, _, err := d.File(0, derive.SliceFiles(s.Sources)[0], new(derive.Buffers))
	if err != nil {
		return err
	}
	p, err := Tokens(out)
	if err != nil || p.PixelIndex < 0 {
		t.Fatalf("%s: the derived file does not read: %v", what, err)
	}
	if !slices.IsSortedFunc(p.Elements, func(a, b part10.Element) int { return int(int64(a.Tag) - int64(b.Tag)) }) {
		t.Fatalf("%s: the derived file's attributes are out of order", what)
	}
	back, err := dicom.Scan(context.Background(), fstest.MapFS{"y": {Data: out}}, nil)
	if err != nil || len(back.Entries) != 1 || back.Entries[0].UID != d.UID || back.Entries[0].Err != nil {
		t.Fatalf("%s: the derived file is read as %+v, %v", what, back, err)
	}
	return nil
}

// Derive prepares the series derived from s with its own values.
func Derive(t *testing.T, s *series.Series, how derive.Derived) (*derive.Series, error) {
	t.Helper()
	d, err := derive.New(t.Context(), s, how, nil)
	if err == nil {
		d.Next(s, Voxels(t, s.Volume, false), how)
	}
	return d, err
}

// Capture prepares the Secondary Captures of s.
func Capture(t *testing.T, s *series.Series, how derive.Derived) *derive.SecondaryCaptures {
	t.Helper()
	n := new(derive.SecondaryCaptures)
	n.Next(s.Meta, Voxels(t, s.Volume, true), how)
	return n
}

// Voxels returns the voxels of a whole volume.
func Voxels(t *testing.T, v *volume.Volume, fresh bool) *derive.Voxels {
	t.Helper()
	all := derive.NewVoxels(t.TempDir(), v.Geometry, fresh)
	if err := all.Add(t.Context(), v); err != nil {
		t.Fatal(err)
	}
	return all
}

// WantSentence asks that an error is one a person can use: of one line, with the
// file's name, the fault and the remedy.
func WantSentence(t *testing.T, what string, err error) {
	t.Helper()
	var e *part10.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Name, "x") || e.Problem.String() == "" || e.Advice.String() == "" {
		t.Fatalf("%s: error %#v", what, err)
	}
	WantWords(t, what, err.Error())
}

// WantWords fails the test unless text can be shown to a user: one line of at most 400
// bytes without internal terms. what names the case in the failure message.
func WantWords(t *testing.T, what, text string) {
	t.Helper()
	if internals.MatchString(text) || strings.ContainsAny(text, "\x00\n\r") || len(text) > 400 {
		t.Fatalf("%s: it says %q", what, text)
	}
}

// internals are words that belong into a program and not into a message.
var internals = regexp.MustCompile(`EOF|runtime error|out of range|goroutine|MustGet|flate:|strconv|%!|dicom: `)

// ElementBytes returns every top-level element of a file by tag.
func ElementBytes(t *testing.T, file []byte) map[part10.Tag][]byte {
	t.Helper()
	p, err := Tokens(file)
	if err != nil {
		t.Fatal(err)
	}
	out := map[part10.Tag][]byte{}
	for _, e := range p.Elements {
		out[e.Tag] = file[e.Start:e.End]
	}
	return out
}

// WriteAs writes a result that was made from a series in one part.
func WriteAs(ctx context.Context, dir string, s *series.Series, result *volume.Volume, d derive.Derived, progress func(done, total int)) (format.Report, error) {
	w := dicom.NewWriter(dir, optionsOf(d, progress))
	defer w.Discard()
	if err := w.Begin(ctx, s, How(d)); err != nil {
		return format.Report{}, err
	}
	if err := w.Add(ctx, result, nil); err != nil {
		return format.Report{}, err
	}
	return w.Close(ctx)
}

// WriteNew writes a series as one without a DICOM source.
func WriteNew(ctx context.Context, dir string, s *series.Series, d derive.Derived, progress func(done, total int)) (format.Report, error) {
	bare := *s
	bare.Sources = nil
	return WriteAs(ctx, dir, &bare, s.Volume, d, progress)
}

// How is the part of a derivation that a writer is given for each volume.
func How(d derive.Derived) format.Derived {
	return format.Derived{Description: d.Description, Suffix: d.Suffix, Recipe: d.Recipe, Code: format.Code(d.Code)}
}

// optionsOf is what it is given for all.
func optionsOf(d derive.Derived, progress func(done, total int)) format.Options {
	return format.Options{Progress: progress, Compress: string(d.Compress), Version: d.Version, Now: d.Now, Deidentify: d.Deidentify, Secret: d.Secret}
}

// NewWriter returns a writer of the volumes of a group.
func NewWriter(dir string, g *series.Group, d derive.Derived) *dicom.Writer {
	o := optionsOf(d, nil)
	o.Group = g
	return dicom.NewWriter(dir, o)
}

// Export writes a series, its values as they are, into a new folder, and fails the test if writing it some
// slices at a time gives other files.
func Export(t *testing.T, s *series.Series, d derive.Derived) (dir string, r format.Report) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	r, err := WriteAs(context.Background(), dir, s, s.Volume, d, nil)
	if err != nil {
		t.Fatalf("%s: %v", d.Compress, err)
	}
	SameInSlices(t, dir, r, s, s.Volume, d)
	return dir, r
}

// SameInSlices fails the test unless the files that are written of a result some slices at a time are those of
// the folder, and the report is the same.
func SameInSlices(t *testing.T, dir string, whole format.Report, s *series.Series, result *volume.Volume, d derive.Derived) {
	t.Helper()
	for _, n := range []int{1, result.Dims[2]/2 + 1} {
		if n >= result.Dims[2] {
			continue
		}
		parts := filepath.Join(t.TempDir(), "parts")
		w := dicom.NewWriter(parts, optionsOf(d, nil))
		defer w.Discard()
		AddInSlices(t, w, n, s, result, d)
		r, err := w.Close(t.Context())
		if err != nil || !reflect.DeepEqual(r, whole) {
			t.Errorf("by %d slices: %+v, %v; want %+v", n, r, err, whole)
		}
		SameFiles(t, dir, parts)
	}
}

// AddInSlices writes a volume n slices at a time, without the voxels of the series that it was made from.
func AddInSlices(t *testing.T, w *dicom.Writer, n int, s *series.Series, result *volume.Volume, d derive.Derived) {
	t.Helper()
	bare, grid := *s, *s.Volume
	grid.Data, grid.Mask = nil, nil
	bare.Volume = &grid
	if err := w.Begin(t.Context(), &bare, How(d)); err != nil {
		t.Fatal(err)
	}
	for z := 0; z < result.Dims[2]; z += n {
		part := result.Crop(volume.Slices(result.Geometry, z, min(z+n, result.Dims[2])))
		if s.Volume.Mask != nil {
			part.Mask = s.Volume.Mask[z*part.SliceVoxels():][:len(part.Data)]
		}
		if err := w.Add(t.Context(), part, nil); err != nil {
			t.Fatal(err)
		}
	}
}

// SameFiles fails the test unless two folders hold the same files.
func SameFiles(t *testing.T, want, got string) {
	t.Helper()
	if a, b := Names(t, want), Names(t, got); !slices.Equal(a, b) {
		t.Fatalf("files %v; want %v", b, a)
	}
	for _, name := range Names(t, want) {
		if !bytes.Equal(ReadSourceFile(t, want, name), ReadSourceFile(t, got, name)) {
			t.Errorf("%s has other bytes", name)
		}
	}
}

// Names lists a folder, hidden files too.
func Names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

// OnDisk writes generated files into a new folder and loads them.
func OnDisk(t *testing.T, fakes map[string]*Fake) (dir string, s *series.Series) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "källa") // a name that is not ASCII
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, f := range fakes {
		if err := os.WriteFile(filepath.Join(dir, name), f.File(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir, Load(t, Scan(t, os.DirFS(dir)), 0)
}

// Write writes a result into dir.
func Write(t *testing.T, dir string, s *series.Series, result *volume.Volume) format.Report {
	t.Helper()
	r, err := WriteAs(context.Background(), dir, s, result, TestDerived, nil)
	if err != nil {
		t.Fatal(err)
	}
	SameInSlices(t, dir, r, s, result, TestDerived)
	return r
}

// ReadSourceFile returns the content of the file name in the folder dir.
func ReadSourceFile(t *testing.T, dir, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Hidden asks for an export without identity.
func Hidden(secret string) derive.Derived {
	d := TestDerived
	d.Deidentify, d.Secret = true, []byte(secret)
	return d
}

// PublicSeries opens a public series by its name in the shared data. Small ones are in
// the repository, as zip files in testdata/dcm_qa; for the others the test is skipped if
// there are no shared data.
func PublicSeries(t testing.TB, name string) fs.FS {
	t.Helper()
	for _, dir := range []string{"testdata", filepath.Join("..", "testdata")} {
		packed, err := os.ReadFile(filepath.Join(dir, "dcm_qa", path.Base(name)+".zip"))
		if err != nil {
			continue
		}
		archive, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
		if err != nil {
			t.Fatal(err)
		}
		files := fstest.MapFS{}
		for _, f := range archive.File {
			data, err := fs.ReadFile(archive, f.Name)
			if err != nil {
				t.Fatal(err)
			}
			files[f.Name] = &fstest.MapFile{Data: data}
		}
		return files
	}
	return os.DirFS(shareddata.Path(t, name))
}

// Scan returns the catalog of fsys.
func Scan(t *testing.T, fsys fs.FS) *dicom.Catalog {
	t.Helper()
	c, err := dicom.Scan(context.Background(), fsys, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Load returns the series of the i-th entry of c. It fails the test if reading it some slices at a
// time gives another one.
func Load(t *testing.T, c *dicom.Catalog, i int) *series.Series {
	t.Helper()
	s, err := c.Load(context.Background(), i, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, s.Volume.Dims[2]/3 + 1} {
		parts := LoadSlices(t, c, i, n)
		if s.Volume.Mask == nil && !slices.Contains(parts.Volume.Mask, false) {
			parts.Volume.Mask = nil
		}
		if !reflect.DeepEqual(parts, s) {
			t.Fatalf("read by %d slices entry %d is %+v of %v; want %+v of %v", n, i, parts, parts.Volume.Geometry, s, s.Volume.Geometry)
		}
	}
	return s
}

// LoadSlices reads the i-th entry of c n slices at a time.
func LoadSlices(t *testing.T, c *dicom.Catalog, i, n int) *series.Series {
	t.Helper()
	r, err := c.OpenSlices(i)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	v := volume.New(r.Geometry())
	v.Mask = make([]bool, len(v.Data))
	each, padding := n*v.SliceVoxels(), 0
	for at := 0; at < len(v.Data); at += each {
		end := min(at+each, len(v.Data))
		k, err := r.Read(t.Context(), v.Data[at:end], v.Mask[at:end])
		if err != nil {
			t.Fatal(err)
		}
		padding += k
	}
	for _, valid := range v.Mask {
		if !valid {
			padding--
		}
	}
	s, err := r.Series()
	if err != nil || padding != 0 || s.Volume.Data != nil || s.Volume.Mask != nil {
		t.Fatalf("%d more voxels are said to be padding than are masked; %+v, %v", padding, s, err)
	}
	v.Unit, s.Volume = s.Volume.Unit, v
	return s
}

// Finding returns the finding of a kind.
func Finding(t *testing.T, fs []series.Finding, kind series.Kind) series.Finding {
	t.Helper()
	for _, f := range fs {
		if f.Kind == kind {
			return f
		}
	}
	t.Fatalf("no finding %q in %v", kind, fs)
	return series.Finding{}
}

// WantError fails the test unless err is one line that contains each of parts.
func WantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one with %q", parts)
	}
	for _, p := range parts {
		if !strings.Contains(err.Error(), p) {
			t.Errorf("error %q does not say %q", err, p)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q is not one line", err)
	}
}

// TestDerived is the description of a derived series that tests export with.
var TestDerived = derive.Derived{
	Recipe:      []byte(`{"version":1,"filter":"nlm","dims":3}`),
	Description: "Quell test: nlm 3-D",
	Suffix:      "DN",
	Version:     "0.0.1",
	Now:         time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
}

// SliceName is the name of the file that Write gives the k-th slice.
func SliceName(k int) string { return fmt.Sprintf("IM%05d.dcm", k+1) }
