package dicom

import (
	"maps"
	"slices"
	"testing"
)

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
