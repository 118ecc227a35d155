package dicom_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom"
	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// shells are the b-values of a diffusion series in the order of its acquisition.
var shells = []string{"0", "1000", "2000", "0", "1000", "2000"}

// classicDWI returns the files of a diffusion series, one for each of three slices of each volume.
func classicDWI(enc part10.Encoding) map[string]*dicomtest.Fake {
	out := map[string]*dicomtest.Fake{}
	for v, b := range shells {
		for name, f := range dicomtest.Stack(3) {
			f.Enc = enc
			uid := fmt.Sprintf("%s.%d", f.Values[part10.TagSOPInstanceUID], v)
			f.With(part10.TagSOPInstanceUID, uid).With(part10.TagAcquisitionNumber, fmt.Sprint(v+1)).
				With(part10.TagInstanceNumber, fmt.Sprint(6*int(name[0]-'a')+v+1)). // slice by slice
				With(0x00190010, "SIEMENS MR HEADER").With(0x0019100C, dicomtest.RawElement(part10.AppendElement(nil, enc, 0x0019100C, "IS", []byte(b))))
			for i := range f.Pixels {
				f.Pixels[i] ^= byte(v)
			}
			out[fmt.Sprint(v)+name] = f
		}
	}
	return out
}

// enhancedDWI returns a file with the frames of all volumes of four slices, slice by slice.
func enhancedDWI(enc part10.Encoding) map[string]*dicomtest.Fake {
	var frames []dicomtest.FakeFrame
	for z := range 4 {
		for v := range 5 {
			frames = append(frames, dicomtest.FakeFrame{Z: 2.5 * float64(z), Time: v + 1, BValue: -1, Slope: 1 + float64(v)})
		}
	}
	return map[string]*dicomtest.Fake{"m.dcm": dicomtest.NewEnhanced(enc, false, frames...)}
}

// writeVolumes writes the volumes of a folder, each changed by change, as one series. from and to
// are the slices that are kept of each.
func writeVolumes(t *testing.T, dir string, from, to int, d derive.Derived, change func(v int, data []float32)) (out string, report format.Report, results []*volume.Volume) {
	t.Helper()
	c := dicomtest.Scan(t, os.DirFS(dir))
	out = filepath.Join(t.TempDir(), "out")
	w, inSlices := dicomtest.NewWriter(out, groupOf(c), d), dicomtest.NewWriter(out+"-slices", groupOf(c), d)
	defer w.Discard()
	defer inSlices.Discard()
	for v := range c.Entries {
		s := dicomtest.Load(t, c, v)
		part := *s
		part.Volume = s.Volume.Crop(volume.Slices(s.Volume.Geometry, from, to))
		part.Sources = s.Sources[from:to]
		result := part.Volume.Clone()
		change(v, result.Data)
		results = append(results, result)
		own := d
		own.Recipe, own.Description = fmt.Appendf(nil, `{"strength":%d}`, v/2), fmt.Sprintf("strength %d", v/2)
		if err := errors.Join(w.Begin(t.Context(), &part, dicomtest.How(own)), w.Add(t.Context(), result, nil)); err != nil {
			t.Fatal(err)
		}
		dicomtest.AddInSlices(t, inSlices, 1+v%2, &part, result, own)
	}
	if err := w.Begin(t.Context(), nil, format.Derived{}); err == nil || !strings.Contains(err.Error(), "has its") {
		t.Errorf("one more volume: %v", err)
	}
	report, err := w.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := inSlices.Close(t.Context()); err != nil || !reflect.DeepEqual(again, report) {
		t.Errorf("in slices: %+v, %v; want %+v", again, err, report)
	}
	dicomtest.SameFiles(t, out, out+"-slices")
	return out, report, results
}

// groupOf returns a group of the volumes of a catalog.
func groupOf(c *dicom.Catalog) *series.Group {
	return &series.Group{Places: make([]series.Place, len(c.Entries))}
}

func plusOne(_ int, data []float32) {
	for i := range data {
		data[i] += float32(60 * (i % 3)) // steps of all slopes
	}
}

