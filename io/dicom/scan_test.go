package dicom

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quell/volume"
)

// TestLoadOrdersByPosition has names and instance numbers run against the
// positions, and a slice thickness that is a lie.
func TestLoadOrdersByPosition(t *testing.T) {
	c := scan(t, filesOf(stack(5)))
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
	s := load(t, c, 0)
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

// TestRescalePerSlice gives every slice its own slope and intercept, as PET has.
func TestRescalePerSlice(t *testing.T) {
	fakes := stack(3)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm"} {
		fakes[name].with(tagRescaleSlope, fmt.Sprint(i+1)).with(tagRescaleIntercept, fmt.Sprint(-i))
	}
	s := load(t, scan(t, filesOf(fakes)), 0)
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
	_, err := Scan(ctx, fstest.MapFS{}, nil)
	wantError(t, err, "the folder is empty; choose")
	_, err = Scan(ctx, fstest.MapFS{"a.dcm": {Data: text}}, nil)
	wantError(t, err, "a.dcm: it is not a DICOM file; choose")
	if !errors.Is(err, ErrNoImages) {
		t.Errorf("%v is not ErrNoImages", err)
	}
	_, err = Scan(ctx, fstest.MapFS{"a.dcm": {Data: text}, "b": {Data: nil}}, nil)
	wantError(t, err, "none of the 2 files holds a DICOM image")
	_, err = Scan(ctx, fstest.MapFS{}, []string{"gone.dcm"})
	wantError(t, err, "gone.dcm: it cannot be opened (file does not exist); check")
	_, err = Scan(ctx, os.DirFS(t.TempDir()+"/gone"), nil)
	wantError(t, err, "the folder cannot be opened (no such file or directory)")
	report := newFake("1", 0, 0)
	report.pixels = nil
	for _, tag := range []tagID{tagRows, tagColumns} {
		report.with(tag, nil)
	}
	_, err = Scan(ctx, fstest.MapFS{"sr.dcm": {Data: report.with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.88.11").file()}}, nil)
	wantError(t, err, "sr.dcm: it is a DICOM file without an image (Basic Text SR")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Scan(cancelled, filesOf(stack(3)), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestForeignFilesAreCounted puts other things among the slices.
func TestForeignFilesAreCounted(t *testing.T) {
	files := filesOf(stack(3))
	files["notes/readme.txt"] = &fstest.MapFile{Data: []byte("hello")}
	files["notes/empty"] = &fstest.MapFile{}
	files[".quell-export-0-1-2/x.dcm"] = files["a.dcm"] // a killed export
	index := newFake("9", 0, 0).with(tagSOPClassUID, mediaDirectory)
	index.pixels = nil
	files["DICOMDIR"] = &fstest.MapFile{Data: index.file()}
	c := scan(t, files)
	if c.Files != 6 || len(c.Entries) != 1 || c.Entries[0].Slices != 3 {
		t.Errorf("%d files, entries %+v", c.Files, c.Entries)
	}
	if f := finding(t, c.Findings, "foreign"); !slices.Equal(f.Files, []string{"notes/empty", "notes/readme.txt"}) {
		t.Errorf("foreign: %v", f)
	}
	if f := finding(t, c.Findings, "index"); !slices.Equal(f.Files, []string{"DICOMDIR"}) {
		t.Errorf("index: %v", f)
	}
}

// TestTruncatedSliceRefusesItsSeries cuts one slice of three at many places: the
// series must never load with two slices as if nothing had happened.
func TestTruncatedSliceRefusesItsSeries(t *testing.T) {
	fakes := stack(3)
	other := newFake("500", 0, 0).with(tagSeriesInstanceUID, "1.2.3.77").with(tagSeriesNumber, "8")
	whole := fakes["b.dcm"].file()
	for n := 133; n < len(whole); n += 3 {
		files := filesOf(fakes)
		files["b.dcm"] = &fstest.MapFile{Data: whole[:n]}
		files["sub/other.dcm"] = &fstest.MapFile{Data: other.file()}
		c := scan(t, files)
		e := c.Entries[0]
		if e.Number != "7" {
			t.Fatalf("cut at %d: first entry is series %q", n, e.Number)
		}
		if _, err := c.Load(context.Background(), 0, nil); err == nil {
			// A cut between elements, before the image is described, leaves a
			// sound file without an image: it is named.
			finding(t, c.Findings, "no-image")
		} else {
			wantError(t, err, "b.dcm: ", "copy it again")
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

// TestChangedBehindOurBack changes a file between Scan and Load.
func TestChangedBehindOurBack(t *testing.T) {
	files := filesOf(stack(3))
	c := scan(t, files)
	files["b.dcm"] = &fstest.MapFile{Data: files["b.dcm"].Data[:400]}
	_, err := c.Load(context.Background(), 0, nil)
	wantError(t, err, "b.dcm: ")
	delete(files, "b.dcm")
	_, err = c.Load(context.Background(), 0, nil)
	wantError(t, err, "b.dcm: it cannot be opened")
}

func TestLoadReportsProgressAndCancels(t *testing.T) {
	c := scan(t, filesOf(stack(5)))
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
