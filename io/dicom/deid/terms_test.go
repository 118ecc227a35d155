package deid

import (
	"bytes"
	"strings"
	"testing"

	"quell/io/dicom/part10"
)

// TestTermsStayAndNamesGo cleans values on both sides of each rule.
func TestTermsStayAndNamesGo(t *testing.T) {
	p := Pseudonyms{[]byte("secret")}
	for _, x := range []struct {
		tag        part10.Tag
		vr, value  string
		left, gone string // what is found in the output, and what is not
	}{
		{part10.TagImageType, "CS", `ORIGINAL\PRIMARY\AXIAL\CT_SOM5 SPI`, `ORIGINAL\PRIMARY\AXIAL\CT_SOM5 SPI`, ""},
		{part10.TagImageType, "CS", `DERIVED\SECONDARY\M\ND\SMITH`, `DERIVED\SECONDARY\M\ND\Q`, "SMITH"},
		{0x00180022, "CS", `FS\PFF\SMITH `, `FS\PFF\Q`, "SMITH"},
		{0x00180022, "CS", "HELICAL MOOR", "Q", "HELICAL"},
		{part10.TagSpecificCharacterSet, "CS", `ISO 2022 IR 100\ISO 2022 IR 126`, `ISO 2022 IR 100\ISO 2022 IR 126`, ""},
		{part10.TagModality, "CS", "ISO_IR 100", "Q", "ISO"},
		{tagSequenceName, "SH", "*ep_b1000#12", "*ep_b1000#12", ""},
		{tagSequenceName, "SH", "*ep_smith", "Q", "smith"},
		{0x00181251, "SH", "SMITH", "Q", "SMITH"},
		{0x00181251, "SH", "HEAD", "HEAD", ""},
		{0x00283003, "LO", "SMITH", "", "SMITH"},
		{part10.TagSeriesNumber, "IS", "12", "12", ""},
		{part10.TagSeriesNumber, "IS", "SMITH ", "", "SMITH"},
		{part10.TagSliceThickness, "DS", `-1.5E-3\2`, `-1.5E-3\2`, ""},
	} {
		out, _, err := Apply(dataset(t, element(x.tag, x.vr, x.value)), p)
		if err != nil || !bytes.Contains(out, []byte(x.left)) || x.gone != "" && bytes.Contains(out, []byte(x.gone)) {
			t.Errorf("%v %q became %q, %v", x.tag, x.value, out, err)
		}
	}
	lut := part10.AppendSequence(nil, part10.ExplicitLE, tagVOILUTSequence, element(0x00283006, "OW", "SMITHS"))
	if out, _, err := Apply(dataset(t, lut, element(part10.TagModality, "CS", "CT")), p); err != nil || strings.Contains(string(out), "SMITH") {
		t.Errorf("%q, %v", out, err)
	}
	a, b := p.technique(part10.TagImageType, []byte("SMITH")), p.technique(part10.TagImageType, []byte("JONES"))
	if bytes.Equal(a, b) || len(a) > 16 || !bytes.Equal(a, p.technique(part10.TagImageType, []byte("SMITH "))) {
		t.Errorf("%s, %s: what differs does not differ, or the value is too long", a, b)
	}
}
