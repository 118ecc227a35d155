package dicom_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/io/dicom"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
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
// file's name, what is wrong and what to do.
func TestBadInput(t *testing.T) {
	ctx := context.Background()
	text := []byte(strings.Repeat("This is no DICOM. ", 20))
	_, err := dicom.Scan(ctx, fstest.MapFS{}, nil)
	dicomtest.WantError(t, err, "the folder is empty; choose")
	_, err = dicom.Scan(ctx, fstest.MapFS{"a.dcm": {Data: text}}, nil)
	dicomtest.WantError(t, err, "a.dcm: it is not a DICOM file; choose")
	if !errors.Is(err, part10.ErrNoImages) {
		t.Errorf("%v is not ErrNoImages", err)
	}
	_, err = dicom.Scan(ctx, fstest.MapFS{"a.dcm": {Data: text}, "b": {Data: nil}}, nil)
	dicomtest.WantError(t, err, "none of the 2 files holds a DICOM image")
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
	dicomtest.WantError(t, err, "sr.dcm: it is a DICOM file without an image (Basic Text SR")
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
