package dicom

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"quell/io/dicom/codec"
	"quell/series"
	"quell/volume"
)

// header is what a scan keeps of one image file.
type header struct {
	name   string // in the container
	size   int64  // of the file
	syntax syntax

	sopClass, sopUID string
	meta             series.Meta
	study, frameUID  string // UIDs of the study and of the frame of reference
	imageType        []string
	instance         int
	unit             string

	format    pixelFormat
	pixelsAt  int64  // where the pixel data begins in the file, and
	pixelsVR  string // its VR
	placed    bool   // position, row and column are known
	turned    bool   // they are, and no other slice of the series has its direction
	position  volume.Vec
	row, col  volume.Vec // unit vectors of growing column and row index
	spacing   [2]float64 // mm between columns, between rows
	noSpacing bool       // spacing is made up
	tabled    bool       // values mean what a Modality LUT says
	touching  bool       // slices are taken to be as far apart as they are thick
	// thickness is the slice spacing that the header claims: used for a series
	// of one slice only, where positions cannot say.
	thickness float64

	splits [len(splitters)]string // values that may tell volumes apart

	// parts are the slices of a multi-frame image or a mosaic, in file order; nil
	// where the file is one slice. Each part is a header of its own with frame
	// set, and tiles for those of a mosaic.
	parts []*header
	frame int // zero-based frame; of a mosaic the tile
	tiles *tiling

	listed []string // files that an index refers to

	aside string // why the image cannot be in a volume; "" where it can
	err   *Error // why the file is broken; nil where it is sound
}

// wantedTags are the attributes a scan reads.
var wantedTags = func() map[tagID]bool {
	want := map[tagID]bool{}
	for _, t := range []tagID{
		tagImageType, tagSOPClassUID, tagSOPInstanceUID,
		tagStudyDate, tagModality, tagManufacturer, tagStudyDescription, tagSeriesDescription,
		tagPatientName, tagPatientID, tagBodyPartExamined, tagSliceThickness,
		tagSpacingBetweenSlices, tagImagerPixelSpacing, tagNominalScannedPixelSpacing, tagPixelAspectRatio, tagConvolutionKernel,
		tagStudyInstanceUID, tagSeriesInstanceUID, tagSeriesNumber, tagInstanceNumber, tagFrameOfReferenceUID,
		tagImagePositionPatient, tagImageOrientationPatient,
		tagSamplesPerPixel, tagPhotometricInterpretation, tagNumberOfFrames, tagRows, tagColumns,
		tagPixelSpacing, tagBitsAllocated, tagBitsStored, tagHighBit, tagPixelRepresentation,
		tagPixelPaddingValue, tagPixelPaddingRangeLimit, tagWindowCenter, tagWindowWidth,
		tagWindowCenterWidthExplanation, tagRescaleIntercept, tagRescaleSlope, tagRescaleType,
		tagUnits, siemensMosaicImages,
	} {
		want[t] = true
	}
	for _, s := range splitters {
		for _, t := range s.tags {
			want[t] = true
		}
	}
	for _, t := range offsetTags {
		want[t] = true
	}
	for _, p := range privateCreators {
		want[p.tag] = true
	}
	return want
}()

func isWanted(t tagID) bool { return wantedTags[t] }

// kind is what a file turned out to be.
type kind int

const (
	kindImage   kind = iota // a DICOM image, sound or not
	kindForeign             // no DICOM file
	kindIndex               // a DICOMDIR or another media directory
	kindOther               // DICOM, but no image
)

