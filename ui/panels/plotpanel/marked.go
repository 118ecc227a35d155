package plotpanel

import (
	"fmt"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/measure"
)

// Marked is what plots take from the marks on the slice.
type Marked struct {
	Line       *measure.Outline // that is profiled, in place of the row under the pointer; nil for none
	LineName   string
	LineNote   string           // the values along it
	Region     *measure.Outline // the region of the voxels that the histogram counts, in place of the slice's; nil for none
	RegionName string
	Rectangles []measure.Outline // all that lie on the slice, if Region is one of them
	Sigma      float64           // of the noise; 0 if it is not known
}

// in follows the label of an axis.
func (m Marked) in() string {
	if m.Region == nil {
		return ""
	}
	return fmt.Sprintf(lang.L(", in %s"), m.RegionName)
}

func (m Marked) equal(o Marked) bool {
	return m.LineName == o.LineName && m.LineNote == o.LineNote && m.RegionName == o.RegionName && m.Sigma == o.Sigma &&
		sameOutline(m.Line, o.Line) && sameOutline(m.Region, o.Region) &&
		slices.EqualFunc(m.Rectangles, o.Rectangles, func(a, b measure.Outline) bool { return sameOutline(&a, &b) })
}

func sameOutline(a, b *measure.Outline) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Shape == b.Shape && slices.Equal(a.Points, b.Points)
}
