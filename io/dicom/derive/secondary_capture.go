package derive

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"quell/internal/message"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// CheckNew refuses volumes that a series of Secondary Captures cannot hold. Its errors name no file: the caller knows the output.
func CheckNew(g volume.Geometry) error {
	if err := g.Validate(); err != nil {
		return fmt.Errorf("dicom: the volume cannot be written: %w", err)
	}
	if max(g.Dims[0], g.Dims[1]) > math.MaxUint16 {
		return part10.FileError(message.OutputUnsupported, "", part10.AdviseNIfTI, nil, "slices of %d x %d pixels are more than DICOM allows", g.Dims[0], g.Dims[1])
	}
	if c := g.Affine.Column(0).Unit().Dot(g.Affine.Column(1).Unit()); math.Abs(c) > 1e-3 {
		return part10.FileError(message.OutputUnsupported, "", part10.AdviseNIfTI, nil, "the rows and columns of the volume are not perpendicular, which DICOM cannot say")
	}
	return nil
}

// SecondaryCaptures makes the files of a series for volumes without a DICOM source, one
// Secondary Capture per slice, volume after volume. Its methods may be called from several
// goroutines, but not along with Next.
type SecondaryCaptures struct {
	Derived // of the volume that is made
	meta    series.Meta
	voxels  *Voxels
	sum     []byte // hash of the voxels
	grid    []byte // what else decides the files: affine and mask
	UID     string // as the one of Series
	Format  pixel.Format

	begun    int    // volumes
	together []byte // names the study and the frame of reference: the hash of the first volume
	keys     []byte // of all volumes: what decides their files
}

// Next prepares the next volume when all of its voxels are there, and chooses how they are stored. meta
// is the one of its series. The files of the volume before are made.
func (n *SecondaryCaptures) Next(meta series.Meta, voxels *Voxels, d Derived) {
	n.Derived, n.Format, n.meta, n.voxels, n.sum, n.grid = d, voxels.quantisation(), meta, voxels, voxels.sum.Sum(nil), voxels.gridKey()
	if n.begun++; n.begun == 1 {
		n.together = n.sum
	}
	n.keys = slices.Concat(n.keys, n.Recipe, n.sum, n.grid)
	switch {
	case n.Volumes < 2:
		n.UID = n.hashUID("new series")
	case n.begun == n.Volumes:
		n.UID = n.seriesUID("new series", n.keys)
	case n.begun == 1:
		n.UID = n.seriesUID("new unfinished series", n.keys)
	}
}

// syntaxUID returns the transfer syntax of the files.
func (n *SecondaryCaptures) syntaxUID() string {
	if n.Compress.Fits(part10.ExplicitLE, &n.Format) {
		return n.Compress.SyntaxUID()
	}
	return part10.UIDExplicitLE
}

// hashUID makes a UID of all that decides the pixels, their place and their encoding.
func (n *SecondaryCaptures) hashUID(kind string, more ...[]byte) string {
	parts := append([][]byte{[]byte(kind), n.Recipe, n.sum, n.grid}, more...)
	return part10.HashUID(encodingParts(n.syntaxUID(), parts...)...)
}

// seriesUID returns the UID of a series of several volumes.
func (n *SecondaryCaptures) seriesUID(kind string, key []byte) string {
	return uidOfLength(encodingParts(n.syntaxUID(), []byte(kind), key), func(uid string) string { return uid })
}

// instanceUID returns the UID of the k-th file.
func (n *SecondaryCaptures) instanceUID(k int) string {
	if n.Volumes > 1 {
		return InstanceUID(n.UID, k)
	}
	return n.hashUID("new instance", []byte(strconv.Itoa(k)))
}

// quantisation chooses how the voxels are stored in 16 bits.
func (v *Voxels) quantisation() pixel.Format {
	dims := v.Grid().Dims
	f := pixel.Format{Rows: dims[1], Cols: dims[0], Samples: 1, Allocated: 16, Stored: 16, High: 15,
		Photometric: "MONOCHROME2", Slope: 1, Padding: v.scale.mask != nil}
	lo, hi := float64(v.scale.lo), float64(v.scale.hi)
	room := 0.0 // one value below the data for padding
	if f.Padding {
		room = 1
	}
	switch whole := !v.scale.fractions; {
	case whole && lo-room >= 0 && hi <= math.MaxUint16:
		f.PadLow = int(lo) - int(room)
	case whole && lo-room >= math.MinInt16 && hi <= math.MaxInt16:
		f.Signed = true
		f.PadLow = int(lo) - int(room)
	default:
		if hi > lo {
			f.Slope, _ = strconv.ParseFloat(part10.DecimalString((hi-lo)/(math.MaxUint16-room)), 64)
		}
		f.Intercept, _ = strconv.ParseFloat(part10.DecimalString(lo-room*f.Slope), 64)
	}
	f.PadHigh = f.PadLow
	return f
}

