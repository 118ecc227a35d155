package nifti

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// maxExtensions bounds the bytes of extensions that are kept; more is skipped.
const maxExtensions = 16 << 20

// maxVolumes bounds the volumes of one file. Time series have hundreds or
// thousands; a damaged header may claim 2^60, and a catalogue lists each one.
const maxVolumes = 1 << 16

// errNotNIfTI is the error for files of every other format.
var errNotNIfTI = message.Errorf(message.OutputUnsupported, "this is not a NIfTI or Analyze file; choose a .nii, .nii.gz, .nii.zst, .nii.bz2 or .hdr file")

// parseHeader reads the header at the start of r and checks that it describes an
// image that can be read. On return dim[1] to dim[7] are at least 1.
func parseHeader(r io.Reader) (*header, error) {
	buf := make([]byte, nifti2.size())
	if _, err := io.ReadFull(r, buf[:4]); err != nil {
		return nil, headerError(err)
	}
	h := &header{order: binary.LittleEndian, format: nifti1}
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
		return nil, headerError(err)
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

// headerError words the error of a file that ends inside its header.
func headerError(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return message.Errorf(message.InputTruncated, "the file ends inside its header; get a complete copy")
	}
	return err
}

// checkDims sets unused dimensions to 1 and returns an error for data that is not
// an image, or with an impossible size.
func (h *header) checkDims() error {
	n := h.dim[0]
	if n < 1 || n > 7 {
		return message.Errorf(message.InputDamaged, "the header gives %d dimensions instead of 1 to 7; it is damaged", n)
	}
	if h.format != analyze75 && h.intentCode >= 3000 && h.intentCode < 3100 {
		return message.Errorf(message.InputForeign, "this is CIFTI connectivity data, not an image on a grid; choose an image")
	}
	if h.format == nifti1 && h.dim[1] == -1 {
		return message.Errorf(message.InputForeign, "this is FreeSurfer surface data, not an image on a grid; choose an image")
	}
	for i := 1; i <= 7; i++ {
		if int64(i) > n || (h.dim[i] == 0 && i > 2) {
			h.dim[i] = 1
		}
		if h.dim[i] < 1 {
			return message.Errorf(message.InputDamaged, "the header gives %d voxels along axis %d; it is damaged", h.dim[i], i)
		}
	}
	voxels := int64(1)
	for i := 1; i <= 7; i++ {
		// The size in bytes, at most 16 a voxel, must fit an int64.
		if h.dim[i] > math.MaxInt64/16/voxels {
			return h.tooMany()
		}
		voxels *= h.dim[i]
		if i == 3 && voxels > volume.MaxVoxels {
			return h.tooMany()
		}
	}
	if n := h.volumes(); n > maxVolumes {
		return message.Errorf(message.InputDamaged, "the header gives %d volumes, more than the %d that a file may have; it is damaged", n, maxVolumes)
	}
	return nil
}

func (h *header) tooMany() error {
	return message.Errorf(message.InputDamaged, "the header gives %d x %d x %d x %d voxels, more than a volume can have; it is damaged",
		h.dim[1], h.dim[2], h.dim[3], h.dim[4])
}

// volumes returns the number of volumes on the grid: the product of dim[4] to
// dim[7].
func (h *header) volumes() int64 {
	n := int64(1)
	for _, d := range h.dim[4:] {
		n *= d
	}
	return n
}

// scaling returns slope and intercept: real = stored*slope + inter. A slope that is
// 0 or not finite means that values are not scaled, and the intercept is ignored
// too (nifti1.h). An Analyze file may hold SPM's factor, or a stored range and the
// calibrated range that it stands for.
func (h *header) scaling() (slope, inter float64, findings []series.Finding, err error) {
	note := func(text message.Message) {
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
			return 0, 0, nil, message.Errorf(message.InputDamaged, "the header's slope (scl_slope) is a number but its intercept (scl_inter) is not; it is damaged")
		}
		inter = 0
	case h.format == analyze75 && stored != 0 && calibrated != 0 && finite(calibrated):
		slope = calibrated / stored
		inter = h.calMin - slope*float64(h.glmin)
		note(message.Text("Values were scaled from the header's stored range to its calibrated range."))
	default:
		if !finite(h.sclSlope) {
			note(message.Text("The header's slope (scl_slope) is not finite; the stored values are used."))
		}
		return 1, 0, findings, nil
	}
	return slope, inter, findings, nil
}

// dataOffset returns the byte at which the voxels start in the file that holds them.
func (h *header) dataOffset() (offset int64, findings []series.Finding, err error) {
	if !(math.Abs(h.voxOffset) < 1<<62) {
		return 0, nil, message.Errorf(message.InputDamaged, "the header gives byte %g as the start of the voxels; it is damaged", h.voxOffset)
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
			Text: message.Text("The header gives byte %d as the start of the voxels; byte %d, the first possible, is used.", offset, first),
		})
	}
	return first, findings, nil
}

// parseExtensions adds the extensions in b, the bytes between header and voxels, to
// the header, which keeps parts of b. The image does not depend on them: after a
// damaged block the others are dropped with a finding.
func (h *header) parseExtensions(b []byte) []series.Finding {
	if len(b) < 4 || b[0] == 0 {
		return nil
	}
	for b = b[4:]; len(b) >= 16; {
		size := int64(int32(h.order.Uint32(b)))
		code := int32(h.order.Uint32(b[4:]))
		if size < 8 || size > int64(len(b)) {
			return []series.Finding{{
				Severity: series.Note, Kind: series.Header,
				Text: message.Text("The header's extensions are damaged; those after the damage are ignored."),
			}}
		}
		h.extensions = append(h.extensions, extension{code, b[8:size:size]})
		b = b[size:]
	}
	return nil
}

// text returns a fixed-length field up to its first NUL as printable UTF-8.
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

// sourceHeader returns the header of the NIfTI or Analyze file that a series was read
// from, extensions included; nil if the series is nil or from elsewhere.
func sourceHeader(from *series.Series) (*header, error) {
	if from == nil || len(from.Sources) != 1 || from.Sources[0].FS == nil {
		return nil, nil
	}
	switch from.Format {
	case analyze75.String(), nifti1.String(), nifti2.String():
	default:
		return nil, nil
	}
	src := from.Sources[0]
	h, err := readFullHeader(src.FS, src.Name)
	if err != nil {
		return nil, message.Errorf(message.InputChanged, "the header of the source %s cannot be read again (%w)", src.Name, err)
	}
	if g, _ := h.geometry(); g.Affine.Column(3) != src.Position {
		return nil, message.Errorf(message.InputChanged, "the source %s was changed after it was opened; open it again", src.Name)
	}
	return h, nil
}

// readFullHeader reads the header of an image with its extensions.
func readFullHeader(fsys fs.FS, name string) (*header, error) {
	im, err := openImage(fsys, name)
	if err != nil {
		return nil, err
	}
	defer im.file.Close()
	if im.header.single {
		offset, _, err := im.header.dataOffset()
		if err != nil {
			return nil, err
		}
		im.header.readExtensions(im.file, offset)
	}
	return im.header, nil
}
