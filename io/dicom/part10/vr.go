package part10

import (
	"strings"

	"github.com/suyashkumar/dicom/pkg/tag"
)

const (
	shortVRs = "AE AS AT CS DA DS DT FL FD IS LO LT PN SH SL SS ST TM UI UL US"
	longVRs  = "OB OD OF OL OV OW SQ SV UC UN UR UT UV"
)

// vrInfo describes a value representation.
type vrInfo struct {
	name string
	long bool // 32-bit length in explicit syntaxes
}

// vrs holds the value representations by their two letters: every element of
// every frame is looked up here.
var vrs = func() (table [26 * 26]*vrInfo) {
	for _, name := range strings.Fields(shortVRs) {
		table[int(name[0]-'A')*26+int(name[1]-'A')] = &vrInfo{name, false}
	}
	for _, name := range strings.Fields(longVRs) {
		table[int(name[0]-'A')*26+int(name[1]-'A')] = &vrInfo{name, true}
	}
	return table
}()

// vrOf returns the VR of two letters; nil if there is none.
func vrOf(a, b byte) *vrInfo {
	if a < 'A' || a > 'Z' || b < 'A' || b > 'Z' {
		return nil
	}
	return vrs[int(a-'A')*26+int(b-'A')]
}

func longVR(vr string) bool { return knownVR(vr) && vrOf(vr[0], vr[1]).long }

func knownVR(vr string) bool { return len(vr) == 2 && vrOf(vr[0], vr[1]) != nil }

// holdsText reports whether values of a VR are text: values of UN and of elements
// that without a VR ("") may be.
func holdsText(vr string) bool {
	return strings.Contains("AE AS CS DA DS DT IS LO LT PN SH ST TM UC UI UN UR UT", vr)
}

// DictionaryVR returns the first VR that the data dictionary gives a tag, or the VR of a
// private attribute that is read or owns a block; "UN" for others.
func DictionaryVR(t Tag) string {
	if p, ok := privateElements[t]; ok {
		return p.vr
	}
	if e := t.Element(); t.Group()%2 == 1 && e >= 0x10 && e <= 0xFF {
		return "LO"
	}
	info, err := tag.Find(tag.Tag{Group: t.Group(), Element: t.Element()})
	if err != nil || len(info.VRs) == 0 {
		return "UN"
	}
	return info.VRs[0]
}

// TagByKeyword returns the standard attribute of a keyword ("SliceThickness"); false if
// the dictionary has none.
func TagByKeyword(keyword string) (Tag, bool) {
	info, err := tag.FindByKeyword(keyword)
	return Tag(info.Tag.Uint32()), err == nil
}
