package dicom

import (
	"slices"

	"quell/io/dicom/assemble"
	"quell/io/dicom/instance"
	"quell/series"
)

// giveSteps gives a 4-D series in time the step that its files state, if they give all volumes one time, as some
// scanners do.
func giveSteps(entries []assemble.Entry) {
	times := map[*series.Group][]string{}
	for _, e := range entries {
		if g := e.Group; g != nil && g.Step == 0 && slices.Contains([]string{"repeat", "temporal position"}, g.Axis()) {
			times[g] = append(times[g], e.Stack[0].Distinctions[acquisitionTime])
			if len(slices.Compact(slices.Clone(times[g]))) == 1 && len(times[g]) == g.Len() {
				g.Step = e.Stack[0].TemporalStep
			}
		}
	}
}

// acquisitionTime is the index of that distinction.
var acquisitionTime = slices.IndexFunc(instance.Distinctions[:], func(d instance.Distinction) bool { return d.Name == "acquisition time" })
