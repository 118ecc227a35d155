package deid_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"quell/io/dicom/deid"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// everyText are the attributes that a text could be hidden in, and is not kept.
var everyText = sync.OnceValue(func() []part10.Tag { return dicomtest.EveryText(deid.IsKept, deid.ProfileTags()...) })

// TestDeidentifyLeavesNoMark exports series with an identity in every place: no byte of it is written.
func TestDeidentifyLeavesNoMark(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		dir, s := dicomtest.OnDisk(t, dicomtest.Identified(enc, everyText()))
		if file := dicomtest.ReadSourceFile(t, dir, "a.dcm"); bytes.Count(file, []byte(dicomtest.Mark)) < 1000 {
			t.Fatalf("the source holds only %d marks", bytes.Count(file, []byte(dicomtest.Mark)))
		}
		out, r := dicomtest.Export(t, s, dicomtest.Hidden("s"))
		dicomtest.WantNoMarks(t, out)
		back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
		if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) || r.Files != 3 {
			t.Errorf("%v: the series came back differently", enc)
		}
	}
}

// TestDeidentifyRemovesOverlayGroups exports slices with overlays and curves: nothing
// of their groups remains, neither numbers nor code strings, which elsewhere are kept.
func TestDeidentifyRemovesOverlayGroups(t *testing.T) {
	fakes := dicomtest.Stack(2)
	for _, f := range fakes {
		for _, group := range []part10.Tag{0x5000, 0x501E, 0x6000, 0x601E} {
			for element, vr := range map[part10.Tag]string{0x0010: "US", 0x0011: "US", 0x0050: "SS", 0x0100: "US", 0x0040: "CS", 0x1500: "LO", 0x3000: "OW"} {
				f.With(group<<16|element, dicomtest.RawElement(part10.AppendElement(nil, part10.ExplicitLE, group<<16|element, vr, []byte("GG"))))
			}
		}
	}
	dir, s := dicomtest.OnDisk(t, fakes)
	groups := func(dir, name string) (n int) {
		for tag := range dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, dir, name)) {
			if high := tag.Group() >> 8; high == 0x50 || high == 0x60 {
				n++
			}
		}
		return n
	}
	if n := groups(dir, "a.dcm"); n != 28 {
		t.Fatalf("the source holds %d elements of overlays and curves, want 28", n)
	}
	out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
	for _, name := range dicomtest.Names(t, out) {
		if n := groups(out, name); n != 0 {
			t.Errorf("%s: %d elements of overlays and curves remain", name, n)
		}
	}
}

// TestDeidentifyFrames does the same with functional groups.
func TestDeidentifyFrames(t *testing.T) {
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		for _, undefined := range []bool{false, true} {
			g := dicomtest.GroupWriter{Enc: enc, Undefined: undefined}
			f := dicomtest.NewEnhanced(enc, undefined, dicomtest.ThreeFrames...)
			item := dicomtest.Marked(enc, everyText())
			secret := g.Group(0x2005140F, part10.TagSOPInstanceUID, dicomtest.MarkUID)
			var frames [][]byte
			for _, frame := range dicomtest.ThreeFrames {
				frames = append(frames, slices.Concat(g.Sequence(0x00081140, item), g.Sequence(part10.TagUnassignedPerFrameConvertedAttributesSequence, item), g.Frame(frame), secret))
			}
			f.With(part10.TagPerFrameFunctionalGroupsSequence, dicomtest.RawElement(g.Sequence(part10.TagPerFrameFunctionalGroupsSequence, frames...)))
			f.With(part10.TagPatientName, dicomtest.MarkedText)
			dir, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": f})
			if n := bytes.Count(dicomtest.ReadSourceFile(t, dir, "m.dcm"), []byte(dicomtest.Mark)); n < 1000 {
				t.Fatalf("the source holds only %d marks", n)
			}
			out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
			dicomtest.WantNoMarks(t, out)
			back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
			if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
				t.Errorf("%v: the frames came back differently", enc)
			}
		}
	}
}

