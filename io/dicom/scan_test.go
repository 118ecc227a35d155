package dicom_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/assemble"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// TestLoadOrdersByPosition names and numbers slices against their positions.
func TestLoadOrdersByPosition(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(dicomtest.Stack(5)))
	if len(c.Entries) != 1 || len(c.Entries[0].Findings) != 0 {
		t.Fatalf("entries %+v", c.Entries)
	}
	e := c.Entries[0]
	if e.Err != nil || e.Slices != 5 || e.Modality != "CT" || e.Patient != "Nobody" || e.UID != "1.2.3.2" {
		t.Errorf("entry %+v", e)
	}
	if want := []volume.Window{{Center: 40, Width: 80, Name: "BRAIN"}, {Center: 300, Width: 1500, Name: "BONE"}}; !slices.Equal(e.Windows, want) {
		t.Errorf("windows %v, want %v", e.Windows, want)
	}
	s := dicomtest.Load(t, c, 0)
	want := volume.Affine{{0.5, 0, 0, -10}, {0, 0.75, 0, -20}, {0, 0, 2.5, 50}}
	if s.Volume.Affine != want || s.Volume.Spacing != [3]float64{0.5, 0.75, 2.5} || s.Volume.Dims != [3]int{4, 3, 5} {
		t.Errorf("geometry %+v", s.Volume.Geometry)
	}
	for z := range 5 {
		for i, v := range s.Volume.Plane(z) {
			if want := float32(2*(100*z+i) - 1000); v != want {
				t.Fatalf("slice %d voxel %d is %g, want %g", z, i, v, want)
			}
		}
		src := s.Sources[z]
		if src.Name != string(rune('e'-z))+".dcm" || src.Position[2] != 50+2.5*float64(z) || src.Slope != 2 || src.Inter != -1000 {
			t.Errorf("source %d: %+v", z, src)
		}
	}
	if s.Volume.Unit != "HU" || s.Volume.Mask != nil {
		t.Errorf("unit %q, mask %v", s.Volume.Unit, s.Volume.Mask)
	}
}

// TestRescalePerSlice gives every slice a slope and an intercept of its own, as PET has.
func TestRescalePerSlice(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm"} {
		fakes[name].With(part10.TagRescaleSlope, fmt.Sprint(i+1)).With(part10.TagRescaleIntercept, fmt.Sprint(-i))
	}
	s := dicomtest.Load(t, dicomtest.Scan(t, dicomtest.FilesOf(fakes)), 0)
	for z := range 3 {
		i := 2 - z // names run against positions
		if got, want := s.Volume.Plane(z)[5], float32((i+1)*(100*z+5)-i); got != want {
			t.Errorf("slice %d: %g, want %g", z, got, want)
		}
	}
}

