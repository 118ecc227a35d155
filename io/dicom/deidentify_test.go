package dicom

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// hidden asks for an export without identity.
func hidden(secret string) Derived {
	d := testDerived
	d.Deidentify, d.Secret = true, []byte(secret)
	return d
}

// TestDeidentifyLeavesNoMark exports series that hold an identity in every place:
// no byte of it is in what is written.
func TestDeidentifyLeavesNoMark(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		dir, s := onDisk(t, identified(enc))
		if file := readSourceFile(t, dir, "a.dcm"); bytes.Count(file, []byte(mark)) < 1000 {
			t.Fatalf("the source holds only %d marks", bytes.Count(file, []byte(mark)))
		}
		out, r := export(t, s, hidden("s"))
		wantNoMarks(t, out)
		back := load(t, scan(t, os.DirFS(out)), 0)
		if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) || r.Files != 3 {
			t.Errorf("%v: the series came back differently", enc)
		}
	}
}

// TestDeidentifyFrames does the same to functional groups.
func TestDeidentifyFrames(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		for _, undefined := range []bool{false, true} {
			g := groupWriter{enc, undefined}
			f := newEnhanced(enc, undefined, threeFrames...)
			item := marked(enc, everyText())
			secret := g.group(0x2005140F, tagSOPInstanceUID, markUID)
			var frames [][]byte
			for _, frame := range threeFrames {
				frames = append(frames, slices.Concat(g.sequence(0x00081140, item), g.sequence(tagUnassignedPerFrameConvertedAttributesSequence, item), g.frame(frame), secret))
			}
			f.with(tagPerFrameFunctionalGroupsSequence, rawElement(g.sequence(tagPerFrameFunctionalGroupsSequence, frames...)))
			f.with(tagPatientName, markedText)
			dir, s := onDisk(t, map[string]*fake{"m.dcm": f})
			if n := bytes.Count(readSourceFile(t, dir, "m.dcm"), []byte(mark)); n < 1000 {
				t.Fatalf("the source holds only %d marks", n)
			}
			out, _ := export(t, s, hidden("s"))
			wantNoMarks(t, out)
			back := load(t, scan(t, os.DirFS(out)), 0)
			if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
				t.Errorf("%v: the frames came back differently", enc)
			}
		}
	}
}

// TestDeidentifiedAttributes reads what stands in the place of an identity.
func TestDeidentifiedAttributes(t *testing.T) {
	fakes := stack(3)
	for _, f := range fakes {
		f.with(tagPatientID, "4711").with(tagPatientBirthDate, "19700102").with(0x00080080, "Clinic").with(0x00081010, "").
			with(tagStudyDate, "20200203").with(0x0008002A, "20200203101112").with(0x00081030, "Thorax").with(tagBodyPartExamined, "CHEST").with(tagSeriesDescription, "Lung").
			with(tagManufacturerModelName, "Model").with(0x00081140, rawElement(appendSequence(nil, explicitLE, 0x00081140,
			slices.Concat(appendElement(nil, explicitLE, tagReferencedSOPClassUID, "UI", []byte(ctClass)),
				appendElement(nil, explicitLE, tagReferencedSOPInstanceUID, "UI", []byte("1.2.3.100")))))).with(tagBurnedInAnnotation, "NO")
	}
	_, s := onDisk(t, fakes)
	out, r := export(t, s, hidden("one"))
	if len(r.Warnings) != 0 {
		t.Errorf("warnings %q", r.Warnings)
	}
	names := pseudonyms{[]byte("one")}
	value := func(is map[tagID][]byte, tag tagID) string {
		if len(is[tag]) < 8 {
			return "missing"
		}
		return strings.TrimRight(string(is[tag][8:]), " \x00")
	}
	for z := range 3 {
		file := readSourceFile(t, out, sliceName(z))
		is := elementBytes(t, file)
		for tag, want := range map[tagID]string{
			tagSeriesInstanceUID:      r.SeriesUID,
			tagStudyInstanceUID:       string(names.uid([]byte("1.2.3.1"))),
			tagFrameOfReferenceUID:    string(names.uid([]byte("1.2.3.9"))),
			tagSOPClassUID:            ctClass,
			tagPatientName:            value(is, tagPatientID),
			tagPatientBirthDate:       "",
			tagStudyDate:              "",
			0x0008002A:                "19000101000000.000000",
			tagSeriesDate:             "19000101",
			0x00080080:                "REMOVED",
			0x00081010:                "", // was empty
			0x00081030:                "missing",
			tagSeriesDescription:      "DN",
			tagManufacturerModelName:  "Model",
			tagPatientIdentityRemoved: "YES",
			tagLongitudinalTemporalInformationModified: "REMOVED",
			tagWindowCenter: `40\300`,
		} {
			if got := value(is, tag); got != want {
				t.Errorf("%v is %q, want %q", tag, got, want)
			}
		}
		if id := value(is, tagPatientID); len(id) != 17 || id[0] != 'Q' {
			t.Errorf("patient ID %q", id)
		}
		if code := is[tagDeidentificationMethodCodeSequence]; !bytes.Contains(code, []byte("113100")) {
			t.Errorf("method %q", code)
		}
		// A reference to a slice of the series and that slice's own name agree.
		if ref := is[0x00081140]; !bytes.Contains(ref, names.uid([]byte("1.2.3.100"))) || !bytes.Contains(ref, []byte(ctClass)) {
			t.Errorf("referenced image %q", ref)
		}
		if ref := is[tagSourceImageSequence]; !bytes.Contains(ref, names.uid([]byte(s.Sources[z].UID))) {
			t.Errorf("source image %q", ref)
		}
	}
}

