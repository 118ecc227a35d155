package deid

import (
	"slices"

	"quell/io/dicom/part10"
)

// ProfileTags returns the attributes of the standard's table.
func ProfileTags() []part10.Tag {
	var out []part10.Tag
	for _, row := range basicProfile() {
		out = append(out, row.Tag)
	}
	return out
}

// IsKept reports whether a text attribute keeps its value.
func IsKept(t part10.Tag) bool {
	return slices.ContainsFunc(furtherAttributes, func(r profileRow) bool { return r.Tag == t && r.Code == "K" })
}
