package lesions

import (
	"fmt"
	"strings"

	"quell/internal/message"
	"quell/measure/detect"
)

// Head are the headings of [Row.Cells].
var Head = []string{"lesion", "kept", "edge", "d' eye", "after/before", "d' chan", "after/before", ""}

// Cells are a row of a table with the headings Head. unit is that of the panel.
func (r Row) Cells(unit string) []string {
	lesion := fmt.Sprintf("%s %.3g mm, %s, %s", r.Shape, r.Size, r.ContrastText(unit), message.Count(r.Slices, "slice", "slices"))
	return []string{lesion, Percent(r.Kept), r.EdgeText(), r.Eye.String(), Percent(r.Eye.Ratio), r.Channels.String(), Percent(r.Channels.Ratio), r.mark()}
}

// ContrastText returns the contrast as a person gives it to quell detect, with the unit.
func (l Lesion) ContrastText(unit string) string {
	if l.Sigmas != 0 {
		return fmt.Sprintf("%gsigma", l.Sigmas)
	}
	return strings.TrimSpace(fmt.Sprintf("%g %s", l.Contrast, unit))
}

// Percent returns a share with its interval.
func Percent(i detect.Interval) string {
	return fmt.Sprintf("%.0f %% (%.0f to %.0f)", 100*i.Value, 100*i.Lo, 100*i.Hi)
}

// EdgeText returns the widths of the edge before and after; a dash if none is left to measure.
func (r Row) EdgeText() string {
	if !r.EdgeAfter.Finite() {
		return "–"
	}
	return fmt.Sprintf("%.2g -> %.2g mm", float64(r.EdgeBefore), float64(r.EdgeAfter))
}

// String returns d' before and after.
func (s Seen) String() string { return fmt.Sprintf("%.2g -> %.2g", s.Before.Value, s.After.Value) }

// mark is the verdict on one lesion, in brackets if it was not visible before and so does not count.
func (r Row) mark() string {
	if !r.Visible() {
		return "(not visible)"
	}
	return string(r.Verdict())
}
