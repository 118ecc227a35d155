package derive

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/volume"
)

// TestTextLimits keeps descriptions inside their VR.
func TestTextLimits(t *testing.T) {
	s := image{Derived: &Derived{Suffix: "nlm 3-D", Description: strings.Repeat("long ", 300)}}
	set := func(old string) {
		s.Bytes = []byte(old)
		s.File = &part10.File{Elements: []part10.Element{{Tag: part10.TagSeriesDescription, End: int64(len(old))}, {Tag: part10.TagDerivationDescription, End: int64(len(old))}}}
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

// TestClippedTexts: a text longer than its VR is cut to 64 or 1024 characters.
func TestClippedTexts(t *testing.T) {
	s := image{Derived: &Derived{Suffix: strings.Repeat("s", 70), Description: strings.Repeat("d", 1030), Version: strings.Repeat("v", 70)}}
	s.Encoding, s.File = part10.ExplicitLE, &part10.File{}
	if got := string(s.seriesDescription()); got != strings.Repeat("s", 64) {
		t.Errorf("suffix of %d characters", len(got))
	}
	if got := string(s.derivationDescription()); got != strings.Repeat("d", 1024) {
		t.Errorf("description of %d characters", len(got))
	}
	for what, c := range map[string]struct {
		item []byte
		char string
		n    int
	}{"version": {s.contributingEquipment(), "v", 64}, "description": {s.derivationImage(1), "d", 1024}} {
		if longest := strings.Repeat(c.char, c.n); !strings.Contains(string(c.item), longest) || strings.Contains(string(c.item), longest+c.char) {
			t.Errorf("%s: not %d characters: %q", what, c.n, c.item)
		}
	}
	// A text of one character is kept.
	s = image{Derived: &Derived{Suffix: "DN", Description: "mean"}}
	for tag, want := range map[part10.Tag]string{part10.TagSeriesDescription: "x DN", part10.TagDerivationDescription: "x; mean"} {
		one := textImage(map[part10.Tag]string{tag: "x"})
		one.Derived = s.Derived
		got := string(one.derivationDescription())
		if tag == part10.TagSeriesDescription {
			got = string(one.seriesDescription())
		}
		if got != want {
			t.Errorf("%v: %q, want %q", tag, got, want)
		}
	}
}

// TestSeriesDescriptionAtTheLimit: with the suffix it fills 64 characters exactly, or is cut.
func TestSeriesDescriptionAtTheLimit(t *testing.T) {
	for n, kept := range map[int]int{60: 60, 61: 61, 62: 61} {
		s := textImage(map[part10.Tag]string{part10.TagSeriesDescription: strings.Repeat("x", n)})
		s.Suffix = "DN"
		if got := string(s.seriesDescription()); got != strings.Repeat("x", kept)+" DN" {
			t.Errorf("%d characters: %q", n, got)
		}
	}
}

// TestContributingEquipment says who worked on the image, when and as what.
func TestContributingEquipment(t *testing.T) {
	s := image{Derived: &Derived{Version: "1.2", Now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}}
	s.Encoding, s.File = part10.ExplicitLE, &part10.File{}
	element := func(tag part10.Tag, vr, v string) []byte {
		return part10.AppendElement(nil, part10.ExplicitLE, tag, vr, []byte(v))
	}
	item := s.contributingEquipment()
	for _, want := range [][]byte{
		element(part10.TagManufacturer, "LO", "Quell"), element(part10.TagManufacturerModelName, "LO", "Quell"), element(part10.TagSoftwareVersions, "LO", "1.2"),
		part10.AppendCode(nil, part10.ExplicitLE, part10.TagPurposeOfReferenceCodeSequence, processingEquipment),
	} {
		if !bytes.Contains(item, want) {
			t.Errorf("% x is missing in % x", want, item)
		}
	}
	if !bytes.Contains(item, []byte("20260304050607")) {
		t.Errorf("the time is missing in %q", item)
	}
	reference := s.sourceReference(3)
	for _, want := range [][]byte{element(part10.TagReferencedFrameNumber, "IS", "3"), element(part10.TagSpatialLocationsPreserved, "CS", "YES"),
		element(part10.TagReferencedSOPClassUID, "UI", ""), element(part10.TagReferencedSOPInstanceUID, "UI", ""),
		part10.AppendCode(nil, part10.ExplicitLE, part10.TagPurposeOfReferenceCodeSequence, sourceForProcessing)} {
		if !bytes.Contains(reference, want) {
			t.Errorf("% x is missing in % x", want, reference)
		}
	}
	if bytes.Contains(s.sourceImage(), element(part10.TagReferencedFrameNumber, "IS", "")[:4]) {
		t.Error("a frame of a single image is named")
	}
}

// TestNumbersInTexts of two digits are decimal.
func TestNumbersInTexts(t *testing.T) {
	s := image{Derived: &Derived{}, slices: make([]*instance.Slice, 12)}
	s.Encoding, s.File = part10.ExplicitLE, &part10.File{}
	if got := string(s.numberOfFrames()); got != "12" {
		t.Errorf("%s frames", got)
	}
	for frame, want := range map[int]bool{0: false, 1: true, 12: true} {
		ref := part10.AppendElement(nil, part10.ExplicitLE, part10.TagReferencedFrameNumber, "IS", fmt.Append(nil, frame))
		if got := bytes.Contains(s.sourceReference(frame), ref); got != want {
			t.Errorf("frame %d is named: %v", frame, got)
		}
	}
}

// TestCutFrames copies the frames that are exported, and pads them to an even length.
func TestCutFrames(t *testing.T) {
	raw := []byte{0, 1, 2, 10, 11, 12, 20, 21, 22}
	for want, frames := range map[string][]int{"\x14\x15\x16\x00": {2}, "\x14\x15\x16\x00\x01\x02": {2, 0}, "\x0a\x0b\x0c\x00": {1}} {
		s := image{format: pixel.Format{Rows: 1, Cols: 3, Samples: 1, Allocated: 8}}
		for _, f := range frames {
			s.slices = append(s.slices, &instance.Slice{Frame: f})
		}
		if got := string(s.cutFrames(raw)); got != want {
			t.Errorf("frames %v: % x, want % x", frames, got, want)
		}
	}
}

// TestMosaicHeader states the direction from the first slice to the last, row x column if
// there is one.
func TestMosaicHeader(t *testing.T) {
	normal := volume.Vec{0, 0, 1}
	for what, c := range map[string]struct {
		z    []float64
		want volume.Vec
	}{"upwards": {[]float64{0, 1, 2}, normal}, "downwards": {[]float64{2, 1, 0}, normal.Scale(-1)}, "one": {[]float64{5}, normal}} {
		var s image
		for _, z := range c.z {
			s.slices = append(s.slices, &instance.Slice{Row: volume.Vec{1, 0, 0}, Column: volume.Vec{0, 1, 0}, Position: volume.Vec{0, 0, z}})
		}
		if got := s.mosaicCSA(); !bytes.Equal(got, instance.AppendMosaicCSA(nil, len(c.z), c.want)) {
			t.Errorf("%s: %q", what, got)
		}
	}
}

// TestSeriesDescriptionOfManyBytes counts characters, not bytes, if the character
// set says how long one is.
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
		s := image{Derived: &Derived{Suffix: "DN"}, Dataset: part10.Dataset{Bytes: []byte(text), File: &part10.File{Elements: []part10.Element{
			{Tag: part10.TagSpecificCharacterSet, End: int64(len(c.charset))},
			{Tag: part10.TagSeriesDescription, Value: int64(len(c.charset)), End: int64(len(text))},
		}}}}
		if got := string(s.seriesDescription()); got != c.want {
			t.Errorf("%s: %q, want %q", c.charset, got, c.want)
		}
	}
}
