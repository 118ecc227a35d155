package dicom

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"quell/volume"
)

// The marks of an identity, in plain text, in other character sets, and as UIDs.
const (
	mark      = "GEHEIM"
	markLatin = "M\xfcller"
	markKanji = "\x1b$B;3ED\x1b(B"
	markUTF8  = "山田"
	markUID   = "1.2.77777"
)

var marks = []string{mark, markLatin, ";3ED", markUTF8, markUID}

// markedText is a text that holds every mark but the UID's.
const markedText = mark + "^" + markLatin + "=" + markKanji + "=" + markUTF8

func hidden(secret string) Derived {
	d := testDerived
	d.Deidentify, d.Secret = true, []byte(secret)
	return d
}

// deidentify exports a series without identity.
func deidentify(t *testing.T, s *volume.Series, d Derived) (dir string, r Report) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	r, err := Write(context.Background(), dir, s, s.Volume, d, nil)
	if err != nil {
		t.Fatal(err)
	}
	return dir, r
}

// wantNoMarks fails where a file of dir holds a mark.
func wantNoMarks(t *testing.T, dir string) {
	t.Helper()
	for _, name := range names(t, dir) {
		file := readSourceFile(t, dir, name)
		for _, m := range marks {
			if at := bytes.Index(file, []byte(m)); at >= 0 {
				t.Errorf("%s holds %q: %q", name, m, file[max(0, at-40):min(len(file), at+20)])
			}
		}
	}
}

func isKept(t tagID) bool {
	return slices.ContainsFunc(furtherAttributes, func(r profileRow) bool { return r.tag == t && r.code == "K" })
}

