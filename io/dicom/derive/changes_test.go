package derive

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/suyashkumar/dicom/pkg/tag"
)

var update = flag.Bool("update", false, "write docs/reference/derived.csv")

// whenTexts are the conditions in words.
var whenTexts = map[when]string{
	always: "set", unlessPET: "set; in PET that of the source", ungrouped: "set in images without functional groups",
	grouped: "set in images with functional groups", present: "replaced if the source has it", missing: "set if the source has none",
	removed: "removed", groupRemoved: "removed from classes with functional groups", cutRemoved: "removed if frames are left out",
	numbered: "set in series of several volumes",
}

// TestChanges: docs/reference/derived.csv, to which the conformance statement refers, lists the attributes that a derived
// series states otherwise than its source.
func TestChanges(t *testing.T) {
	const path = "../../../docs/reference/derived.csv"
	var b strings.Builder
	b.WriteString("tag,attribute,VR,change\n")
	for _, r := range derivedAttributes {
		name := ""
		if info, err := tag.Find(tag.Tag{Group: uint16(r.tag >> 16), Element: uint16(r.tag)}); err == nil {
			name = info.Keyword
		}
		if whenTexts[r.when] == "" {
			t.Errorf("%08X: condition %d has no words", uint32(r.tag), r.when)
		}
		fmt.Fprintf(&b, "\"(%04X,%04X)\",%s,%s,%s\n", uint32(r.tag)>>16, uint32(r.tag)&0xFFFF, name, strings.Replace(r.vr, "xs", "US or SS", 1), whenTexts[r.when])
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != b.String() {
		t.Errorf("%s is not what the code does; -update writes it, then go test ./app/pacs -run Conformance -update (%v)", path, err)
	}
}
