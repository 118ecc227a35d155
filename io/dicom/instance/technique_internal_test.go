package instance

import (
	"maps"
	"slices"
	"testing"

	"quell/io/dicom/part10"
)

// TestTechnique names the parameters by which a person compares two acquisitions, if the file says it.
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

// TestTemporalStep: a temporal resolution counts, else the repetition time of echo-planar images of slices.
func TestTemporalStep(t *testing.T) {
	epi := func(more map[part10.Tag]string) map[part10.Tag]string {
		out := map[part10.Tag]string{part10.TagScanningSequence: `EP\GR`, part10.TagMRAcquisitionType: "2D", part10.TagRepetitionTime: "5000"}
		maps.Copy(out, more)
		return out
	}
	for name, c := range map[string]struct {
		tags map[part10.Tag]string
		want float64
	}{
		"echo-planar":     {epi(nil), 5},
		"stated":          {epi(map[part10.Tag]string{part10.TagTemporalResolution: "2500"}), 2.5},
		"stated as 0":     {epi(map[part10.Tag]string{part10.TagTemporalResolution: "0"}), 5},
		"of a volume":     {epi(map[part10.Tag]string{part10.TagMRAcquisitionType: "3D"}), 0},
		"gradient echo":   {epi(map[part10.Tag]string{part10.TagScanningSequence: "GR"}), 0},
		"no time":         {epi(map[part10.Tag]string{part10.TagRepetitionTime: ""}), 0},
		"a negative time": {epi(map[part10.Tag]string{part10.TagRepetitionTime: "-1"}), 0},
		"nothing":         {nil, 0},
	} {
		var all [][]byte
		for _, tag := range slices.Sorted(maps.Keys(c.tags)) {
			all = append(all, text(tag, c.tags[tag]))
		}
		if got := temporalStep(attributes(t, all...)); got != c.want {
			t.Errorf("%s: %g; want %g", name, got, c.want)
		}
	}
}
