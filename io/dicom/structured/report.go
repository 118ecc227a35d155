package structured

import (
	"errors"
	"slices"
	"strconv"
	"time"

	"quell/io/dicom/object"
	"quell/io/dicom/part10"
)

// seriesOffset is added to the number of the derived series. It is above the offsets of parametric maps.
const seriesOffset = 1010

// Report is what was measured of a series that was made, and of the one that it was made of. Volumes are the volumes of the
// series: one, or several of a 4-D series.
type Report struct {
	// Header holds parametric.Tags of an image of the derived series: the report belongs to its patient and study.
	Header  part10.Attributes
	Volumes []Volume
	Version string    // of Quell
	Now     time.Time // date of the report
}

// SeriesUID returns the UID of the series of the report.
func (r *Report) SeriesUID() string {
	return part10.HashUID([]byte("measurement reports"), r.Header.Raw(part10.TagSeriesInstanceUID))
}

// Encode returns the file. Its instance UID follows from the result and what was measured. The error says what it lacks.
func (r *Report) Encode() ([]byte, error) {
	images := r.images()
	if len(images) == 0 {
		return nil, errors.New("dicom: a measurement report without images")
	}
	e := r.tree(images)
	instance := part10.HashUID([]byte("measurement report"), r.Header.Raw(part10.TagSeriesInstanceUID), e.Item())
	r.identify(&e, instance, images)
	return append(part10.AppendFileMeta(nil, part10.EnhancedSR, instance, part10.UIDExplicitLE, r.Version), e.Item()...), nil
}

// identify adds patient, study, series, equipment, instance and the images that the document rests on.
func (r *Report) identify(e *object.Elements, instance string, images []object.Images) {
	number := object.SeriesNumber(r.Header, seriesOffset)
	if number == "" { // type 1
		number = strconv.Itoa(seriesOffset)
	}
	var own object.Elements
	now := own.Identify(r.Header, object.Instance{
		Class: part10.EnhancedSR, UID: instance, Modality: "SR", SeriesUID: r.SeriesUID(), Number: number, Caption: "Measurements of the noise filter [Quell]", Version: r.Version, Now: r.Now,
	})
	// Reports have no body part, which is an attribute of images (PS3.3 A.35.2).
	*e = append(*e, slices.DeleteFunc(own, func(x part10.Edit) bool { return x.Tag == part10.TagBodyPartExamined || x.Tag == part10.TagLaterality })...)
	e.Dated(now)
	e.Schemes()
	e.Text(part10.TagInstanceNumber, "1")
	e.Text(part10.TagCompletionFlag, "COMPLETE")
	e.Text(part10.TagVerificationFlag, "UNVERIFIED")
	e.Text(part10.TagPreliminaryFlag, "FINAL")
	e.Sequence(part10.TagReferencedPerformedProcedureStepSequence)
	e.Sequence(part10.TagPerformedProcedureCodeSequence)
	var study object.Elements
	study.Put(part10.TagStudyInstanceUID, "UI", r.Header.Raw(part10.TagStudyInstanceUID))
	study.Sequence(part10.TagReferencedSeriesSequence, object.ReferencedSeries(images, part10.TagReferencedSOPSequence)...)
	e.Sequence(part10.TagCurrentRequestedProcedureEvidenceSequence, study.Item())
}

// tree returns the content (TID 1500), which has no date.
func (r *Report) tree(images []object.Images) object.Elements {
	about := string(r.Header.Raw(part10.TagSeriesInstanceUID))
	var groups [][]byte
	for _, v := range r.Volumes {
		for _, g := range v.groups() {
			groups = append(groups, g.item(about, r.Version))
		}
	}
	return container("", measurementReport, "1500",
		code(modifies, language, english),
		code(observed, observerType, device),
		uid(observed, deviceUID, part10.ImplementationClassUID),
		text(observed, deviceName, object.Product),
		text(observed, deviceManufacturer, object.Product),
		text(observed, deviceModel, object.Product),
		code(modifies, procedureReported, procedure(r.Header.Text(part10.TagModality))),
		r.library(images),
		container(contains, imagingMeasurements, "", groups...).Item(),
	)
}