// TestPseudonyms: the same secret makes the same files, another one other names.
func TestPseudonyms(t *testing.T) {
	_, s := onDisk(t, stack(3))
	a, ra := export(t, s, hidden("one"))
	b, rb := export(t, s, hidden("one"))
	c, rc := export(t, s, hidden("two"))
	if ra.SeriesUID != rb.SeriesUID || ra.SeriesUID == rc.SeriesUID {
		t.Errorf("series %s, %s, %s", ra.SeriesUID, rb.SeriesUID, rc.SeriesUID)
	}
	fa, fb, fc := readSourceFile(t, a, sliceName(1)), readSourceFile(t, b, sliceName(1)), readSourceFile(t, c, sliceName(1))
	if !bytes.Equal(fa, fb) {
		t.Error("the same export gives different files")
	}
	va, vc := elementBytes(t, fa), elementBytes(t, fc)
	for _, tag := range []tagID{tagPatientID, tagStudyInstanceUID, tagFrameOfReferenceUID, tagSOPInstanceUID} {
		if bytes.Equal(va[tag], vc[tag]) {
			t.Errorf("two secrets give the same %v", tag)
		}
	}
	// Two patients differ, and a missing patient ID is no patient of its own.
	p := pseudonyms{[]byte("one")}
	of := func(id, study string) string {
		file := newFake("1", 0, 0).with(tagPatientID, id).with(tagStudyInstanceUID, study).file()
		f, err := tokens(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(p.patient(&derivedImage{bytes: file, file: f}))
	}
	if of("1", "1.2") != of("1", "1.3") || of("1", "1.2") == of("2", "1.2") || of("", "1.2") == of("", "1.3") {
		t.Error("patients are told apart wrongly")
	}
}

// TestDeidentifyClearsOverlayBits: an overlay in the unused bits of the pixels goes,
// the values stay.
func TestDeidentifyClearsOverlayBits(t *testing.T) {
	fakes := stack(2)
	for _, f := range fakes {
		f.with(tagBitsStored, 12).with(tagHighBit, 11).with(tagPixelRepresentation, 0)
		for i := range 12 {
			w := binary.LittleEndian.Uint16(f.pixels[2*i:])
			binary.LittleEndian.PutUint16(f.pixels[2*i:], w|uint16(i%2)<<15)
		}
	}
	_, s := onDisk(t, fakes)
	out, _ := export(t, s, hidden("s"))
	for z := range 2 {
		pixels := elementBytes(t, readSourceFile(t, out, sliceName(z)))[tagPixelData][12:]
		for i := range 12 {
			if w := binary.LittleEndian.Uint16(pixels[2*i:]); int(w) != 100*z+i {
				t.Errorf("pixel %d of slice %d is %#x", i, z, w)
			}
		}
	}
}

func TestIdentityWarnings(t *testing.T) {
	for name, c := range map[string]struct {
		set  map[tagID]any
		want []string
	}{
		"burned in": {map[tagID]any{tagBurnedInAnnotation: "YES", tagBodyPartExamined: "CHEST", tagSeriesDescription: "lung"}, []string{"burned into its pixels; it"}},
		"unknown":   {map[tagID]any{tagSeriesDescription: "x"}, []string{"does not say whether text", "does not say which part"}},
		"head":      {map[tagID]any{tagBurnedInAnnotation: "NO", tagSeriesDescription: "t1 Brain"}, []string{"shows a head"}},
		"features":  {map[tagID]any{tagBurnedInAnnotation: "NO", tagSeriesDescription: "x", tagRecognizableVisualFeatures: "YES"}, []string{"shows a head"}},
		"none":      {map[tagID]any{tagBurnedInAnnotation: "NO", tagSeriesDescription: "surface", tagBodyPartExamined: "KNEE"}, nil},
	} {
		fakes := stack(2)
		for _, f := range fakes {
			for tag, v := range c.set {
				f.with(tag, v)
			}
		}
		_, s := onDisk(t, fakes)
		_, r := export(t, s, hidden("s"))
		if len(r.Warnings) != len(c.want) {
			t.Errorf("%s: %q", name, r.Warnings)
			continue
		}
		for i, part := range c.want {
			if !strings.Contains(r.Warnings[i], part) {
				t.Errorf("%s: %q", name, r.Warnings)
			}
		}
	}
}

// TestDeidentifyMosaic: of the private attributes stays what says where the slices
// lie, in a header made anew.
func TestDeidentifyMosaic(t *testing.T) {
	for _, normal := range []string{`0\0\1`, `0\0\-1`} {
		f := newMosaic(2, normal).with(0x00291020, []byte(markedText+" ")).with(tagPatientName, markedText)
		csa := csaHeader(2, "PatientName", "1", csaImages, "5", csaNormal, normal)
		f.with(tagCSAImageHeaderInfo, rawElement(appendElement(nil, f.enc, tagCSAImageHeaderInfo, "OB", append(csa, markedText...))))
		_, s := onDisk(t, map[string]*fake{"m.dcm": f})
		out, _ := export(t, s, hidden("s"))
		wantNoMarks(t, out)
		back := load(t, scan(t, os.DirFS(out)), 0)
		if back.Volume.Geometry != s.Volume.Geometry || !slices.Equal(back.Volume.Data, s.Volume.Data) {
			t.Errorf("normal %s: the mosaic came back differently", normal)
		}
		if csa := elementBytes(t, readSourceFile(t, out, sliceName(0)))[tagCSAImageHeaderInfo]; bytes.Contains(csa, []byte("PatientName")) {
			t.Error("the source's own header is there")
		}
	}
}

// TestDeidentifiedForValidator: dciodvfy finds no error that the source does not
// have.
func TestDeidentifiedForValidator(t *testing.T) {
	if _, err := exec.LookPath("dciodvfy"); err != nil {
		t.Skip("dciodvfy is not installed")
	}
	errorsOf := func(file string) (found []string) {
		text, _ := exec.Command("dciodvfy", file).CombinedOutput() // its exit status tells of errors too
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "Error") {
				found = append(found, line)
			}
		}
		return found
	}
	for _, name := range []string{"MR_small.dcm", "MR_small_bigendian.dcm", "MR_small_implicit.dcm"} {
		source := t.TempDir()
		file := filepath.Join(source, name)
		if err := os.WriteFile(file, readSourceFile(t, filepath.Join("testdata", "pydicom"), name), 0o644); err != nil {
			t.Fatal(err)
		}
		s := load(t, scan(t, os.DirFS(source)), 0)
		out, _ := export(t, s, hidden("s"))
		had := errorsOf(file)
		for _, e := range errorsOf(filepath.Join(out, sliceName(0))) {
			if !slices.Contains(had, e) {
				t.Errorf("%s: %s", name, e)
			}
		}
	}
}

