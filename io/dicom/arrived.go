package dicom

import (
	"io"
	"io/fs"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/part10"
)

// Arrived holds the attributes of an arrived instance by which a router decides.
type Arrived struct {
	UID, StudyUID, SeriesUID string // of the instance, its study and its series
	Instances                int    // NumberOfSeriesRelatedInstances; 0 if it is not there
	// Promised is how many instances the series has at least, by the images of its acquisition, or by the slices of each
	// of its temporal positions; 0 if it is not there. Positions is the number of temporal positions, and Position the one
	// of the instance; 0 if they are not there.
	Promised, Positions, Position int
	// Filtered says that Quell made it: its contributing equipment or the end of its series description
	// names the program.
	Filtered bool
}

// maxPromised bounds the size that a header is believed to promise.
const maxPromised = 1 << 20

// maxEquipment bounds the bytes of the contributing equipment that are read.
const maxEquipment = 1 << 20

const (
	tagSeriesInstances      part10.Tag = 0x0020_1209
	tagImagesInAcquisition  part10.Tag = 0x0020_1002
	tagTemporalPositions    part10.Tag = 0x0020_0105
	tagTemporalPosition     part10.Tag = 0x0020_0100
	tagSlicesOfEachPosition part10.Tag = 0x0054_0081
)

var arrivedTags = map[part10.Tag]bool{
	part10.TagSOPInstanceUID: true, part10.TagStudyInstanceUID: true, part10.TagSeriesInstanceUID: true, part10.TagSeriesDescription: true, tagSeriesInstances: true,
	tagImagesInAcquisition: true, tagTemporalPositions: true, tagTemporalPosition: true, tagSlicesOfEachPosition: true,
}

// ReadArrived reads the header of an instance. An instance without the three UIDs is an error.
func ReadArrived(fsys fs.FS, name string) (Arrived, error) {
	a, p, err := part10.ReadHeader(fsys, name, func(t part10.Tag) bool { return arrivedTags[t] })
	if err != nil {
		return Arrived{}, err
	}
	defer p.Release()
	r := Arrived{UID: a.Text(part10.TagSOPInstanceUID), StudyUID: a.Text(part10.TagStudyInstanceUID), SeriesUID: a.Text(part10.TagSeriesInstanceUID)}
	if r.UID == "" || r.StudyUID == "" || r.SeriesUID == "" {
		return r, part10.FileError(message.InputDamaged, name, part10.AdviseExport, nil, "it has no UID of its instance, series or study")
	}
	r.Instances, _ = a.Integer(tagSeriesInstances)
	r.Positions, _ = a.Integer(tagTemporalPositions)
	r.Position, _ = a.Integer(tagTemporalPosition)
	acquired, _ := a.Integer(tagImagesInAcquisition)
	slices, _ := a.Integer(tagSlicesOfEachPosition)
	if slices > 0 && r.Positions > maxPromised/slices { // nonsense
		slices = 0
	}
	r.Promised = max(acquired, slices, slices*r.Positions)
	if r.Promised > maxPromised {
		r.Promised = 0
	}
	r.Filtered = strings.Contains(a.Text(part10.TagSeriesDescription), "[Quell")
	for _, e := range p.Elements {
		if e.Tag == part10.TagContributingEquipmentSequence && !r.Filtered {
			r.Filtered, err = namesQuell(fsys, name, p.Syntax, e)
		}
	}
	return r, err
}

// namesQuell reports whether an item of the contributing equipment has Quell as its manufacturer.
func namesQuell(fsys fs.FS, name string, syntax part10.Syntax, e part10.Element) (named bool, err error) {
	if syntax.Deflated || e.End-e.Start > maxEquipment { // what Quell writes is neither
		return false, nil
	}
	f, err := part10.OpenFile(fsys, name)
	if err != nil {
		return false, err
	}
	defer f.Close()
	b := make([]byte, e.End-e.Start)
	if _, err := io.CopyN(io.Discard, f, e.Start); err != nil {
		return false, part10.Unreadable(name, err)
	}
	if _, err := io.ReadFull(f, b); err != nil {
		return false, part10.Unreadable(name, err)
	}
	e.Value, e.End = e.Value-e.Start, e.End-e.Start
	err = part10.EachItem(b, e, syntax.Encoding, func(item part10.SequenceItem) error {
		for _, in := range item.Elements {
			if in.Tag == part10.TagManufacturer && in.Length != part10.UndefinedLength && strings.Trim(string(b[in.Value:in.End]), part10.ValuePadding) == "Quell" {
				named = true
			}
		}
		return nil
	})
	if err != nil {
		return false, part10.FileError(message.InputDamaged, name, part10.AdviseExport, err, "its attributes are damaged (%s)", part10.Cause(err))
	}
	return named, nil
}
