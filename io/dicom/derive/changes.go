package derive

import "quell/io/dicom/part10"

// Change is what becomes of one attribute of a source in a derived series, for the conformance statement.
type Change struct {
	Tag  part10.Tag
	VR   string // "" if the attribute is removed; "xs" for US or SS
	When string
}

// whenTexts are the conditions in words.
var whenTexts = map[when]string{
	always: "set", unlessPET: "set; in PET that of the source", ungrouped: "set in images without functional groups",
	grouped: "set in images with functional groups", present: "replaced if the source has it", missing: "set if the source has none",
	removed: "removed", groupRemoved: "removed from classes with functional groups", cutRemoved: "removed if frames are left out",
	numbered: "set in series of several volumes",
}

// Changes returns what a derived series states otherwise than its source, in the order of the table. All other
// attributes are copied byte for byte.
func Changes() []Change {
	all := make([]Change, len(derivedAttributes))
	for i, r := range derivedAttributes {
		all[i] = Change{r.tag, r.vr, whenTexts[r.when]}
	}
	return all
}
