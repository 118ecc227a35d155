package dicom

import (
	"context"
	"errors"
	"io/fs"

	"quell/internal/message"
	"quell/io/dicom/part10"
)

// ImplementationClassUID identifies Quell to other software, in files and on the network.
const ImplementationClassUID = part10.ImplementationClassUID

// Object is a DICOM file of any kind with what the network needs to know of it.
type Object struct {
	Name     string // of the file
	SOPClass string
	UID      string // SOP instance UID
	Syntax   string // UID of the transfer syntax of the data set
	Start    int64  // of the data set, behind preamble and meta header
	Size     int64  // of the data set, bytes

	StudyUID, SeriesUID, Description, Modality string
	Patient, PatientID                         string
	Deidentified                               bool
}

// Made are the SOP classes of the objects that Quell makes besides derived images, for the conformance statement.
var Made = []string{part10.SecondaryCapture, part10.GrayscalePresentationState, part10.ParametricMap, part10.EnhancedSR}

// ClassName returns the name of the SOP class.
func (o Object) ClassName() string { return part10.ClassName(o.SOPClass) }

// SyntaxName returns the name of the transfer syntax.
func (o Object) SyntaxName() string { return part10.Syntaxes[o.Syntax].Name }

// objectTags are the attributes of an Object.
var objectTags = map[part10.Tag]bool{
	part10.TagSpecificCharacterSet: true, part10.TagSOPClassUID: true, part10.TagSOPInstanceUID: true,
	part10.TagStudyInstanceUID: true, part10.TagSeriesInstanceUID: true, part10.TagSeriesDescription: true, part10.TagModality: true,
	part10.TagPatientName: true, part10.TagPatientID: true, part10.TagPatientIdentityRemoved: true,
}

// Objects lists the DICOM objects of the files of fsys, in the order of their names, and counts
// the files that are none: other files, and indexes (DICOMDIR), which belong to their folder. A
// damaged file is an error: what it held is unknown.
func Objects(ctx context.Context, fsys fs.FS) (objects []Object, others int, err error) {
	c := &Catalog{fsys: fsys}
	names, err := c.walk(ctx)
	if err != nil {
		return nil, 0, err
	}
	if len(c.Findings) > 0 { // a folder that cannot be read may hold any number of objects
		f := c.Findings[0]
		return nil, 0, part10.FileError(message.InputUnreadable, f.Files[0], message.Text("check that it may be read"), nil, "it cannot be read")
	}
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		o, err := readObject(fsys, name)
		switch {
		case errors.Is(err, part10.ErrNotDICOM) || err == nil && o.SOPClass == part10.MediaDirectory:
			others++
		case err != nil:
			return nil, 0, err
		default:
			objects = append(objects, o)
		}
	}
	return objects, others, nil
}

func readObject(fsys fs.FS, name string) (Object, error) {
	f, err := part10.OpenFile(fsys, name)
	if err != nil {
		return Object{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Object{}, part10.Unreadable(name, err)
	}
	b := part10.NewReadBuffer(f, info.Size())
	defer b.Release()
	p, err := part10.Tokenize(b, func(t part10.Tag) bool { return objectTags[t] })
	defer p.Release()
	if err == nil && p.Syntax.Deflated {
		p, err = part10.TokenizeDeflated(fsys, name, p, func(t part10.Tag) bool { return objectTags[t] })
	}
	switch {
	case errors.Is(err, part10.ErrNotDICOM):
		return Object{}, err
	case err != nil:
		return Object{}, part10.FileError(message.InputDamaged, name, part10.AdviseCopy, err, "it is damaged (%s)", part10.Cause(err))
	}
	a, err := part10.ReadValues(p)
	if err != nil {
		return Object{}, part10.FileError(message.InputDamaged, name, part10.AdviseExport, err, "its attributes are damaged (%s)", part10.Cause(err))
	}
	o := Object{
		Name: name, SOPClass: a.Text(part10.TagSOPClassUID), UID: a.Text(part10.TagSOPInstanceUID), Syntax: p.Syntax.UID,
		StudyUID: a.Text(part10.TagStudyInstanceUID), SeriesUID: a.Text(part10.TagSeriesInstanceUID), Description: a.DisplayText(part10.TagSeriesDescription), Modality: a.Text(part10.TagModality),
		Patient: a.DisplayText(part10.TagPatientName), PatientID: a.DisplayText(part10.TagPatientID),
		Deidentified: a.Text(part10.TagPatientIdentityRemoved) == "YES",
	}
	if p.SOPClass == part10.MediaDirectory {
		o.SOPClass = part10.MediaDirectory // its data set has none
		return o, nil
	}
	if o.SOPClass == "" || o.UID == "" || len(p.Elements) == 0 {
		return Object{}, part10.FileError(message.InputDamaged, name, part10.AdviseExport, nil, "it has no SOP class or instance UID")
	}
	if o.Start = p.Elements[0].Start; p.Syntax.Deflated {
		o.Start = p.DatasetStart()
	}
	o.Size = info.Size() - o.Start
	return o, nil
}
