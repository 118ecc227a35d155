// Package charset decodes the text of DICOM files, which is in the character sets of
// PS3.3 C.12.1.1.2, to UTF-8. Text is decoded to be displayed only: a series is
// exported with the bytes of its source.
package charset

import (
	"strconv"
	"strings"
	"unicode/utf8"

	xtext "golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
)

// characterSets are the sets of one byte, or two from 0x80 on, by their number in
// the registry that the defined terms name (PS3.3 C.12.1.1.2).
var characterSets = map[int]xtext.Encoding{
	13:  japanese.ShiftJIS, // its one-byte part is JIS X 0201
	58:  simplifiedchinese.GBK,
	100: charmap.ISO8859_1, 101: charmap.ISO8859_2, 109: charmap.ISO8859_3, 110: charmap.ISO8859_4,
	126: charmap.ISO8859_7, 127: charmap.ISO8859_6, 138: charmap.ISO8859_8, 144: charmap.ISO8859_5,
	148: charmap.ISO8859_9, 203: charmap.ISO8859_15,
	149: korean.EUCKR,
	166: charmap.Windows874,
}

// Registry numbers of the sets that are written in ASCII's place, two bytes each.
const (
	kanji              = 87
	supplementaryKanji = 159
)

// escapes are the sequences that change a set in mid-text (PS3.3 tables C.12-3 and
// C.12-4): the one below 0x80 (0 is ASCII) or the one from there on.
var escapes = map[string]struct {
	low bool
	set int
}{
	"\x1b(B": {true, 0}, "\x1b(J": {true, 0}, "\x1b$B": {true, kanji}, "\x1b$@": {true, kanji}, "\x1b$(D": {true, supplementaryKanji},
	"\x1b)I": {false, 13}, "\x1b$)A": {false, 58}, "\x1b$)C": {false, 149},
	"\x1b-A": {false, 100}, "\x1b-B": {false, 101}, "\x1b-C": {false, 109}, "\x1b-D": {false, 110}, "\x1b-F": {false, 126},
	"\x1b-G": {false, 127}, "\x1b-H": {false, 138}, "\x1b-L": {false, 144}, "\x1b-M": {false, 148}, "\x1b-T": {false, 166},
	"\x1b-b": {false, 203},
}

// Decode returns a text as UTF-8. terms is the value of Specific Character Set. If
// that is missing, unknown or wrong, bytes that are UTF-8 are taken for it and
// others for Latin-1, which is what scanners meant.
func Decode(raw string, terms []string) string {
	if IsASCII([]byte(raw)) {
		return raw
	}
	first := ""
	if len(terms) > 0 {
		first = terms[0]
	}
	switch number := registryNumber(first); {
	case first == "GB18030":
		return decodeBytes(simplifiedchinese.GB18030, raw)
	case first == "GBK":
		return decodeBytes(simplifiedchinese.GBK, raw)
	case characterSets[number] != nil:
		return decodeEscaped(raw, number)
	case len(terms) > 1 || strings.Contains(raw, "\x1b"):
		return decodeEscaped(raw, 100)
	case utf8.ValidString(raw):
		return raw
	default:
		return decodeBytes(charmap.ISO8859_1, raw)
	}
}

// registryNumber returns the number at the end of a defined term ("ISO_IR 100",
// "ISO 2022 IR 100", and misspellings of them); 0 if there is none.
func registryNumber(term string) int {
	n, _ := strconv.Atoi(term[strings.LastIndexAny(term, " _-R")+1:])
	return n
}

// decodeEscaped decodes text in which escape sequences may change the sets. high
// is the set from 0x80 on that it begins with.
func decodeEscaped(raw string, high int) string {
	var out strings.Builder
	low := 0
	for raw != "" {
		n := 1
		switch {
		case raw[0] == '\x1b':
			for _, n = range []int{4, 3, 1} {
				if e, ok := escapes[raw[:min(n, len(raw))]]; ok && e.low {
					low = e.set
					break
				} else if ok {
					high = e.set
					break
				}
			}
		case raw[0] >= utf8.RuneSelf:
			for n < len(raw) && raw[n] >= utf8.RuneSelf {
				n++
			}
			out.WriteString(decodeBytes(characterSets[high], raw[:n]))
		case low != 0 && raw[0] > ' ' && len(raw) > 1:
			n = 2
			euc := string([]byte{raw[0] | 0x80, raw[1] | 0x80})
			if low == supplementaryKanji {
				euc = "\x8f" + euc
			}
			out.WriteString(decodeBytes(japanese.EUCJP, euc))
		default:
			out.WriteByte(raw[0])
		}
		raw = raw[min(n, len(raw)):]
	}
	return out.String()
}

// decodeBytes returns s with U+FFFD for bytes outside the set.
func decodeBytes(set xtext.Encoding, s string) string {
	out, err := set.NewDecoder().String(s)
	if err != nil {
		return strings.ToValidUTF8(s, string(utf8.RuneError))
	}
	return out
}

// IsASCII reports whether text is ASCII without escape sequences, which every character
// set shows alike.
func IsASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 || c == 0x1B { // ESC begins another set of ISO 2022
			return false
		}
	}
	return true
}
