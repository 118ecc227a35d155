package object

import (
	"math"
	"strconv"
	"time"

	"quell/io/dicom/deid"
	"quell/io/dicom/part10"
)

// Product is the manufacturer of objects that Quell makes.
const Product = part10.Product

// Shared are the attributes of patient, study, body part and de-identification, which an object has in
// common with the images that it is about. Their values keep their bytes and character set.
var Shared = []part10.Tag{
	part10.TagSpecificCharacterSet, part10.TagStudyDate, part10.TagStudyTime, part10.TagAccessionNumber, part10.TagReferringPhysicianName, part10.TagStudyDescription,
	part10.TagPatientName, part10.TagPatientID, part10.TagIssuerOfPatientID, part10.TagPatientBirthDate, part10.TagPatientSex,
	part10.TagPatientIdentityRemoved, part10.TagDeidentificationMethod, part10.TagStudyInstanceUID, part10.TagStudyID,
	part10.TagLongitudinalTemporalInformationModified, part10.TagBodyPartExamined, part10.TagLaterality,
}

// Instance is what an object is.
type Instance struct {
	Class, UID, Modality       string
	SeriesUID, Number, Caption string // of its series: UID, number and description
	Version                    string // Quell's
	Now                        time.Time
}

// Identify adds the modules of patient, study, series, equipment and SOP common: header is of an image with Shared.
// It returns the time of the object, which is a dummy if the dates of the image were removed.
func (e *Elements) Identify(header part10.Attributes, in Instance) (now time.Time) {
	for _, t := range Shared {
		if value := header.Raw(t); len(value) > 0 {
			e.Put(t, part10.DictionaryVR(t), value)
		}
	}
	for _, t := range []part10.Tag{part10.TagStudyDate, part10.TagStudyTime, part10.TagAccessionNumber, part10.TagReferringPhysicianName,
		part10.TagPatientName, part10.TagPatientID, part10.TagPatientBirthDate, part10.TagPatientSex, part10.TagStudyID} {
		if len(header.Raw(t)) == 0 { // type 2
			e.Text(t, "")
		}
	}
	// Of an unpaired part of the body there is no side (C.7.3.1).
	if len(header.Raw(part10.TagLaterality)) == 0 && len(header.Raw(part10.TagBodyPartExamined)) == 0 {
		e.Text(part10.TagLaterality, "")
	}
	// The images may name the method by codes alone.
	if string(header.Raw(part10.TagPatientIdentityRemoved)) == "YES" && len(header.Raw(part10.TagDeidentificationMethod)) == 0 {
		e.Text(part10.TagDeidentificationMethod, "That of the referenced images")
	}
	now = in.Now
	if string(header.Raw(part10.TagLongitudinalTemporalInformationModified)) == "REMOVED" {
		now = deid.DummyTime
	}
	for _, t := range []part10.Tag{part10.TagInstanceCreationDate, part10.TagSeriesDate} {
		e.Put(t, "DA", part10.Date(now))
	}
	for _, t := range []part10.Tag{part10.TagInstanceCreationTime, part10.TagSeriesTime} {
		e.Put(t, "TM", part10.Time(now))
	}
	e.Text(part10.TagSOPClassUID, in.Class)
	e.Text(part10.TagSOPInstanceUID, in.UID)
	e.Text(part10.TagModality, in.Modality)
	e.Text(part10.TagManufacturer, Product)
	e.Text(part10.TagManufacturerModelName, Product)
	e.Text(part10.TagSoftwareVersions, part10.Clip(part10.ASCII(in.Version), 64))
	e.Text(part10.TagSeriesInstanceUID, in.SeriesUID)
	e.Text(part10.TagSeriesNumber, in.Number)
	e.Text(part10.TagSeriesDescription, in.Caption)
	return now
}

// Dated adds the content date and time.
func (e *Elements) Dated(now time.Time) {
	e.Put(part10.TagContentDate, "DA", part10.Date(now))
	e.Put(part10.TagContentTime, "TM", part10.Time(now))
}

// SeriesNumber is the number of the series of the images plus offset; "" where they have none.
func SeriesNumber(header part10.Attributes, offset int) string {
	n, ok := header.Integer(part10.TagSeriesNumber)
	if !ok || n > math.MaxInt32-offset {
		return ""
	}
	return strconv.Itoa(n + offset)
}

// Scheme is the coding scheme of the concepts for which the standard has no code.
const Scheme = "99QUELL"

// Schemes states what Scheme is.
func (e *Elements) Schemes() {
	var own Elements
	own.Text(part10.TagCodingSchemeDesignator, Scheme)
	own.Text(part10.TagCodingSchemeName, "Codes of Quell")
	own.Text(part10.TagCodingSchemeResponsibleOrganization, Product)
	e.Sequence(part10.TagCodingSchemeIdentificationSequence, own.Item())
}
