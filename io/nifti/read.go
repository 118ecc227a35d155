package nifti

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"quell/series"
	"quell/volume"
)

// Info is what can be read of an image without its voxels.
type Info struct {
	series.Meta
	Geometry   volume.Geometry  `json:"geometry"`             // LPS+ mm, of one volume
	Volumes    int              `json:"volumes"`              // number on the grid
	Step       float64          `json:"step,omitempty"`       // seconds between volumes; 0 where they are no times, or the file does not say
	Start      float64          `json:"start,omitempty"`      // seconds of the first volume
	Datatype   string           `json:"datatype"`             // as stored: "int16"
	Components []Component      `json:"components,omitempty"` // one must be chosen; nil if voxels are single numbers
	Bytes      int64            `json:"bytes"`                // of all voxels, uncompressed
	Direct     bool             `json:"-"`                    // slices can be read alone, by ReadSlice
	Files      []string         `json:"-"`                    // header and voxels: one file, or the two of a pair
	Findings   []series.Finding `json:"findings"`
}

// ReadHeader reads the header of a file and no voxels; it takes the same time for a
// file of any size.
func ReadHeader(fsys fs.FS, name string) (Info, error) {
	im, err := openImage(fsys, name)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", name, err)
	}
	defer im.file.close()
	p, err := im.plan()
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := im.checkSize(p, 0); err != nil {
		return Info{}, fmt.Errorf("%s: %w", name, err)
	}
	h := im.header
	findings := append(p.findings, im.checkLength(p)...)
	if n := h.volumes(); n > 1 {
		findings = append(findings, series.Finding{
			Severity: series.Note, Kind: series.Volumes,
			Text: fmt.Sprintf("The file holds %d volumes; the first is opened unless another one is chosen.", n),
		})
	}
	start, step := h.times()
	_, direct := im.direct()
	return Info{
		Meta: h.meta(), Geometry: p.geometry, Volumes: int(h.volumes()), Start: start, Step: step,
		Datatype: p.decoder.name, Components: p.decoder.components,
		Bytes: p.volumeBytes * h.volumes(), Direct: direct, Files: slices.Compact([]string{im.headerName, im.name}), Findings: findings,
	}, nil
}

// Description returns the description in the header of a file, whether or not its
// voxels are there.
func Description(fsys fs.FS, name string) (string, error) {
	h, err := headerIn(fsys, name)
	if err != nil {
		return "", err
	}
	return text(h.descrip[:]), nil
}

// Auxiliary returns the name of an auxiliary file in the header of a file, see
// [FrameWriter.Mark].
func Auxiliary(fsys fs.FS, name string) (string, error) {
	h, err := headerIn(fsys, name)
	if err != nil {
		return "", err
	}
	return text(h.auxFile[:]), nil
}

func headerIn(fsys fs.FS, name string) (*header, error) {
	s, err := openFile(fsys, name)
	if err != nil {
		return nil, err
	}
	defer s.close()
	h, err := parseHeader(s)
	if err != nil {
		return nil, readError(err)
	}
	return h, nil
}

// Read reads the first volume of a file. See ReadVolume.
func Read(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
	return ReadVolume(ctx, fsys, name, 0)
}

// ReadVolume reads volume t of a file whose voxels are single numbers. For voxels
// that are colours or complex numbers the error lists the components to choose
// from. See ReadComponent.
func ReadVolume(ctx context.Context, fsys fs.FS, name string, t int) (*series.Series, error) {
	return ReadComponent(ctx, fsys, name, t, "")
}

// ReadComponent reads component c of volume t of the file name in fsys. t counts
// from 0 over all dimensions beyond the third; c is one of Info.Components, "" if
// there are none; name may be either file of a .hdr/.img pair.
//
// Values are scaled by scl_slope and scl_inter. Voxels that are NaN, infinite or
// beyond the range of float32 become padding: their mask is false and their value
// is the smallest of the others. A finding for each of these cases, and for integers
// that float32 rounds, gives the number of voxels. A volume without any other voxel
// is an error.
//
// The error is one sentence that begins with name; if the context ends, it wraps the
// context's error.
func ReadComponent(ctx context.Context, fsys fs.FS, name string, t int, c Component) (*series.Series, error) {
	r := NewSequence(fsys, name, c)
	defer r.Close()
	return r.Read(ctx, t)
}

