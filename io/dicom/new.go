package dicom

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"quell/series"
	"quell/volume"
)

// WriteNew writes the volume of a series that has no DICOM source (one from
// NIfTI) into the folder dir, one Secondary Capture file per slice with position,
// orientation and spacing. Whole values that fit 16 bits are stored as they are;
// others are scaled into 16 bits with rescale slope and intercept, and the
// report says by how much that rounds. Masked voxels are stored as padding.
// Folder, progress and errors are as for Write.
func WriteNew(ctx context.Context, dir string, s *series.Series, d Derived, progress func(done, total int)) (Report, error) {
	v := s.Volume
	if err := checkNew(dir, v, d.Compress); err != nil {
		return Report{}, err
	}
	sum, err := hashVoxels(ctx, v)
	if err != nil {
		return Report{}, err
	}
	format, err := quantisation(ctx, v)
	if err != nil {
		return Report{}, err
	}
	n := newSeries{Derived: d, from: s, sum: sum, uid: deriveUID([]byte("new series"), d.Recipe, sum), format: format}
	files := make([][]int, v.Dims[2])
	for k := range files {
		files[k] = []int{k}
	}
	w := newSeriesWriter(files, progress)
	w.report.SeriesUID = n.uid
	// Files are numbered along row x column, which a left-handed grid runs
	// against.
	backwards := v.Affine.Det() < 0
	along := func(k int) int {
		if backwards {
			return v.Dims[2] - 1 - k
		}
		return k
	}
	positions := make([]volume.Vec, v.Dims[2])
	for k := range positions {
		positions[k] = v.Affine.Apply(0, 0, float64(along(k)))
	}
	w.make = func(k int) ([]byte, [][]byte, error) {
		pixels := n.pixels(along(k))
		return n.file(k, positions[k], pixels), [][]byte{pixels}, nil
	}
	if err := w.run(ctx, dir, positions); err != nil {
		return Report{}, err
	}
	if n.format.slope != 1 || n.format.inter != math.Trunc(n.format.inter) {
		w.warn("Values are scaled into 16 bits; each is within %.3g of what it was.", n.format.slope/2)
	}
	return w.report, nil
}

// checkNew refuses what a series of Secondary Captures cannot hold.
func checkNew(dir string, v *volume.Volume, c Compression) error {
	if err := c.check(); err != nil {
		return err
	}
	if err := v.Validate(); err != nil {
		return fmt.Errorf("dicom: the volume cannot be written: %w", err)
	}
	if max(v.Dims[0], v.Dims[1]) > math.MaxUint16 {
		return fileError(dir, adviseNIfTI, nil, "slices of %d x %d pixels are more than DICOM can hold", v.Dims[0], v.Dims[1])
	}
	if c := v.Affine.Column(0).Unit().Dot(v.Affine.Column(1).Unit()); math.Abs(c) > 1e-3 {
		return fileError(dir, adviseNIfTI, nil, "the rows and columns of the volume are not perpendicular, which DICOM cannot say")
	}
	return nil
}

// newSeries holds what the slices of a new series share.
type newSeries struct {
	Derived
	from   *series.Series
	sum    []byte // hash of the voxels
	uid    string
	format pixelFormat
}

// quantisation chooses how the volume's values are stored in 16 bits.
func quantisation(ctx context.Context, v *volume.Volume) (pixelFormat, error) {
	f := pixelFormat{rows: v.Dims[1], cols: v.Dims[0], samples: 1, alloc: 16, stored: 16, high: 15,
		photometric: "MONOCHROME2", slope: 1, padding: v.Mask != nil}
	lo32, hi32, err := v.Range(ctx)
	if err != nil {
		return f, err
	}
	lo, hi := float64(lo32), float64(hi32)
	room := 0.0 // one value below the data for padding
	if f.padding {
		room = 1
	}
	switch whole := wholeValues(v); {
	case whole && lo-room >= 0 && hi <= math.MaxUint16:
		f.padLo = int(lo) - int(room)
	case whole && lo-room >= math.MinInt16 && hi <= math.MaxInt16:
		f.signed = true
		f.padLo = int(lo) - int(room)
	default:
		if hi > lo {
			f.slope, _ = strconv.ParseFloat(decimalString((hi-lo)/(math.MaxUint16-room)), 64)
		}
		f.inter, _ = strconv.ParseFloat(decimalString(lo-room*f.slope), 64)
	}
	f.padHi = f.padLo
	return f, nil
}

// wholeValues says whether every valid voxel is a whole number.
func wholeValues(v *volume.Volume) bool {
	for i, x := range v.Data {
		if v.Valid(i) && float64(x) != math.Trunc(float64(x)) {
			return false
		}
	}
	return true
}

// pixels returns slice z, stored.
func (n *newSeries) pixels(z int) []byte {
	v := n.from.Volume
	values, valid := v.Plane(z), v.PlaneMask(z)
	raw := make([]byte, n.format.bytes())
	for i := range values {
		if valid != nil && !valid[i] {
			n.format.putWord(raw, i, uint32(n.format.padLo))
		}
	}
	n.format.encode(raw, values, valid)
	return raw
}

