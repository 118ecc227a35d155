package nifti

import (
	"bytes"
	"io"
	"io/fs"
	"math"

	"quell/internal/message"
	"quell/io/raster"
	"quell/series"
	"quell/volume"
)

// descriptionIn returns the description in the header of a file, whether or not its
// voxels are there.
func descriptionIn(fsys fs.FS, name string) (string, error) {
	h, err := headerIn(fsys, name)
	if err != nil {
		return "", err
	}
	return text(h.descrip[:]), nil
}

// auxiliaryIn returns the name of an auxiliary file in the header of a file, see
// [gradientMark].
func auxiliaryIn(fsys fs.FS, name string) (string, error) {
	h, err := headerIn(fsys, name)
	if err != nil {
		return "", err
	}
	return text(h.auxFile[:]), nil
}

func headerIn(fsys fs.FS, name string) (*header, error) {
	s, err := raster.OpenFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	h, err := parseHeader(s)
	if err != nil {
		return nil, raster.ReadError(err)
	}
	return h, nil
}

// rasterLayout returns what the header says of the voxels.
func (h *header) rasterLayout() (raster.Layout, error) {
	var l raster.Layout
	dt, err := datatypeByCode(h.datatype)
	if err != nil {
		return l, err
	}
	offset, findings, err := h.dataOffset()
	if err != nil {
		return l, err
	}
	l.Slope = 1
	if !dt.Colours() { // nifti1.h: colours are not scaled
		var scaled []series.Finding
		if l.Slope, l.Inter, scaled, err = h.scaling(); err != nil {
			return l, err
		}
		findings = append(findings, scaled...)
	}
	geometry, placed := h.geometry()
	l.Meta, l.Geometry, l.Volumes, l.Datatype, l.Order, l.Offset = h.meta(), geometry, int(h.volumes()), dt, h.order, offset
	l.Findings = append(findings, placed...)
	l.Start, l.Step = h.times()
	if h.single {
		l.Between = h.readExtensions
	}
	return l, nil
}

// readExtensions reads the extensions of a single file, the bytes between the header
// and the voxels at offset.
func (h *header) readExtensions(file *raster.File, offset int64) []series.Finding {
	size := offset - file.At()
	if size > maxExtensions {
		return []series.Finding{{Severity: series.Note, Kind: series.Header, Text: message.Text("The header's extensions are too large; they are ignored.")}}
	}
	var b bytes.Buffer
	if file.Holds(offset) { // else it is compressed
		b.Grow(int(size) + bytes.MinRead)
	}
	// An error is returned again when the voxels are read.
	_, _ = b.ReadFrom(io.LimitReader(file, size))
	return h.parseExtensions(b.Bytes())
}

// times returns when the first volume was acquired and the time between volumes, in
// seconds; 0, 0 if the header does not say, or if volumes have a fifth dimension.
func (h *header) times() (start, step float64) {
	const seconds, milliseconds, microseconds = 8, 16, 24
	unit, ok := map[int64]float64{seconds: 1, milliseconds: 1e-3, microseconds: 1e-6}[h.xyztUnits&0x38]
	if h.format == analyze75 || !ok || h.dim[4] != h.volumes() || !(h.pixdim[4] > 0) || math.IsInf(h.pixdim[4]+h.toffset, 0) || math.IsNaN(h.toffset) {
		return 0, 0
	}
	return h.toffset * unit, h.pixdim[4] * unit
}

// meta returns the header's fields for display.
func (h *header) meta() series.Meta {
	m := series.Meta{Format: h.format.String(), Description: text(h.descrip[:])}
	if w := h.calMax - h.calMin; h.format != analyze75 && w > 0 && !math.IsInf(w, 0) {
		m.Windows = []volume.Window{{Center: h.calMin + w/2, Width: w, Name: "file"}}
	}
	return m
}
