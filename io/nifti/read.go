package nifti

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"math"

	"quell/series"
	"quell/volume"
)

// Info is what a header tells without its voxels.
type Info struct {
	series.Meta
	Geometry   volume.Geometry  `json:"geometry"`             // LPS+ mm, of one volume
	Volumes    int              `json:"volumes"`              // how many share the grid
	Datatype   string           `json:"datatype"`             // as stored: "int16"
	Components []Component      `json:"components,omitempty"` // of which one has to be chosen; nil where voxels are single numbers
	Bytes      int64            `json:"bytes"`                // of all voxels, uncompressed
	Findings   []series.Finding `json:"findings"`
}

// ReadHeader reads what the file says of itself and leaves the voxels alone:
// it is quick however large the file is.
func ReadHeader(fsys fs.FS, name string) (Info, error) {
	im, err := openImage(fsys, name)
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", name, err)
	}
	defer im.source.close()
	p, err := im.plan()
	if err != nil {
		return Info{}, fmt.Errorf("%s: %w", name, err)
	}
	if err := im.checkSize(p, 0); err != nil {
		return Info{}, fmt.Errorf("%s: %w", name, err)
	}
	h := im.header
	findings := append(p.findings, im.missing(p)...)
	if n := h.volumes(); n > 1 {
		findings = append(findings, series.Finding{
			Severity: series.Note, Kind: series.Volumes,
			Text: fmt.Sprintf("The file holds %d volumes; the first is opened unless another is chosen.", n),
		})
	}
	return Info{
		Meta: h.meta(), Geometry: p.geometry, Volumes: int(h.volumes()),
		Datatype: p.decoder.name, Components: p.decoder.components,
		Bytes: p.volumeBytes * h.volumes(), Findings: findings,
	}, nil
}

// Read reads the first volume of a file. See ReadVolume.
func Read(ctx context.Context, fsys fs.FS, name string) (*series.Series, error) {
	return ReadVolume(ctx, fsys, name, 0)
}

// ReadVolume reads volume t of a file whose voxels are single numbers; of one
// whose voxels are colours or complex numbers it says which components there
// are to choose from. See ReadComponent.
func ReadVolume(ctx context.Context, fsys fs.FS, name string, t int) (*series.Series, error) {
	return ReadComponent(ctx, fsys, name, t, "")
}

// ReadComponent reads volume t, counted from 0 over all dimensions beyond the
// third, of the file name in fsys, and of each voxel the component c: one of
// Info.Components, "" where there are none. Either file of a .hdr/.img pair may
// be named.
//
// Values are scaled by scl_slope and scl_inter. Voxels that are not finite
// become padding: their mask is false and their value the smallest of the
// others. What was odd about the file is in the series' findings.
//
// The error is one sentence that begins with name; a context that ends gives
// its own error.
func ReadComponent(ctx context.Context, fsys fs.FS, name string, t int, c Component) (*series.Series, error) {
	im, err := openImage(fsys, name)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	defer im.source.close()
	s, err := im.read(ctx, t, c)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	s.Sources[0].FS, s.Sources[0].Name = fsys, name
	return s, nil
}

// plan is what is known of an image before its voxels are read.
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
	if !dt.colours() { // nifti1.h: no scale applies to them
		if slope, inter, findings, err = h.scaling(); err != nil {
			return p, err
		}
		p.findings = append(p.findings, findings...)
	}
	p.decoder = decoder{datatype: dt, order: h.order, slope: slope, inter: inter}
	p.geometry, findings = h.geometry()
	p.findings = append(p.findings, findings...)
	if err := p.geometry.Validate(); err != nil {
		return p, fmt.Errorf("the header cannot be used (%w)", err)
	}
	p.volumeBytes = int64(p.geometry.Voxels()) * int64(dt.bytes)
	return p, nil
}

// start returns where volume t begins.
func (p plan) start(t int) int64 { return p.offset + int64(t)*p.volumeBytes }

// checkSize refuses a volume that the file is too short for, before anything is
// read or allocated.
func (im *image) checkSize(p plan, t int) error {
	if start := p.start(t); start < p.offset || !im.source.couldHold(start+p.volumeBytes) {
		return fmt.Errorf("its header promises %d bytes of voxels, more than its %d bytes can hold; copy it again from where it came from", p.volumeBytes, im.source.size)
	}
	return nil
}

