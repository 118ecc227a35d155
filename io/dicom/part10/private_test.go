package part10_test

import (
	"encoding/binary"
	"testing"

	"quell/io/dicom/part10"
)

// TestPrivateBlocks reads private elements through the element that names their owner, wherever it puts the block; of
// another owner's block nothing is read, and of a block without an owner what fits the maker.
func TestPrivateBlocks(t *testing.T) {
	const usual = part10.TagGEBValue // (0043,1039)
	text := func(tag part10.Tag, vr, v string) []byte {
		return part10.AppendElement(nil, part10.ExplicitLE, tag, vr, []byte(v))
	}
	double := func(tag part10.Tag) []byte {
		return part10.AppendElement(nil, part10.ExplicitLE, tag, "FD", binary.LittleEndian.AppendUint64(nil, 0))
	}
	maker := func(v string) []byte { return text(part10.TagManufacturer, "LO", v) }
	const ge = "GE MEDICAL SYSTEMS"
	for name, c := range map[string]struct {
		elements [][]byte
		want     string
		guess    bool
	}{
		"usual place":                {[][]byte{text(0x00430010, "LO", "GEMS_PARM_01"), text(usual, "IS", "700 ")}, "700", false},
		"second block":               {[][]byte{text(0x00430010, "LO", "OTHER "), text(0x00430011, "LO", "GEMS_PARM_01"), text(usual, "IS", "1 "), text(0x00431139, "IS", "700 ")}, "700", false},
		"last block":                 {[][]byte{text(0x004300FF, "LO", "GEMS_PARM_01"), text(0x0043FF39, "IS", "700 ")}, "700", false},
		"unknown VR":                 {[][]byte{text(0x00430011, "LO", "GEMS_PARM_01"), text(0x00431139, "UN", "700 ")}, "700", false},
		"another owner":              {[][]byte{maker(ge), text(0x00430010, "LO", "OTHER "), text(usual, "IS", "700 ")}, "", false},
		"no owner":                   {[][]byte{maker(ge), text(usual, "IS", "700 ")}, "700", true},
		"no owner, unknown VR":       {[][]byte{maker(ge), text(usual, "UN", "700 ")}, "700", true},
		"no owner, short maker":      {[][]byte{maker("GE"), text(usual, "IS", "700 ")}, "700", true},
		"no owner, another maker":    {[][]byte{maker("GENERIC"), text(usual, "IS", "700 ")}, "", false},
		"no owner, no maker":         {[][]byte{text(usual, "IS", "700 ")}, "", false},
		"no owner, another VR":       {[][]byte{maker(ge), double(usual)}, "", false},
		"no owner, not usual":        {[][]byte{maker(ge), text(0x00431139, "IS", "700 ")}, "", false},
		"owner of another group":     {[][]byte{text(0x00190010, "LO", "GEMS_PARM_01"), text(0x00191039, "IS", "700 ")}, "", false},
		"owner of the next block":    {[][]byte{text(0x00430011, "LO", "GEMS_PARM_01"), text(usual, "IS", "700 ")}, "", false},
		"both blocks, the first one": {[][]byte{text(0x00430010, "LO", "GEMS_PARM_01"), text(0x00430011, "LO", "GEMS_PARM_01"), text(usual, "IS", "700 "), text(0x00431139, "IS", "1 ")}, "700", false},
	} {
		b := text(part10.TagSOPClassUID, "UI", "1.2.840.10008.5.1.4.1.1.4")
		for _, e := range c.elements {
			b = append(b, e...)
		}
		p, err := part10.TokenizeBytes(b, func(tag part10.Tag) bool { return tag == usual })
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a, err := part10.ReadValues(p)
		if got := a.Text(usual); err != nil || got != c.want || p.Guessed != c.guess {
			t.Errorf("%s: %q, by guess %v, %v", name, got, p.Guessed, err)
		}
	}
}
