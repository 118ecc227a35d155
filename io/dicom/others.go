package dicom

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/instance"
	"quell/io/dicom/part10"
)

// otherObjects says what DICOM files without an image hold: "2 Parametric Maps, 1 structured report".
func otherObjects(files []*instance.Instance) message.Message {
	counts := map[string]int{} // by the first SOP class of a kind
	for _, f := range files {
		counts[kindOf(f.SOPClass)]++
	}
	var all []message.Message
	for _, kind := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) }) {
		all = append(all, countOf(kind, counts[kind]))
	}
	return message.Join(", ", all...)
}

// The beginnings of the SOP class UIDs of some kinds of objects.
const (
	presentationStates = "1.2.840.10008.5.1.4.1.1.11."
	segmentations      = "1.2.840.10008.5.1.4.1.1.66.4"
	reports            = "1.2.840.10008.5.1.4.1.1.88."
	radiotherapy       = "1.2.840.10008.5.1.4.1.1.481."
)

// kindOf returns what stands for the kind of a SOP class: the beginning of its UID, or the UID.
func kindOf(class string) string {
	for _, start := range []string{presentationStates, segmentations, reports, radiotherapy} {
		if strings.HasPrefix(class, start) {
			return start
		}
	}
	return class
}

// countOf says that there are n objects of a kind.
func countOf(kind string, n int) message.Message {
	switch kind {
	case part10.ParametricMap:
		return message.Count(n, "Parametric Map", "Parametric Maps")
	case presentationStates:
		return message.Count(n, "presentation state", "presentation states")
	case segmentations:
		return message.Count(n, "segmentation", "segmentations")
	case reports:
		return message.Count(n, "structured report", "structured reports")
	case radiotherapy:
		return message.Count(n, "radiotherapy object", "radiotherapy objects")
	}
	return message.Text("%d of %s", n, part10.ClassName(kind))
}