// TestVolumesAreOneSeries writes the volumes of a 4-D series and reads them back: one series with
// the same places, the order of the acquisition, and the values of the results.
func TestVolumesAreOneSeries(t *testing.T) {
	for what, c := range map[string]struct {
		fakes map[string]*dicomtest.Fake
		d     func(d *derive.Derived)
		from  int // the first slice that is kept
		files int
	}{
		"files":                 {classicDWI(part10.ImplicitLE), func(*derive.Derived) {}, 0, 18},
		"files, compressed":     {classicDWI(part10.ExplicitLE), func(d *derive.Derived) { d.Compress = dicom.RLE }, 0, 18},
		"two slices":            {classicDWI(part10.ExplicitBE), func(*derive.Derived) {}, 1, 12},
		"frames":                {enhancedDWI(part10.ExplicitLE), func(*derive.Derived) {}, 0, 1},
		"frames, implicit":      {enhancedDWI(part10.ImplicitLE), func(d *derive.Derived) { d.Compress = dicom.JPEGLossless }, 0, 1},
		"frames, big endian":    {enhancedDWI(part10.ExplicitBE), func(*derive.Derived) {}, 0, 1},
		"frames, compressed":    {enhancedDWI(part10.ExplicitLE), func(d *derive.Derived) { d.Compress = dicom.RLE }, 0, 1},
		"frames, two slices":    {enhancedDWI(part10.ExplicitLE), func(*derive.Derived) {}, 2, 1},
		"frames, de-identified": {enhancedDWI(part10.ExplicitLE), func(d *derive.Derived) { d.Deidentify, d.Secret = true, []byte("s") }, 0, 1},
		"files, de-identified":  {classicDWI(part10.ExplicitLE), func(d *derive.Derived) { d.Deidentify, d.Secret = true, []byte("s") }, 0, 18},
	} {
		dir, _ := dicomtest.OnDisk(t, c.fakes)
		before := dicomtest.Scan(t, os.DirFS(dir))
		d := dicomtest.TestDerived
		c.d(&d)
		to := before.Entries[0].Geometry.Dims[2]
		out, report, results := writeVolumes(t, dir, c.from, to, d, plusOne)
		if len(report.Warnings) != 0 && !d.Deidentify || report.Files != c.files || report.Clipped != 0 {
			t.Errorf("%s: %+v", what, report)
		}
		names := dicomtest.Names(t, out)
		if len(names) != c.files || names[0] != dicomtest.SliceName(0) {
			t.Fatalf("%s: files %v", what, names)
		}
		back := dicomtest.Scan(t, os.DirFS(out))
		if len(back.Entries) != len(results) || back.Entries[0].Group == nil || back.Entries[0].Group.Len() != len(results) {
			t.Fatalf("%s: %d volumes", what, len(back.Entries))
		}
		uids := map[string]bool{}
		last := 0
		for v, want := range results {
			e := &back.Entries[v]
			if e.UID != report.SeriesUID || e.GroupIndex != v || e.Group.Places[v].String() != before.Entries[v].Group.Places[v].String() {
				t.Errorf("%s: volume %d is %s, place %v of series %s", what, v, e.Group.Places[v], e.GroupIndex, e.UID)
			}
			got := dicomtest.Load(t, back, v)
			if !slices.Equal(got.Volume.Data, want.Data) {
				t.Errorf("%s: volume %d has %v, want %v", what, v, got.Volume.Data, want.Data)
			}
			for _, h := range e.Stack {
				uids[h.SOPUID] = true
				if h.Number < last {
					t.Errorf("%s: Instance Number %d after %d", what, h.Number, last)
				}
				last = h.Number
			}
		}
		if len(uids) != c.files || last != c.files {
			t.Errorf("%s: %d instances, the last is number %d, of %d files", what, len(uids), last, c.files)
		}
	}
}