// file returns the file of the k-th slice along the normal.
func (n *newSeries) file(k int, position volume.Vec, pixels []byte) []byte {
	sop := deriveUID([]byte("new instance"), n.Recipe, n.sum, []byte(strconv.Itoa(k)))
	image := derivedImage{Derived: &n.Derived, enc: explicitLE, file: &part10{}}
	e := newElements(image.recipeBlock())
	e.identify(n, sop, k)
	e.place(n, position)
	e.describe(n)
	sortEdits(e)

	if n.Compress.fits(explicitLE, &n.format) {
		b := appendFileMeta(nil, secondaryCapture, sop, n.Compress.syntaxUID(), n.Version)
		return appendEncapsulated(merge(b, nil, nil, e), n.Compress.encode(pixels, 1, &n.format))
	}
	b := appendFileMeta(nil, secondaryCapture, sop, uidExplicitLE, n.Version)
	return appendElement(merge(b, nil, nil, e), explicitLE, tagPixelData, "OW", pixels)
}

// newElements are the elements of a new image, in any order.
type newElements []edit

func (e *newElements) put(t tagID, vr string, value []byte) {
	*e = append(*e, edit{t, appendElement(nil, explicitLE, t, vr, value)})
}

// text puts a text, whose VR is that of the dictionary.
func (e *newElements) text(t tagID, s string) { e.put(t, dictionaryVR(t), []byte(s)) }

// decimals puts numbers as text.
func (e *newElements) decimals(t tagID, values ...float64) { e.put(t, "DS", decimals(values...)) }

func (e *newElements) short(t tagID, vr string, x int) {
	e.put(t, vr, binary.LittleEndian.AppendUint16(nil, uint16(x)))
}

// identify says what the image is and what it belongs to: a patient who is not
// known, a study of its own.
func (e *newElements) identify(n *newSeries, sop string, k int) {
	e.text(tagImageType, `DERIVED\SECONDARY`)
	e.text(tagSOPClassUID, secondaryCapture)
	e.text(tagSOPInstanceUID, sop)
	for _, t := range []tagID{tagInstanceCreationDate, tagStudyDate, tagSeriesDate, tagContentDate} {
		e.put(t, "DA", dicomDate(n.Now))
	}
	for _, t := range []tagID{tagInstanceCreationTime, tagStudyTime, tagSeriesTime, tagContentTime} {
		e.put(t, "TM", dicomTime(n.Now))
	}
	for _, t := range []tagID{tagAccessionNumber, tagReferringPhysicianName, tagPatientName, tagPatientID, tagPatientBirthDate, tagPatientSex, tagLaterality} {
		e.text(t, "")
	}
	e.text(tagModality, "OT")
	e.text(tagConversionType, "WSD")
	e.text(tagManufacturer, product)
	e.text(tagManufacturerModelName, product)
	e.text(tagSoftwareVersions, clip(ascii(n.Version), 64))
	e.text(tagSeriesDescription, clip(ascii(joinWords(n.from.Description, n.Suffix)), 64))
	e.text(tagDerivationDescription, clip(ascii(n.Description), 1024))
	e.put(tagDerivationCodeSequence, "SQ", appendItem(nil, explicitLE, codeItem(explicitLE, n.code())))
	e.text(tagStudyInstanceUID, deriveUID([]byte("new study"), n.sum))
	e.text(tagSeriesInstanceUID, n.uid)
	e.text(tagStudyID, "1")
	e.text(tagSeriesNumber, "9000")
	e.text(tagInstanceNumber, strconv.Itoa(k+1))
}

// place says where the image lies: lengths in mm, positions LPS+.
func (e *newElements) place(n *newSeries, position volume.Vec) {
	v := n.from.Volume
	row, col := v.Affine.Column(0).Unit(), v.Affine.Column(1).Unit()
	e.text(tagFrameOfReferenceUID, deriveUID([]byte("new frame of reference"), n.sum))
	e.text(tagPositionReferenceIndicator, "")
	e.text(tagPatientOrientation, "") // given by position and orientation
	e.decimals(tagImagePositionPatient, position[:]...)
	e.decimals(tagImageOrientationPatient, append(row[:], col[:]...)...)
	e.decimals(tagPixelSpacing, v.Spacing[1], v.Spacing[0])
	e.decimals(tagSliceThickness, v.Spacing[2])
}

// describe says how the pixels are stored and what they mean.
func (e *newElements) describe(n *newSeries) {
	f, sign, signedVR := &n.format, 0, "US"
	if f.signed {
		sign, signedVR = 1, "SS"
	}
	e.text(tagPhotometricInterpretation, f.photometric)
	e.short(tagSamplesPerPixel, "US", f.samples)
	e.short(tagRows, "US", f.rows)
	e.short(tagColumns, "US", f.cols)
	e.short(tagBitsAllocated, "US", f.alloc)
	e.short(tagBitsStored, "US", f.stored)
	e.short(tagHighBit, "US", f.high)
	e.short(tagPixelRepresentation, "US", sign)
	if f.padding {
		e.short(tagPixelPaddingValue, signedVR, f.padLo)
	}
	if len(n.from.Windows) > 0 {
		e.decimals(tagWindowCenter, n.from.Windows[0].Center)
		e.decimals(tagWindowWidth, n.from.Windows[0].Width)
	}
	e.decimals(tagRescaleIntercept, f.inter)
	e.decimals(tagRescaleSlope, f.slope)
	unit := "US" // unspecified
	if n.from.Volume.Unit == "HU" {
		unit = "HU"
	}
	e.text(tagRescaleType, unit)
}

func joinWords(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}
