package charset_test

import (
	"testing"

	"quell/io/dicom/part10/charset"
)

// TestDecode decodes names as PS3.5 annexes H, I, J and K print them, and names
// with a character set that is missing, unknown or wrong.
func TestDecode(t *testing.T) {
	for _, c := range []struct {
		raw   string
		terms []string
		want  string
	}{
		{"Yamada^Tarou=\x1b$B;3ED\x1b(B^\x1b$BB@O:\x1b(B=\x1b$B$d$^$@\x1b(B^\x1b$B$?$m$&\x1b(B", []string{"", "ISO 2022 IR 87"}, "Yamada^Tarou=山田^太郎=やまだ^たろう"},
		{"\xd4\xcf\xc0\xde^\xc0\xdb\xb3=\x1b$B;3ED\x1b(J^\x1b$BB@O:\x1b(J", []string{"ISO 2022 IR 13", "ISO 2022 IR 87"}, "ﾔﾏﾀﾞ^ﾀﾛｳ=山田^太郎"},
		{"Hong^Gildong=\x1b$)C\xfb\xf3^\x1b$)C\xd1\xce\xd4\xd7=\x1b$)C\xc8\xab^\x1b$)C\xb1\xe6\xb5\xbf", []string{"", "ISO 2022 IR 149"}, "Hong^Gildong=洪^吉洞=홍^길동"},
		{"Wang^XiaoDong=\xe7\x8e\x8b^\xe5\xb0\x8f\xe6\x9d\xb1=", []string{"ISO_IR 192"}, "Wang^XiaoDong=王^小東="},
		{"Wang^XiaoDong=\xcd\xf5^\xd0\xa1\xb6\xab=", []string{"GB18030"}, "Wang^XiaoDong=王^小东="},
		{"Zhang^XiaoDong=\x1b$)A\xd5\xc5^\x1b$)A\xd0\xa1\xb6\xab=", []string{"", "ISO 2022 IR 58"}, "Zhang^XiaoDong=张^小东="},
		{"Buc^J\xe9r\xf4me", []string{"ISO_IR 100"}, "Buc^Jérôme"},
		{"\xbb\xee\xda\x63\x65\xdc\xd1\x79\x70\xd3", []string{"ISO_IR 144"}, "Люкceмбypг"},
		{"\xe1\xa2\xc1", []string{"ISO_IR 166"}, "แขม"},
		{"\xc4neas", []string{"ISO 2022 IR 6", "ISO 2022 IR 100"}, "Äneas"},
		{"\x1b-AM\xfcller \x1b-F\xe4", []string{"", "ISO 2022 IR 100", "ISO 2022 IR 126"}, "Müller δ"},
		{"M\xfcller", nil, "Müller"},                     // missing
		{"M\xc3\xbcller", nil, "Müller"},                 // missing, and UTF-8
		{"M\xfcller", []string{"ISO_IR 192"}, "Müller"},  // wrong
		{"M\xfcller", []string{"ISO_IR 9999"}, "Müller"}, // unknown
		{"M\xfcller", []string{"iso-8859-1"}, "Müller"},  // not DICOM's name for it
		{"end \x1b", []string{"ISO 2022 IR 87"}, "end "}, // no sequence
		{"\x1b$B;", []string{"", "ISO 2022 IR 87"}, ";"}, // half a character
		{"plain", []string{"ISO_IR 100", "x"}, "plain"},
		{"\xcd\xf5", []string{"GBK"}, "王"},
		{"\x1b$(D\x30\x21\x1b(B.", []string{"", "ISO 2022 IR 159"}, "丂."}, // the first kanji of JIS X 0212
		{"\x1b$B;3 ;3", []string{"", "ISO 2022 IR 87"}, "山 山"},            // a blank is one byte
		{"\x1b$B;3\x1b(BA", []string{"", "ISO 2022 IR 87"}, "山A"},
		{"\x1b$B!\"", []string{"", "ISO 2022 IR 87"}, "、"},                            // in the first row of JIS X 0208
		{"M\xfcller", []string{"", "x"}, "Müller"},                                    // several terms, none known
		{"\x80\x1b-F\xe4", []string{"ISO 2022 IR 100", "ISO 2022 IR 126"}, "\u0080δ"}, // the lowest byte of the upper half
	} {
		if got := charset.Decode(c.raw, c.terms); got != c.want {
			t.Errorf("%q in %q is %q, want %q", c.raw, c.terms, got, c.want)
		}
	}
}

func TestIsASCII(t *testing.T) {
	for text, want := range map[string]bool{"": true, "Name ~\x7f": true, "\x80": false, "a\x80": false, "\xff": false, "\x1b": false, "\x1a\x1c": true} {
		if got := charset.IsASCII([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
