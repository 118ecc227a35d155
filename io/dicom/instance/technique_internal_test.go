package instance

import (
	"maps"
	"slices"
	"testing"

	"quell/io/dicom/part10"
)

// TestTechnique names what a person compares two acquisitions by, if the file says it.
func TestTechnique(t *testing.T) {
	for want, tags := range map[string]map[part10.Tag]string{
		"":                    {},
		"120 kV":              {part10.TagKVP: "120 ", part10.TagEchoTime: "4"},
		"80.5 kV":             {part10.TagKVP: "80.5"},
		"TR 2300  TE 2.98 ms": {part10.TagRepetitionTime: "2300", part10.TagEchoTime: "2.98", part10.TagKVP: "0"},
		"TE 20 ms":            {part10.TagEchoTime: "20", part10.TagRepetitionTime: "none"},
	} {
		var all [][]byte
		for _, tag := range slices.Sorted(maps.Keys(tags)) {
			all = append(all, text(tag, tags[tag]))
		}
		if got := technique(attributes(t, all...)); got != want {
			t.Errorf("%v: %q; want %q", tags, got, want)
		}
	}
}
