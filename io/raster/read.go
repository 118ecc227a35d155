package raster

import (
	"context"
	"encoding/binary"
	"io/fs"
	"slices"

	"quell/internal/message"
	"quell/series"
	"quell/volume"
)

// Layout is what the header of a file says of its voxels. It is checked against the size of the
// file before anything is read or allocated.
type Layout struct {
	Meta         series.Meta
	Geometry     volume.Geometry // LPS+ mm, of each volume
	Volumes      int             // at least 1
	Start, Step  float64         // see Info
	Datatype     Datatype
	Order        binary.ByteOrder
	Slope, Inter float64           // real = stored*Slope + Inter
	Beside       bool              // volumes are stored voxel by voxel, interleaved, and not one after another
	Offset       int64             // of the first voxel, in the file as decompressed
	Gradients    *series.Gradients // diffusion weightings of the volumes; nil for none
	Findings     []series.Finding
	// Between reads what lies between the header and the voxels of one file; nil for nothing.
	Between func(file *File, offset int64) []series.Finding
}

// Image is a file with its header read, open for its voxels.
type Image struct {
	layout     Layout
	headerName string   // of the file that holds the header
	names      []string // of the files that hold the voxels
	file       *File
}

// NewImage returns an image with its voxels in a file, which it closes. headerName and names are the
// names of the files that hold header and voxels: the same for one file.
func NewImage(l Layout, headerName string, names []string, file *File) *Image {
	return &Image{l, headerName, names, file}
}

// Opener opens the file of a format and reads its header. An error is one sentence without the
// name of the file.
type Opener func(fsys fs.FS, name string) (*Image, error)

// Info is what can be read of an image without its voxels.
type Info struct {
	series.Meta
	Geometry   volume.Geometry   `json:"geometry"`             // LPS+ mm, of one volume
	Volumes    int               `json:"volumes"`              // number on the grid
	Step       float64           `json:"step,omitempty"`       // seconds between volumes; 0 if they are no times, or the file does not say
	Start      float64           `json:"start,omitempty"`      // seconds of the first volume
	Gradients  *series.Gradients `json:"-"`                    // diffusion weightings of the volumes; nil for none
	Datatype   string            `json:"datatype"`             // as stored: "int16"
	Components []Component       `json:"components,omitempty"` // one must be chosen; nil if voxels are single numbers
	Bytes      int64             `json:"bytes"`                // of all voxels, uncompressed
	Direct     bool              `json:"-"`                    // slices can be read alone, by Opener.ReadSlice
	Files      []string          `json:"-"`                    // header and voxels: one file, or the two of a pair
	Findings   []series.Finding  `json:"findings"`
}

// ReadHeader reads the header of a file and no voxels; it takes the same time for a
// file of any size.
func (open Opener) ReadHeader(fsys fs.FS, name string) (Info, error) {
	im, err := open(fsys, name)
	if err != nil {
		return Info{}, message.Named(name, err)
	}
	defer im.file.Close()
	p, err := im.plan()
	if err != nil {
		return Info{}, message.Named(name, err)
	}
	if err := im.checkSize(p, 0); err != nil {
		return Info{}, message.Named(name, err)
	}
	l := im.layout
	findings := append(p.findings, im.checkLength(p)...)
	if l.Volumes > 1 {
		findings = append(findings, series.Finding{
			Severity: series.Note, Kind: series.Volumes,
			Text: message.Text("The file contains %d volumes; the first is opened unless another one is chosen.", l.Volumes),
		})
	}
	_, direct := im.direct()
	return Info{
		Meta: l.Meta, Geometry: p.geometry, Volumes: l.Volumes, Start: l.Start, Step: l.Step, Gradients: l.Gradients,
		Datatype: p.decoder.Name, Components: p.decoder.Components,
		Bytes: l.bytes(), Direct: direct, Files: slices.Compact(append([]string{im.headerName}, im.names...)), Findings: findings,
	}, nil
}