// TestVolumesKeepTheirAttributes: what tells the volumes apart stays byte for byte, and each file has
// the recipe of its volume; a file of several volumes has all, and the derivation of each frame.
func TestVolumesKeepTheirAttributes(t *testing.T) {
	fakes := classicDWI(part10.ExplicitLE)
	dir, _ := dicomtest.OnDisk(t, fakes)
	out, _, _ := writeVolumes(t, dir, 0, 3, dicomtest.TestDerived, plusOne)
	for k, name := range dicomtest.Names(t, out) {
		v := k / 3
		is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, name))
		if b := is[0x0019100C]; !bytes.HasPrefix(b[8:], []byte(shells[v])) {
			t.Errorf("%s: b-value %q, want %s", name, b, shells[v])
		}
		if got, want := string(is[0x19711001]), fmt.Sprintf(`{"strength":%d}`, v/2); !strings.Contains(got, want) {
			t.Errorf("%s: recipe %q, want %s", name, got, want)
		}
		for tag, want := range map[part10.Tag]string{part10.TagInstanceNumber: fmt.Sprint(k + 1), part10.TagSeriesNumber: "9007", part10.TagSeriesDescription: "Head DN"} {
			if got := strings.TrimRight(string(is[tag][8:]), " "); got != want {
				t.Errorf("%s: %v is %q, want %q", name, tag, got, want)
			}
		}
	}
	dir, _ = dicomtest.OnDisk(t, enhancedDWI(part10.ExplicitLE))
	out, _, _ = writeVolumes(t, dir, 0, 4, dicomtest.TestDerived, plusOne)
	file := dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0))
	is := dicomtest.ElementBytes(t, file)
	if got := string(is[0x19711001]); !strings.Contains(got, `[{"strength":0},{"strength":0},{"strength":1},{"strength":1},{"strength":2}]`) {
		t.Errorf("recipes %q", got)
	}
	if got := string(is[part10.TagNumberOfFrames][8:]); got != "20" {
		t.Errorf("%q frames", got)
	}
	frames := string(is[part10.TagPerFrameFunctionalGroupsSequence])
	at := 0
	for f := range 20 { // slice by slice, as in the source
		next := strings.Index(frames[at:], fmt.Sprintf("strength %d", f%5/2))
		if next < 0 || strings.Contains(frames[at:at+next], "strength ") {
			t.Fatalf("frame %d is not derived with its volume's strength", f)
		}
		at += next + 10
	}
}

