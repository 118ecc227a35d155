package instance

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"quell/internal/message"
	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// Slice is one image of a file.
type Slice struct {
	*Instance     // the file; all of its slices share it
	Frame     int // zero-based frame, or tile of a mosaic

	Meta      series.Meta
	ImageType []string
	Unit      string // of real values: "HU", a PET unit, or ""
	Format    pixel.Format

	Placed      bool       // Position, Row and Column are known and place the slice
	Rotated     bool       // no other slice of the series has its direction; set by assemble
	Position    volume.Vec // centre of the first pixel
	Row, Column volume.Vec // unit vectors in which the column and the row index grow
	Spacing     [2]float64 // mm between columns, between rows
	// Thickness is the slice spacing that the header claims in mm, 0 if none. It is
	// used if positions cannot say.
	Thickness            float64
	TemporalStep         float64 // seconds from one volume in time to the next; 0 if the file does not say
	SliceThickness       float64 // of the header in mm, however far apart slices lie; 0 if none
	NoPixelSpacing       bool    // Spacing is assumed
	SpacingFromThickness bool    // the slice spacing is assumed to be the slice thickness

	// Volumes and PerVolume are the numbers of temporal positions and of images in each that
	// the header claims; 0 if none.
	Volumes, PerVolume int

	// Distinctions holds for each of the attributes of the same name what the slice
	// says; "" if nothing.
	Distinctions [len(Distinctions)]string
	Gradient     Gradient
	acquired     acquired
	processing   string // see the function of that name
}

// Normal returns the unit vector row x column.
func (s *Slice) Normal() volume.Vec { return s.Row.Cross(s.Column).Unit() }

// Localizer reports whether the slice is a localizer (scout) image.
func (s *Slice) Localizer() bool { return slices.Contains(s.ImageType, "LOCALIZER") }

// newSlice returns a slice with what the file says of its series and its display.
func newSlice(in *Instance, a part10.Attributes) *Slice {
	s := &Slice{Instance: in, ImageType: a.Strings(part10.TagImageType)}
	s.Meta = series.Meta{
		Format:         "DICOM",
		Modality:       a.Text(part10.TagModality),
		Description:    a.DisplayText(part10.TagSeriesDescription),
		Number:         a.Text(part10.TagSeriesNumber),
		UID:            a.Text(part10.TagSeriesInstanceUID),
		Frame:          in.FrameOfReferenceUID,
		Study:          a.DisplayText(part10.TagStudyDescription),
		StudyDate:      a.Text(part10.TagStudyDate),
		Patient:        a.DisplayText(part10.TagPatientName),
		PatientID:      a.DisplayText(part10.TagPatientID),
		BirthDate:      a.Text(part10.TagPatientBirthDate),
		Sex:            a.Text(part10.TagPatientSex),
		Technique:      technique(a),
		Manufacturer:   a.DisplayText(part10.TagManufacturer),
		BodyPart:       a.Text(part10.TagBodyPartExamined),
		Kernel:         a.Text(part10.TagConvolutionKernel),
		TransferSyntax: in.Syntax.UID,
		Encoding:       encoding(a),
	}
	s.TemporalStep = temporalStep(a)
	s.Volumes, _ = a.Integer(part10.TagNumberOfTemporalPositions)
	s.PerVolume, _ = a.Integer(part10.TagImagesInAcquisition)
	s.processing = processing(a)
	s.readDisplay(a)
	return s
}

// temporalStep returns the seconds from one volume in time to the next: the repetition time of a volume with slices that are
// each excited once in it, as in echo-planar imaging; 0 if the file does not say.
func temporalStep(a part10.Attributes) float64 {
	ms, ok := a.Number(part10.TagTemporalResolution)
	if (!ok || ms <= 0) && a.Text(part10.TagMRAcquisitionType) == "2D" && slices.Contains(a.Strings(part10.TagScanningSequence), "EP") {
		ms, _ = a.Number(part10.TagRepetitionTime)
	}
	return max(ms, 0) / 1000
}

// technique says in a few words how the slice was acquired: "120 kV", or "TR 500  TE 20
// ms"; "" if the file does not say.
func technique(a part10.Attributes) string {
	if kv, ok := a.Number(part10.TagKVP); ok && kv > 0 {
		return fmt.Sprintf("%g kV", kv)
	}
	var times []string
	for _, t := range []struct {
		name string
		tag  part10.Tag
	}{{"TR", part10.TagRepetitionTime}, {"TE", part10.TagEchoTime}} {
		if ms, ok := a.Number(t.tag); ok && ms > 0 {
			times = append(times, fmt.Sprintf("%s %.4g", t.name, ms))
		}
	}
	if times == nil {
		return ""
	}
	return strings.Join(times, "  ") + " ms"
}

// readDisplay takes windows and unit.
func (s *Slice) readDisplay(a part10.Attributes) {
	s.Meta.Windows = nil
	centres, _ := a.Numbers(part10.TagWindowCenter)
	widths, _ := a.Numbers(part10.TagWindowWidth)
	names := a.DisplayTexts(part10.TagWindowCenterWidthExplanation)
	for i := range min(len(centres), len(widths)) {
		w := volume.Window{Center: centres[i], Width: widths[i]}
		if i < len(names) {
			w.Name = names[i]
		}
		if w.Width > 0 {
			s.Meta.Windows = append(s.Meta.Windows, w)
		}
	}
	switch t := a.Text(part10.TagRescaleType); {
	case s.lut != nil:
		if s.Unit = ""; s.lut.HU {
			s.Unit = "HU"
		}
	case t == "HU", s.Meta.Modality == "CT" && t == "" && !s.Localizer():
		s.Unit = "HU"
	case s.Meta.Modality == "PT":
		s.Unit = a.Text(part10.TagUnits)
	}
}