// TestDeidentifiedForOthers asks other programs for their view of a de-identified
// series.
func TestDeidentifiedForOthers(t *testing.T) {
	_, s := onDisk(t, stack(3))
	out, _ := export(t, s, hidden("s"))
	for _, program := range []string{"dcmdump", "gdcminfo"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed", program)
		}
		for _, name := range names(t, out) {
			if text, err := exec.Command(program, filepath.Join(out, name)).CombinedOutput(); err != nil || bytes.Contains(text, []byte("W:")) {
				t.Errorf("%s of %s: %v\n%s", program, name, err, text)
			}
		}
	}
}

// TestDeidentifyAgain adds the profile to the methods that a source names, once.
func TestDeidentifyAgain(t *testing.T) {
	fakes := stack(3)
	for _, f := range fakes {
		f.with(tagDeidentificationMethodCodeSequence, rawElement(appendSequence(nil, f.enc, tagDeidentificationMethodCodeSequence,
			codeItem(f.enc, Code{"113105", "DCM", "Clean Descriptors Option"}))))
	}
	_, s := onDisk(t, fakes)
	for range 2 {
		out, _ := export(t, s, hidden("s"))
		methods := elementBytes(t, readSourceFile(t, out, sliceName(0)))[tagDeidentificationMethodCodeSequence]
		if bytes.Count(methods, []byte("113105")) != 1 || bytes.Count(methods, []byte("113100")) != 1 {
			t.Errorf("methods %q", methods)
		}
		s = load(t, scan(t, os.DirFS(out)), 0)
	}
}
