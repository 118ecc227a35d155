package derive

import (
	"fmt"
	"unicode/utf16"

	"quell/io/dicom/part10"
	"quell/io/dicom/part10/charset"
)

// The recipe is kept in a private block (PS3.5 section 7.8.1). Group 1971 is odd, below
// the pixels, and used by no known scanner maker; the creator's name identifies the block
// even if it is used.
const (
	recipeGroup   = 0x1971
	recipeCreator = "QUELL"
	recipeElement = 0x01 // UT: the recipe's JSON
)

// recipeBlock returns the private creator and the recipe, in the block that Quell already
// has in the source, or in the first block without a creator and without elements.
func (s *image) recipeBlock() []part10.Edit {
	block := -1
	taken := map[uint16]bool{}
	for _, e := range s.File.Elements {
		switch n := e.Tag.Element(); {
		case e.Tag.Group() != recipeGroup:
		case n > 0xFF:
			taken[n>>8] = true
		case n >= 0x10:
			taken[n] = true
			if string(s.Text(e.Tag)) == recipeCreator {
				block = int(n)
			}
		}
	}
	for n := uint16(0x10); block < 0 && n <= 0xFF; n++ {
		if !taken[n] {
			block = int(n)
		}
	}
	if block < 0 {
		return nil
	}
	creator := part10.Tag(recipeGroup<<16 | block)
	recipe := part10.Tag(recipeGroup<<16 | block<<8 | recipeElement)
	return []part10.Edit{
		part10.Set(s.Encoding, creator, "LO", []byte(recipeCreator)),
		part10.Set(s.Encoding, recipe, "UT", asciiJSON(s.Recipe)),
	}
}

// asciiJSON escapes characters beyond ASCII, so that the text is the same in every
// character set.
func asciiJSON(b []byte) []byte {
	if charset.IsASCII(b) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for _, r := range string(b) {
		if r < 0x80 {
			out = append(out, byte(r))
			continue
		}
		for _, u := range utf16.AppendRune(nil, r) {
			out = fmt.Appendf(out, `\u%04x`, u)
		}
	}
	return out
}