// TestDeidentifiedAttributes reads the replacements of an identity.
func TestDeidentifiedAttributes(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for _, f := range fakes {
		f.With(part10.TagPatientID, "4711").With(part10.TagPatientBirthDate, "19700102").With(0x00080080, "Clinic").With(0x00081010, "").
			With(part10.TagStudyDate, "20200203").With(0x0008002A, "20200203101112").With(0x00081030, "Thorax").With(part10.TagBodyPartExamined, "CHEST").With(part10.TagSeriesDescription, "Lung").
			With(part10.TagManufacturerModelName, "Model").With(0x00081140, dicomtest.RawElement(part10.AppendSequence(nil, part10.ExplicitLE, 0x00081140,
			slices.Concat(part10.AppendElement(nil, part10.ExplicitLE, part10.TagReferencedSOPClassUID, "UI", []byte(dicomtest.CtClass)),
				part10.AppendElement(nil, part10.ExplicitLE, part10.TagReferencedSOPInstanceUID, "UI", []byte("1.2.3.100")))))).With(part10.TagBurnedInAnnotation, "NO")
	}
	_, s := dicomtest.OnDisk(t, fakes)
	out, r := dicomtest.Export(t, s, dicomtest.Hidden("one"))
	if len(r.Warnings) != 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
	names := deid.Pseudonyms{[]byte("one")}
	value := func(is map[part10.Tag][]byte, tag part10.Tag) string {
		if len(is[tag]) < 8 {
			return "missing"
		}
		return strings.TrimRight(string(is[tag][8:]), " \x00")
	}
	for z := range 3 {
		file := dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(z))
		is := dicomtest.ElementBytes(t, file)
		for tag, want := range map[part10.Tag]string{
			part10.TagSeriesInstanceUID:      r.SeriesUID,
			part10.TagStudyInstanceUID:       string(names.UID([]byte("1.2.3.1"))),
			part10.TagFrameOfReferenceUID:    string(names.UID([]byte("1.2.3.9"))),
			part10.TagSOPClassUID:            dicomtest.CtClass,
			part10.TagPatientName:            value(is, part10.TagPatientID),
			part10.TagPatientBirthDate:       "",
			part10.TagStudyDate:              "",
			0x0008002A:                       "19000101000000.000000",
			part10.TagSeriesDate:             "19000101",
			0x00080080:                       "REMOVED",
			0x00081010:                       "", // was empty
			0x00081030:                       "missing",
			part10.TagSeriesDescription:      "DN",
			part10.TagManufacturerModelName:  "Model",
			part10.TagPatientIdentityRemoved: "YES",
			part10.TagLongitudinalTemporalInformationModified: "REMOVED",
			part10.TagWindowCenter:                            `40\300`,
		} {
			if got := value(is, tag); got != want {
				t.Errorf("%v is %q, want %q", tag, got, want)
			}
		}
		if id := value(is, part10.TagPatientID); len(id) != 17 || id[0] != 'Q' {
			t.Errorf("patient ID %q", id)
		}
		if code := is[part10.TagDeidentificationMethodCodeSequence]; !bytes.Contains(code, []byte("113100")) {
			t.Errorf("method %q", code)
		}
		// A reference to a slice of the series and that slice's own name agree.
		if ref := is[0x00081140]; !bytes.Contains(ref, names.UID([]byte("1.2.3.100"))) || !bytes.Contains(ref, []byte(dicomtest.CtClass)) {
			t.Errorf("referenced image %q", ref)
		}
		if ref := is[part10.TagSourceImageSequence]; !bytes.Contains(ref, names.UID([]byte(s.Sources[z].UID))) {
			t.Errorf("source image %q", ref)
		}
	}
}