// Pixels returns slice z, stored.
func (n *SecondaryCaptures) Pixels(z int) ([]byte, error) {
	part, err := n.voxels.Part(z, z+1)
	if err != nil {
		return nil, err
	}
	values, valid := part.Data, part.Mask
	raw := make([]byte, n.Format.Bytes())
	for i := range values {
		if valid != nil && !valid[i] {
			n.Format.PutWord(raw, i, uint32(n.Format.PadLow))
		}
	}
	n.Format.Encode(raw, values, valid)
	return raw, nil
}

// File returns the file of the k-th slice along the normal.
func (n *SecondaryCaptures) File(k int, position volume.Vec, pixels []byte) []byte {
	sop := n.instanceUID(k)
	image := image{Derived: &n.Derived, Dataset: part10.Dataset{Encoding: part10.ExplicitLE, File: &part10.File{}}}
	e := newElements(image.recipeBlock())
	e.identify(n, sop, k)
	e.place(n, position)
	e.describe(n)
	part10.SortEdits(e)

	if n.Compress.Fits(part10.ExplicitLE, &n.Format) {
		b := part10.AppendFileMeta(nil, part10.SecondaryCapture, sop, n.syntaxUID(), n.Version)
		return pixel.AppendEncapsulated(part10.Merge(b, nil, nil, e), n.Compress.Encode(pixels, 1, &n.Format))
	}
	b := part10.AppendFileMeta(nil, part10.SecondaryCapture, sop, part10.UIDExplicitLE, n.Version)
	return part10.AppendElement(part10.Merge(b, nil, nil, e), part10.ExplicitLE, part10.TagPixelData, "OW", pixels)
}

// newElements are the elements of a new image, in any order.
type newElements []part10.Edit

func (e *newElements) put(t part10.Tag, vr string, value []byte) {
	*e = append(*e, part10.Set(part10.ExplicitLE, t, vr, value))
}

// text adds a text with the VR of the dictionary.
func (e *newElements) text(t part10.Tag, s string) { e.put(t, part10.DictionaryVR(t), []byte(s)) }

// decimals adds numbers as text.
func (e *newElements) decimals(t part10.Tag, values ...float64) {
	e.put(t, "DS", part10.Decimals(values...))
}

func (e *newElements) short(t part10.Tag, vr string, x int) {
	e.put(t, vr, binary.LittleEndian.AppendUint16(nil, uint16(x)))
}

// identify states what the image is and what it belongs to: an unknown patient and a study
// of its own.
func (e *newElements) identify(n *SecondaryCaptures, sop string, k int) {
	e.text(part10.TagImageType, `DERIVED\SECONDARY`)
	e.text(part10.TagSOPClassUID, part10.SecondaryCapture)
	e.text(part10.TagSOPInstanceUID, sop)
	for _, t := range []part10.Tag{part10.TagInstanceCreationDate, part10.TagStudyDate, part10.TagSeriesDate, part10.TagContentDate} {
		e.put(t, "DA", part10.Date(n.Now))
	}
	for _, t := range []part10.Tag{part10.TagInstanceCreationTime, part10.TagStudyTime, part10.TagSeriesTime, part10.TagContentTime} {
		e.put(t, "TM", part10.Time(n.Now))
	}
	for _, t := range []part10.Tag{part10.TagAccessionNumber, part10.TagReferringPhysicianName, part10.TagPatientName, part10.TagPatientID, part10.TagPatientBirthDate, part10.TagPatientSex, part10.TagLaterality} {
		e.text(t, "")
	}
	e.text(part10.TagModality, "OT")
	e.text(part10.TagConversionType, "WSD")
	e.text(part10.TagManufacturer, product)
	e.text(part10.TagManufacturerModelName, product)
	e.text(part10.TagSoftwareVersions, part10.Clip(part10.ASCII(n.Version), 64))
	e.text(part10.TagSeriesDescription, part10.Clip(part10.ASCII(joinWords(n.meta.Description, n.Suffix)), 64))
	e.text(part10.TagDerivationDescription, part10.Clip(part10.ASCII(n.Description), 1024))
	e.put(part10.TagDerivationCodeSequence, "SQ", part10.AppendItem(nil, part10.ExplicitLE, part10.CodeItem(part10.ExplicitLE, n.code())))
	e.text(part10.TagStudyInstanceUID, part10.HashUID([]byte("new study"), n.together))
	e.text(part10.TagSeriesInstanceUID, n.UID)
	e.text(part10.TagStudyID, "1")
	e.text(part10.TagSeriesNumber, string(n.numberOf(0)))
	e.text(part10.TagInstanceNumber, strconv.Itoa(k+1))
	if n.Volumes > 1 {
		e.locate(n)
	}
}

