package nifti

import (
	"encoding/binary"
	"math"
	"unicode/utf8"

	"quell/volume"
)

// maxDim1 is the largest dimension that NIfTI-1 and Analyze can name.
const maxDim1 = math.MaxInt16

// newHeader returns the header of a NIfTI file for voxels on the grid g, taken
// over from source where that is a NIfTI header.
func newHeader(g volume.Geometry, source *Header, e encoder, description string) *Header {
	h := &Header{format: nifti1}
	if source != nil && source.format != analyze75 {
		*h = *source
		h.fitTo(g)
	} else {
		source = nil
	}
	h.order, h.single = binary.LittleEndian, true
	h.datatype, h.bitpix = e.code, int64(8*e.bytes)
	h.sclSlope, h.sclInter = e.slope, e.inter
	h.dim = [8]int64{3, int64(g.Dims[0]), int64(g.Dims[1]), int64(g.Dims[2]), 1, 1, 1, 1}
	if max(g.Dims[0], g.Dims[1], g.Dims[2]) > maxDim1 {
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

// fitTo drops what the source's header says of more than one volume, of more
// than one number for each voxel, or of slices that are not those of g.
func (h *Header) fitTo(g volume.Geometry) {
	const genMatrix, quaternions = 1004, 1010 // the intents that mean dim[5]
	const rgbVector, rgbaVector = 2003, 2004
	several := h.intentCode >= genMatrix && h.intentCode <= quaternions
	if several || h.intentCode == rgbVector || h.intentCode == rgbaVector {
		h.intentCode, h.intentP, h.intentName = 0, [3]float64{}, [16]byte{}
	}
	if h.dim[1] != int64(g.Dims[0]) || h.dim[2] != int64(g.Dims[1]) || h.dim[3] != int64(g.Dims[2]) {
		h.sliceStart, h.sliceEnd, h.sliceCode, h.sliceDuration = 0, 0, 0, 0
	}
}

// setTransforms writes the positions of g. Where g is the source's own grid its
// transforms stay bit for bit; where it is a part of it, or turned, each of them
// is carried along. A transform that Read could not use is left out.
func (h *Header) setTransforms(g volume.Geometry, source *Header) {
	ras := g.Affine.FlipXY()
	if source == nil {
		h.setCodes(ras, xformScannerAnat, ras, xformScannerAnat)
		return
	}
	var sformCode, qformCode int64
	sform, qform := source.usableForms()
	if sform {
		sformCode = source.sformCode
	}
	if qform {
		qformCode = source.qformCode
	}
	old, _ := source.geometry()
	sound := sformCode == max(source.sformCode, 0) && qformCode == max(source.qformCode, 0) && source.soundPixdim()
	if sound && g.Affine == old.Affine && source.unitScale() == 1 {
		return
	}
	inverse, err := old.Affine.Inverse()
	if err != nil || (!sform && !qform) {
		h.setCodes(ras, xformAlignedAnat, ras, xformUnknown)
		return
	}
	// move takes a voxel of g to the same place among the source's voxels.
	move, scale := multiply(inverse, g.Affine), source.unitScale()
	h.setCodes(
		multiply(scaled(source.sform(), scale), move), sformCode,
		multiply(scaled(source.qform(), scale), move), qformCode,
	)
}

// soundPixdim says whether every program takes the same voxel size and qfac
// from the header.
func (h *Header) soundPixdim() bool {
	for _, p := range h.pixdim[1:4] {
		if !(p > 0) || math.IsInf(p, 0) {
			return false
		}
	}
	qfac := h.pixdim[0]
	return qfac == 1 || qfac == -1 || qfac == 0
}

// setCodes writes both transforms, a qform only where it can hold what it
// should; a qform that cannot and stands alone becomes an sform. Codes of 0
// leave a transform out.
func (h *Header) setCodes(sform volume.Affine, sformCode int64, qform volume.Affine, qformCode int64) {
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

// setDescription cuts at 79 bytes, between two characters.
func (h *Header) setDescription(s string) {
	h.descrip = [80]byte{}
	for len(s) > len(h.descrip)-1 {
		_, n := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-n]
	}
	copy(h.descrip[:], s)
}

// marshal returns the bytes of the header and, in a single file, of what lies
// between it and the voxels. It sets voxOffset to their length.
func (h *Header) marshal() []byte {
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