// Sequence reads the volumes of one file. In the order of their numbers, a compressed file
// is decompressed once. Its methods are called from one goroutine.
type Sequence struct {
	fsys      fs.FS
	name      string
	component Component
	open      *image // nil before the first volume

	// Arrived gets some slices, whole ones in their order, while a volume is read of a file
	// that can only be read from its beginning. It is called on the goroutine of Read, and
	// may keep the slice; nil gets none.
	Arrived func(z int, slice *volume.Volume)

	// Progress gets how many slices of how many were read, of a file that can be read from
	// any place. It is called on several goroutines, on one at a time; nil gets none.
	Progress func(done, total int)
}

// NewSequence returns a reader of component c of the volumes of a file, which is opened by
// the first Read.
func NewSequence(fsys fs.FS, name string, c Component) *Sequence {
	return &Sequence{fsys: fsys, name: name, component: c}
}

// Close closes the file.
func (r *Sequence) Close() {
	if r.open != nil {
		r.open.file.close()
		r.open = nil
	}
}

// Read reads volume t, as [ReadComponent] does.
func (r *Sequence) Read(ctx context.Context, t int) (*series.Series, error) {
	s, err := r.read(ctx, t)
	if err != nil {
		r.Close() // where it stands in the file is not known
		return nil, fmt.Errorf("%s: %w", r.name, err)
	}
	s.Sources[0].FS, s.Sources[0].Name = r.fsys, r.name
	return s, nil
}

func (r *Sequence) read(ctx context.Context, t int) (*series.Series, error) {
	if r.open != nil && !r.open.reaches(t) {
		r.Close()
	}
	if r.open == nil {
		im, err := openImage(r.fsys, r.name)
		if err != nil {
			return nil, err
		}
		r.open = im
	}
	return r.open.read(ctx, t, r.component, r.Arrived, r.Progress)
}

// reaches reports whether volume t lies at or behind the place that the file was read to,
// or can be read from any place.
func (im *image) reaches(t int) bool {
	if _, ok := im.direct(); ok {
		return true
	}
	p, err := im.plan()
	return err == nil && p.start(t) >= im.file.pos
}

// plan is what the header says about reading the voxels.
type plan struct {
	geometry    volume.Geometry
	decoder     decoder
	offset      int64 // of the first volume
	volumeBytes int64
	findings    []series.Finding
}

func (im *image) plan() (plan, error) {
	h := im.header
	var p plan
	dt, err := datatypeByCode(h.datatype)
	if err != nil {
		return p, err
	}
	offset, findings, err := h.dataOffset()
	if err != nil {
		return p, err
	}
	p.offset, p.findings = offset, findings
	slope, inter := 1.0, 0.0
	if !dt.colours() { // nifti1.h: colours are not scaled
		if slope, inter, findings, err = h.scaling(); err != nil {
			return p, err
		}
		p.findings = append(p.findings, findings...)
	}
	p.decoder = decoder{datatype: dt, order: h.order, slope: slope, inter: inter}
	p.geometry, findings = h.geometry()
	p.findings = append(p.findings, findings...)
	if err := p.geometry.Validate(); err != nil {
		return p, fmt.Errorf("its grid is not usable (%w)", err)
	}
	p.volumeBytes = int64(p.geometry.Voxels()) * int64(dt.bytes)
	return p, nil
}

// start returns the byte at which volume t starts.
func (p plan) start(t int) int64 { return p.offset + int64(t)*p.volumeBytes }

// checkSize returns an error if the file is too short for volume t. It runs before
// anything is read or allocated.
func (im *image) checkSize(p plan, t int) error {
	switch end := p.start(t + 1); { // no overflow: dataOffset and checkDims bound both terms
	case im.file.couldHold(end):
		return nil
	case im.file.gzip:
		return fmt.Errorf("the header gives more voxels than %d bytes of gzip can expand to; get a complete copy", im.file.size)
	default:
		return fmt.Errorf("the voxels should end at byte %d, but the file has %d bytes; get a complete copy", end, im.file.size)
	}
}

