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

// Volume is what was measured of a volume before and after a filter.
type Volume struct {
	Name           string        // in the report, such as "Volume 2 of 5"
	Source, Result object.Images // Source may be empty
	Unit           string        // of its voxels, as in parametric.Map
	Recipe         string        // of the filter
	// Noise is the standard deviation of the noise in the source, and Confidence its confidence in a word.
	Noise      Figure
	Confidence string
	// Before and After are the standard deviation in the same even squares of source and result.
	Before, After Figure
	Squares       int
	// Shares are the figures by which the result is judged, Object is the diameter in mm of the object whose contrast is
	// meant, and Verdict what they amount to.
	Shares  []Share
	Object  float64
	Verdict Judgement
}

// Share is a figure from 0 to 1 with the ends of its 95 % interval, under a code of Quell's.
type Share struct {
	Code, Meaning    string
	Value, Low, High float64
}

// Figure is a number, or why there is none.
type Figure struct {
	Value   float64
	Unknown string // "" if there is a value
}

// Judgement is a verdict in a word of Quell, and its reason. It is absent without a word.
type Judgement struct{ Verdict, Why string }

// groups returns what the report says of the volume: of its source, and of its result.
func (v Volume) groups() []group {
	source := group{tracking: v.Name + ", input", seriesUID: v.Source.SeriesUID}
	source.numbers = append(source.numbers, number{Figure: v.Noise, name: noise, unit: object.UnitOf(v.Unit), derivation: standardDeviation, method: estimated}, v.inSquares(v.Before))
	source.add(noiseConfidence, Judgement{Verdict: v.Confidence})
	result := group{tracking: v.Name + ", result", seriesUID: v.Result.SeriesUID, recipe: v.Recipe}
	result.numbers = append(result.numbers, v.inSquares(v.After))
	for _, s := range v.Shares {
		result.numbers = append(result.numbers, v.share(s))
	}
	result.add(verdict, v.Verdict)
	return []group{source, result}
}

// add adds a finding if there is one.
func (g *group) add(name part10.Code, j Judgement) {
	if j.Verdict != "" {
		g.findings = append(g.findings, finding{name, j})
	}
}

// inSquares is the noise in even squares.
func (v Volume) inSquares(f Figure) number {
	n := number{Figure: f, name: noise, unit: object.UnitOf(v.Unit), derivation: standardDeviation, method: evenSquares}
	if f.Unknown == "" {
		n.properties = []number{{Figure: Figure{Value: float64(v.Squares)}, name: squareCount, unit: squares}}
	}
	return n
}

// share is a share in percent.
func (v Volume) share(s Share) number {
	name := part10.Code{Value: s.Code, Scheme: object.Scheme, Meaning: s.Meaning}
	n := number{Figure: Figure{Value: 100 * s.Value}, name: name, unit: percent, method: inTissue}
	property := func(name, unit part10.Code, value float64) {
		n.properties = append(n.properties, number{Figure: Figure{Value: value}, name: name, unit: unit})
	}
	property(lowerEnd, percent, 100*s.Low)
	property(upperEnd, percent, 100*s.High)
	if s.Code == contrastKept.Value && v.Object > 0 {
		property(diameter, millimeter, v.Object)
	}
	return n
}

// library lists the images that the report is about (TID 1600): a group for each series, with what its images share.
func (r *Report) library(images []object.Images) []byte {
	var groups [][]byte
	for _, series := range images {
		in := [][]byte{code(acquired, modality, modalityCode(r.Header.Text(part10.TagModality))), uid(acquired, seriesUID, series.SeriesUID)}
		if reference := r.Header.Text(part10.TagFrameOfReferenceUID); reference != "" {
			in = append(in, uid(acquired, frameOfReference, reference))
		}
		known := map[string]bool{}
		for _, of := range series.Slices {
			if !known[of.UID] {
				known[of.UID] = true
				in = append(in, image(of))
			}
		}
		groups = append(groups, container(contains, imageLibraryGroup, "", in...).Item())
	}
	return container(contains, imageLibrary, "1600", groups...).Item()
}

// images returns the images of all volumes, with an entry for each series.
func (r *Report) images() (out []object.Images) {
	at := map[string]int{}
	add := func(i object.Images) {
		if len(i.Slices) == 0 || i.SeriesUID == "" {
			return
		}
		k, known := at[i.SeriesUID]
		if !known {
			k = len(out)
			at[i.SeriesUID] = k
			out = append(out, object.Images{SeriesUID: i.SeriesUID})
		}
		out[k].Slices = append(out[k].Slices, i.Slices...)
	}
	for _, v := range r.Volumes {
		add(v.Source)
		add(v.Result)
	}
	return out
}
