package derive

import (
	"strings"
	"testing"

	"quell/io/dicom/part10"
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
		s := image{Derived: &Derived{Suffix: "DN"}, Dataset: part10.Dataset{Bytes: []byte(text), File: &part10.File{Elements: []part10.Element{
			{Tag: part10.TagSpecificCharacterSet, End: int64(len(c.charset))},
			{Tag: part10.TagSeriesDescription, Value: int64(len(c.charset)), End: int64(len(text))},
		}}}}
		if got := string(s.seriesDescription()); got != c.want {
			t.Errorf("%s: %q, want %q", c.charset, got, c.want)
		}
	}
}
