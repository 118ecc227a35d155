package nifti

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"quell/io/raster"
	"quell/volume"
)

// maxDim16 is the largest dimension of NIfTI-1 and Analyze, which store 16 bits.
const maxDim16 = math.MaxInt16

// newHeader returns the header of a NIfTI file for voxels on the grid g. It keeps
// what source says if that is a NIfTI header and not nil or of Analyze.
func newHeader(g volume.Geometry, source *header, e raster.Encoder, description string) *header {
	h := &header{format: nifti1}
	if source != nil && source.format != analyze75 {
		*h = *source
		h.clearVolumeFields(g)
	} else {
		source = nil
	}
	h.order, h.single = binary.LittleEndian, true
	h.datatype, h.bitpix = e.Code, int64(8*e.Bytes)
	h.sclSlope, h.sclInter = e.Slope, e.Inter
	h.dim = [8]int64{3, int64(g.Dims[0]), int64(g.Dims[1]), int64(g.Dims[2]), 1, 1, 1, 1}
	if max(g.Dims[0], g.Dims[1], g.Dims[2]) > maxDim16 {
		h.format = nifti2
	}
	h.setTransforms(g, source)
	const mm, timeUnit = 2, 0x38
	h.xyztUnits = mm | h.xyztUnits&timeUnit
	if description != "" {
		h.setDescription(description)
	}
	return h
}

// clearVolumeFields removes what a header copied from the source says of several
// numbers in a voxel and, if g is not the source's grid, of its slices.
func (h *header) clearVolumeFields(g volume.Geometry) {
	const genMatrix, quaternions = 1004, 1010 // first and last intent that uses dim[5]
	const rgbVector, rgbaVector = 2003, 2004
	vector := h.intentCode >= genMatrix && h.intentCode <= quaternions
	if vector || h.intentCode == rgbVector || h.intentCode == rgbaVector {
		h.intentCode, h.intentP, h.intentName = 0, [3]float64{}, [16]byte{}
	}
	if h.dim[1] != int64(g.Dims[0]) || h.dim[2] != int64(g.Dims[1]) || h.dim[3] != int64(g.Dims[2]) {
		h.sliceStart, h.sliceEnd, h.sliceCode, h.sliceDuration = 0, 0, 0, 0
	}
}

// setTransforms stores the positions of g. If g is the source's own grid, its
// transforms are kept bit for bit. If it is another one, as after a crop, each
// transform is composed with the map from g to the source's voxels, so that both
// stay in place. A transform that Read ignores is left out.
func (h *header) setTransforms(g volume.Geometry, source *header) {
	ras := g.Affine.FlipXY()
	if source == nil {
		h.setCodes(ras, xformScannerAnat, ras, xformScannerAnat)
		return
	}
	var sformCode, qformCode int64
	sform, qform := source.usableTransforms()
	if sform {
		sformCode = source.sformCode
	}
	if qform {
		qformCode = source.qformCode
	}
	old, _ := source.geometry()
	mm, _ := source.lengthUnit()
	allUsable := sformCode == max(source.sformCode, 0) && qformCode == max(source.qformCode, 0) && source.validPixdim()
	if allUsable && g.Affine == old.Affine && mm == 1 {
		return
	}
	inverse, err := old.Affine.Inverse()
	if err != nil || (!sform && !qform) {
		h.setCodes(ras, xformAlignedAnat, ras, xformUnknown)
		return
	}
	toSource := multiply(inverse, g.Affine) // voxel index in g to voxel index in the source
	h.setCodes(
		multiply(scaled(source.sform(), mm), toSource), sformCode,
		multiply(scaled(source.qform(), mm), toSource), qformCode,
	)
}

// validPixdim reports whether voxel size and qfac are as the standard demands, so
// that every program reads the same from them.
func (h *header) validPixdim() bool {
	for _, p := range h.pixdim[1:4] {
		if !(p > 0) || math.IsInf(p, 0) {
			return false
		}
	}
	qfac := h.pixdim[0]
	return qfac == 1 || qfac == -1 || qfac == 0
}

// setCodes stores both transforms with their codes; a code of 0 leaves a transform
// out. A sheared transform cannot be a qform: it is left out if there is an sform,
// else stored as one.
func (h *header) setCodes(sform volume.Affine, sformCode int64, qform volume.Affine, qformCode int64) {
	h.sformCode, h.qformCode = 0, 0
	h.srow, h.quatern, h.qoffset = [3][4]float64{}, [3]float64{}, [3]float64{}
	h.pixdim[0] = 1
	if sformCode == 0 {
		sform = qform
	}
	for c := range 3 {
		h.pixdim[1+c] = sform.Column(c).Norm()
	}
	if qformCode > 0 && h.setQform(qform) {
		h.qformCode = qformCode
	} else if qformCode > 0 && sformCode == 0 {
		sformCode = qformCode
	}
	if sformCode > 0 {
		h.setSform(sform)
		h.sformCode = sformCode
	}
}

// multiply returns the transform that applies b, then a.
func multiply(a, b volume.Affine) volume.Affine {
	var m volume.Affine
	for r := range 3 {
		for c := range 4 {
			for k := range 3 {
				m[r][c] += a[r][k] * b[k][c]
			}
		}
		m[r][3] += a[r][3]
	}
	return m
}

func scaled(a volume.Affine, s float64) volume.Affine {
	for r := range a {
		for c := range a[r] {
			a[r][c] *= s
		}
	}
	return a
}

// setDescription stores s, cut between two characters to the 79 bytes that fit.
func (h *header) setDescription(s string) {
	h.descrip = [80]byte{}
	full := s
	for len(s) > len(h.descrip)-1 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	// Half a word or a value of a parameter that lacks digits would mislead.
	if last := strings.LastIndexByte(s, ' '); len(s) < len(full) && full[len(s)] != ' ' && last > 0 {
		s = strings.TrimRight(s[:last], " ,;")
	}
	copy(h.descrip[:], s)
}

// marshal returns the bytes of the header and, for a single file, of the extensions
// and the padding before the voxels. For a single file it sets voxOffset.
func (h *header) marshal() []byte {
	size := h.format.size()
	b := make([]byte, size)
	if h.single {
		b = append(b, 0, 0, 0, 0)
		for _, x := range h.extensions {
			b[size] = 1
			esize := (8 + len(x.data) + 15) / 16 * 16
			b = binary.LittleEndian.AppendUint32(b, uint32(esize))
			b = binary.LittleEndian.AppendUint32(b, uint32(x.code))
			b = append(b, x.data...)
			b = append(b, make([]byte, esize-8-len(x.data))...)
		}
		b = append(b, make([]byte, -len(b)&15)...)
		h.voxOffset = float64(len(b))
	}
	binary.LittleEndian.PutUint32(b, uint32(size))
	switch h.format {
	case nifti1:
		b[38] = 'r'
		copy(b[344:], "n+1\x00")
	case nifti2:
		copy(b[4:], "n+2\x00\r\n\x1a\n")
	default:
		const extents = 16384
		binary.LittleEndian.PutUint32(b[32:], extents)
		b[38] = 'r'
	}
	h.layout(fields{b: b, order: binary.LittleEndian, write: true})
	return b
}
