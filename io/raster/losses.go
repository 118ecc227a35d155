package raster

import (
	"quell/internal/message"
	"quell/series"
)

// losses counts the voxels with a stored value that a float32 cannot hold.
type losses struct {
	nan, infinite int   // stored as such
	overflow      int   // finite, but beyond the range of float32
	rounded       int   // integers with more than the 24 significant bits of a float32
	unused        int64 // bytes behind the last voxel
}

func (l *losses) add(o losses) {
	l.nan += o.nan
	l.infinite += o.infinite
	l.overflow += o.overflow
	l.rounded += o.rounded
	l.unused += o.unused
}

// nonFinite returns the number of voxels that have no finite float32.
func (l losses) nonFinite() int { return l.nan + l.infinite + l.overflow }

// keepsInfinite reports whether infinite values are such in the file: of one beyond the range of float32 that is not known.
func (l losses) keepsInfinite() bool { return l.infinite > 0 && l.overflow == 0 }

// findings returns a finding for each kind of loss.
func (l losses) findings() (list []series.Finding) {
	masked := message.Text("treated as padding, which filters neither use nor change")
	add := func(n int, s series.Severity, kind series.Kind, one, many message.Message) {
		switch {
		case n == 1:
			list = append(list, series.Finding{Severity: s, Kind: kind, Text: message.Text("1 voxel %s", one)})
		case n > 1:
			list = append(list, series.Finding{Severity: s, Kind: kind, Text: message.Text("%d voxels %s", n, many)})
		}
	}
	add(l.nan, series.Note, series.Padding,
		message.Text("is NaN; it is %s.", masked),
		message.Text("are NaN; they are %s.", masked))
	add(l.infinite, series.Warning, series.Padding,
		message.Text("is infinite; it is %s.", masked),
		message.Text("are infinite; they are %s.", masked))
	add(l.overflow, series.Warning, series.Precision,
		message.Text("is beyond the range of 32-bit floating point; it is %s.", masked),
		message.Text("are beyond the range of 32-bit floating point; they are %s.", masked))
	add(l.rounded, series.Warning, series.Precision,
		message.Text("has more digits than 32-bit floating point holds (24 bits); it was rounded."),
		message.Text("have more digits than 32-bit floating point holds (24 bits); they were rounded."))
	return list
}