// TestUIDsOfVolumes: the same volumes give the same UIDs and bytes, and a change of the last one, of
// the encoding or of the number of volumes gives other UIDs to the series and to all of its files.
func TestUIDsOfVolumes(t *testing.T) {
	for what, fakes := range map[string]map[string]*dicomtest.Fake{"files": classicDWI(part10.ExplicitLE), "frames": enhancedDWI(part10.ExplicitLE)} {
		dir, _ := dicomtest.OnDisk(t, fakes)
		uidsOf := func(out string, r format.Report) map[string]bool {
			uids := map[string]bool{r.SeriesUID: true}
			for _, name := range dicomtest.Names(t, out) {
				file := dicomtest.ReadSourceFile(t, out, name)
				is := dicomtest.ElementBytes(t, file)
				uid := string(is[part10.TagSOPInstanceUID][8:])
				uids[strings.TrimRight(uid, "\x00")] = true
				if n := bytes.Count(file, []byte(uid)); n != 2 { // in the header of the file too
					t.Errorf("%s: %s states its UID %d times", what, name, n)
				}
			}
			return uids
		}
		out, report, _ := writeVolumes(t, dir, 0, 3, dicomtest.TestDerived, plusOne)
		first := uidsOf(out, report)
		again, other, _ := writeVolumes(t, dir, 0, 3, dicomtest.TestDerived, plusOne)
		if !maps.Equal(first, uidsOf(again, other)) {
			t.Errorf("%s: the same volumes have other UIDs", what)
		}
		for _, name := range dicomtest.Names(t, out) {
			if !bytes.Equal(dicomtest.ReadSourceFile(t, out, name), dicomtest.ReadSourceFile(t, again, name)) {
				t.Errorf("%s: another %s", what, name)
			}
		}
		compressed, hidden := dicomtest.TestDerived, dicomtest.TestDerived
		compressed.Compress = dicom.RLE
		hidden.Deidentify, hidden.Secret = true, []byte("s")
		for change, write := range map[string]func() (string, format.Report, []*volume.Volume){
			"a voxel of the last volume": func() (string, format.Report, []*volume.Volume) {
				return writeVolumes(t, dir, 0, 3, dicomtest.TestDerived, func(v int, data []float32) {
					plusOne(v, data)
					if v == 4 {
						data[7] += 60
					}
				})
			},
			"compression": func() (string, format.Report, []*volume.Volume) {
				return writeVolumes(t, dir, 0, 3, compressed, plusOne)
			},
			"de-identification": func() (string, format.Report, []*volume.Volume) { return writeVolumes(t, dir, 0, 3, hidden, plusOne) },
			"the first volume alone": func() (string, format.Report, []*volume.Volume) {
				s := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(dir)), 0)
				result := s.Volume.Clone()
				plusOne(0, result.Data)
				alone := dicomtest.TestDerived
				alone.Recipe = []byte(`{"strength":0}`)
				out := filepath.Join(t.TempDir(), "alone")
				r, err := dicomtest.WriteAs(t.Context(), out, s, result, alone, nil)
				if err != nil {
					t.Fatal(err)
				}
				return out, r, nil
			},
		} {
			out, report, _ := write()
			for uid := range uidsOf(out, report) {
				if first[uid] {
					t.Errorf("%s: after another %s the UID %s stands for two", what, change, uid)
				}
			}
		}
	}
}

// writeNewVolumes writes a volume of two slices at each place, without a DICOM source, as one series.
// The values of the first are 0; voxel i of the others is i.
func writeNewVolumes(t *testing.T, places []series.Place, step float64, gradients ...series.Gradient) (out string, report format.Report) {
	t.Helper()
	out = filepath.Join(t.TempDir(), "out")
	group := &series.Group{Places: places, Step: step}
	if gradients != nil {
		group.Gradients = &series.Gradients{Volumes: gradients}
	}
	w, inSlices := dicomtest.NewWriter(out, group, dicomtest.TestDerived), dicomtest.NewWriter(out+"-slices", group, dicomtest.TestDerived)
	g := volume.NewGeometry([3]int{4, 3, 2}, [3]float64{1, 2, 3})
	g.Affine.SetColumn(0, volume.Vec{-1}) // files run against the slices
	for v := range places {
		s := &series.Series{Volume: volume.New(g)}
		for i := range s.Volume.Data {
			s.Volume.Data[i] = float32(i * min(v, 1)) // two have the same voxels
		}
		if err := errors.Join(w.Begin(t.Context(), s, dicomtest.How(dicomtest.TestDerived)), w.Add(t.Context(), s.Volume, nil)); err != nil {
			t.Fatal(err)
		}
		dicomtest.AddInSlices(t, inSlices, 1, s, s.Volume, dicomtest.TestDerived)
	}
	report, err := w.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again, err := inSlices.Close(t.Context()); err != nil || !reflect.DeepEqual(again, report) {
		t.Errorf("in slices: %+v, %v; want %+v", again, err, report)
	}
	dicomtest.SameFiles(t, out, out+"-slices")
	return out, report
}

