package dicom

import (
	"context"
	"image"
	"io/fs"

	"quell/io/dicom/codec"
	"quell/io/dicom/deid"
	"quell/io/dicom/parametric"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
	"quell/io/dicom/presentation"
	"quell/io/dicom/structured"
	"quell/io/format"
	"quell/io/spool"
	"quell/series"
)

// Format is DICOM as a folder of files, one series in each output.
var Format = format.Format{
	Name: Name, Index: "DICOMDIR", Unpacks: true, Identity: true, Frames: true, Compresses: true,
	Sniff: func(head []byte, _ string) bool { return Sniff(head) },
	Scan: func(ctx context.Context, fsys fs.FS, names []string) (*format.Found, error) {
		c, err := Scan(ctx, fsys, names)
		if err != nil {
			return nil, err
		}
		return c.found(), nil
	},
	DerivesFrom: Derivable,
	NewWriter:   func(dir string, o format.Options) format.Writer { return NewWriter(dir, o) },
	Stored:      func(string) int { return 2 },
	Waiting:     func(string) int { return spool.VoxelBytes },
	// Every file is one of Quell's own, whatever file managers left there.
	Ours: func(dir string, known func(name string) bool) (bool, error) {
		other, err := Foreign(dir, known)
		return other == "", err
	},
}

// found returns the catalog in the terms of all formats.
func (c *Catalog) found() *format.Found {
	f := &format.Found{Findings: c.Findings, Default: c.Default, WithoutDamaged: func() *format.Found {
		if rest := c.WithoutDamaged(); rest != nil {
			return rest.found()
		}
		return nil
	}}
	for i, e := range c.Entries {
		e.Volume = entry{c, i}
		f.Entries = append(f.Entries, e.Entry)
	}
	return f
}

// entry is an entry of a catalog as a [format.Volume].
type entry struct {
	c *Catalog
	i int
}

func (e entry) Files() []string  { return e.c.FilesOf(e.i) }
func (e entry) Identity() string { return e.c.Identity(e.i) }

func (e entry) Load(ctx context.Context, r *format.Reading) (*series.Series, error) {
	return e.c.Load(ctx, e.i, r.Progress)
}

func (e entry) OpenSlices(context.Context) (series.Slices, error) {
	r, err := e.c.OpenSlices(e.i)
	if err != nil {
		return nil, err // no *Slices that is nil
	}
	return r, nil
}

func (e entry) Thumbnail(ctx context.Context, side int) (*image.Gray, error) {
	return e.c.Thumbnail(ctx, e.i, side)
}

func (e entry) Attribute(ctx context.Context, keyword string) ([]string, error) {
	return e.c.Attribute(ctx, e.i, keyword)
}

// Name is the name of the format, in series.Meta.
const Name = "DICOM"

// The types of the packages below that callers of Scan, Load and Writer see.
type (
	// Error is a file or folder that cannot be used; see part10.Error.
	Error = part10.Error
	// Presentation is how a series is shown, to be encoded as a presentation state; see
	// presentation.State.
	Presentation = presentation.State
	// PresentationMark is a mark of it; see presentation.Mark.
	PresentationMark = presentation.Mark
	// Pseudonyms stand for patients, UIDs and texts; see deid.Pseudonyms.
	Pseudonyms = deid.Pseudonyms
	// Compression names a lossless pixel encoding; see pixel.Compression.
	Compression = pixel.Compression
)

// The pixel encodings of a Writer.
const (
	Uncompressed = pixel.Uncompressed
	JPEGLossless = pixel.JPEGLossless
	RLE          = pixel.RLE
)

// Compressions lists the pixel encodings, the plainest first.
func Compressions() []Compression { return pixel.Compressions() }

// Codecs returns the names of the codecs of images that are read.
func Codecs() []string { return codec.Names() }

// Sniff reports whether a file that begins with head is DICOM; 132 bytes are
// enough.
func Sniff(head []byte) bool { return part10.Sniff(head) }

// Map is a parametric map about a series that was written.
type Map = parametric.Map

// The quantity in a Map, and how it, or an image of the same values, was made.
var (
	Removed      = parametric.Removed
	Sigma        = parametric.Sigma
	Subtraction  = parametric.Subtraction
	NoiseMapping = parametric.NoiseMapping
)

type (
	// Report is a measurement report about a series that was written.
	Report = structured.Report
	// ReportVolume is the part of a Report on one volume.
	ReportVolume = structured.Volume
	// ReportFigure is a number of a ReportVolume.
	ReportFigure = structured.Figure
	// ReportJudgement is the verdict of a ReportVolume.
	ReportJudgement = structured.Judgement
	// ReportShare is a share of a ReportVolume with its interval.
	ReportShare = structured.Share
)
