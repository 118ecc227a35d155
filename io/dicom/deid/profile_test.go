package deid

import (
	"maps"
	"slices"
	"testing"

	"quell/io/dicom/part10"
)

// TestProfileTable checks the table against the standard's own counts and rules.
func TestProfileTable(t *testing.T) {
	for i, row := range basicProfile() {
		if i > 0 && basicProfile()[i-1].Tag >= row.Tag {
			t.Errorf("%v stands before %v", basicProfile()[i-1].Tag, row.Tag)
		}
		if !slices.Contains([]string{"D", "Z", "X", "U", "X/Z", "X/D", "X/Z/D", "Z/D", "X/Z/U"}, row.Code) {
			t.Errorf("%v: code %q", row.Tag, row.Code)
		}
		if IsKept(row.Tag) {
			t.Errorf("%v is kept against the profile", row.Tag)
		}
	}
	for i, row := range furtherAttributes {
		if i > 0 && furtherAttributes[i-1].Tag >= row.Tag {
			t.Errorf("%v stands before %v", furtherAttributes[i-1].Tag, row.Tag)
		}
		if slices.ContainsFunc(basicProfile(), func(r profileRow) bool { return r.Tag == row.Tag }) {
			t.Errorf("%v is in the standard's table", row.Tag)
		}
	}
	// As printed in table E.1-1 of 2026c: how many rows have each code, and some.
	rows := map[string]int{}
	for _, row := range basicProfile() {
		rows[row.Code]++
	}
	if want := map[string]int{"D": 93, "U": 55, "X": 412, "X/D": 23, "X/Z": 11, "X/Z/D": 8, "X/Z/U": 2, "Z": 42, "Z/D": 6}; !maps.Equal(rows, want) {
		t.Errorf("rows by code: %v, want %v", rows, want)
	}
	for tag, want := range map[part10.Tag]action{
		part10.TagPatientName: empty, part10.TagPatientID: dummy, part10.TagAccessionNumber: empty, 0x00080081: remove, 0x00081070: dummy,
		part10.TagStudyDate: empty, 0x00100030: empty, 0x00101010: remove, 0x00204000: remove, part10.TagSOPInstanceUID: replaceID,
		part10.TagSOPClassUID: keep, 0x00091001: remove, 0x60003000: remove, 0x60000010: remove, 0x601E0040: remove, 0x50000005: remove, 0x00104000: remove, 0x00080008: keep,
		0x00102161: remove, 0x00081301: remove, 0x00041500: remove, 0x00281201: keep,
	} {
		if got := actionOf(tag, ""); got != want {
			t.Errorf("%v: %c, want %c", tag, got, want)
		}
	}
}

// TestActionOfAnotherVR removes an attribute that no table names if the file gives it a VR
// of another kind than the dictionary: a number may then be free text.
func TestActionOfAnotherVR(t *testing.T) {
	for vr, want := range map[string]action{"": keep, "DS": keep, "UN": keep, "FD": keep, "LO": remove, "UT": remove, "UI": remove, "OB": remove} {
		if got := actionOf(part10.TagSliceThickness, vr); got != want {
			t.Errorf("slice thickness of VR %q: %c, want %c", vr, got, want)
		}
	}
}
