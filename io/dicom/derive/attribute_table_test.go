package derive_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom/derive"
	"quell/io/dicom/dicomtest"
	"quell/io/dicom/part10"
)

// TestWriteChangesOnlyItsTable exports an unchanged volume in every plain
// encoding: the pixels, and every element that the table does not name, must be
// the source's bytes; names of another character set and private sequences
// among them.
func TestWriteChangesOnlyItsTable(t *testing.T) {
	changed := map[part10.Tag]bool{0x19710010: true, 0x19711001: true}
	for _, tag := range derive.DerivedTags() {
		changed[tag] = true
	}
	for _, enc := range []part10.Encoding{part10.ImplicitLE, part10.ExplicitLE, part10.ExplicitBE} {
		fakes := dicomtest.Stack(3)
		for _, f := range fakes {
			f.Enc = enc
			f.With(part10.TagPatientName, "M\xfcller^J\xfcrgen").With(0x00090010, "MAKER").
				With(0x00091001, dicomtest.RawElement(dicomtest.SequenceOf(enc, 0x00091001, "SQ", enc, part10.AppendElement(nil, enc, part10.TagCodeValue, "SH", []byte("1"))))).
				With(part10.TagIconImageSequence, dicomtest.RawElement(part10.AppendSequence(nil, enc, part10.TagIconImageSequence, nil))).
				With(part10.TagDataSetTrailingPadding, make([]byte, 6)).
				With(0x00280000, []byte{4, 0, 0, 0}).
				With(part10.TagContributingEquipmentSequence, dicomtest.RawElement(dicomtest.SequenceOf(enc, part10.TagContributingEquipmentSequence, "SQ", enc,
					part10.AppendElement(nil, enc, part10.TagManufacturer, "LO", []byte("Other")))))
		}
		dir, s := dicomtest.OnDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		dicomtest.Write(t, out, s, s.Volume.Clone())
		if got := dicomtest.Names(t, out); !slices.Equal(got, []string{"IM00001.dcm", "IM00002.dcm", "IM00003.dcm"}) {
			t.Fatalf("files %v", got)
		}
		for z, src := range s.Sources {
			before, err := os.ReadFile(filepath.Join(dir, src.Name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(before, fakes[src.Name].File()) {
				t.Errorf("%s was written to", src.Name)
			}
			after, err := os.ReadFile(filepath.Join(out, dicomtest.SliceName(z)))
			if err != nil {
				t.Fatal(err)
			}
			was, is := dicomtest.ElementBytes(t, before), dicomtest.ElementBytes(t, after)
			for tag, b := range was {
				if !changed[tag] && tag.Element() != 0 && !bytes.Equal(is[tag], b) {
					t.Errorf("%v: %v is % x, was % x", enc, tag, is[tag], b)
				}
			}
			for tag := range is {
				if _, had := was[tag]; !had && !changed[tag] {
					t.Errorf("%v: %v is new", enc, tag)
				}
			}
			for _, gone := range []part10.Tag{part10.TagIconImageSequence, part10.TagDataSetTrailingPadding, 0x00280000} {
				if is[gone] != nil {
					t.Errorf("%v is still there", gone)
				}
			}
			if eq := is[part10.TagContributingEquipmentSequence]; !bytes.Contains(eq, []byte("Other")) || !bytes.Contains(eq, []byte("109102")) || bytes.Index(eq, []byte("Other")) > bytes.Index(eq, []byte("Quell")) {
				t.Errorf("equipment %q", eq)
			}
			p, err := dicomtest.Tokens(after)
			if err != nil || p.Syntax.Encoding != enc || p.Elements[p.PixelIndex].End != int64(len(after)) {
				t.Errorf("syntax %v, %v", p.Syntax, err)
			}
			if !slices.IsSortedFunc(p.Elements, func(a, b part10.Element) int { return int(int64(a.Tag) - int64(b.Tag)) }) {
				t.Error("elements are out of order")
			}
		}
	}
}

// TestDerivedAttributes reads back what the table writes.
func TestDerivedAttributes(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for _, f := range fakes {
		f.With(part10.TagSmallestImagePixelValue, []byte{1, 2}).With(part10.TagLargestImagePixelValue, []byte{1, 2}).
			With(part10.TagLargestPixelValueInSeries, []byte{1, 2}).With(part10.TagDerivationDescription, "Cut out")
	}
	_, s := dicomtest.OnDisk(t, fakes)
	result := s.Volume.Clone()
	for i := range result.Data {
		result.Data[i] = float32(i) // 0..35 HU is 500..517 stored
	}
	out := filepath.Join(t.TempDir(), "out")
	report := dicomtest.Write(t, out, s, result)
	uidPattern := regexp.MustCompile(`^2\.25\.[1-9]\d{30,38}$`)
	seen := map[string]bool{}
	for z := range 3 {
		file, err := os.ReadFile(filepath.Join(out, dicomtest.SliceName(z)))
		if err != nil {
			t.Fatal(err)
		}
		is := dicomtest.ElementBytes(t, file)
		value := func(tag part10.Tag) string { return strings.TrimRight(string(is[tag][8:]), " \x00") }
		for tag, want := range map[part10.Tag]string{
			part10.TagImageType:               `DERIVED\SECONDARY\AXIAL`,
			part10.TagSeriesDescription:       "Head DN",
			part10.TagSeriesNumber:            "9007",
			part10.TagSeriesInstanceUID:       report.SeriesUID,
			part10.TagInstanceCreationDate:    "20260304",
			part10.TagContentTime:             "050607.000000",
			part10.TagDerivationDescription:   "Cut out; Quell test: nlm 3-D",
			part10.TagStudyInstanceUID:        "1.2.3.1",
			part10.TagFrameOfReferenceUID:     "1.2.3.9",
			part10.TagManufacturer:            "Maker",
			part10.TagSmallestImagePixelValue: string([]byte{byte((1000 + 12*z) / 2), byte((1000 + 12*z) / 2 >> 8)}),
		} {
			if got := value(tag); got != want {
				t.Errorf("%v is %q, want %q", tag, got, want)
			}
		}
		if vr := string(is[part10.TagLargestImagePixelValue][4:6]); vr != "SS" {
			t.Errorf("largest pixel value has VR %s; pixels are signed", vr)
		}
		if is[part10.TagLargestPixelValueInSeries] != nil {
			t.Error("largest value in series was kept")
		}
		if ref := is[part10.TagSourceImageSequence]; !bytes.Contains(ref, []byte(s.Sources[z].UID)) || !bytes.Contains(ref, []byte("121322")) || !bytes.Contains(ref, []byte("YES")) {
			t.Errorf("source image %q", ref)
		}
		if code := is[part10.TagDerivationCodeSequence]; !bytes.Contains(code, []byte("113087")) || !bytes.Contains(code, []byte("Smoothing")) {
			t.Errorf("derivation code %q", code)
		}
		if got := string(is[0x19711001][12:]); strings.TrimRight(got, " ") != string(dicomtest.TestDerived.Recipe) {
			t.Errorf("recipe %q", got)
		}
		uid := value(part10.TagSOPInstanceUID)
		if !uidPattern.MatchString(uid) || seen[uid] || uid == report.SeriesUID {
			t.Errorf("SOP Instance UID %q", uid)
		}
		seen[uid] = true
		p, _ := dicomtest.Tokens(file)
		for _, e := range p.Meta {
			if e.Tag == part10.TagMediaStorageSOPInstanceUID && strings.TrimRight(string(file[e.Value:e.End]), "\x00") != uid {
				t.Error("the meta header has another instance UID")
			}
		}
	}
	// Deriving from the derived series keeps the history.
	again := dicomtest.Load(t, dicomtest.Scan(t, os.DirFS(out)), 0)
	second := filepath.Join(t.TempDir(), "again")
	dicomtest.Write(t, second, again, again.Volume)
	file, _ := os.ReadFile(filepath.Join(second, dicomtest.SliceName(0)))
	is := dicomtest.ElementBytes(t, file)
	if n := bytes.Count(is[part10.TagContributingEquipmentSequence], []byte("109102")); n != 2 {
		t.Errorf("equipment names Quell %d times, want 2", n)
	}
	if is[0x19711101] != nil || is[0x19711001] == nil {
		t.Error("the recipe's block was not reused")
	}
}

// TestTableIsSorted checks that the table is sorted and has no duplicates.
func TestTableIsSorted(t *testing.T) {
	for i := 1; i < len(derive.DerivedTags()); i++ {
		if a, b := derive.DerivedTags()[i-1], derive.DerivedTags()[i]; a >= b {
			t.Errorf("%v stands before %v", a, b)
		}
	}
}

// TestPETKeepsItsTimeOrigin exports PET; decay correction and frame times of it count from Series Time.
func TestPETKeepsItsTimeOrigin(t *testing.T) {
	for modality, want := range map[string][2]string{"PT": {"20260102", "101112.5"}, "CT": {"20260304", "050607.000000"}} {
		fakes := dicomtest.Stack(3)
		for _, f := range fakes {
			f.With(part10.TagModality, modality).With(part10.TagSeriesDate, "20260102").With(part10.TagSeriesTime, "101112.5")
		}
		_, s := dicomtest.OnDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		dicomtest.Write(t, out, s, s.Volume.Clone())
		is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
		for i, tag := range []part10.Tag{part10.TagSeriesDate, part10.TagSeriesTime} {
			if got := strings.TrimRight(string(is[tag][8:]), " "); got != want[i] {
				t.Errorf("%s: %v is %q, want %q", modality, tag, got, want[i])
			}
		}
		if got := string(is[part10.TagContentDate][8:]); got != "20260304" {
			t.Errorf("%s: content date %q", modality, got)
		}
	}
}

// TestSecondaryWhereAllowed checks value 2 of ImageType in each kind of class.
func TestSecondaryWhereAllowed(t *testing.T) {
	for class, want := range map[string]string{
		dicomtest.CtClass:             `DERIVED\SECONDARY\AXIAL`,
		"1.2.840.10008.5.1.4.1.1.128": `DERIVED\PRIMARY\AXIAL`, // PET
		"1.2.840.10008.5.1.4.1.1.20":  `DERIVED\PRIMARY\AXIAL`, // nuclear medicine
	} {
		fakes := dicomtest.Stack(3)
		for _, f := range fakes {
			f.With(part10.TagSOPClassUID, class)
		}
		_, s := dicomtest.OnDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		dicomtest.Write(t, out, s, s.Volume.Clone())
		is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
		if got := strings.TrimRight(string(is[part10.TagImageType][8:]), " "); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}

// TestRecipeBlockIsFree leaves the private elements of others in the group of the recipe alone.
func TestRecipeBlockIsFree(t *testing.T) {
	fakes := dicomtest.Stack(3)
	for _, f := range fakes {
		f.With(0x19710010, "MAKER").With(0x19711001, "theirs").With(0x19711101, "unowned  ")
	}
	_, s := dicomtest.OnDisk(t, fakes)
	out := filepath.Join(t.TempDir(), "out")
	dicomtest.Write(t, out, s, s.Volume.Clone())
	is := dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, dicomtest.SliceName(0)))
	for tag, want := range map[part10.Tag]string{0x19710010: "MAKER", 0x19711001: "theirs", 0x19711101: "unowned ", 0x19710012: derive.RecipeCreator, 0x19711201: string(dicomtest.TestDerived.Recipe)} {
		if !bytes.Contains(is[tag], []byte(want)) {
			t.Errorf("%v is %q, want %q", tag, is[tag], want)
		}
	}
}

// TestStudyIsMade gives a source without a study one, the same for everything that is derived from it.
func TestStudyIsMade(t *testing.T) {
	seen := map[string]bool{}
	for _, old := range []any{nil, ""} {
		fakes := dicomtest.Stack(3)
		for _, f := range fakes {
			delete(f.Values, part10.TagStudyInstanceUID)
			if old != nil {
				f.With(part10.TagStudyInstanceUID, old)
			}
		}
		_, s := dicomtest.OnDisk(t, fakes)
		out := filepath.Join(t.TempDir(), "out")
		dicomtest.Write(t, out, s, s.Volume.Clone())
		for _, name := range dicomtest.Names(t, out) {
			seen[string(dicomtest.ElementBytes(t, dicomtest.ReadSourceFile(t, out, name))[part10.TagStudyInstanceUID])] = true
		}
	}
	for uid := range seen {
		if len(seen) != 1 || !strings.Contains(uid, "2.25.") {
			t.Errorf("study UIDs %v", seen)
		}
	}
}