func (s *Slice) readDistinctions(a part10.Attributes) {
	for i, d := range Distinctions {
		if d.read != nil {
			s.Distinctions[i] = d.value(a)
		}
	}
	s.acquired.read(a)
}

// readImage takes pixel format and plane of the file's image, and excludes an image
// that cannot be in a volume.
func (in *Instance) readImage(s *Slice, a part10.Attributes, pixels part10.Element) {
	var problem message.Message
	in.pixelOffset, in.pixelVR, in.pixelTag = pixels.Value, pixels.VR, pixels.Tag
	s.Format, problem = pixel.ReadFormat(a, in.pixelTag)
	s.Format.LUT = in.lut
	frames := frameCount(a)
	switch {
	case part10.NotImages[in.SOPClass]:
		in.Excluded = message.New(message.InputForeign, "it is not a measured image (%s)", part10.ClassName(in.SOPClass))
	case !problem.IsZero():
		in.Excluded = problem
	case in.Syntax.Encapsulated && !codec.Supported(in.Syntax.UID):
		in.Excluded = unsupportedSyntax(in.Syntax)
	case in.Syntax.Encapsulated:
		in.Err = in.checkCompressed(s, pixels, frames)
	case pixels.Length == part10.UndefinedLength:
		in.Err = part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, nil, "its pixel data has no length though it is not compressed")
	case int64(pixels.Length)/s.Format.Bytes() < int64(frames):
		in.Err = part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, nil, "it contains %d bytes of pixels where %s of %d x %d pixels need %d",
			pixels.Length, message.Count(frames, "image", "images"), s.Format.Cols, s.Format.Rows, s.Format.Bytes()*int64(frames))
	}
	s.readPlane(a)
}

// checkCompressed compares the length of compressed pixels with the image, before
// memory for the image is allocated.
func (in *Instance) checkCompressed(s *Slice, pixels part10.Element, frames int) *part10.Error {
	n := pixels.End - pixels.Value
	switch {
	case pixels.Length != part10.UndefinedLength:
		return part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, nil, "its pixel data is not in fragments though its transfer syntax is %s", in.Syntax.Name)
	case int64(frames) > n/8 || !codec.CanHold(in.Syntax.UID, int64(frames)*int64(s.Format.Rows)*int64(s.Format.Cols), n):
		return part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, nil, "it contains %d bytes of %s, too few for %s of %d x %d pixels",
			n, in.Syntax.Name, message.Count(frames, "image", "images"), s.Format.Cols, s.Format.Rows)
	}
	return nil
}

// unsupportedSyntax says that a file is compressed in a way that is not read.
func unsupportedSyntax(s part10.Syntax) message.Message {
	if s.Name == s.UID {
		return message.New(message.InputUnsupported, "its transfer syntax %s is not known", s.UID)
	}
	return message.New(message.InputUnsupported, "its transfer syntax %s (%s) is not read", s.Name, s.UID)
}

// readPlane takes the image plane module (PS3.3 C.7.6.2).
func (s *Slice) readPlane(a part10.Attributes) {
	s.Spacing = [2]float64{1, 1}
	s.NoPixelSpacing = true
	for _, t := range []part10.Tag{part10.TagPixelSpacing, part10.TagImagerPixelSpacing, part10.TagNominalScannedPixelSpacing} {
		// The file's order is row spacing (down), column spacing (across).
		if v, ok := a.Numbers(t); ok && len(v) == 2 && v[0] > 0 && v[1] > 0 {
			s.Spacing, s.NoPixelSpacing = [2]float64{v[1], v[0]}, false
			break
		}
	}
	if v, ok := a.Numbers(part10.TagPixelAspectRatio); s.NoPixelSpacing && ok && len(v) == 2 && v[0] > 0 && v[1] > 0 {
		s.Spacing[1] = v[0] / v[1] // a pixel's height to its width
	}
	for _, t := range []part10.Tag{part10.TagSpacingBetweenSlices, part10.TagSliceThickness} {
		if v, ok := a.Number(t); ok && v > 0 {
			s.Thickness = v
			break
		}
	}
	s.SliceThickness, _ = a.Number(part10.TagSliceThickness)
	position, ok1 := a.Numbers(part10.TagImagePositionPatient)
	orientation, ok2 := a.Numbers(part10.TagImageOrientationPatient)
	if !ok1 || !ok2 || len(position) != 3 || len(orientation) != 6 {
		return
	}
	// Direction cosines of another length than 1 still give the direction.
	row, column := volume.Vec(orientation[:3]).Unit(), volume.Vec(orientation[3:]).Unit()
	if !(row.Norm() > 0.5 && column.Norm() > 0.5 && math.Abs(row.Dot(column)) <= 0.01) {
		return
	}
	s.Placed, s.Position, s.Row, s.Column = true, volume.Vec(position), row, column
}
