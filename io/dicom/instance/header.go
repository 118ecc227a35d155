package instance

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// Slice is what a scan keeps of one image file.
type Slice struct {
	Name   string // in the container
	Size   int64  // of the file
	syntax part10.Syntax

	SOPClass, SOPUID              string
	Meta                          series.Meta
	StudyUID, FrameOfReferenceUID string // UIDs of the study and of the frame of reference
	ImageType                     []string
	Instance                      int
	Unit                          string

	Format               pixel.Format
	pixelOffset          int64  // where the pixel data begins in the file, and
	pixelsVR             string // its VR
	Placed               bool   // position, row and column are known
	Rotated              bool   // they are, and no other slice of the series has its direction
	Position             volume.Vec
	Row, Column          volume.Vec // unit vectors of growing column and row index
	Spacing              [2]float64 // mm between columns, between rows
	NoPixelSpacing       bool       // spacing is made up
	HasModalityLUT       bool       // values mean what a Modality LUT says
	SpacingFromThickness bool       // slices are taken to be as far apart as they are thick
	// Thickness is the slice spacing that the header claims: used for a series
	// of one slice only, where positions cannot say.
	Thickness float64

	Distinctions [len(Distinctions)]string // values that may tell volumes apart

	// parts are the slices of a multi-frame image or a mosaic, in file order; nil
	// where the file is one slice. Each part is a header of its own with frame
	// set, and tiles for those of a mosaic.
	parts []*Slice
	Frame int // zero-based frame; of a mosaic the tile
	Tiles *Tiling

	ReferencedFiles []string // files that an index refers to

	Excluded string        // why the image cannot be in a volume; "" where it can
	Err      *part10.Error // why the file is broken; nil where it is sound
}

