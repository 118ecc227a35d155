package dicom

import (
	"context"
	"errors"
	"fmt"
	"math"
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

// TestOrientations loads the three planes and an oblique one; the affine must
// put every voxel where the header does.
func TestOrientations(t *testing.T) {
	c, s := math.Cos(0.3), math.Sin(0.3)
	for name, iop := range map[string][2]volume.Vec{
		"axial": {{1, 0, 0}, {0, 1, 0}}, "coronal": {{1, 0, 0}, {0, 0, -1}}, "sagittal": {{0, 1, 0}, {0, 0, -1}},
		"oblique sagittal": {{0, c, s}, {-0.6 * s, 0.6 * s * s, -0.6 * s * c}}, // made perpendicular and unit below
	} {
		row, col := iop[0], iop[1]
		col = col.Sub(row.Scale(col.Dot(row))).Unit()
		normal := row.Cross(col)
		fakes := map[string]*fake{}
		for z := range 4 {
			pos := volume.Vec{3, 4, 5}.Add(normal.Scale(1.5 * float64(z)))
			fakes[fmt.Sprint("x", (z*7)%4)] = newFake(fmt.Sprint(z), 0, 100*z).
				with(tagImagePositionPatient, string(decimals(pos[:]...))).
				with(tagImageOrientationPatient, string(decimals(append(row[:], col[:]...)...)))
		}
		v := load(t, scan(t, filesOf(fakes)), 0).Volume
		for z := range 4 {
			if got, want := v.Plane(z)[0], float32(200*z-1000); got != want {
				t.Errorf("%s: slice %d begins with %g, want %g", name, z, got, want)
			}
		}
		want := volume.Vec{3, 4, 5}.Add(row.Scale(2 * 0.5)).Add(col.Scale(1 * 0.75)).Add(normal.Scale(3 * 1.5))
		if d := v.Affine.Apply(2, 1, 3).Sub(want).Norm(); d > 1e-9 {
			t.Errorf("%s: voxel (2, 1, 3) is %g mm off", name, d)
		}
		if got := orientation(normal); !strings.HasSuffix(name, strings.TrimPrefix(got, "oblique ")) {
			t.Errorf("%s is called %s", name, got)
		}
	}
}

// positions returns a stack of slices at the given z, each also moved along y.
func positions(z []float64, y func(z float64) float64) map[string]*fake {
	out := map[string]*fake{}
	for i, at := range z {
		out[fmt.Sprintf("%02d", i)] = newFake(fmt.Sprint(i), at, 0).with(tagImagePositionPatient, fmt.Sprintf(`0\%g\%g`, y(at), at))
	}
	return out
}

func TestGeometryFindings(t *testing.T) {
	straight := func(float64) float64 { return 0 }
	for name, c := range map[string]struct {
		z    []float64
		y    func(float64) float64
		kind string
		text string
	}{
		"gap":    {[]float64{0, 5, 10, 25, 30}, straight, "gap", "2 slices are missing (15.0 mm behind slice 3, where 5.00 mm is usual)"},
		"uneven": {[]float64{0, 5, 11, 15, 21}, straight, "spacing", "from 4.00 to 6.00 mm"},
		"tilt":   {[]float64{0, 5, 10}, func(z float64) float64 { return z * math.Tan(18.5*math.Pi/180) }, "tilt", "18.5 degrees"},
		"shift": {[]float64{0, 5, 10, 15}, func(z float64) float64 {
			if z == 5 {
				return 3
			}
			return 0
		}, "shift", "up to 3.00 mm"},
	} {
		e := scan(t, filesOf(positions(c.z, c.y))).Entries[0]
		f := finding(t, e.Findings, c.kind)
		if f.Severity != volume.Warning || !strings.Contains(f.Text, c.text) {
			t.Errorf("%s: %v", name, f)
		}
		if len(e.Findings) != 1 {
			t.Errorf("%s: also %v", name, e.Findings)
		}
		// First and last slice are exact whatever lies between.
		n := len(c.z) - 1
		if got := e.Geometry.Affine.Apply(0, 0, float64(n)); got.Sub(volume.Vec{0, c.y(c.z[n]), c.z[n]}).Norm() > 1e-9 {
			t.Errorf("%s: last slice at %v", name, got)
		}
	}
	if e := scan(t, filesOf(positions([]float64{0, 5.001, 9.999, 15}, straight))).Entries[0]; len(e.Findings) > 0 {
		t.Errorf("rounded positions: %v", e.Findings)
	}
}

// TestSplits checks that one series with several volumes in it becomes as many
// entries, with every file in one of them or in a finding.
func TestSplits(t *testing.T) {
	for name, c := range map[string]struct {
		change  func(copy int, f *fake)
		entries int
		slices  int // of the default entry
		part    string
		kind    string
	}{
		"echoes":    {func(i int, f *fake) { f.with(tagEchoNumbers, fmt.Sprint(i+1)) }, 2, 4, "echo 1", "volumes"},
		"times":     {func(i int, f *fake) { f.with(tagTemporalPositionIdentifier, fmt.Sprint(i)) }, 2, 4, "temporal position 0", "volumes"},
		"repeats":   {func(i int, f *fake) { f.with(tagInstanceNumber, fmt.Sprint(i)) }, 2, 4, "repeat 1 of 2", "volumes"},
		"phase":     {func(i int, f *fake) { f.with(tagImageType, `ORIGINAL\PRIMARY\`+"MP"[i:i+1]) }, 2, 4, "image type M", "volumes"},
		"localizer": {func(i int, f *fake) { f.with(tagImageType, `ORIGINAL\PRIMARY\`+[]string{"AXIAL", "LOCALIZER"}[i]) }, 2, 4, "axial 4 x 3", "localizer"},
		"planes": {func(i int, f *fake) {
			if i == 1 {
				f.with(tagImageOrientationPatient, `0\1\0\0\0\-1`)
			}
		}, 2, 4, "axial 4 x 3", "orientation"},
		"spacings": {func(i int, f *fake) { f.with(tagPixelSpacing, []string{`1\1`, `2\2`}[i]) }, 2, 4, "axial 4 x 3, pixels of 1 x 1 mm", "size"},
	} {
		fakes := map[string]*fake{}
		for z := range 4 {
			for i := range 2 {
				f := newFake(fmt.Sprint(z, ".", i), float64(z), 0).with(tagImagePositionPatient, fmt.Sprintf(`%d\0\%d`, z, z))
				f.with(tagSOPInstanceUID, fmt.Sprintf("1.2.3.%d.%d", z, i))
				c.change(i, f)
				fakes[fmt.Sprint(z, i)] = f
			}
		}
		cat := scan(t, filesOf(fakes))
		if len(cat.Entries) != c.entries {
			t.Errorf("%s: %d entries, want %d", name, len(cat.Entries), c.entries)
			continue
		}
		e := cat.Entries[cat.Default]
		if e.Slices != c.slices || e.Part != c.part {
			t.Errorf("%s: default has %d slices, part %q", name, e.Slices, e.Part)
		}
		finding(t, e.Findings, c.kind)
		total := 0
		for _, e := range cat.Entries {
			total += e.Slices
		}
		if total != len(fakes) {
			t.Errorf("%s: %d of %d files are in an entry", name, total, len(fakes))
		}
	}
}

// TestDuplicates has every slice with its own acquisition number
// and one position twice: the double is set aside, the volume stays whole.
func TestDuplicates(t *testing.T) {
	fakes := stack(5)
	for i, name := range []string{"a.dcm", "b.dcm", "c.dcm", "d.dcm", "e.dcm"} {
		fakes[name].with(tagAcquisitionNumber, fmt.Sprint(i))
	}
	fakes["again"] = newFake("999", 50, 3).with(tagInstanceNumber, "99").with(tagAcquisitionNumber, "17")
	fakes["copy"] = fakes["c.dcm"]
	c := scan(t, filesOf(fakes))
	if len(c.Entries) != 1 || c.Entries[0].Slices != 5 {
		t.Fatalf("entries %+v", c.Entries)
	}
	var files []string
	for _, f := range c.Entries[0].Findings {
		if f.Kind != "duplicate" || f.Severity != volume.Refused {
			t.Errorf("finding %v", f)
		}
		files = append(files, f.Files...)
	}
	slices.Sort(files)
	if !slices.Equal(files, []string{"again", "copy"}) {
		t.Errorf("set aside: %v", files)
	}
}

// TestSetAside checks that what is not read is named with its reason, and that
// a series of nothing else has an entry that says so.
func TestSetAside(t *testing.T) {
	compressed := func() []byte {
		f := newFake("50", 900, 0)
		f.pixels = nil
		frag := appendElementHeader(nil, explicitLE, tagPixelData, "OB", undefinedLength)
		frag = appendItem(appendItem(frag, explicitLE, nil), explicitLE, []byte{1, 2, 3, 4})
		frag = appendElementHeader(frag, explicitLE, tagSequenceDelimitation, "", 0)
		f.with(tagPixelData, rawElement(frag))
		return append(appendFileMeta(nil, ctClass, "1.2.3.50", "1.2.840.10008.1.2.4.110", "x"), f.dataset()...)
	}
	for name, c := range map[string]struct {
		data []byte
		text []string
	}{
		"compressed":   {compressed(), []string{"JPEG XL Lossless", "1.2.840.10008.1.2.4.110"}},
		"colour":       {newFake("50", 900, 0).with(tagSamplesPerPixel, 3).with(tagPhotometricInterpretation, "RGB").file(), []string{"colour image (RGB)"}},
		"segmentation": {newFake("50", 900, 0).with(tagSOPClassUID, "1.2.840.10008.5.1.4.1.1.66.4").file(), []string{"no measured image (Segmentation Storage)"}},
		"mosaic":       {newFake("50", 900, 0).with(tagImageType, `ORIGINAL\PRIMARY\M\MOSAIC`).file(), []string{"mosaic"}},
		"palette":      {newFake("50", 900, 0).with(tagPhotometricInterpretation, "PALETTE COLOR").file(), []string{"PALETTE COLOR"}},
		"1 bit":        {newFake("50", 900, 0).with(tagBitsAllocated, 1).with(tagBitsStored, 1).with(tagHighBit, 0).file(), []string{"1 bits allocated"}},
		"bits":         {newFake("50", 900, 0).with(tagHighBit, 3).file(), []string{"contradict"}},
		"slope 0":      {newFake("50", 900, 0).with(tagRescaleSlope, "0").file(), []string{"slope is 0"}},
	} {
		files := filesOf(stack(3))
		files["odd.dcm"] = &fstest.MapFile{Data: c.data}
		e := scan(t, files).Entries[0]
		f := finding(t, e.Findings, "set-aside")
		for _, text := range c.text {
			if !strings.Contains(f.Text, text) || !slices.Equal(f.Files, []string{"odd.dcm"}) || f.Severity != volume.Refused {
				t.Errorf("%s: %v", name, f)
			}
		}
		if e.Slices != 3 || e.Err != nil {
			t.Errorf("%s: %d slices, %v", name, e.Slices, e.Err)
		}
		cat := scan(t, fstest.MapFS{"odd.dcm": {Data: c.data}})
		_, err := cat.Load(context.Background(), 0, nil)
		wantError(t, err, append(c.text, "odd.dcm: ")...)
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

// TestUnplacedImages opens images without a position, as secondary captures are:
// one stack by instance number, where they are of one kind.
func TestUnplacedImages(t *testing.T) {
	files := fstest.MapFS{}
	for i := range 3 {
		f := newFake(fmt.Sprint(i), 0, 100*i).with(tagImagePositionPatient, nil).
			with(tagPhotometricInterpretation, "MONOCHROME1").with(tagInstanceNumber, fmt.Sprint(12-i))
		if i == 2 {
			f.with(tagImageType, `DERIVED\SECONDARY`)
		}
		files[fmt.Sprintf("x%d", i)] = &fstest.MapFile{Data: f.file()}
	}
	c := scan(t, files)
	if len(c.Entries) != 2 {
		t.Fatalf("%d entries", len(c.Entries))
	}
	for i, first := range []float32{-800, -600} { // of x1 and of x2
		e := c.Entries[i]
		if f := finding(t, e.Findings, "position"); f.Severity != volume.Warning || f.Slicewise != (i == 0) {
			t.Errorf("entry %d: %v", i, f)
		}
		finding(t, e.Findings, "monochrome1")
		if v := load(t, c, i).Volume; v.Dims != [3]int{4, 3, 2 - i} || v.Spacing[0] != 0.5 || v.Spacing[1] != 0.75 || v.Data[0] != first {
			t.Errorf("entry %d begins with %g, geometry %+v", i, v.Data[0], v.Geometry)
		}
	}
}
