package dicomtest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"quell/io/dicom/part10"
)

// The marks of an identity, in plain text, in other character sets, and as UIDs.
const (
	Mark      = "GEHEIM"
	markLatin = "M\xfcller"
	markKanji = "\x1b$B;3ED\x1b(B"
	markUTF8  = "山田"
	MarkUID   = "1.2.77777"
)

var marks = []string{Mark, markLatin, ";3ED", markUTF8, MarkUID}

// MarkedText is a text that holds every mark but the UID's.
const MarkedText = Mark + "^" + markLatin + "=" + markKanji + "=" + markUTF8

// WantNoMarks fails if a file of dir holds a mark.
func WantNoMarks(t *testing.T, dir string) {
	t.Helper()
	for _, name := range Names(t, dir) {
		WantUnmarked(t, name, ReadSourceFile(t, dir, name))
	}
}

// WantUnmarked fails if a text or file holds a mark.
func WantUnmarked(t *testing.T, name string, file []byte) {
	t.Helper()
	for _, m := range marks {
		if at := bytes.Index(file, []byte(m)); at >= 0 {
			t.Errorf("%s holds %q: %q", name, m, file[max(0, at-40):min(len(file), at+20)])
		}
	}
}

// EveryText returns all attributes of the data dictionary, and others, that a text could be hidden in, but those that are
// kept.
func EveryText(kept func(part10.Tag) bool, others ...part10.Tag) []part10.Tag {
	seen := map[part10.Tag]bool{}
	for _, t := range others {
		seen[t] = true
	}
	for group := 0x0008; group <= 0x0088; group += 2 {
		for element := 1; element <= 0xFFFF; element++ {
			seen[part10.Tag(group<<16|element)] = true
		}
	}
	var out []part10.Tag
	for t := range seen {
		switch part10.DictionaryVR(t) {
		case "AE", "AS", "DA", "DT", "LO", "LT", "PN", "SH", "ST", "TM", "UC", "UR", "UT", "UI", "OB":
			if !kept(t) && t.Group() > 2 && t != part10.TagPixelData {
				out = append(out, t)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Marked returns the encoded elements with a mark in each.
func Marked(enc part10.Encoding, tags []part10.Tag) []byte {
	var b []byte
	for _, t := range tags {
		b = part10.AppendElement(b, enc, t, part10.DictionaryVR(t), markedValue(t))
	}
	return b
}

func markedValue(t part10.Tag) []byte {
	if part10.DictionaryVR(t) == "UI" {
		return fmt.Appendf(nil, MarkUID+".%d", t)
	}
	return []byte(MarkedText)
}

// Identified returns slices that hold an identity wherever one could be: in every
// text, date, UID and opaque attribute of tags, at the top level and in
// sequences, private and public, known and unknown lengths, curves and overlays.
func Identified(enc part10.Encoding, tags []part10.Tag) map[string]*Fake {
	fakes := Stack(3)
	for _, f := range fakes {
		f.Enc = enc
		for _, t := range tags {
			if f.Values[t] == nil {
				f.With(t, markedValue(t))
			}
		}
		f.With(part10.TagPatientName, MarkedText).With(part10.TagPatientID, MarkedText).With(part10.TagSeriesDescription, MarkedText)
		f.With(part10.TagSOPInstanceUID, MarkUID+f.Values[part10.TagSOPInstanceUID].(string)[5:])
		f.With(part10.TagStudyInstanceUID, MarkUID+".1").With(part10.TagSeriesInstanceUID, MarkUID+".2").With(part10.TagFrameOfReferenceUID, MarkUID+".9")
		item := slices.Concat(Marked(enc, tags),
			part10.AppendElement(nil, enc, 0x00090010, "LO", []byte("MAKER")),
			part10.AppendElement(nil, enc, 0x00091001, "LO", []byte(MarkedText)))
		nested := part10.AppendElement(nil, enc, part10.TagReferencedSOPInstanceUID, "UI", []byte(MarkUID+".5"))
		nested = append(nested, SequenceOf(enc, part10.TagReferencedSeriesSequence, "SQ", enc, item)...)
		for i, t := range []part10.Tag{0x00081140, part10.TagSourceImageSequence, part10.TagContributingEquipmentSequence, 0x00081032, 0x00080082,
			0x00081072, 0x0040A730, 0x00180026, 0x00540016, 0x00088888} {
			sq := part10.AppendSequence(nil, enc, t, nested, item)
			if i%2 == 1 {
				sq = SequenceOf(enc, t, "SQ", enc, nested, item)
			}
			f.With(t, RawElement(sq))
		}
		// A sequence that its writer did not know has implicit items in every encoding.
		f.With(0x00540016, RawElement(SequenceOf(enc, 0x00540016, "UN", part10.ImplicitLE, Marked(part10.ImplicitLE, tags),
			part10.AppendElement(nil, part10.ImplicitLE, 0x00181074, "DS", []byte("370")))))
		f.With(0x00080082, RawElement(part10.AppendSequence(nil, enc, 0x00080082, part10.CodeItem(enc, part10.Code{Value: Mark, Scheme: Mark, Meaning: Mark}))))
		f.With(0x00090010, RawElement(part10.AppendElement(nil, enc, 0x00090010, "LO", []byte("MAKER"))))
		for _, t := range []part10.Tag{0x00091001, 0x50003000, 0x60003000, 0x60001500, 0x00088889} {
			f.With(t, RawElement(part10.AppendElement(nil, enc, t, "LO", []byte(MarkedText))))
		}
		f.With(part10.TagDataSetTrailingPadding, []byte(MarkedText+" "))
	}
	return fakes
}
