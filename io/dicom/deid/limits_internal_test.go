package deid

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"quell/io/dicom/part10"
)

// dataset returns the elements as a tokenized file in explicit little endian.
func dataset(t *testing.T, elements ...[]byte) *part10.Dataset {
	t.Helper()
	b := slices.Concat(append([][]byte{part10.AppendFileMeta(nil, "1.2", "1.2.3", part10.UIDExplicitLE, "")}, elements...)...)
	p, err := part10.TokenizeBytes(b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &part10.Dataset{Bytes: b, File: p, Encoding: part10.ExplicitLE}
}

func element(t part10.Tag, vr, value string) []byte {
	return part10.AppendElement(nil, part10.ExplicitLE, t, vr, []byte(value))
}

// TestDepthOfDeidentifiedSequences cleans sequences nested 64 deep and refuses 65.
func TestDepthOfDeidentifiedSequences(t *testing.T) {
	for depth, fits := range map[int]bool{64: true, 65: false} {
		b := element(part10.TagRescaleType, "LO", "HU")
		for range depth {
			b = part10.AppendSequence(nil, part10.ExplicitLE, part10.TagPixelMeasuresSequence, b)
		}
		_, _, err := Apply(dataset(t, b), Pseudonyms{})
		if (err == nil) != fits || err != nil && !strings.Contains(err.Error(), "deeper than 64") {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}

// TestCleanedElements removes group lengths and other pictures, and replaces texts inside a
// sequence that becomes a dummy.
func TestCleanedElements(t *testing.T) {
	pixels := element(part10.TagPixelData, "OW", "ab")
	group := element(0x00080000, "UL", "abcd")
	data, _, err := Apply(dataset(t, group, element(part10.TagModality, "CS", "CT"), part10.AppendSequence(nil, part10.ExplicitLE, part10.TagPixelMeasuresSequence, pixels, element(part10.TagSliceThickness, "DS", "3 ")), pixels), Pseudonyms{})
	want := slices.Concat(element(part10.TagModality, "CS", "CT"), part10.AppendSequence(nil, part10.ExplicitLE, part10.TagPixelMeasuresSequence, element(part10.TagSliceThickness, "DS", "3 ")), pixels)
	if err != nil || !bytes.Equal(data, want) {
		t.Errorf("%q, %v; want %q", data, err, want)
	}
	c := cleaner{b: slices.Concat(element(part10.TagManufacturer, "LO", "Maker"), element(part10.TagModality, "CS", "CT"), element(part10.TagCodeMeaning, "LO", ""))}
	elements := []part10.Element{{Tag: part10.TagManufacturer, VR: "LO", Value: 8, Length: 6, End: 14}, {Tag: part10.TagModality, VR: "CS", Start: 14, Value: 22, Length: 2, End: 24},
		{Tag: part10.TagCodeMeaning, VR: "LO", Start: 24, Value: 32, End: 32}}
	for hidden, maker := range map[bool]string{false: "Maker", true: "REMOVED"} {
		got, err := c.clean(nil, elements, part10.ExplicitLE, 1, hidden)
		want := slices.Concat(element(part10.TagManufacturer, "LO", maker), element(part10.TagModality, "CS", "CT"), element(part10.TagCodeMeaning, "LO", ""))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("hidden %v: %q, %v; want %q", hidden, got, err, want)
		}
	}
}

// TestTextsInDummySequences: a sequence that becomes a dummy keeps its form, whatever lies in
// it; texts in others stay.
func TestTextsInDummySequences(t *testing.T) {
	const dummySequence, plainSequence = 0x00080082, part10.TagPixelMeasuresSequence
	inner := part10.AppendSequence(nil, part10.ExplicitLE, plainSequence, element(part10.TagCodeMeaning, "LO", "x"))
	hidden := part10.AppendSequence(nil, part10.ExplicitLE, plainSequence, element(part10.TagCodeMeaning, "LO", "REMOVED"))
	for what, c := range map[string]struct{ from, want []byte }{
		"a dummy":       {part10.AppendSequence(nil, part10.ExplicitLE, dummySequence, inner), part10.AppendSequence(nil, part10.ExplicitLE, dummySequence, hidden)},
		"another":       {part10.AppendSequence(nil, part10.ExplicitLE, plainSequence, inner), part10.AppendSequence(nil, part10.ExplicitLE, plainSequence, inner)},
		"an empty text": {part10.AppendSequence(nil, part10.ExplicitLE, dummySequence, element(part10.TagCodeMeaning, "LO", "  ")), part10.AppendSequence(nil, part10.ExplicitLE, dummySequence, element(part10.TagCodeMeaning, "LO", ""))},
	} {
		if data, _, err := Apply(dataset(t, c.from), Pseudonyms{}); err != nil || !bytes.Equal(data, c.want) {
			t.Errorf("%s: %q, %v; want %q", what, data, err, c.want)
		}
	}
	// UIDs are replaced by pseudonyms, of one character too, and empty ones stay empty.
	p := Pseudonyms{[]byte("s")}
	for uid, want := range map[string]string{"1.2.3": string(p.UID([]byte("1.2.3"))), "1": string(p.UID([]byte("1"))), "": ""} {
		data, _, err := Apply(dataset(t, element(part10.TagFrameOfReferenceUID, "UI", uid)), p)
		if err != nil || !bytes.Equal(data, element(part10.TagFrameOfReferenceUID, "UI", want)) || uid != "" && !strings.HasPrefix(want, "2.25.") {
			t.Errorf("UID %q: %q, %v; want %q", uid, data, err, want)
		}
	}
}

// TestPseudonymsOfPatients depend on the ID and its issuer, or on the study alone if there
// is neither, and on the secret.
func TestPseudonymsOfPatients(t *testing.T) {
	of := func(secret, id, issuer, study string) string {
		return string(Pseudonyms{[]byte(secret)}.Patient(dataset(t, element(part10.TagPatientID, "LO", id), element(part10.TagIssuerOfPatientID, "LO", issuer), element(part10.TagStudyInstanceUID, "UI", study))))
	}
	a := of("s", "1", "", "1.2")
	if len(a) != 17 || a[0] != 'Q' || a != of("s", "1", "", "1.3") || a == of("s", "1", "x", "1.2") || a == of("t", "1", "", "1.2") || a == of("s", "2", "", "1.2") {
		t.Errorf("pseudonyms of an ID: %s", a)
	}
	if b := of("s", "", "", "1.2"); b == of("s", "", "", "1.3") || b != of("s", "", "", "1.2") || of("s", "", "x", "1.2") != of("s", "", "x", "1.3") {
		t.Errorf("pseudonyms without an ID: %s", b)
	}
}

// TestPseudonymsOfUIDs keep the UIDs of the standard and the number of values.
func TestPseudonymsOfUIDs(t *testing.T) {
	p := Pseudonyms{[]byte("s")}
	got := strings.Split(string(p.UID([]byte("1.2.840.10008.1\\ 1.2.3 \\\\1.2.3\x00"))), `\`)
	if len(got) != 4 || got[0] != "1.2.840.10008.1" || got[1] != got[3] || got[2] != "" || !strings.HasPrefix(got[1], "2.25.") || len(got[1]) > 64 {
		t.Errorf("%q", got)
	}
	if string(p.UID([]byte("1.2.840.100089.1"))) == "1.2.840.100089.1" {
		t.Error("a UID that begins almost as those of the standard is kept")
	}
}

// TestDummies have the form of their VR; other VRs have none.
func TestDummies(t *testing.T) {
	for vr, want := range map[string]string{"AS": "000D", "DA": "19000101", "TM": "000000.000000", "DT": "19000101000000.000000", "PN": "REMOVED", "LO": "REMOVED", "UT": "REMOVED", "DS": "", "UI": "", "SQ": "", "OB": ""} {
		if got := string(dummyValue(vr)); got != want {
			t.Errorf("%s: %q, want %q", vr, got, want)
		}
	}
}

// TestEmptiedItems keeps items that are empty in the source and removes items that become
// so.
func TestEmptiedItems(t *testing.T) {
	emptied := element(0x00091001, "LO", "private")
	data, _, err := Apply(dataset(t, part10.AppendSequence(nil, part10.ExplicitLE, part10.TagPixelMeasuresSequence, nil, emptied)), Pseudonyms{})
	if want := part10.AppendSequence(nil, part10.ExplicitLE, part10.TagPixelMeasuresSequence, nil); err != nil || !bytes.Equal(data, want) {
		t.Errorf("%q, %v; want %q", data, err, want)
	}
}

// TestSequencesOfUnknownVR keep it: their items are in implicit little endian.
func TestSequencesOfUnknownVR(t *testing.T) {
	inner := part10.AppendElement(nil, part10.ImplicitLE, part10.TagSliceThickness, "DS", []byte("3 "))
	dropped := part10.AppendElement(inner, part10.ImplicitLE, 0x00291010, "", []byte("private "))
	unknown := func(item []byte) []byte {
		return part10.AppendElement(nil, part10.ExplicitLE, part10.TagPixelMeasuresSequence, "UN", part10.AppendItem(nil, part10.ImplicitLE, item))
	}
	data, _, err := Apply(dataset(t, unknown(dropped)), Pseudonyms{})
	if want := unknown(inner); err != nil || !bytes.Equal(data, want) {
		t.Errorf("% x, %v; want % x", data, err, want)
	}
}