// wantedTags are the attributes a scan reads.
var wantedTags = func() map[part10.Tag]bool {
	want := map[part10.Tag]bool{}
	for _, t := range []part10.Tag{
		part10.TagImageType, part10.TagSOPClassUID, part10.TagSOPInstanceUID,
		part10.TagStudyDate, part10.TagModality, part10.TagManufacturer, part10.TagStudyDescription, part10.TagSeriesDescription,
		part10.TagPatientName, part10.TagPatientID, part10.TagBodyPartExamined, part10.TagSliceThickness,
		part10.TagSpacingBetweenSlices, part10.TagImagerPixelSpacing, part10.TagNominalScannedPixelSpacing, part10.TagPixelAspectRatio, part10.TagConvolutionKernel,
		part10.TagStudyInstanceUID, part10.TagSeriesInstanceUID, part10.TagSeriesNumber, part10.TagInstanceNumber, part10.TagFrameOfReferenceUID,
		part10.TagImagePositionPatient, part10.TagImageOrientationPatient,
		part10.TagSamplesPerPixel, part10.TagPhotometricInterpretation, part10.TagNumberOfFrames, part10.TagRows, part10.TagColumns,
		part10.TagPixelSpacing, part10.TagBitsAllocated, part10.TagBitsStored, part10.TagHighBit, part10.TagPixelRepresentation,
		part10.TagPixelPaddingValue, part10.TagPixelPaddingRangeLimit, part10.TagWindowCenter, part10.TagWindowWidth,
		part10.TagWindowCenterWidthExplanation, part10.TagRescaleIntercept, part10.TagRescaleSlope, part10.TagRescaleType,
		part10.TagUnits, part10.TagSiemensMosaicImages,
	} {
		want[t] = true
	}
	for _, s := range Distinctions {
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

func IsWanted(t part10.Tag) bool { return wantedTags[t] }

// Kind is what a file turned out to be.
type Kind int

const (
	KindImage   Kind = iota // a DICOM image, sound or not
	KindForeign             // no DICOM file
	KindIndex               // a DICOMDIR or another media directory
	KindOther               // DICOM, but no image
)

// Read reads one file as far as its pixels. An error is returned for
// what is no fault of the file (the context's end); a broken file has its err
// set.
func Read(ctx context.Context, fsys fs.FS, name string) (*Slice, Kind, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	h := &Slice{Name: name}
	f, err := fsys.Open(name)
	if err != nil {
		h.Err = part10.FileError(name, "check that it exists and may be read", err, "it cannot be opened (%s)", part10.Cause(err))
		return h, KindForeign, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return h, KindForeign, nil
	}
	h.Size = info.Size()

	w := part10.NewReadBuffer(f, h.Size)
	defer w.Release()
	p, err := part10.Tokenize(w, IsWanted)
	if err == nil && p.Syntax.Deflated {
		p, err = part10.TokenizeDeflated(fsys, name, p, IsWanted)
	}
	switch {
	case errors.Is(err, part10.ErrNotDICOM), err != nil && len(p.Meta)+len(p.Elements) == 0 && h.Size < 132:
		return h, KindForeign, nil
	case errors.Is(err, part10.ErrTruncated):
		h.Err = part10.FileError(name, part10.AdviseCopy, err, "the file is cut off (it holds %d bytes: %s)", h.Size, part10.Reason(err))
	case err != nil:
		h.Err = part10.FileError(name, part10.AdviseCopy, err, "the file is damaged (%s)", part10.Reason(err))
	}
	k := h.Fill(p)
	p.Release()
	return h, k, nil
}

// Fill takes the values from what was tokenized.
func (h *Slice) Fill(p *part10.File) Kind {
	h.syntax = p.Syntax
	a, err := part10.ReadValues(p)
	if err != nil && h.Err == nil {
		h.Err = part10.FileError(h.Name, part10.AdviseExport, err, "a value of its header is damaged")
	}
	// A file that was cut off may not have come to its own.
	h.SOPClass, h.SOPUID = cmp.Or(a.Text(part10.TagSOPClassUID), p.SOPClass), a.Text(part10.TagSOPInstanceUID)
	if h.SOPClass == part10.MediaDirectory || p.Has(part10.TagDirectoryRecordSequence) {
		h.ReferencedFiles = listedIn(p)
		return KindIndex
	}
	h.fillMeta(a)
	if h.Err != nil {
		return KindImage
	}
	if p.PixelIndex < 0 {
		if p.Has(part10.TagFloatPixelData) || p.Has(part10.TagDoubleFloatPixelData) {
			h.Excluded = "its pixels are floating point numbers, which are not read"
			return KindImage
		}
		if _, sized := a.Integer(part10.TagRows); part10.NeedsPixels(h.SOPClass, sized) {
			h.Err = part10.FileError(h.Name, part10.AdviseCopy, nil, "it describes an image and ends before its pixel data")
			return KindImage
		}
		return KindOther
	}
	h.fillImage(a, p.Elements[p.PixelIndex])
	if h.Err == nil && h.Excluded == "" && p.Stream != nil {
		h.Err = h.checkStream(p.Stream)
	}
	h.HasModalityLUT = p.Has(part10.TagModalityLUTSequence)
	h.fillSplits(a)
	if h.Err == nil && h.Excluded == "" {
		h.splitFrames(p, a)
	}
	return KindImage
}

// Slices returns the header of each slice of the file.
func (h *Slice) Slices() []*Slice {
	if h.parts != nil {
		return h.parts
	}
	return []*Slice{h}
}

func (h *Slice) fillSplits(a part10.Attributes) {
	for i, s := range Distinctions {
		h.Distinctions[i] = s.value(a)
	}
}

func (h *Slice) fillMeta(a part10.Attributes) {
	h.ImageType = a.Strings(part10.TagImageType)
	h.Instance, _ = a.Integer(part10.TagInstanceNumber)
	h.StudyUID, h.FrameOfReferenceUID = a.Text(part10.TagStudyInstanceUID), a.Text(part10.TagFrameOfReferenceUID)
	h.Meta = series.Meta{
		Format:         "DICOM",
		Modality:       a.Text(part10.TagModality),
		Description:    a.DisplayText(part10.TagSeriesDescription),
		Number:         a.Text(part10.TagSeriesNumber),
		UID:            a.Text(part10.TagSeriesInstanceUID),
		Study:          a.DisplayText(part10.TagStudyDescription),
		StudyDate:      a.Text(part10.TagStudyDate),
		Patient:        a.DisplayText(part10.TagPatientName),
		PatientID:      a.DisplayText(part10.TagPatientID),
		Manufacturer:   a.DisplayText(part10.TagManufacturer),
		BodyPart:       a.Text(part10.TagBodyPartExamined),
		Kernel:         a.Text(part10.TagConvolutionKernel),
		TransferSyntax: h.syntax.UID,
	}
	h.fillDisplay(a)
}

// fillDisplay takes windows and unit.
func (h *Slice) fillDisplay(a part10.Attributes) {
	h.Meta.Windows = nil
	centres, _ := a.Numbers(part10.TagWindowCenter)
	widths, _ := a.Numbers(part10.TagWindowWidth)
	names := a.DisplayTexts(part10.TagWindowCenterWidthExplanation)
	for i := range min(len(centres), len(widths)) {
		w := volume.Window{Center: centres[i], Width: widths[i]}
		if i < len(names) {
			w.Name = names[i]
		}
		if w.Width > 0 {
			h.Meta.Windows = append(h.Meta.Windows, w)
		}
	}
	switch t := a.Text(part10.TagRescaleType); {
	case t == "HU", h.Meta.Modality == "CT" && t == "" && !h.Localizer():
		h.Unit = "HU"
	case h.Meta.Modality == "PT":
		h.Unit = a.Text(part10.TagUnits)
	}
}

// fillImage takes pixel format and position, and sets aside what cannot be one
// slice of a volume.
func (h *Slice) fillImage(a part10.Attributes, pixels part10.Element) {
	var problem string
	h.Format, problem = pixel.ReadFormat(a)
	h.pixelOffset, h.pixelsVR = pixels.Value, pixels.VR
	frames := h.frameCount(a)
	switch {
	case part10.NotImages[h.SOPClass]:
		h.Excluded = fmt.Sprintf("it is no measured image (%s)", part10.ClassName(h.SOPClass))
	case problem != "":
		h.Excluded = problem
	case h.syntax.Encapsulated && !codec.Supported(h.syntax.UID):
		h.Excluded = refuseSyntax(h.syntax)
	case h.syntax.Encapsulated:
		h.Err = h.checkCompressed(pixels, frames)
	case pixels.Length == part10.UndefinedLength:
		h.Err = part10.FileError(h.Name, part10.AdviseExport, nil, "its pixel data has no length though it is not compressed")
	case int64(pixels.Length)/h.Format.Bytes() < int64(frames):
		h.Err = part10.FileError(h.Name, part10.AdviseExport, nil, "it holds %d bytes of pixels where %s of %d x %d pixels need %d",
			pixels.Length, part10.Count(frames, "image", "images"), h.Format.Cols, h.Format.Rows, h.Format.Bytes()*int64(frames))
	}
	h.fillPlane(a)
}

// checkStream holds the image to the beginning of its compressed pixels: a header
// that errs in the image's size must not cost the memory of it.
func (h *Slice) checkStream(head []byte) *part10.Error {
	if err := codec.CheckHead(h.syntax.UID, h.Format.Info(), head); err != nil {
		return part10.FileError(h.Name, part10.AdviseExport, err, "its pixels (%s) cannot be decoded (%v)", h.syntax.Name, err)
	}
	return nil
}

// fillPlane takes the image plane module (PS3.3 C.7.6.2).
func (h *Slice) fillPlane(a part10.Attributes) {
	h.Spacing = [2]float64{1, 1}
	h.NoPixelSpacing = true
	for _, t := range []part10.Tag{part10.TagPixelSpacing, part10.TagImagerPixelSpacing, part10.TagNominalScannedPixelSpacing} {
		// The file's order is row spacing (down), column spacing (across).
		if s, ok := a.Numbers(t); ok && len(s) == 2 && s[0] > 0 && s[1] > 0 {
			h.Spacing, h.NoPixelSpacing = [2]float64{s[1], s[0]}, false
			break
		}
	}
	if s, ok := a.Numbers(part10.TagPixelAspectRatio); h.NoPixelSpacing && ok && len(s) == 2 && s[0] > 0 && s[1] > 0 {
		h.Spacing[1] = s[0] / s[1] // a pixel's height to its width
	}
	for _, t := range []part10.Tag{part10.TagSpacingBetweenSlices, part10.TagSliceThickness} {
		if s, ok := a.Number(t); ok && s > 0 {
			h.Thickness = s
			break
		}
	}
	ipp, ok1 := a.Numbers(part10.TagImagePositionPatient)
	iop, ok2 := a.Numbers(part10.TagImageOrientationPatient)
	if !ok1 || !ok2 || len(ipp) != 3 || len(iop) != 6 {
		return
	}
	// A length other than 1 takes nothing from a direction.
	row, col := volume.Vec(iop[:3]).Unit(), volume.Vec(iop[3:]).Unit()
	if !(row.Norm() > 0.5 && col.Norm() > 0.5 && math.Abs(row.Dot(col)) <= 0.01) {
		return
	}
	h.Placed, h.Position, h.Row, h.Column = true, volume.Vec(ipp), row, col
}

func (h *Slice) Normal() volume.Vec { return h.Row.Cross(h.Column).Unit() }

func (h *Slice) Localizer() bool {
	return slices.Contains(h.ImageType, "LOCALIZER")
}

// refuseSyntax says that a file is compressed in a way that is not read.
func refuseSyntax(s part10.Syntax) string {
	if s.Name == s.UID {
		return fmt.Sprintf("its transfer syntax %s is not known", s.UID)
	}
	return fmt.Sprintf("its transfer syntax %s (%s) is not read", s.Name, s.UID)
}
