package raster

import (
	"fmt"

	"quell/series"
)

// losses counts the voxels with a stored value that a float32 cannot hold.
type losses struct {
	nan, infinite int // stored as such
	overflow      int // finite, but beyond the range of float32
	rounded       int // integers with more than the 24 significant bits of a float32
}

func (l *losses) add(o losses) {
	l.nan += o.nan
	l.infinite += o.infinite
	l.overflow += o.overflow
	l.rounded += o.rounded
}

// nonFinite returns the number of voxels that have no finite float32.
func (l losses) nonFinite() int { return l.nan + l.infinite + l.overflow }

// findings returns a finding for each kind of loss.
func (l losses) findings() (list []series.Finding) {
	const masked = "treated as padding, which filters neither use nor change"
	add := func(n int, s series.Severity, kind series.Kind, one, many string) {
		switch {
		case n == 1:
			list = append(list, series.Finding{Severity: s, Kind: kind, Text: "1 voxel " + one})
		case n > 1:
			list = append(list, series.Finding{Severity: s, Kind: kind, Text: fmt.Sprintf("%d voxels %s", n, many)})
		}
	}
	add(l.nan, series.Note, series.Padding,
		"is NaN; it is "+masked+".",
		"are NaN; they are "+masked+".")
	add(l.infinite, series.Warning, series.Padding,
		"is infinite; it is "+masked+".",
		"are infinite; they are "+masked+".")
	add(l.overflow, series.Warning, series.Precision,
		"is beyond the range of 32-bit floating point; it is "+masked+".",
		"are beyond the range of 32-bit floating point; they are "+masked+".")
	add(l.rounded, series.Warning, series.Precision,
		"has more digits than 32-bit floating point holds (24 bits); it was rounded.",
		"have more digits than 32-bit floating point holds (24 bits); they were rounded.")
	return list
}