// TestPseudonyms gives the same files for the same secret, and other pseudonyms for another.
func TestPseudonyms(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	a, ra := dicomtest.Export(t, s, dicomtest.Hidden("one"))
	b, rb := dicomtest.Export(t, s, dicomtest.Hidden("one"))
	c, rc := dicomtest.Export(t, s, dicomtest.Hidden("two"))
	if ra.SeriesUID != rb.SeriesUID || ra.SeriesUID == rc.SeriesUID {
		t.Errorf("series %s, %s, %s", ra.SeriesUID, rb.SeriesUID, rc.SeriesUID)
	}
	fa, fb, fc := dicomtest.ReadSourceFile(t, a, dicomtest.SliceName(1)), dicomtest.ReadSourceFile(t, b, dicomtest.SliceName(1)), dicomtest.ReadSourceFile(t, c, dicomtest.SliceName(1))
	if !bytes.Equal(fa, fb) {
		t.Error("the same export gives different files")
	}
	va, vc := dicomtest.ElementBytes(t, fa), dicomtest.ElementBytes(t, fc)
	for _, tag := range []part10.Tag{part10.TagPatientID, part10.TagStudyInstanceUID, part10.TagFrameOfReferenceUID, part10.TagSOPInstanceUID} {
		if bytes.Equal(va[tag], vc[tag]) {
			t.Errorf("two secrets give the same %v", tag)
		}
	}
	// Two patients differ, and a missing patient ID is no patient of its own.
	p := deid.Pseudonyms{[]byte("one")}
	of := func(id, study string) string {
		file := dicomtest.NewFake("1", 0, 0).With(part10.TagPatientID, id).With(part10.TagStudyInstanceUID, study).File()
		f, err := dicomtest.Tokens(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(p.Patient(&part10.Dataset{Bytes: file, File: f}))
	}
	if of("1", "1.2") != of("1", "1.3") || of("1", "1.2") == of("2", "1.2") || of("", "1.2") == of("", "1.3") {
		t.Error("patients are distinguished wrongly")
	}
}

// TestDeidentifyClearsOverlayBits removes an overlay from the unused bits of the pixels.
func TestDeidentifyClearsOverlayBits(t *testing.T) {
	fakes := dicomtest.Stack(2)
	for _, f := range fakes {
		f.With(part10.TagBitsStored, 12).With(part10.TagHighBit, 11).With(part10.TagPixelRepresentation, 0)
		for i := range 12 {
			w := binary.LittleEndian.Uint16(f.Pixels[2*i:])
			binary.LittleEndian.PutUint16(f.Pixels[2*i:], w|uint16(i%2)<<15)
		}
	}
	_, s := dicomtest.OnDisk(t, fakes)
	out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
	for z := range 2 {
		pixels := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(z)))[part10.TagPixelData][12:]
		for i := range 12 {
			if w := binary.LittleEndian.Uint16(pixels[2*i:]); int(w) != 100*z+i {
				t.Errorf("pixel %d of slice %d is %#x", i, z, w)
			}
		}
	}
}

func TestIdentityWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[part10.Tag]any
		want []string
	}{
		"burned in": {map[part10.Tag]any{part10.TagBurnedInAnnotation: "YES", part10.TagBodyPartExamined: "CHEST", part10.TagSeriesDescription: "lung"}, []string{"burned into its pixels; it"}},
		"unknown":   {map[part10.Tag]any{part10.TagSeriesDescription: "x"}, []string{"does not say whether text", "does not say which part"}},
		"head":      {map[part10.Tag]any{part10.TagBurnedInAnnotation: "NO", part10.TagSeriesDescription: "t1 Brain"}, []string{"shows a head"}},
		"features":  {map[part10.Tag]any{part10.TagBurnedInAnnotation: "NO", part10.TagSeriesDescription: "x", part10.TagRecognizableVisualFeatures: "YES"}, []string{"shows a head"}},
		"none":      {map[part10.Tag]any{part10.TagBurnedInAnnotation: "NO", part10.TagSeriesDescription: "surface", part10.TagBodyPartExamined: "KNEE"}, nil},
	} {
		fakes := dicomtest.Stack(2)
		for _, f := range fakes {
			for tag, v := range c.set {
				f.With(tag, v)
			}
		}
		_, s := dicomtest.OnDisk(t, fakes)
		_, r := dicomtest.Export(t, s, dicomtest.Hidden("s"))
		if len(r.Warnings) != len(c.want) {
			t.Errorf("%s: %q", name, r.Warnings)
			continue
		}
		for i, part := range c.want {
			if !strings.Contains(r.Warnings[i].String(), part) {
				t.Errorf("%s: %q", name, r.Warnings)
			}
		}
	}
}