// Read reads component c of volume t of the file name in fsys. t counts from 0; c is one of
// Info.Components, "" if there are none.
//
// Voxels that are NaN, infinite or beyond the range of float32 become padding: their mask is false
// and their value is the smallest of the others. A finding for each of these cases, and for integers
// that float32 rounds, gives the number of voxels. A volume without any other voxel is an error.
//
// The error is one sentence that begins with name; if the context ends, it wraps the context's error.
func (open Opener) Read(ctx context.Context, fsys fs.FS, name string, t int, c Component) (*series.Series, error) {
	r := open.NewSequence(fsys, name, c)
	defer r.Close()
	return r.Read(ctx, t)
}

// Sequence reads the volumes of one file. In the order of their numbers, a compressed file
// is decompressed once. Its methods are called from one goroutine.
type Sequence struct {
	opener    Opener
	fsys      fs.FS
	name      string
	component Component
	open      *Image // nil before the first volume

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
func (open Opener) NewSequence(fsys fs.FS, name string, c Component) *Sequence {
	return &Sequence{opener: open, fsys: fsys, name: name, component: c}
}

// Close closes the file.
func (r *Sequence) Close() {
	if r.open != nil {
		r.open.file.Close()
		r.open = nil
	}
}

// Read reads volume t, as [Opener.Read] does.
func (r *Sequence) Read(ctx context.Context, t int) (*series.Series, error) {
	s, err := r.read(ctx, t)
	if err != nil {
		r.Close() // its place in the file is not known
		return nil, message.Named(r.name, err)
	}
	s.Sources[0].FS, s.Sources[0].Name = r.fsys, r.name
	return s, nil
}

func (r *Sequence) read(ctx context.Context, t int) (*series.Series, error) {
	if r.open != nil && !r.open.reaches(t) {
		r.Close()
	}
	if r.open == nil {
		im, err := r.opener(r.fsys, r.name)
		if err != nil {
			return nil, err
		}
		r.open = im
	}
	return r.open.read(ctx, t, r.component, r.Arrived, r.Progress)
}

// reaches reports whether volume t lies at or behind the place that the file was read to,
// or can be read from any place.
func (im *Image) reaches(t int) bool {
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

func (im *Image) plan() (plan, error) {
	l := im.layout
	p := plan{
		geometry: l.Geometry, offset: l.Offset, findings: slices.Clone(l.Findings),
		decoder: decoder{Datatype: l.Datatype, order: l.Order, slope: l.Slope, inter: l.Inter},
	}
	if err := p.geometry.Validate(); err != nil {
		return p, message.Errorf(message.InputDamaged, "its grid is not usable (%w)", err)
	}
	if l.Beside {
		p.decoder.beside = l.Volumes
	}
	p.volumeBytes = int64(p.geometry.Voxels()) * int64(p.decoder.stored())
	return p, nil
}

// start returns the byte at which volume t starts, and end the one behind its last voxel.
func (p plan) start(t int) int64 {
	if p.decoder.beside > 1 {
		return p.offset
	}
	return p.offset + int64(t)*p.volumeBytes
}

// isLast reports whether the last voxel of volume t, of so many, is the last one of the file.
func (p plan) isLast(t, volumes int) bool { return t == volumes-1 || p.decoder.beside > 1 }

func (p plan) end(t int) int64 { return p.start(t) + p.volumeBytes }

// checkSize returns an error if the file is too short for volume t. It runs before
// anything is read or allocated.
func (im *Image) checkSize(p plan, t int) error {
	switch end := p.end(t); { // no overflow: dataOffset and checkDims bound both terms
	case im.file.couldHold(end):
		return nil
	case im.file.packed != Plain:
		return message.Errorf(message.InputTruncated, "the header gives more voxels than %d bytes of %s can expand to; get a complete copy", im.file.size, string(im.file.packed))
	default:
		return message.Errorf(message.InputTruncated, "the voxels should end at byte %d, but the file has %d bytes; get a complete copy", end, im.file.size)
	}
}

// checkLength returns a finding if the file ends before its last volume, or behind it. For a
// compressed file the first is not known before it is read, and the second by the trailer of its last part.
func (im *Image) checkLength(p plan) []series.Finding {
	n := int64(im.layout.Volumes)
	if beyond := im.file.beyond(p.end(int(n) - 1)); beyond > 0 {
		return []series.Finding{unusedBytes(p, beyond)}
	}
	if im.file.packed != Plain || im.file.couldHold(p.end(int(n)-1)) {
		return nil
	}
	return []series.Finding{{
		Severity: series.Warning, Kind: series.Missing,
		Text: message.Text("The file ends before the last of its %d volumes.", n),
	}}
}

// unusedBytes returns the finding about bytes behind the voxels. As many as a slice has may well be voxels.
func unusedBytes(p plan, n int64) series.Finding {
	f := series.Finding{
		Severity: series.Note, Kind: series.Header,
		Text: message.Text("%d bytes follow the voxels that the header describes; they are not read.", n),
	}
	if n >= int64(p.geometry.SliceVoxels()*p.decoder.Bytes) {
		f.Severity = series.Warning
	}
	return f
}

// planOf returns how component c of volume t is read, after all checks.
func (im *Image) planOf(t int, c Component) (plan, error) {
	p, err := im.plan()
	if err != nil {
		return p, err
	}
	if err := p.decoder.checkComponent(c); err != nil {
		return p, err
	}
	p.decoder.component, p.decoder.pick = c, t
	if n := int64(im.layout.Volumes); t < 0 || int64(t) >= n {
		return p, message.Errorf(message.InputChoice, "it has no volume %d; its volumes are numbered 1 to %d", t+1, n)
	}
	if err := im.checkSize(p, t); err != nil {
		return p, err
	}
	if im.file.packed == Plain { // else readToEnd counts
		p.findings = append(p.findings, im.checkLength(p)...)
	}
	if im.layout.Between != nil && im.file.pos < p.offset {
		p.findings = append(p.findings, im.layout.Between(im.file, p.offset)...)
	}
	return p, nil
}

// read reads component c of volume t; see Sequence.Arrived for show and Sequence.Progress
// for progress.
func (im *Image) read(ctx context.Context, t int, c Component, show func(int, *volume.Volume), progress func(done, total int)) (*series.Series, error) {
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
	if lost.keepsInfinite() {
		s.Infinite = series.NewInfinite(p.geometry)
		s.Infinite.Note(0, data)
	}
	if lost.nonFinite() > 0 {
		s.Volume.MaskNonFinite()
	}
	return s, nil
}

// seriesOf returns the series that volume t is, with so much lost, without its voxels.
func (im *Image) seriesOf(p plan, t int, lost losses) (*series.Series, error) {
	if n := p.geometry.Voxels(); lost.nonFinite() == n {
		return nil, message.Errorf(message.InputEmpty, "all of its %d voxels are NaN, infinite or beyond the range of 32-bit floating point, so there is no image to open; check how the file was made", n)
	}
	v := &volume.Volume{Geometry: p.geometry}
	if p.decoder.component == Phase {
		v.Unit = "rad"
		p.findings = append(p.findings, series.Finding{
			Severity: series.Warning, Kind: series.Phase,
			Text: message.Text("Phase wraps from pi to -pi; filters treat the jump as an edge."),
		})
	}
	p.findings = append(p.findings, lost.findings()...)
	if lost.unused > 0 {
		p.findings = append(p.findings, unusedBytes(p, lost.unused))
	}
	if n := int64(im.layout.Volumes); n > 1 {
		p.findings = append(p.findings, series.Finding{
			Severity: series.Note, Kind: series.Volumes,
			Text: message.Text("The file contains %d volumes; this is number %d.", n, t+1),
		})
	}
	source := series.Source{Frame: t, Position: v.Affine.Column(3), Slope: p.decoder.slope, Inter: p.decoder.inter}
	return &series.Series{Meta: im.layout.Meta, Volume: v, Sources: []series.Source{source}, Findings: p.findings}, nil
}
