package nifti

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"quell/series"
	"quell/volume"
)

// maxExtensions bounds the bytes of extensions that are kept; more is skipped.
const maxExtensions = 16 << 20

// maxVolumes bounds the volumes of one file: time series have hundreds or
// thousands, and whoever lists them should not be made to list 2^60.
const maxVolumes = 1 << 16

// errNotNIfTI is what every file of another kind gets.
var errNotNIfTI = errors.New("this is no NIfTI or Analyze file; choose a .nii, .nii.gz or .hdr file")

// parseHeader reads the header at the start of r and checks that it describes
// an image that can be read. Its dim[1..7] come back all at least 1.
func parseHeader(r io.Reader) (*Header, error) {
	buf := make([]byte, nifti2.size())
	if _, err := io.ReadFull(r, buf[:4]); err != nil {
		return nil, short(err)
	}
	h := &Header{order: binary.LittleEndian, format: nifti1}
	switch {
	case binary.LittleEndian.Uint32(buf) == 348:
	case binary.BigEndian.Uint32(buf) == 348:
		h.order = binary.BigEndian
	case binary.LittleEndian.Uint32(buf) == 540:
		h.format = nifti2
	case binary.BigEndian.Uint32(buf) == 540:
		h.format, h.order = nifti2, binary.BigEndian
	default:
		return nil, errNotNIfTI
	}
	buf = buf[:h.format.size()]
	if _, err := io.ReadFull(r, buf[4:]); err != nil {
		return nil, short(err)
	}
	switch {
	case h.format == nifti2:
		magic := buf[4:12]
		h.single = bytes.HasPrefix(magic, []byte("n+2\x00"))
		if !h.single && !bytes.HasPrefix(magic, []byte("ni2\x00")) {
			return nil, errNotNIfTI
		}
	case bytes.Equal(buf[344:348], []byte("n+1\x00")):
		h.single = true
	case !bytes.Equal(buf[344:348], []byte("ni1\x00")):
		h.format = analyze75
	}
	h.layout(fields{b: buf, order: h.order})
	if err := h.checkDims(); err != nil {
		return nil, err
	}
	if _, err := datatypeByCode(h.datatype); err != nil {
		return nil, err
	}
	return h, nil
}

// short names the end of a file inside its header.
func short(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the file ends inside its header; copy it again from where it came from")
	}
	return err
}

// checkDims makes dim[1..7] at least 1, and refuses what is no image.
func (h *Header) checkDims() error {
	n := h.dim[0]
	if n < 1 || n > 7 {
		return fmt.Errorf("the header says %d dimensions; 1 to 7 are possible, so it is damaged", n)
	}
	if h.format != analyze75 && h.intentCode >= 3000 && h.intentCode < 3100 {
		return errors.New("this is CIFTI connectivity data, not an image on a grid; choose an image")
	}
	if h.format == nifti1 && h.dim[1] == -1 {
		return errors.New("this is FreeSurfer surface data, not an image on a grid; choose an image")
	}
	for i := 1; i <= 7; i++ {
		if int64(i) > n || (h.dim[i] == 0 && i > 2) {
			h.dim[i] = 1
		}
		if h.dim[i] < 1 {
			return fmt.Errorf("the header says %d voxels along axis %d; it is damaged", h.dim[i], i)
		}
	}
	voxels := int64(1)
	for i := 1; i <= 7; i++ {
		// Sixteen bytes for each voxel must stay countable.
		if h.dim[i] > math.MaxInt64/16/voxels {
			return h.tooMany()
		}
		voxels *= h.dim[i]
		if i == 3 && voxels > volume.MaxVoxels {
			return h.tooMany()
		}
	}
	if n := h.volumes(); n > maxVolumes {
		return fmt.Errorf("the header says %d volumes; more than %d are no series of images, so it is damaged", n, maxVolumes)
	}
	return nil
}

func (h *Header) tooMany() error {
	return fmt.Errorf("the header says %d x %d x %d x %d voxels, more than can be held; it is damaged",
		h.dim[1], h.dim[2], h.dim[3], h.dim[4])
}

// volumes returns how many volumes share the grid: the product of dim[4..7].
func (h *Header) volumes() int64 {
	n := int64(1)
	for _, d := range h.dim[4:] {
		n *= d
	}
	return n
}

// scaling returns slope and intercept. A slope of 0, or one that is not finite,
// means none, and then the intercept counts for nothing either (nifti1.h). An
// Analyze file may hold SPM's factor instead, or the calibrated range that the
// stored range stands for.
func (h *Header) scaling() (slope, inter float64, findings []series.Finding, err error) {
	note := func(text string) {
		findings = append(findings, series.Finding{Severity: series.Note, Kind: series.Scaling, Text: text})
	}
	finite := func(x float64) bool { return x-x == 0 }
	switch stored, calibrated := float64(h.glmax-h.glmin), h.calMax-h.calMin; {
	case h.sclSlope != 0 && finite(h.sclSlope):
		slope, inter = h.sclSlope, h.sclInter
		if finite(inter) {
			break
		}
		if h.format != analyze75 {
			return 0, 0, nil, errors.New("the header has a scale (scl_slope) but its offset (scl_inter) is not a number; it is damaged")
		}
		inter = 0
	case h.format == analyze75 && stored != 0 && calibrated != 0 && finite(calibrated):
		slope = calibrated / stored
		inter = h.calMin - slope*float64(h.glmin)
		note("Values were scaled from the header's stored range to its calibrated range.")
	default:
		if !finite(h.sclSlope) {
			note("The header's scale is not a number; the stored values are used.")
		}
		return 1, 0, findings, nil
	}
	return slope, inter, findings, nil
}

// dataOffset returns where the voxels start in the file that holds them.
func (h *Header) dataOffset() (offset int64, findings []series.Finding, err error) {
	if !(math.Abs(h.voxOffset) < 1<<62) {
		return 0, nil, fmt.Errorf("the header says that the voxels start at byte %g; it is damaged", h.voxOffset)
	}
	offset = int64(h.voxOffset)
	first := int64(0)
	if h.single {
		first = int64(h.format.size()) + 4
	}
	if offset >= first {
		return offset, nil, nil
	}
	if offset != 0 {
		findings = append(findings, series.Finding{
			Severity: series.Warning, Kind: series.Header,
			Text: fmt.Sprintf("The header says that the voxels start at byte %d; byte %d is taken, the first possible.", offset, first),
		})
	}
	return first, findings, nil
}

// parseExtensions reads the blocks between header and voxels, and keeps parts of
// b. What is left of a damaged list is dropped with a finding; the image does
// not depend on it.
func (h *Header) parseExtensions(b []byte) []series.Finding {
	if len(b) < 4 || b[0] == 0 {
		return nil
	}
	for b = b[4:]; len(b) >= 16; {
		size := int64(int32(h.order.Uint32(b)))
		code := int32(h.order.Uint32(b[4:]))
		if size < 8 || size > int64(len(b)) {
			return []series.Finding{{
				Severity: series.Note, Kind: series.Header,
				Text: "The header's extensions are damaged; those after the damage were left out.",
			}}
		}
		h.extensions = append(h.extensions, extension{code, b[8:size:size]})
		b = b[size:]
	}
	return nil
}

// text returns a fixed-length field up to its first NUL, made printable.
func text(field []byte) string {
	if i := bytes.IndexByte(field, 0); i >= 0 {
		field = field[:i]
	}
	s := strings.ToValidUTF8(string(field), "?")
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}