// checkLength returns a finding if the file ends before its last volume. For a
// compressed file that is not known before it is read.
func (im *image) checkLength(p plan) []series.Finding {
	n := im.header.volumes()
	if im.file.gzip || im.file.couldHold(p.start(int(n))) {
		return nil
	}
	return []series.Finding{{
		Severity: series.Warning, Kind: series.Missing,
		Text: fmt.Sprintf("The file ends before the last of its %d volumes.", n),
	}}
}

// planOf returns how component c of volume t is read, after all checks.
func (im *image) planOf(t int, c Component) (plan, error) {
	h := im.header
	p, err := im.plan()
	if err != nil {
		return p, err
	}
	if err := p.decoder.checkComponent(c); err != nil {
		return p, err
	}
	p.decoder.component = c
	if n := h.volumes(); t < 0 || int64(t) >= n {
		return p, fmt.Errorf("it has no volume %d; its volumes are numbered 1 to %d", t+1, n)
	}
	if err := im.checkSize(p, t); err != nil {
		return p, err
	}
	p.findings = append(p.findings, im.checkLength(p)...)
	if h.single && im.file.pos < p.offset {
		p.findings = append(p.findings, im.readExtensions(p.offset)...)
	}
	return p, nil
}

// read reads component c of volume t; see Sequence.Arrived for show and Sequence.Progress
// for progress.
func (im *image) read(ctx context.Context, t int, c Component, show func(int, *volume.Volume), progress func(done, total int)) (*series.Series, error) {
	p, err := im.planOf(t, c)
	if err != nil {
		return nil, err
	}
	data, lost, err := im.readVoxels(ctx, p, t, show, progress)
	if err != nil {
		return nil, err
	}
	s, err := im.seriesOf(p, t, lost)
	if err != nil {
		return nil, err
	}
	s.Volume.Data = data
	if lost.nonFinite() > 0 {
		maskNonFinite(s.Volume)
	}
	return s, nil
}

// seriesOf returns the series that volume t is, of which so much was lost, without its
// voxels.
func (im *image) seriesOf(p plan, t int, lost losses) (*series.Series, error) {
	if n := p.geometry.Voxels(); lost.nonFinite() == n {
		return nil, fmt.Errorf("all of its %d voxels are NaN, infinite or beyond the range of 32-bit floating point, so there is no image to open; check how the file was made", n)
	}
	v := &volume.Volume{Geometry: p.geometry}
	if p.decoder.component == Phase {
		v.Unit = "rad"
		p.findings = append(p.findings, series.Finding{
			Severity: series.Warning, Kind: series.Phase,
			Text: "Phase wraps from pi to -pi; filters treat the jump as an edge.",
		})
	}
	p.findings = append(p.findings, lost.findings()...)
	if n := im.header.volumes(); n > 1 {
		p.findings = append(p.findings, series.Finding{
			Severity: series.Note, Kind: series.Volumes,
			Text: fmt.Sprintf("The file holds %d volumes; this is number %d.", n, t+1),
		})
	}
	source := series.Source{Frame: t, Position: v.Affine.Column(3), Slope: p.decoder.slope, Inter: p.decoder.inter}
	return &series.Series{Meta: im.header.meta(), Volume: v, Sources: []series.Source{source}, Findings: p.findings}, nil
}

// readExtensions reads the extensions of a single file, the bytes between the header
// and the voxels at offset.
func (im *image) readExtensions(offset int64) []series.Finding {
	size := offset - im.file.pos
	if size > maxExtensions {
		return []series.Finding{{Severity: series.Note, Kind: series.Header, Text: "The header's extensions are too large; they are ignored."}}
	}
	var b bytes.Buffer
	if !im.file.gzip {
		b.Grow(int(size) + bytes.MinRead) // checkSize has shown that the file is longer
	}
	// An error is returned again when the voxels are read.
	_, _ = b.ReadFrom(io.LimitReader(im.file, size))
	return im.header.parseExtensions(b.Bytes())
}

// times returns when the first volume was acquired and the time between volumes, in
// seconds; 0, 0 where the header does not say, or where volumes have a fifth dimension.
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
