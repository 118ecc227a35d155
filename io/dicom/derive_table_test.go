package dicom

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWriteChangesOnlyItsTable exports an unchanged volume in every plain
// encoding: the pixels, and every element that the table does not name, must be
// the source's bytes; names of another character set and private sequences
// among them.
func TestWriteChangesOnlyItsTable(t *testing.T) {
	changed := map[tagID]bool{0x19710010: true, 0x19711001: true}
	for _, r := range derivedAttributes {
		changed[r.tag] = true
	}
	for _, enc := range []encoding{implicitLE, explicitLE, explicitBE} {
		fakes := stack(3)
		for _, f := range fakes {
			f.enc = enc
			f.with(tagPatientName, "M\xfcller^J\xfcrgen").with(0x00090010, "MAKER").
				with(0x00091001, rawElement(sequenceOf(enc, 0x00091001, "SQ", enc, appendElement(nil, enc, tagCodeValue, "SH", []byte("1"))))).
				with(tagIconImageSequence, rawElement(appendSequence(nil, enc, tagIconImageSequence, nil))).
				with(tagDataSetTrailingPadding, make([]byte, 6)).
				with(0x00280000, []byte{4, 0, 0, 0}).
				with(tagContributingEquipmentSequence, rawElement(sequenceOf(enc, tagContributingEquipmentSequence, "SQ", enc,
					appendElement(nil, enc, tagManufacturer, "LO", []byte("Other")))))
		}
		dir, s := onDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		write(t, out, s, s.Volume.Clone())
		if got := names(t, out); !slices.Equal(got, []string{"IM00001.dcm", "IM00002.dcm", "IM00003.dcm"}) {
			t.Fatalf("files %v", got)
		}
		for z, src := range s.Sources {
			before, err := os.ReadFile(filepath.Join(dir, src.Name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, fakes[src.Name].file()) {
				t.Errorf("%s was written to", src.Name)
			}
			after, err := os.ReadFile(filepath.Join(out, sliceName(z)))
			if err != nil {
				t.Fatal(err)
			}
			was, is := elementBytes(t, before), elementBytes(t, after)
			for tag, b := range was {
				if !changed[tag] && tag.element() != 0 && !bytes.Equal(is[tag], b) {
					t.Errorf("%v: %v is % x, was % x", enc, tag, is[tag], b)
				}
			}
			for tag := range is {
				if _, had := was[tag]; !had && !changed[tag] {
					t.Errorf("%v: %v is new", enc, tag)
				}
			}
			for _, gone := range []tagID{tagIconImageSequence, tagDataSetTrailingPadding, 0x00280000} {
				if is[gone] != nil {
					t.Errorf("%v is still there", gone)
				}
			}
			if eq := is[tagContributingEquipmentSequence]; !bytes.Contains(eq, []byte("Other")) || !bytes.Contains(eq, []byte("109102")) || bytes.Index(eq, []byte("Other")) > bytes.Index(eq, []byte("Quell")) {
				t.Errorf("equipment %q", eq)
			}
			p, err := tokens(after)
			if err != nil || p.syntax.encoding != enc || p.elements[p.pixels].end != int64(len(after)) {
				t.Errorf("syntax %v, %v", p.syntax, err)
			}
			if !slices.IsSortedFunc(p.elements, func(a, b element) int { return int(int64(a.tag) - int64(b.tag)) }) {
				t.Error("elements are out of order")
			}
		}
	}
}

// TestDerivedAttributes reads back what the table writes.
func TestDerivedAttributes(t *testing.T) {
	fakes := stack(3)
	for _, f := range fakes {
		f.with(tagSmallestImagePixelValue, []byte{1, 2}).with(tagLargestImagePixelValue, []byte{1, 2}).
			with(tagLargestPixelValueInSeries, []byte{1, 2}).with(tagDerivationDescription, "Cut out")
	}
	_, s := onDisk(t, fakes)
	result := s.Volume.Clone()
	for i := range result.Data {
		result.Data[i] = float32(i) // 0..35 HU is 500..517 stored
	}
	out := filepath.Join(t.TempDir(), "out")
	report := write(t, out, s, result)
	uidPattern := regexp.MustCompile(`^2\.25\.[1-9]\d{30,38}$`)
	seen := map[string]bool{}
	for z := range 3 {
		file, err := os.ReadFile(filepath.Join(out, sliceName(z)))
		if err != nil {
			t.Fatal(err)
		}
		is := elementBytes(t, file)
		value := func(tag tagID) string { return strings.TrimRight(string(is[tag][8:]), " \x00") }
		for tag, want := range map[tagID]string{
			tagImageType:               `DERIVED\SECONDARY\AXIAL`,
			tagSeriesDescription:       "Head DN",
			tagSeriesNumber:            "9007",
			tagSeriesInstanceUID:       report.SeriesUID,
			tagInstanceCreationDate:    "20260304",
			tagContentTime:             "050607.000000",
			tagDerivationDescription:   "Cut out; Quell test: nlm 3-D",
			tagStudyInstanceUID:        "1.2.3.1",
			tagFrameOfReferenceUID:     "1.2.3.9",
			tagManufacturer:            "Maker",
			tagSmallestImagePixelValue: string([]byte{byte((1000 + 12*z) / 2), byte((1000 + 12*z) / 2 >> 8)}),
		} {
			if got := value(tag); got != want {
				t.Errorf("%v is %q, want %q", tag, got, want)
			}
		}
		if vr := string(is[tagLargestImagePixelValue][4:6]); vr != "SS" {
			t.Errorf("largest pixel value has VR %s; pixels are signed", vr)
		}
		if is[tagLargestPixelValueInSeries] != nil {
			t.Error("largest value in series was kept")
		}
		if ref := is[tagSourceImageSequence]; !bytes.Contains(ref, []byte(s.Sources[z].UID)) || !bytes.Contains(ref, []byte("121322")) || !bytes.Contains(ref, []byte("YES")) {
			t.Errorf("source image %q", ref)
		}
		if code := is[tagDerivationCodeSequence]; !bytes.Contains(code, []byte("113087")) || !bytes.Contains(code, []byte("Smoothing")) {
			t.Errorf("derivation code %q", code)
		}
		if got := string(is[0x19711001][12:]); strings.TrimRight(got, " ") != string(testDerived.Recipe) {
			t.Errorf("recipe %q", got)
		}
		uid := value(tagSOPInstanceUID)
		if !uidPattern.MatchString(uid) || seen[uid] || uid == report.SeriesUID {
			t.Errorf("SOP Instance UID %q", uid)
		}
		seen[uid] = true
		p, _ := tokens(file)
		for _, e := range p.meta {
			if e.tag == tagMediaStorageSOPInstanceUID && strings.TrimRight(string(file[e.value:e.end]), "\x00") != uid {
				t.Error("the meta header has another instance UID")
			}
		}
	}
	// Deriving from the derived series keeps the history.
	again := load(t, scan(t, os.DirFS(out)), 0)
	second := filepath.Join(t.TempDir(), "again")
	write(t, second, again, again.Volume)
	file, _ := os.ReadFile(filepath.Join(second, sliceName(0)))
	is := elementBytes(t, file)
	if n := bytes.Count(is[tagContributingEquipmentSequence], []byte("109102")); n != 2 {
		t.Errorf("equipment names Quell %d times, want 2", n)
	}
	if is[0x19711101] != nil || is[0x19711001] == nil {
		t.Error("the recipe's block was not reused")
	}
}

// TestTableIsInOrder keeps the table readable: sorted and without doubles.
func TestTableIsInOrder(t *testing.T) {
	for i := 1; i < len(derivedAttributes); i++ {
		if a, b := derivedAttributes[i-1].tag, derivedAttributes[i].tag; a >= b {
			t.Errorf("%v stands before %v", a, b)
		}
	}
}

// TestTextLimits keeps descriptions inside their VR.
func TestTextLimits(t *testing.T) {
	s := derivedImage{Derived: &Derived{Suffix: "nlm 3-D", Description: strings.Repeat("long ", 300)}}
	set := func(old string) {
		s.bytes = []byte(old)
		s.file = &part10{elements: []element{{tag: tagSeriesDescription, end: int64(len(old))}, {tag: tagDerivationDescription, end: int64(len(old))}}}
	}
	for old, want := range map[string]string{
		"":                               "nlm 3-D",
		"Head ":                          "Head nlm 3-D",
		strings.Repeat("x", 64):          strings.Repeat("x", 56) + " nlm 3-D",
		strings.Repeat("\xfc", 40):       strings.Repeat("\xfc", 40) + " nlm 3-D",
		strings.Repeat("\x1b$B\x30", 16): "nlm 3-D", // cutting would break a character
	} {
		set(old)
		if got := string(s.seriesDescription()); got != want {
			t.Errorf("%q: %q, want %q", old, got, want)
		}
		if n := len(s.derivationDescription()); n > 1024 || n < 1000 {
			t.Errorf("derivation description of %d characters", n)
		}
	}
	if got := string(asciiJSON([]byte(`{"a":"µ 😀"}`))); got != `{"a":"\u00b5 \ud83d\ude00"}` {
		t.Errorf("recipe %s", got)
	}
}

// TestSeriesDescriptionOfManyBytes counts characters, not bytes, where the
// character set says how long one is.
func TestSeriesDescriptionOfManyBytes(t *testing.T) {
	for _, c := range []struct{ charset, old, want string }{
		{"ISO_IR 192", strings.Repeat("頭", 30), strings.Repeat("頭", 30) + " DN"},
		{"ISO_IR 192", strings.Repeat("頭", 64), strings.Repeat("頭", 61) + " DN"},
		{"ISO_IR 192", strings.Repeat("x", 40) + strings.Repeat("é", 24), strings.Repeat("x", 40) + strings.Repeat("é", 21) + " DN"},
		{"ISO_IR 100", strings.Repeat("\xfc", 64), strings.Repeat("\xfc", 61) + " DN"},
		{`ISO_IR 100\ISO 2022 IR 87`, strings.Repeat("\xfc", 64), "DN"},
		{"GB18030", strings.Repeat("\xce\xd2", 32), "DN"},
		{"", strings.Repeat("x", 64), strings.Repeat("x", 61) + " DN"},
	} {
		text := c.charset + c.old
		s := derivedImage{Derived: &Derived{Suffix: "DN"}, bytes: []byte(text), file: &part10{elements: []element{
			{tag: tagSpecificCharacterSet, end: int64(len(c.charset))},
			{tag: tagSeriesDescription, value: int64(len(c.charset)), end: int64(len(text))},
		}}}
		if got := string(s.seriesDescription()); got != c.want {
			t.Errorf("%s: %q, want %q", c.charset, got, c.want)
		}
	}
}

// TestPETKeepsItsTimeZero exports PET, whose decay correction and frame times count
// from Series Date and Time: both stay, where those of other modalities are the
// export's.
func TestPETKeepsItsTimeZero(t *testing.T) {
	for modality, want := range map[string][2]string{"PT": {"20260102", "101112.5"}, "CT": {"20260304", "050607.000000"}} {
		fakes := stack(3)
		for _, f := range fakes {
			f.with(tagModality, modality).with(tagSeriesDate, "20260102").with(tagSeriesTime, "101112.5")
		}
		_, s := onDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		write(t, out, s, s.Volume.Clone())
		is := elementBytes(t, readSourceFile(t, out, sliceName(0)))
		for i, tag := range []tagID{tagSeriesDate, tagSeriesTime} {
			if got := strings.TrimRight(string(is[tag][8:]), " "); got != want[i] {
				t.Errorf("%s: %v is %q, want %q", modality, tag, got, want[i])
			}
		}
		if got := string(is[tagContentDate][8:]); got != "20260304" {
			t.Errorf("%s: content date %q", modality, got)
		}
	}
}

// TestSecondaryWhereAllowed holds value 2 of ImageType to what the class allows.
func TestSecondaryWhereAllowed(t *testing.T) {
	for class, want := range map[string]string{
		ctClass:                       `DERIVED\SECONDARY\AXIAL`,
		"1.2.840.10008.5.1.4.1.1.128": `DERIVED\PRIMARY\AXIAL`, // PET
		"1.2.840.10008.5.1.4.1.1.20":  `DERIVED\PRIMARY\AXIAL`, // nuclear medicine
	} {
		fakes := stack(3)
		for _, f := range fakes {
			f.with(tagSOPClassUID, class)
		}
		_, s := onDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		write(t, out, s, s.Volume.Clone())
		is := elementBytes(t, readSourceFile(t, out, sliceName(0)))
		if got := strings.TrimRight(string(is[tagImageType][8:]), " "); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}

// TestRecipeBlockIsFree leaves private elements alone that somebody else has in
// the recipe's group, with a creator's name or without.
func TestRecipeBlockIsFree(t *testing.T) {
	fakes := stack(3)
	for _, f := range fakes {
		f.with(0x19710010, "MAKER").with(0x19711001, "theirs").with(0x19711101, "nobody's ")
	}
	_, s := onDisk(t, fakes)
	out := filepath.Join(t.TempDir(), "out")
	write(t, out, s, s.Volume.Clone())
	is := elementBytes(t, readSourceFile(t, out, sliceName(0)))
	for tag, want := range map[tagID]string{0x19710010: "MAKER", 0x19711001: "theirs", 0x19711101: "nobody's", 0x19710012: recipeCreator, 0x19711201: string(testDerived.Recipe)} {
		if !bytes.Contains(is[tag], []byte(want)) {
			t.Errorf("%v is %q, want %q", tag, is[tag], want)
		}
	}
}

// TestStudyIsMade gives a study to a source without one, the same for all that is
// derived from its series.
func TestStudyIsMade(t *testing.T) {
	seen := map[string]bool{}
	for _, old := range []any{nil, ""} {
		fakes := stack(3)
		for _, f := range fakes {
			delete(f.values, tagStudyInstanceUID)
			if old != nil {
				f.with(tagStudyInstanceUID, old)
			}
		}
		_, s := onDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		write(t, out, s, s.Volume.Clone())
		for _, name := range names(t, out) {
			seen[string(elementBytes(t, readSourceFile(t, out, name))[tagStudyInstanceUID])] = true
		}
	}
	for uid := range seen {
		if len(seen) != 1 || !strings.Contains(uid, "2.25.") {
			t.Errorf("study UIDs %v", seen)
		}
	}
}