// missing tells of a file that ends before its last volume. Of a compressed one
// that is not known before it is read.
func (im *image) missing(p plan) []series.Finding {
	n := im.header.volumes()
	if im.source.gzip || im.source.couldHold(p.start(int(n))) {
		return nil
	}
	return []series.Finding{{
		Severity: series.Warning, Kind: series.Missing,
		Text: fmt.Sprintf("The file ends before the last of its %d volumes.", n),
	}}
}

// read reads component c of volume t.
func (im *image) read(ctx context.Context, t int, c Component) (*series.Series, error) {
	h := im.header
	p, err := im.plan()
	if err != nil {
		return nil, err
	}
	if err := p.decoder.checkComponent(c); err != nil {
		return nil, err
	}
	p.decoder.component = c
	n := h.volumes()
	if t < 0 || int64(t) >= n {
		return nil, fmt.Errorf("it has no volume %d; its volumes are numbered 0 to %d", t, n-1)
	}
	if err := im.checkSize(p, t); err != nil {
		return nil, err
	}
	p.findings = append(p.findings, im.missing(p)...)
	if h.single {
		p.findings = append(p.findings, im.readExtensions(p.offset)...)
	}
	data, padded, err := im.readVoxels(ctx, p, t)
	if err != nil {
		return nil, err
	}
	v := &volume.Volume{Geometry: p.geometry, Data: data}
	if c == Phase {
		v.Unit = "rad"
		p.findings = append(p.findings, series.Finding{
			Severity: series.Warning, Kind: series.Phase,
			Text: "Phase jumps from pi to -pi where it wraps; filters take the jump for an edge.",
		})
	}
	if padded > 0 {
		maskNonFinite(v)
		h.paddingNaN = true
		p.findings = append(p.findings, series.Finding{
			Severity: series.Note, Kind: series.Padding,
			Text: fmt.Sprintf("%d voxels are not finite numbers; they count as padding.", padded),
		})
	}
	rounded, err := roundsWholeNumbers(ctx, v, p.decoder)
	if err != nil {
		return nil, err
	}
	if rounded {
		p.findings = append(p.findings, series.Finding{
			Severity: series.Note, Kind: series.Precision,
			Text: "Some whole numbers beyond 16777216 were rounded to the 24 bits of a float32.",
		})
	}
	if n > 1 {
		p.findings = append(p.findings, series.Finding{
			Severity: series.Note, Kind: series.Volumes,
			Text: fmt.Sprintf("The file holds %d volumes; this is number %d, counted from 0.", n, t),
		})
	}
	source := series.Source{Frame: t, Position: v.Affine.Column(3), Slope: p.decoder.slope, Inter: p.decoder.inter}
	return &series.Series{Meta: h.meta(), Volume: v, Sources: []series.Source{source}, Findings: p.findings, Header: h}, nil
}

// readExtensions reads what lies between the header and the voxels of a single
// file.
func (im *image) readExtensions(offset int64) []series.Finding {
	size := offset - im.source.pos
	if size > maxExtensions {
		return []series.Finding{{Severity: series.Note, Kind: series.Header, Text: "The header's extensions are too large to keep; they were left out."}}
	}
	var b bytes.Buffer
	if !im.source.gzip {
		b.Grow(int(size) + bytes.MinRead) // the voxels behind them are known to be there
	}
	// An error here comes up again when the voxels are read.
	_, _ = b.ReadFrom(io.LimitReader(im.source, size))
	return im.header.parseExtensions(b.Bytes())
}

// roundsWholeNumbers says whether values of a wide integer type may have lost
// digits on their way into a float32.
func roundsWholeNumbers(ctx context.Context, v *volume.Volume, d decoder) (bool, error) {
	if !d.integer() || d.bytes < 4 || d.slope != 1 || d.inter != 0 {
		return false, nil
	}
	lo, hi, err := v.Range(ctx)
	return max(-lo, hi) > 1<<24, err
}

// meta returns what the header tells a person.
func (h *Header) meta() series.Meta {
	m := series.Meta{Format: h.format.String(), Description: text(h.descrip[:])}
	if w := h.calMax - h.calMin; h.format != analyze75 && w > 0 && !math.IsInf(w, 0) {
		m.Windows = []volume.Window{{Center: h.calMin + w/2, Width: w, Name: "file"}}
	}
	return m
}