// TestNewVolumesAreOneSeries likewise for volumes without a DICOM source: their attributes give the
// place of each, and several have the same voxels.
func TestNewVolumesAreOneSeries(t *testing.T) {
	for what, c := range map[string]struct {
		places []series.Place
		step   float64
		axis   string
	}{
		"time":    {[]series.Place{{{Axis: "time", Value: "0"}}, {{Axis: "time", Value: "2"}}, {{Axis: "time", Value: "4"}}}, 2, "temporal position"},
		"b-value": {[]series.Place{{{Axis: "b-value", Value: "0"}}, {{Axis: "b-value", Value: "1000"}}, {{Axis: "b-value", Value: "0"}}}, 0, "b-value, temporal position"},
		"echo":    {[]series.Place{{{Axis: "echo time", Value: "4.6"}}, {{Axis: "echo time", Value: "9.2"}}, {{Axis: "echo time", Value: "13.8"}}}, 0, "echo time"},
		"words":   {[]series.Place{{{Axis: "b-value", Value: "none"}}, {{Axis: "b-value", Value: "low"}}, {{Axis: "b-value", Value: "high"}}}, 0, "temporal position"},
	} {
		out, report := writeNewVolumes(t, c.places, c.step)
		if len(report.Warnings) != 0 || report.Files != 6 {
			t.Fatalf("%s: %+v", what, report)
		}
		back := dicomtest.Scan(t, os.DirFS(out))
		if len(back.Entries) != 3 || back.Entries[0].Group == nil || back.Entries[0].Group.Axis() != c.axis || back.Entries[0].Group.Step != c.step {
			t.Fatalf("%s: %d volumes, %+v", what, len(back.Entries), back.Entries[0].Group)
		}
		study := map[string]bool{}
		for v := range 3 {
			s := dicomtest.Load(t, back, v)
			if s.UID != report.SeriesUID || back.Entries[v].GroupIndex != v || s.Volume.Data[1] != float32(min(v, 1)) && s.Volume.Data[len(s.Volume.Data)-12+1] != float32(min(v, 1)) {
				t.Errorf("%s: volume %d has %v", what, v, s.Volume.Data)
			}
			study[back.Entries[v].Stack[0].StudyUID] = true
		}
		if len(study) != 1 {
			t.Errorf("%s: %d studies", what, len(study))
		}
	}
}

// TestSeriesWriterFails: missing volumes, a folder that exists, and a cut of frames that nothing
// describes are errors, after which the folder is gone.
func TestSeriesWriterFails(t *testing.T) {
	dir, s := dicomtest.OnDisk(t, classicDWI(part10.ExplicitLE))
	two, how := &series.Group{Places: make([]series.Place, 2)}, dicomtest.How(dicomtest.TestDerived)
	w := dicomtest.NewWriter(dir, two, dicomtest.TestDerived)
	if err := w.Begin(t.Context(), s, how); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a folder that exists: %v", err)
	}
	if w.Discard(); len(dicomtest.Names(t, dir)) != 18 {
		t.Error("files of a folder that is not the writer's are gone")
	}
	out := filepath.Join(t.TempDir(), "out")
	w = dicomtest.NewWriter(out, two, dicomtest.TestDerived)
	if err := errors.Join(w.Begin(t.Context(), s, how), w.Add(t.Context(), s.Volume, nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of 2 volumes") {
		t.Errorf("a missing volume: %v", err)
	}
	if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the folder stays: %v", err)
	}
}

// TestVolumesThatFilesDoNotTell: a warning says if the files of a series do not state its volumes.
func TestVolumesThatFilesDoNotTell(t *testing.T) {
	dir, _ := dicomtest.OnDisk(t, classicDWI(part10.ExplicitLE))
	c := dicomtest.Scan(t, os.DirFS(dir))
	w := dicomtest.NewWriter(filepath.Join(t.TempDir(), "out"), &series.Group{Places: make([]series.Place, 2)}, dicomtest.TestDerived)
	for v := range 2 { // of other grids
		s := dicomtest.Load(t, c, v)
		part := *s
		part.Volume = s.Volume.Crop(volume.Slices(s.Volume.Geometry, v, v+2))
		part.Sources = s.Sources[v : v+2]
		if err := errors.Join(w.Begin(t.Context(), &part, dicomtest.How(dicomtest.TestDerived)), w.Add(t.Context(), part.Volume, nil)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := w.Close(t.Context())
	if err != nil || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].String(), "do not state what tells their volumes apart") {
		t.Errorf("%+v, %v", r, err)
	}
}
