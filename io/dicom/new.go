package dicom

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strconv"

	"quell/volume"
)

// secondaryCapture is Secondary Capture Image Storage: the class for images
// whose scanner and acquisition are not known.
const secondaryCapture = "1.2.840.10008.5.1.4.1.1.7"

// WriteNew writes the volume of a series that has no DICOM source (one from
// NIfTI) into the folder dir, one Secondary Capture file per slice with position,
// orientation and spacing. Whole values that fit 16 bits are stored as they are;
// others are scaled into 16 bits with rescale slope and intercept, and the
// report says by how much that rounds. Masked voxels are stored as padding.
// Folder, progress and errors are as for Write.
func WriteNew(ctx context.Context, dir string, s *volume.Series, d Derived, progress func(done, total int)) (Report, error) {
	v := s.Volume
	if err := v.Validate(); err != nil {
		return Report{}, fmt.Errorf("dicom: the volume cannot be written: %w", err)
	}
	if err := d.Compress.check(); err != nil {
		return Report{}, err
	}
	if max(v.Dims[0], v.Dims[1]) > math.MaxUint16 {
		return Report{}, fileError(dir, "write NIfTI instead", nil, "slices of %d x %d pixels are more than DICOM can hold", v.Dims[0], v.Dims[1])
	}
	if c := v.Affine.Column(0).Unit().Dot(v.Affine.Column(1).Unit()); math.Abs(c) > 1e-3 {
		return Report{}, fileError(dir, "write NIfTI instead", nil, "the rows and columns of the volume are not perpendicular, which DICOM cannot say")
	}
	if err := checkApart(dir, s.Sources); err != nil {
		return Report{}, err
	}
	sum, err := hashVoxels(ctx, v)
	if err != nil {
		return Report{}, err
	}
	n := newSeries{Derived: &d, from: s, sum: sum, format: quantisation(v)}
	n.seriesUID = deriveUID([]byte("new series"), d.Recipe, sum)
	files := make([][]int, v.Dims[2])
	for k := range files {
		files[k] = []int{k}
	}
	b := newBatch(files, progress)
	b.report.SeriesUID = n.seriesUID
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
	b.make = func(k int) ([]byte, [][]byte, error) {
		pixels := n.pixels(along(k))
		return n.file(k, positions[k], pixels), [][]byte{pixels}, nil
	}
	if err := b.run(ctx, dir, positions); err != nil {
		return Report{}, err
	}
	if n.format.slope != 1 || n.format.inter != math.Trunc(n.format.inter) {
		b.warn("Values are scaled into 16 bits; each is within %.3g of what it was.", n.format.slope/2)
	}
	return b.report, nil
}

// newSeries holds what the slices of a new series share.
type newSeries struct {
	*Derived
	from      *volume.Series
	sum       []byte // hash of the voxels
	seriesUID string
	format    pixelFormat
}

