package object

import (
	"strconv"

	"quell/io/dicom/part10"
)

// Reference is an image, or a frame of one.
type Reference struct {
	Class, UID string
	Frame      int // counted from 1; 0 for the whole image
}

// Elements are the attributes that refer to it.
func (r Reference) Elements() (e Elements) {
	e.Text(part10.TagReferencedSOPClassUID, r.Class)
	e.Text(part10.TagReferencedSOPInstanceUID, r.UID)
	if r.Frame > 0 {
		e.Text(part10.TagReferencedFrameNumber, strconv.Itoa(r.Frame))
	}
	return e
}

// Images are images of one series. An image of several frames may be there once for each.
type Images struct {
	SeriesUID string
	Slices    []Reference
}

// ReferencedSeries returns the item of a Referenced Series Sequence for each series with images, in which the
// instances are in the sequence instances.
func ReferencedSeries(all []Images, instances part10.Tag) (items [][]byte) {
	for _, series := range all {
		var references [][]byte
		known := map[string]bool{}
		for _, r := range series.Slices {
			if !known[r.UID] {
				known[r.UID] = true
				r.Frame = 0
				references = append(references, r.Elements().Item())
			}
		}
		if references == nil || series.SeriesUID == "" {
			continue
		}
		var e Elements
		e.Text(part10.TagSeriesInstanceUID, series.SeriesUID)
		e.Sequence(instances, references...)
		items = append(items, e.Item())
	}
	return items
}
