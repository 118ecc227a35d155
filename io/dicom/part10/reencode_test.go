package part10_test

import (
	"testing"

	"quell/io/dicom/part10"
)

// TestExplicitVR gives elements of implicit files the types that PS3.5 annex A.1 and
// PS3.6 give them.
func TestExplicitVR(t *testing.T) {
	for tag, want := range map[part10.Tag][2]string{ // unsigned, signed
		part10.TagPixelPaddingValue: {"US", "SS"},
		part10.TagPixelData:         {"OW", "OW"},
		0x00283006:                  {"OW", "OW"}, // LUT Data
		0x60000010:                  {"US", "US"}, // Overlay Rows
		0x60023000:                  {"OW", "OW"}, // Overlay Data of the second overlay
		0x00290010:                  {"LO", "LO"}, // a private creator,
		0x00291010:                  {"UN", "UN"}, // and what it reserved
		part10.TagRows:              {"US", "US"},
		0x00081140:                  {"SQ", "SQ"},
	} {
		if is := [2]string{part10.ExplicitVR(tag, false), part10.ExplicitVR(tag, true)}; is != want {
			t.Errorf("%v: %v, want %v", tag, is, want)
		}
	}
}