// quantisation chooses how the volume's values are stored in 16 bits.
func quantisation(v *volume.Volume) pixelFormat {
	f := pixelFormat{rows: v.Dims[1], cols: v.Dims[0], samples: 1, alloc: 16, stored: 16, high: 15,
		photometric: "MONOCHROME2", slope: 1, padding: v.Mask != nil}
	lo32, hi32 := v.Range()
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
	return f
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
	v := n.from.Volume
	sop := deriveUID([]byte("new instance"), n.Recipe, n.sum, []byte(strconv.Itoa(k)))
	syntaxUID := uidExplicitLE
	compressed := n.Compress.fits(explicitLE, &n.format)
	if compressed {
		syntaxUID = n.Compress.syntaxUID()
	}
	b := appendFileMeta(nil, secondaryCapture, sop, syntaxUID, n.Version)
	put := func(t tagID, value []byte) { b = appendElement(b, explicitLE, t, dictionaryVR(t), value) }
	text := func(t tagID, s string) { put(t, []byte(s)) }
	short := func(t tagID, vr string, x int) {
		b = appendElement(b, explicitLE, t, vr, binary.LittleEndian.AppendUint16(nil, uint16(x)))
	}

	text(tagImageType, `DERIVED\SECONDARY`)
	put(tagInstanceCreationDate, dicomDate(n.Now))
	put(tagInstanceCreationTime, dicomTime(n.Now))
	text(tagSOPClassUID, secondaryCapture)
	text(tagSOPInstanceUID, sop)
	for _, t := range []tagID{tagStudyDate, tagSeriesDate, tagContentDate} {
		put(t, dicomDate(n.Now))
	}
	for _, t := range []tagID{tagStudyTime, tagSeriesTime, tagContentTime} {
		put(t, dicomTime(n.Now))
	}
	text(tagAccessionNumber, "")
	text(tagModality, "OT")
	text(tagConversionType, "WSD")
	text(tagManufacturer, product)
	text(tagReferringPhysicianName, "")
	text(tagSeriesDescription, clip(ascii(joinWords(n.from.Description, n.Suffix)), 64))
	text(tagManufacturerModelName, product)
	text(tagDerivationDescription, clip(ascii(n.Description), 1024))
	b = appendCode(b, explicitLE, tagDerivationCodeSequence, n.code())
	for _, t := range []tagID{tagPatientName, tagPatientID, tagPatientBirthDate, tagPatientSex} {
		text(t, "")
	}
	text(tagSliceThickness, decimalString(v.Spacing[2]))
	text(tagSoftwareVersions, clip(ascii(n.Version), 64))
	text(tagStudyInstanceUID, deriveUID([]byte("new study"), n.sum))
	text(tagSeriesInstanceUID, n.seriesUID)
	text(tagStudyID, "1")
	text(tagSeriesNumber, "9000")
	text(tagInstanceNumber, strconv.Itoa(k+1))
	text(tagPatientOrientation, "") // given by position and orientation
	put(tagImagePositionPatient, decimals(position[:]...))
	row, col := v.Affine.Column(0).Unit(), v.Affine.Column(1).Unit()
	put(tagImageOrientationPatient, decimals(append(row[:], col[:]...)...))
	text(tagFrameOfReferenceUID, deriveUID([]byte("new frame of reference"), n.sum))
	text(tagLaterality, "")
	text(tagPositionReferenceIndicator, "")
	short(tagSamplesPerPixel, "US", 1)
	text(tagPhotometricInterpretation, "MONOCHROME2")
	short(tagRows, "US", n.format.rows)
	short(tagColumns, "US", n.format.cols)
	put(tagPixelSpacing, decimals(v.Spacing[1], v.Spacing[0]))
	short(tagBitsAllocated, "US", n.format.alloc)
	short(tagBitsStored, "US", n.format.stored)
	short(tagHighBit, "US", n.format.high)
	short(tagPixelRepresentation, "US", map[bool]int{true: 1}[n.format.signed])
	if n.format.padding {
		short(tagPixelPaddingValue, map[bool]string{true: "SS", false: "US"}[n.format.signed], n.format.padLo)
	}
	if len(n.from.Windows) > 0 {
		put(tagWindowCenter, decimals(n.from.Windows[0].Center))
		put(tagWindowWidth, decimals(n.from.Windows[0].Width))
	}
	put(tagRescaleIntercept, decimals(n.format.inter))
	put(tagRescaleSlope, decimals(n.format.slope))
	text(tagRescaleType, map[bool]string{true: "HU", false: "US"}[v.Unit == "HU"])
	s := derivedImage{Derived: n.Derived, enc: explicitLE, file: &part10{}}
	for _, e := range s.recipeBlock() {
		b = append(b, e.bytes...)
	}
	if compressed {
		return appendEncapsulated(b, n.Compress.encode(pixels, 1, &n.format))
	}
	return appendElement(b, explicitLE, tagPixelData, "OW", pixels)
}

func joinWords(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

// decimalString writes a number as DS: at most 16 characters.
func decimalString(v float64) string {
	for digits := 15; ; digits-- {
		if s := strconv.FormatFloat(v, 'g', digits, 64); len(s) <= 16 {
			return s
		}
	}
}

// decimals writes several numbers as DS.
func decimals(values ...float64) []byte {
	var parts [][]byte
	for _, v := range values {
		parts = append(parts, []byte(decimalString(v)))
	}
	return bytes.Join(parts, []byte{'\\'})
}