// readHeader reads one file as far as its pixels. An error is returned for
// what is no fault of the file (the context's end); a broken file has its err
// set. known holds what files before it said in the same bytes.
func readHeader(ctx context.Context, fsys fs.FS, name string, known *elementCache) (*header, kind, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	h := &header{name: name}
	f, err := fsys.Open(name)
	if err != nil {
		h.err = fileError(name, "check that it exists and may be read", err, "it cannot be opened (%s)", cause(err))
		return h, kindForeign, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return h, kindForeign, nil
	}
	h.size = info.Size()

	w := newWindow(f, h.size)
	defer w.release()
	p, err := tokenize(w, isWanted)
	if err == nil && p.syntax.deflated {
		p, err = tokenizeDeflated(fsys, name, p, isWanted)
	}
	switch {
	case errors.Is(err, errNotDICOM), err != nil && len(p.meta)+len(p.elements) == 0 && h.size < 132:
		return h, kindForeign, nil
	case errors.Is(err, errTruncated):
		h.err = fileError(name, adviseCopy, err, "the file is cut off (it holds %d bytes: %s)", h.size, reason(err))
	case err != nil:
		h.err = fileError(name, adviseCopy, err, "the file is damaged (%s)", reason(err))
	}
	p.known = known
	k := h.fill(p)
	p.release()
	return h, k, nil
}

// fill takes the values from what was tokenized.
func (h *header) fill(p *part10) kind {
	h.syntax = p.syntax
	a, err := readValues(p)
	if err != nil && h.err == nil {
		h.err = fileError(h.name, adviseCopy, err, "%s", unreadableHeader)
	}
	// A file that was cut off may not have come to its own.
	h.sopClass, h.sopUID = cmp.Or(a.text(tagSOPClassUID), p.class), a.text(tagSOPInstanceUID)
	if h.sopClass == mediaDirectory || p.has(tagDirectoryRecordSequence) {
		h.listed = listedIn(p)
		return kindIndex
	}
	h.fillMeta(a)
	if h.err != nil {
		return kindImage
	}
	if p.pixels < 0 {
		if p.has(tagFloatPixelData) || p.has(tagDoubleFloatPixelData) {
			h.aside = "its pixels are floating point numbers, which are not read"
			return kindImage
		}
		if _, sized := a.integer(tagRows); needsPixels(h.sopClass, sized) {
			h.err = fileError(h.name, adviseCopy, nil, "it describes an image and ends before its pixel data")
			return kindImage
		}
		return kindOther
	}
	h.fillImage(a, p.elements[p.pixels])
	if h.err == nil && h.aside == "" && p.stream != nil {
		h.err = h.checkStream(p.stream)
	}
	h.tabled = p.has(tagModalityLUTSequence)
	h.fillSplits(a)
	if h.err == nil && h.aside == "" {
		h.fillParts(p, a)
	}
	return kindImage
}

// slices returns the header of each slice of the file.
func (h *header) slices() []*header {
	if h.parts != nil {
		return h.parts
	}
	return []*header{h}
}

func (h *header) fillSplits(a attributes) {
	for i, s := range splitters {
		h.splits[i] = s.value(a)
	}
}

func (h *header) fillMeta(a attributes) {
	h.imageType = a.strings(tagImageType)
	h.instance, _ = a.integer(tagInstanceNumber)
	h.study, h.frameUID = a.text(tagStudyInstanceUID), a.text(tagFrameOfReferenceUID)
	h.meta = series.Meta{
		Format:         "DICOM",
		Modality:       a.text(tagModality),
		Description:    a.displayText(tagSeriesDescription),
		Number:         a.text(tagSeriesNumber),
		UID:            a.text(tagSeriesInstanceUID),
		Study:          a.displayText(tagStudyDescription),
		StudyDate:      a.text(tagStudyDate),
		Patient:        a.displayText(tagPatientName),
		PatientID:      a.displayText(tagPatientID),
		Manufacturer:   a.displayText(tagManufacturer),
		BodyPart:       a.text(tagBodyPartExamined),
		Kernel:         a.text(tagConvolutionKernel),
		TransferSyntax: h.syntax.uid,
	}
	h.fillDisplay(a)
}

// fillDisplay takes windows and unit.
func (h *header) fillDisplay(a attributes) {
	h.meta.Windows = nil
	centres, _ := a.numbers(tagWindowCenter)
	widths, _ := a.numbers(tagWindowWidth)
	names := a.displayTexts(tagWindowCenterWidthExplanation)
	for i := range min(len(centres), len(widths)) {
		w := volume.Window{Center: centres[i], Width: widths[i]}
		if i < len(names) {
			w.Name = names[i]
		}
		if w.Width > 0 {
			h.meta.Windows = append(h.meta.Windows, w)
		}
	}
	switch t := a.text(tagRescaleType); {
	case t == "HU", h.meta.Modality == "CT" && t == "" && !h.localizer():
		h.unit = "HU"
	case h.meta.Modality == "PT":
		h.unit = a.text(tagUnits)
	}
}