// everyText returns all attributes of the data dictionary, and of the profile,
// that a text could be hidden in.
var everyText = sync.OnceValue(func() []tagID {
	seen := map[tagID]bool{}
	for _, row := range basicProfile {
		seen[row.tag] = true
	}
	for group := 0x0008; group <= 0x0088; group += 2 {
		for element := 1; element <= 0xFFFF; element++ {
			seen[tagID(group<<16|element)] = true
		}
	}
	var out []tagID
	for t := range seen {
		switch dictionaryVR(t) {
		case "AE", "AS", "DA", "DT", "LO", "LT", "PN", "SH", "ST", "TM", "UC", "UR", "UT", "UI", "OB":
			if !isKept(t) && t.group() > 2 && t != tagPixelData {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out)
	return out
})

// marked returns the encoded elements with a mark in each.
func marked(enc encoding, tags []tagID) []byte {
	var b []byte
	for _, t := range tags {
		b = appendElement(b, enc, t, dictionaryVR(t), markedValue(t))
	}
	return b
}

func markedValue(t tagID) []byte {
	if dictionaryVR(t) == "UI" {
		return fmt.Appendf(nil, markUID+".%d", t)
	}
	return []byte(markedText)
}

// identified returns slices that hold an identity wherever one could be: in every
// text, date, UID and opaque attribute of the dictionary, at the top level and in
// sequences, private and public, known and unknown lengths, curves and overlays.
func identified(enc encoding) map[string]*fake {
	tags := everyText()
	fakes := stack(3)
	for _, f := range fakes {
		f.enc = enc
		for _, t := range tags {
			if f.values[t] == nil {
				f.with(t, markedValue(t))
			}
		}
		f.with(tagPatientName, markedText).with(tagPatientID, markedText).with(tagSeriesDescription, markedText)
		f.with(tagSOPInstanceUID, markUID+f.values[tagSOPInstanceUID].(string)[5:])
		f.with(tagStudyInstanceUID, markUID+".1").with(tagSeriesInstanceUID, markUID+".2").with(tagFrameOfReferenceUID, markUID+".9")
		item := slices.Concat(marked(enc, tags),
			appendElement(nil, enc, 0x00090010, "LO", []byte("MAKER")),
			appendElement(nil, enc, 0x00091001, "LO", []byte(markedText)))
		nested := appendElement(nil, enc, tagReferencedSOPInstanceUID, "UI", []byte(markUID+".5"))
		nested = append(nested, sequenceOf(enc, tagReferencedSeriesSequence, "SQ", enc, item)...)
		for i, t := range []tagID{0x00081140, tagSourceImageSequence, tagContributingEquipmentSequence, 0x00081032, 0x00080082,
			0x00081072, 0x0040A730, 0x00180026, 0x00540016, 0x00088888} {
			sq := appendSequence(nil, enc, t, nested, item)
			if i%2 == 1 {
				sq = sequenceOf(enc, t, "SQ", enc, nested, item)
			}
			f.with(t, rawElement(sq))
		}
		// A sequence that its writer did not know has implicit items in every encoding.
		f.with(0x00540016, rawElement(sequenceOf(enc, 0x00540016, "UN", implicitLE, marked(implicitLE, tags),
			appendElement(nil, implicitLE, 0x00181074, "DS", []byte("370")))))
		f.with(0x00080082, rawElement(appendSequence(nil, enc, 0x00080082, codeItem(enc, Code{mark, mark, mark}))))
		f.with(0x00090010, rawElement(appendElement(nil, enc, 0x00090010, "LO", []byte("MAKER"))))
		for _, t := range []tagID{0x00091001, 0x50003000, 0x60003000, 0x60001500, 0x00088889} {
			f.with(t, rawElement(appendElement(nil, enc, t, "LO", []byte(markedText))))
		}
		f.with(tagDataSetTrailingPadding, []byte(markedText+" "))
	}
	return fakes
}

// TestDeidentifyLeavesNoMark exports series that hold an identity in every place:
// no byte of it is in what is written.
func TestDeidentifyLeavesNoMark(t *testing.T) {
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		dir, s := onDisk(t, identified(enc))
		if file := readSourceFile(t, dir, "a.dcm"); bytes.Count(file, []byte(mark)) < 1000 {
			t.Fatalf("the source holds only %d marks", bytes.Count(file, []byte(mark)))
		}
		out, r := deidentify(t, s, hidden("s"))
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
			out, _ := deidentify(t, s, hidden("s"))
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
	out, r := deidentify(t, s, hidden("one"))
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
			tagSeriesInstanceUID:                    r.SeriesUID,
			tagStudyInstanceUID:                     string(names.uid([]byte("1.2.3.1"))),
			tagFrameOfReferenceUID:                  string(names.uid([]byte("1.2.3.9"))),
			tagSOPClassUID:                          ctClass,
			tagPatientName:                          value(is, tagPatientID),
			tagPatientBirthDate:                     "",
			tagStudyDate:                            "",
			0x0008002A:                              "19000101000000.000000",
			tagSeriesDate:                           "19000101",
			0x00080080:                              "REMOVED",
			0x00081010:                              "", // was empty
			0x00081030:                              "missing",
			tagSeriesDescription:                    "DN",
			tagManufacturerModelName:                "Model",
			tagPatientIdentityRemoved:               "YES",
			tagLongitudinalTemporalInformationModif: "REMOVED",
			tagWindowCenter:                         `40\300`,
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
	a, ra := deidentify(t, s, hidden("one"))
	b, rb := deidentify(t, s, hidden("one"))
	c, rc := deidentify(t, s, hidden("two"))
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
	out, _ := deidentify(t, s, hidden("s"))
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
		_, r := deidentify(t, s, hidden("s"))
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
		out, _ := deidentify(t, s, hidden("s"))
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

// TestProfileTable holds the table to the standard's own rules.
func TestProfileTable(t *testing.T) {
	for i, row := range basicProfile {
		if i > 0 && basicProfile[i-1].tag >= row.tag {
			t.Errorf("%v stands before %v", basicProfile[i-1].tag, row.tag)
		}
		if !slices.Contains([]string{"D", "Z", "X", "U", "X/Z", "X/D", "X/Z/D", "Z/D", "X/Z/U"}, row.code) {
			t.Errorf("%v: code %q", row.tag, row.code)
		}
		if isKept(row.tag) {
			t.Errorf("%v is kept against the profile", row.tag)
		}
	}
	for i, row := range furtherAttributes {
		if i > 0 && furtherAttributes[i-1].tag >= row.tag {
			t.Errorf("%v stands before %v", furtherAttributes[i-1].tag, row.tag)
		}
		if slices.ContainsFunc(basicProfile, func(r profileRow) bool { return r.tag == row.tag }) {
			t.Errorf("%v is in the standard's table", row.tag)
		}
	}
	// As printed in table E.1-1 of 2026c: how many rows have each code, and some.
	rows := map[string]int{}
	for _, row := range basicProfile {
		rows[row.code]++
	}
	if want := map[string]int{"D": 93, "U": 55, "X": 412, "X/D": 23, "X/Z": 11, "X/Z/D": 8, "X/Z/U": 2, "Z": 42, "Z/D": 6}; !maps.Equal(rows, want) {
		t.Errorf("rows by code: %v, want %v", rows, want)
	}
	for tag, want := range map[tagID]action{
		tagPatientName: empty, tagPatientID: dummy, tagAccessionNumber: empty, 0x00080081: remove, 0x00081070: dummy,
		tagStudyDate: empty, 0x00100030: empty, 0x00101010: remove, 0x00204000: remove, tagSOPInstanceUID: replaceID,
		tagSOPClassUID: keep, 0x00091001: remove, 0x60003000: remove, 0x50000005: remove, 0x00104000: remove, 0x00080008: keep,
		0x00102161: remove, 0x00081301: remove, 0x00041500: remove, 0x00281201: keep,
	} {
		if got := actionOf(tag, ""); got != want {
			t.Errorf("%v: %c, want %c", tag, got, want)
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
		out, _ := deidentify(t, s, hidden("s"))
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
	out, _ := deidentify(t, s, hidden("s"))
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
		out, _ := deidentify(t, s, hidden("s"))
		methods := elementBytes(t, readSourceFile(t, out, sliceName(0)))[tagDeidentificationMethodCodeSequence]
		if bytes.Count(methods, []byte("113105")) != 1 || bytes.Count(methods, []byte("113100")) != 1 {
			t.Errorf("methods %q", methods)
		}
		s = load(t, scan(t, os.DirFS(out)), 0)
	}
}