// TestDeidentifyMosaic keeps only those private attributes that state the positions of the
// slices.
func TestDeidentifyMosaic(t *testing.T) {
	for _, normal := range []string{`0\0\1`, `0\0\-1`} {
		f := dicomtest.NewMosaic(2, normal).With(0x00291020, []byte(dicomtest.MarkedText+" ")).With(part10.TagPatientName, dicomtest.MarkedText)
		csa := dicomtest.CsaHeader(2, "PatientName", "1", "NumberOfImagesInMosaic", "5", "SliceNormalVector", normal)
		f.With(part10.TagSiemensCSAImageHeader, dicomtest.RawElement(part10.AppendElement(nil, f.Enc, part10.TagSiemensCSAImageHeader, "OB", append(csa, dicomtest.MarkedText...))))
		_, s := dicomtest.OnDisk(t, map[string]*dicomtest.Fake{"m.dcm": f})
		out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
		dicomtest.WantNoMarks(t, out)
		back := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
		if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
			t.Errorf("normal %s: the mosaic came back differently", normal)
		}
		if csa := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))[part10.TagSiemensCSAImageHeader]; bytes.Contains(csa, []byte("PatientName")) {
			t.Error("the source's own header is there")
		}
	}
}

// TestDeidentifiedForValidator asks dciodvfy: it finds no error that the source does not have.
func TestDeidentifiedForValidator(t *testing.T) {
	for _, name := range []string{"MR_small.dcm", "MR_small_bigendian.dcm", "MR_small_implicit.dcm"} {
		source := t.TempDir()
		file := filepath.Join(source, name)
		if err := os.WriteFile(file, dicomtest.ReadSourceFile(t, filepath.Join("..", "testdata", "pydicom"), name), 0o644); err != nil {
			t.Fatal(err)
		}
		s := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(source)), 0)
		out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
		dicomtest.WantNoNewComplaints(t, name, filepath.Join(out, dicomtest.SliceName(0)), file)
	}
}

// TestDeidentifiedInOtherPrograms reads a de-identified file with other programs.
func TestDeidentifiedInOtherPrograms(t *testing.T) {
	_, s := dicomtest.OnDisk(t, dicomtest.Stack(3))
	out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
	for _, program := range []string{"dcmdump", "gdcminfo"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
		for _, name := range dicomtest.Names(t, out) {
			if text, err := exec.Command(program, filepath.Join(out, name)).CombinedOutput(); err != nil || bytes.Contains(text, []byte("W:")) {
				t.Errorf("%s of %s: %v\n%s", program, name, err, text)
			}
		}
	}
}

// TestDeidentifyAgain adds the profile once to the methods that a source names.
func TestDeidentifyAgain(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for _, f := range fakes {
		f.With(part10.TagDeidentificationMethodCodeSequence, dicomtest.RawElement(part10.AppendSequence(nil, f.Enc, part10.TagDeidentificationMethodCodeSequence,
			part10.CodeItem(f.Enc, part10.Code{Value: "113105", Scheme: "DCM", Meaning: "Clean Descriptors Option"}))))
	}
	_, s := dicomtest.OnDisk(t, fakes)
	for range 2 {
		out, _ := dicomtest.Export(t, s, dicomtest.Hidden("s"))
		methods := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))[part10.TagDeidentificationMethodCodeSequence]
		if bytes.Count(methods, []byte("113105")) != 1 || bytes.Count(methods, []byte("113100")) != 1 {
			t.Errorf("methods %q", methods)
		}
		s = dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	}
}