// fillImage takes pixel format and position, and sets aside what cannot be one
// slice of a volume.
func (h *header) fillImage(a attributes, pixels element) {
	var problem string
	h.format, problem = readPixelFormat(a)
	h.pixelsAt, h.pixelsVR = pixels.value, pixels.vr
	frames := h.frameCount(a)
	switch {
	case notImages[h.sopClass]:
		h.aside = fmt.Sprintf("it is no measured image (%s)", className(h.sopClass))
	case problem != "":
		h.aside = problem
	case h.syntax.encapsulated && !codec.Supported(h.syntax.uid):
		h.aside = refuseSyntax(h.syntax)
	case h.syntax.encapsulated:
		h.err = h.checkCompressed(pixels, frames)
	case pixels.length == undefinedLength:
		h.err = fileError(h.name, adviseCopy, nil, "its pixel data has no length though it is not compressed")
	case int64(pixels.length)/h.format.bytes() < int64(frames):
		h.err = fileError(h.name, adviseCopy, nil, "it holds %d bytes of pixels where %s of %d x %d pixels need %d",
			pixels.length, count(frames, "image", "images"), h.format.cols, h.format.rows, h.format.bytes()*int64(frames))
	}
	h.fillPlane(a)
}

// checkStream holds the image to the beginning of its compressed pixels: a header
// that errs in the image's size must not cost the memory of it.
func (h *header) checkStream(head []byte) *Error {
	if err := codec.CheckHead(h.syntax.uid, h.format.info(), head); err != nil {
		return fileError(h.name, adviseCopy, err, "its pixels (%s) cannot be decoded (%v)", h.syntax.name, err)
	}
	return nil
}

// fillPlane takes the image plane module (PS3.3 C.7.6.2).
func (h *header) fillPlane(a attributes) {
	h.spacing = [2]float64{1, 1}
	h.noSpacing = true
	for _, t := range []tagID{tagPixelSpacing, tagImagerPixelSpacing, tagNominalScannedPixelSpacing} {
		// The file's order is row spacing (down), column spacing (across).
		if s, ok := a.numbers(t); ok && len(s) == 2 && s[0] > 0 && s[1] > 0 {
			h.spacing, h.noSpacing = [2]float64{s[1], s[0]}, false
			break
		}
	}
	if s, ok := a.numbers(tagPixelAspectRatio); h.noSpacing && ok && len(s) == 2 && s[0] > 0 && s[1] > 0 {
		h.spacing[1] = s[0] / s[1] // a pixel's height to its width
	}
	for _, t := range []tagID{tagSpacingBetweenSlices, tagSliceThickness} {
		if s, ok := a.number(t); ok && s > 0 {
			h.thickness = s
			break
		}
	}
	ipp, ok1 := a.numbers(tagImagePositionPatient)
	iop, ok2 := a.numbers(tagImageOrientationPatient)
	if !ok1 || !ok2 || len(ipp) != 3 || len(iop) != 6 {
		return
	}
	// A length other than 1 takes nothing from a direction.
	row, col := volume.Vec(iop[:3]).Unit(), volume.Vec(iop[3:]).Unit()
	if !(row.Norm() > 0.5 && col.Norm() > 0.5 && math.Abs(row.Dot(col)) <= 0.01) {
		return
	}
	h.placed, h.position, h.row, h.col = true, volume.Vec(ipp), row, col
}

func (h *header) normal() volume.Vec { return h.row.Cross(h.col).Unit() }

func (h *header) localizer() bool {
	return slices.Contains(h.imageType, "LOCALIZER")
}

// refuseSyntax says that a file is compressed in a way that is not read.
func refuseSyntax(s syntax) string {
	if s.name == s.uid {
		return fmt.Sprintf("its transfer syntax %s is not known", s.uid)
	}
	return fmt.Sprintf("its transfer syntax %s (%s) is not read", s.name, s.uid)
}
