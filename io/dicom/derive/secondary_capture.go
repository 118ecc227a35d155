package derive

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/series"
	"quell/volume"
)

// checkNew refuses what a series of Secondary Captures cannot hold.
func checkNew(dir string, v *volume.Volume, c pixel.Compression) error {
	if err := c.Check(); err != nil {
		return err
	}
	if err := v.ValidateLayout(); err != nil {
		return fmt.Errorf("dicom: the volume cannot be written: %w", err)
	}
	if max(v.Dims[0], v.Dims[1]) > math.MaxUint16 {
		return part10.FileError(dir, part10.AdviseNIfTI, nil, "slices of %d x %d pixels are more than DICOM can hold", v.Dims[0], v.Dims[1])
	}
	if c := v.Affine.Column(0).Unit().Dot(v.Affine.Column(1).Unit()); math.Abs(c) > 1e-3 {
		return part10.FileError(dir, part10.AdviseNIfTI, nil, "the rows and columns of the volume are not perpendicular, which DICOM cannot say")
	}
	return nil
}

// SecondaryCaptures makes the files of a series for volumes without a DICOM source, one
// Secondary Capture per slice, volume after volume. Its methods may be called from several
// goroutines, but not beside Next.
type SecondaryCaptures struct {
	Derived // of the volume that is made
	from    *series.Series
	sum     []byte // hash of the voxels
	grid    []byte // what else decides the files: affine and mask
	UID     string // as that of Series
	Format  pixel.Format

	begun    int    // volumes
	together []byte // names the study and the frame of reference: the hash of the first volume
	keys     []byte // of all volumes: what decides their files
}

// NewSecondaryCaptures checks that the volume of a series can be written as
// Secondary Captures and chooses how its values are stored. dir is named in errors. Where d
// says that the series has several volumes, it is the first.
func NewSecondaryCaptures(ctx context.Context, dir string, s *series.Series, d Derived) (*SecondaryCaptures, error) {
	n := new(SecondaryCaptures)
	return n, n.Next(ctx, dir, s, d)
}

// Next is NewSecondaryCaptures for the next volume. The files of the one before are made.
func (n *SecondaryCaptures) Next(ctx context.Context, dir string, s *series.Series, d Derived) error {
	if err := checkNew(dir, s.Volume, d.Compress); err != nil {
		return err
	}
	sum, err := hashVoxels(ctx, s.Volume)
	if err != nil {
		return err
	}
	format, err := quantisation(ctx, s.Volume)
	if err != nil {
		return err
	}
	n.Derived, n.Format, n.from, n.sum, n.grid = d, format, s, sum, gridKey(s.Volume)
	if n.begun++; n.begun == 1 {
		n.together = sum
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
	return nil
}

// Release drops the voxels of the volume, whose files are made.
func (n *SecondaryCaptures) Release() { n.from = nil }

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

// gridKey returns what besides the values decides how a volume is written: its affine
// and which voxels are masked.
func gridKey(v *volume.Volume) []byte {
	h := sha256.New()
	for _, row := range v.Affine {
		for _, x := range row {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	for z := range v.Dims[2] {
		mask := v.PlaneMask(z)
		b := make([]byte, len(mask))
		for i, valid := range mask {
			if valid {
				b[i] = 1
			}
		}
		h.Write(b)
	}
	return h.Sum(nil)
}

// quantisation chooses how the volume's values are stored in 16 bits.
func quantisation(ctx context.Context, v *volume.Volume) (pixel.Format, error) {
	f := pixel.Format{Rows: v.Dims[1], Cols: v.Dims[0], Samples: 1, Allocated: 16, Stored: 16, High: 15,
		Photometric: "MONOCHROME2", Slope: 1, Padding: v.Mask != nil}
	lo32, hi32, err := v.Range(ctx)
	if err != nil {
		return f, err
	}
	lo, hi := float64(lo32), float64(hi32)
	room := 0.0 // one value below the data for padding
	if f.Padding {
		room = 1
	}
	switch whole := wholeValues(v); {
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
	return f, nil
}

// wholeValues reports whether every valid voxel is a whole number.
func wholeValues(v *volume.Volume) bool {
	for i, x := range v.Data {
		if v.Valid(i) && float64(x) != math.Trunc(float64(x)) {
			return false
		}
	}
	return true
}

// Pixels returns slice z, stored.
func (n *SecondaryCaptures) Pixels(z int) []byte {
	v := n.from.Volume
	values, valid := v.Plane(z), v.PlaneMask(z)
	raw := make([]byte, n.Format.Bytes())
	for i := range values {
		if valid != nil && !valid[i] {
			n.Format.PutWord(raw, i, uint32(n.Format.PadLow))
		}
	}
	n.Format.Encode(raw, values, valid)
	return raw
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
	e.text(part10.TagSeriesDescription, part10.Clip(part10.ASCII(joinWords(n.from.Description, n.Suffix)), 64))
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

// axes are the attributes that state where a volume lies on an axis of a 4-D series, by its
// name, see instance.Distinctions.
var axes = map[string]part10.Tag{
	"echo":                 part10.TagEchoNumbers,
	"echo time":            part10.TagEchoTime,
	"inversion time":       part10.TagInversionTimes,
	"b-value":              part10.TagDiffusionBValue,
	"frame reference time": part10.TagFrameReferenceTime,
	"trigger time":         part10.TagTriggerTime,
}

// locate states what tells the volume from the others of its series: its number, as that of the
// acquisition and as the temporal position, by which other programs order volumes, and the
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
	v := n.from.Volume
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
	if len(n.from.Windows) > 0 {
		e.decimals(part10.TagWindowCenter, n.from.Windows[0].Center)
		e.decimals(part10.TagWindowWidth, n.from.Windows[0].Width)
	}
	e.decimals(part10.TagRescaleIntercept, f.Intercept)
	e.decimals(part10.TagRescaleSlope, f.Slope)
	unit := "US" // unspecified
	if n.from.Volume.Unit == "HU" {
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