// TestBadInput checks that each kind of bad input ends in one sentence with the
// file's name, the fault and the remedy.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	text := []byte(strings.Repeat("This is no DICOM. ", 20))
	_, err := dicom.Scan(ctx, fstest.MapFS{}, nil)
	dicomtest.WantError(t, err, "the folder is empty; choose")
	_, err = dicom.Scan(ctx, fstest.MapFS{"a.dcm": {Data: text}}, nil)
	dicomtest.WantError(t, err, "a.dcm: it is not a DICOM file; choose")
	if !errors.Is(err, format.ErrNoImages) {
		t.Errorf("%v is not ErrNoImages", err)
	}
	_, err = dicom.Scan(ctx, fstest.MapFS{"a.dcm": {Data: text}, "b": {Data: nil}}, nil)
	dicomtest.WantError(t, err, "none of the 2 files contains a DICOM image")
	_, err = dicom.Scan(ctx, fstest.MapFS{}, []string{"gone.dcm"})
	dicomtest.WantError(t, err, "gone.dcm: it cannot be opened (file does not exist); check")
	_, err = dicom.Scan(ctx, os.DirFS(t.TempDir()+"/gone"), nil)
	dicomtest.WantError(t, err, "the folder cannot be opened (no such file or directory)")
	report := dicomtest.NewFake("1", 0, 0)
	report.Pixels = nil
	for _, tag := range []part10.Tag{part10.TagRows, part10.TagColumns} {
		report.With(tag, nil)
	}
	_, err = dicom.Scan(ctx, fstest.MapFS{"sr.dcm": {Data: report.With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.88.11").File()}}, nil)
	dicomtest.WantError(t, err, "sr.dcm: it contains 1 structured report, which Quell")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := dicom.Scan(cancelled, dicomtest.FilesOf(dicomtest.Stack(3)), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestForeignFilesAreCounted mixes other files with the slices.
func TestForeignFilesAreCounted(t *testing.T) {
	files := dicomtest.FilesOf(dicomtest.Stack(3))
	files["notes/readme.txt"] = &fstest.MapFile{Data: []byte("hello")}
	files["notes/empty"] = &fstest.MapFile{}
	files[".quell-export-0-1-2/x.dcm"] = files["a.dcm"] // a killed export
	index := dicomtest.NewFake("9", 0, 0).With(part10.TagSOPClassUID, part10.MediaDirectory)
	index.Pixels = nil
	files["DICOMDIR"] = &fstest.MapFile{Data: index.File()}
	c := dicomtest.Scan(t, files)
	if c.Files != 6 || len(c.Entries) != 1 || c.Entries[0].Slices != 3 {
		t.Errorf("%d files, entries %+v", c.Files, c.Entries)
	}
	if f := dicomtest.Finding(t, c.Findings, "foreign"); !slices.Equal(f.Files, []string{"notes/empty", "notes/readme.txt"}) {
		t.Errorf("foreign: %v", f)
	}
	if f := dicomtest.Finding(t, c.Findings, "index"); !slices.Equal(f.Files, []string{"DICOMDIR"}) {
		t.Errorf("index: %v", f)
	}
}

// TestFilesInWords counts files that belong to no series, one in the singular.
func TestFilesInWords(t *testing.T) {
	index, report := dicomtest.NewFake("9", 0, 0).With(part10.TagSOPClassUID, part10.MediaDirectory), dicomtest.NewFake("8", 0, 0).With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.88.11")
	report.With(part10.TagRows, nil).With(part10.TagColumns, nil)
	index.Pixels, report.Pixels = nil, nil
	for n, want := range map[int][3]string{
		1: {"One file is not DICOM.", "One file is an index (DICOMDIR); the images were found without it.", "One DICOM file has no image."},
		2: {"2 files are not DICOM.", "2 files are indexes (DICOMDIR); the images were found without them.", "2 DICOM files have no image."},
		3: {"3 files are not DICOM.", "3 files are indexes (DICOMDIR); the images were found without them.", "3 DICOM files have no image."},
	} {
		files := dicomtest.FilesOf(dicomtest.Stack(3))
		for i := range n {
			files[fmt.Sprint("text", i)] = &fstest.MapFile{Data: []byte("text")}
			files[fmt.Sprint("index", i)] = &fstest.MapFile{Data: index.File()}
			files[fmt.Sprint("report", i)] = &fstest.MapFile{Data: report.File()}
		}
		c := dicomtest.Scan(t, files)
		for i, kind := range []series.Kind{series.Foreign, series.Index, series.NoImage} {
			if f := dicomtest.Finding(t, c.Findings, kind); f.Text.String() != want[i] || len(f.Files) != n || f.Severity != series.Note {
				t.Errorf("%d: %+v, want %q", n, f, want[i])
			}
		}
		if len(c.Findings) != 3 {
			t.Errorf("findings %v", c.Findings)
		}
	}
	files := dicomtest.FilesOf(dicomtest.Stack(3))
	for i := range assemble.ListedFiles + 5 {
		files[fmt.Sprintf("text%03d", i)] = &fstest.MapFile{Data: []byte("text")}
	}
	if f := dicomtest.Finding(t, dicomtest.Scan(t, files).Findings, series.Foreign); len(f.Files) != assemble.ListedFiles {
		t.Errorf("%d files are listed", len(f.Files))
	}
}

// TestNoImagesInWords says why a scan found nothing.
func TestNoImagesInWords(t *testing.T) {
	index, report := dicomtest.NewFake("9", 0, 0).With(part10.TagSOPClassUID, part10.MediaDirectory), dicomtest.NewFake("8", 0, 0).With(part10.TagSOPClassUID, "1.2.840.10008.5.1.4.1.1.88.11")
	report.With(part10.TagRows, nil).With(part10.TagColumns, nil)
	index.Pixels, report.Pixels = nil, nil
	of := func(class string) *fstest.MapFile {
		f := *report
		f.Values = maps.Clone(f.Values)
		return &fstest.MapFile{Data: f.With(part10.TagSOPClassUID, class).File()}
	}
	i, r, text := &fstest.MapFile{Data: index.File()}, &fstest.MapFile{Data: report.File()}, &fstest.MapFile{Data: []byte("text")}
	for want, files := range map[string]fstest.MapFS{
		"it is an index of other files and has no image":                                   {"a": i},
		"a: it is an index of other files":                                                 {"a": i, "b": i},
		"it contains 1 structured report, which Quell does not open":                       {"a": i, "b": r},
		"contains 2 structured reports, which Quell does not open":                         {"a": text, "b": r, "c": r},
		"none of the 3 files contains a DICOM image":                                       {"a": text, "b": text, "c": text},
		"a: it contains 1 structured report, which Quell does not open; choose a file or":  {"a": r},
		"it contains 2 Parametric Maps, 1 of Raw Data Storage, 1 structured report, which": {"a": r, "b": of(part10.ParametricMap), "c": of(part10.ParametricMap), "d": of("1.2.840.10008.5.1.4.1.1.66")},
		"a: it is not a DICOM file":                                                        {"a": text},
	} {
		_, err := dicom.Scan(t.Context(), files, nil)
		dicomtest.WantError(t, err, want)
		if !errors.Is(err, format.ErrNoImages) {
			t.Errorf("%v is not ErrNoImages", err)
		}
	}
}

// brokenFolders is a file system in which some folders cannot be listed, and that calls
// opened for each file.
type brokenFolders struct {
	fstest.MapFS
	broken string
	opened func(name string)
}

func (b brokenFolders) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == b.broken {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: errors.New("broken disk")}
	}
	return b.MapFS.ReadDir(name)
}

func (b brokenFolders) Open(name string) (fs.File, error) {
	if b.opened != nil {
		b.opened(name)
	}
	return b.MapFS.Open(name)
}

// TestFoldersThatCannotBeRead: one below the root is reported, the root is an error.
func TestFoldersThatCannotBeRead(t *testing.T) {
	files := dicomtest.FilesOf(dicomtest.Stack(3))
	files["bad/x"], files["good/y"] = &fstest.MapFile{Data: []byte("text")}, &fstest.MapFile{Data: []byte("text")}
	c, err := dicom.Scan(t.Context(), brokenFolders{MapFS: files, broken: "bad"}, nil)
	if err != nil || c.Files != 4 || len(c.Entries) != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	if f := dicomtest.Finding(t, c.Findings, series.Unreadable); f.Text.String() != "The folder bad cannot be read (broken disk)." || f.Severity != series.Refused || !slices.Equal(f.Files, []string{"bad"}) {
		t.Errorf("%+v", f)
	}
	_, err = dicom.Scan(t.Context(), brokenFolders{MapFS: files, broken: "."}, nil)
	dicomtest.WantError(t, err, "the folder cannot be opened (broken disk)")
	ctx, cancel := context.WithCancel(t.Context())
	_, err = dicom.Scan(ctx, brokenFolders{MapFS: files, opened: func(name string) {
		if name == "b.dcm" {
			cancel()
		}
	}}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while files are read: %v", err)
	}
}

// TestUnreadableNeighbours warns of files next to the slices that look like theirs, in
// order.
func TestUnreadableNeighbours(t *testing.T) {
	text := &fstest.MapFile{Data: []byte("text")}
	for what, c := range map[string]struct {
		add  fstest.MapFS
		want string
		n    int
	}{
		"none":                  {fstest.MapFS{"x.txt": text}, "", 0},
		"one":                   {fstest.MapFS{"x.dcm": text}, "1 file is named like the slices", 1},
		"two":                   {fstest.MapFS{"y.dcm": text, "x.dcm": text}, "2 files are named like the slices", 2},
		"in another folder":     {fstest.MapFS{"sub/x.dcm": text}, "", 0},
		"without an extension":  {fstest.MapFS{"x": text}, "", 0},
		"of other capital ones": {fstest.MapFS{"x.DCM": text}, "", 0},
	} {
		files := dicomtest.FilesOf(dicomtest.Stack(3))
		for name, f := range c.add {
			files[name] = f
		}
		e := dicomtest.Scan(t, files).Entries[0]
		if c.want == "" {
			if len(e.Findings) != 0 {
				t.Errorf("%s: %v", what, e.Findings)
			}
			continue
		}
		if f := dicomtest.Finding(t, e.Findings, series.Foreign); !strings.HasPrefix(f.Text.String(), c.want) || len(f.Files) != c.n || !slices.IsSorted(f.Files) || f.Severity != series.Warning {
			t.Errorf("%s: %+v", what, f)
		}
	}
}

// TestLargestEntry prefers the first of the largest volumes; of a damaged one half of its
// bytes count as pixels, and what cannot be read counts only if there is nothing else.
func TestLargestEntry(t *testing.T) {
	sound := func(n int) assemble.Entry {
		return assemble.Entry{Entry: format.Entry{Geometry: volume.Geometry{Dims: [3]int{n, 1, 1}}}}
	}
	damaged := func(bytes int64) assemble.Entry {
		return assemble.Entry{Entry: format.Entry{Damaged: true, Err: errors.New("x"), Bytes: bytes}}
	}
	refused := func(n int) assemble.Entry {
		e := sound(n)
		e.Err = errors.New("x")
		return e
	}
	for what, c := range map[string]struct {
		entries []assemble.Entry
		want    int
	}{
		"the largest":      {[]assemble.Entry{sound(3), sound(5), sound(4)}, 1},
		"the first":        {[]assemble.Entry{sound(3), sound(5), sound(5)}, 1},
		"a damaged one":    {[]assemble.Entry{sound(500), damaged(1002)}, 1},
		"too small":        {[]assemble.Entry{sound(500), damaged(1000)}, 0},
		"not read":         {[]assemble.Entry{refused(9), sound(5)}, 1},
		"nothing is read":  {[]assemble.Entry{refused(9), refused(10)}, 0},
		"an empty damaged": {[]assemble.Entry{refused(9), damaged(0)}, 1},
	} {
		if got := dicom.Largest(c.entries); got != c.want {
			t.Errorf("%s: %d, want %d", what, got, c.want)
		}
	}
}

// TestTruncatedSliceRefusesItsSeries truncates one slice of three at many places: the series is refused, never loaded
// without the slice.
func TestTruncatedSliceRefusesItsSeries(t *testing.T) {
	fakes := dicomtest.Stack(3)
	other := dicomtest.NewFake("500", 0, 0).With(part10.TagSeriesInstanceUID, "1.2.3.77").With(part10.TagSeriesNumber, "8")
	whole := fakes["b.dcm"].File()
	for n := 133; n < len(whole); n += 3 {
		files := dicomtest.FilesOf(fakes)
		files["b.dcm"] = &fstest.MapFile{Data: whole[:n]}
		files["sub/other.dcm"] = &fstest.MapFile{Data: other.File()}
		c := dicomtest.Scan(t, files)
		e := c.Entries[0]
		if e.Number != "7" {
			t.Fatalf("cut at %d: first entry is series %q", n, e.Number)
		}
		if _, err := c.Load(context.Background(), 0, nil); err == nil {
			// A cut between elements, before the image is described, leaves a
			// sound file without an image: it is named.
			dicomtest.Finding(t, c.Findings, "no-image")
		} else {
			dicomtest.WantError(t, err, "b.dcm: ", "copy it again")
		}
		// The other, smaller series must not be taken for the one that was meant.
		if e.Err != nil && c.Default != 0 {
			t.Errorf("cut at %d: the default is entry %d", n, c.Default)
		}
		if _, err := c.Load(context.Background(), len(c.Entries)-1, nil); err != nil {
			t.Errorf("cut at %d: the other series: %v", n, err)
		}
	}
}

// TestFileChangedAfterScan changes a file between Scan and Load.
func TestFileChangedAfterScan(t *testing.T) {
	files := dicomtest.FilesOf(dicomtest.Stack(3))
	c := dicomtest.Scan(t, files)
	files["b.dcm"] = &fstest.MapFile{Data: files["b.dcm"].Data[:400]}
	_, err := c.Load(context.Background(), 0, nil)
	dicomtest.WantError(t, err, "b.dcm: ")
	delete(files, "b.dcm")
	_, err = c.Load(context.Background(), 0, nil)
	dicomtest.WantError(t, err, "b.dcm: it cannot be opened")
}

func TestLoadReportsProgressAndCancels(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(dicomtest.Stack(5)))
	var calls []int
	if _, err := c.Load(context.Background(), 0, func(done, total int) {
		if total != 5 {
			t.Errorf("total %d", total)
		}
		calls = append(calls, done)
	}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(calls, []int{1, 2, 3, 4, 5}) {
		t.Errorf("progress %v", calls)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Load(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := c.Load(context.Background(), 3, nil); err == nil {
		t.Error("entry 3 of 1 loads")
	}
}

// An entry without slices gives its own error, and an entry or keyword that does not exist is refused.
func TestAttributeOfWhatCannotBeRead(t *testing.T) {
	c := dicomtest.Scan(t, dicomtest.FilesOf(dicomtest.Stack(3)))
	if values, err := c.Attribute(t.Context(), 0, "Modality"); err != nil || !slices.Equal(values, []string{"CT"}) {
		t.Errorf("%q, %v", values, err)
	}
	for i, keyword := range map[int]string{-1: "Modality", 1: "Modality", 0: "NoSuchKeyword"} {
		if values, err := c.Attribute(t.Context(), i, keyword); err == nil || values != nil {
			t.Errorf("%s of entry %d: %q, %v", keyword, i, values, err)
		}
	}
	broken := errors.New("it is broken")
	c.Entries[0].Stack, c.Entries[0].Err = nil, broken
	if values, err := c.Attribute(t.Context(), 0, "Modality"); !errors.Is(err, broken) || values != nil {
		t.Errorf("an entry without slices: %q, %v", values, err)
	}
}
