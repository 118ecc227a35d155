package dicom

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"
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