// axes are the attributes that state the place of a volume on an axis of a 4-D series, by
// its name, see instance.Distinctions.
var axes = map[string]part10.Tag{
	"echo":                 part10.TagEchoNumbers,
	"echo time":            part10.TagEchoTime,
	"inversion time":       part10.TagInversionTimes,
	"b-value":              part10.TagDiffusionBValue,
	"frame reference time": part10.TagFrameReferenceTime,
	"trigger time":         part10.TagTriggerTime,
}

// locate states what tells the volume from the others of its series: its number, as number of
// the acquisition and as the temporal position, by which other programs order volumes, and the
// attributes of its axes.
func (e *newElements) locate(n *SecondaryCaptures) {
	e.text(part10.TagAcquisitionNumber, strconv.Itoa(n.begun))
	e.text(part10.TagTemporalPositionIdentifier, strconv.Itoa(n.begun))
	e.text(part10.TagNumberOfTemporalPositions, strconv.Itoa(n.Volumes))
	if n.Step > 0 {
		e.decimals(part10.TagTemporalResolution, 1000*n.Step)
	}
	for _, c := range n.Place {
		t, ok := axes[c.Axis]
		x, err := strconv.ParseFloat(c.Value, 64)
		switch vr := part10.DictionaryVR(t); {
		case !ok || err != nil || n.Gradient != nil && t == part10.TagDiffusionBValue:
		case vr == "FD":
			e.put(t, vr, doubles(part10.ExplicitLE, x))
		default:
			e.put(t, vr, part10.Decimals(x))
		}
	}
	if n.Gradient != nil {
		*e = append(*e, weighting(part10.ExplicitLE, *n.Gradient)...)
	}
}

// place states the position of the image: lengths in mm, positions LPS+.
func (e *newElements) place(n *SecondaryCaptures, position volume.Vec) {
	v := n.voxels.Grid()
	row, col := v.Affine.Column(0).Unit(), v.Affine.Column(1).Unit()
	e.text(part10.TagFrameOfReferenceUID, part10.HashUID([]byte("new frame of reference"), n.together))
	e.text(part10.TagPositionReferenceIndicator, "")
	e.text(part10.TagPatientOrientation, "") // given by position and orientation
	e.decimals(part10.TagImagePositionPatient, position[:]...)
	e.decimals(part10.TagImageOrientationPatient, append(row[:], col[:]...)...)
	e.decimals(part10.TagPixelSpacing, v.Spacing[1], v.Spacing[0])
	e.decimals(part10.TagSliceThickness, v.Spacing[2])
}

// describe states how the pixels are stored and what they mean.
func (e *newElements) describe(n *SecondaryCaptures) {
	f, sign, signedVR := &n.Format, 0, "US"
	if f.Signed {
		sign, signedVR = 1, "SS"
	}
	e.text(part10.TagPhotometricInterpretation, f.Photometric)
	e.short(part10.TagSamplesPerPixel, "US", f.Samples)
	e.short(part10.TagRows, "US", f.Rows)
	e.short(part10.TagColumns, "US", f.Cols)
	e.short(part10.TagBitsAllocated, "US", f.Allocated)
	e.short(part10.TagBitsStored, "US", f.Stored)
	e.short(part10.TagHighBit, "US", f.High)
	e.short(part10.TagPixelRepresentation, "US", sign)
	if f.Padding {
		e.short(part10.TagPixelPaddingValue, signedVR, f.PadLow)
	}
	if len(n.meta.Windows) > 0 {
		e.decimals(part10.TagWindowCenter, n.meta.Windows[0].Center)
		e.decimals(part10.TagWindowWidth, n.meta.Windows[0].Width)
	}
	e.decimals(part10.TagRescaleIntercept, f.Intercept)
	e.decimals(part10.TagRescaleSlope, f.Slope)
	unit := "US" // unspecified
	if n.voxels.unit == "HU" {
		unit = "HU"
	}
	e.text(part10.TagRescaleType, unit)
}

func joinWords(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
