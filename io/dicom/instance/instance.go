package instance

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"syscall"

	"quell/internal/message"
	"quell/io/dicom/codec"
	"quell/io/dicom/part10"
	"quell/io/dicom/pixel"
)

// Instance is one file, read as far as its pixels. It is not changed after Read and
// may be used by several goroutines.
type Instance struct {
	Name   string // in its container, slash-separated
	Size   int64  // of the file in bytes
	Kind   Kind
	Syntax part10.Syntax

	SOPClass, SOPUID    string
	StudyUID            string
	FrameOfReferenceUID string
	Number              int  // Instance Number
	Guessed             bool // private elements are read though nothing names their owner
	HasModalityLUT      bool // it has a Modality LUT, which is damaged: values are as stored

	// Slices are the images of the file in file order: one, its frames, or the tiles
	// of a mosaic. A file that is no image has none; a broken or excluded one has one,
	// which says what series it belongs to.
	Slices []*Slice
	Tiles  *Tiling // how the slices of a mosaic lie in its image; nil for other images

	ReferencedFiles []string // files that a media directory lists

	Excluded message.Message // why the image cannot be in a volume; empty if it can
	Err      *part10.Error   // why the file is broken; nil if it is sound

	pixelOffset int64  // of the first byte of Pixel Data in the file
	pixelVR     string // of Pixel Data
	pixelTag    part10.Tag
	lut         *pixel.LUT // Modality LUT; nil for none
}

// Kind is the kind of a file by its content.
type Kind int

// The kinds of files.
const (
	Image   Kind = iota // a DICOM image, sound or not
	Foreign             // not a DICOM file, or one that cannot be opened
	Index               // a DICOMDIR or another media directory
	NoImage             // a DICOM object without an image
)

// Read reads the header of one file of a container. A fault of the file is
// in Instance.Err; the error is the context's.
func Read(ctx context.Context, fsys fs.FS, name string) (*Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := &Instance{Name: name, Kind: Foreign}
	f, err := fsys.Open(name)
	if err != nil {
		advice := message.Text("check that it exists and may be read")
		var system syscall.Errno
		if !errors.As(err, &system) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			advice = message.Text("copy it again from where it came") // a container refused its content
		}
		in.Err = part10.FileError(message.InputUnreadable, name, advice, err, "it cannot be opened (%s)", part10.Cause(err))
		return in, nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return in, nil
	}
	in.Size = info.Size()

	b := part10.NewReadBuffer(f, in.Size)
	defer b.Release()
	p, err := part10.Tokenize(b, IsWanted)
	if err == nil && p.Syntax.Deflated {
		p, err = part10.TokenizeDeflated(fsys, name, p, IsWanted)
	}
	defer p.Release()
	switch {
	case errors.Is(err, part10.ErrNotDICOM), err != nil && len(p.Meta)+len(p.Elements) == 0 && in.Size < 132:
		return in, nil
	case errors.Is(err, part10.ErrTruncated):
		in.Err = part10.FileError(message.InputTruncated, name, part10.AdviseCopy, err, "the file is truncated (it contains %d bytes: %s)", in.Size, part10.Cause(err))
	case err != nil:
		in.Err = part10.FileError(message.InputDamaged, name, part10.AdviseCopy, err, "the file is damaged (%s)", part10.Cause(err))
	}
	in.fill(p)
	return in, nil
}

// Parse is Read for a file of size bytes that is tokenized already, with IsWanted.
func Parse(name string, size int64, p *part10.File) *Instance {
	in := &Instance{Name: name, Size: size}
	in.fill(p)
	return in
}

// Usable reports whether every slice of the file can be read.
func (in *Instance) Usable() bool { return in.Kind == Image && in.Err == nil && in.Excluded.IsZero() }

// fill takes the values of a tokenized file.
func (in *Instance) fill(p *part10.File) {
	in.Kind, in.Syntax = Image, p.Syntax
	a, err := part10.ReadValues(p)
	if err != nil && in.Err == nil {
		in.Err = part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, err, "a value of its header is damaged")
	}
	in.Guessed = p.Guessed
	// A truncated file may end before its SOP Class UID; the meta header has it too.
	in.SOPClass, in.SOPUID = cmp.Or(a.Text(part10.TagSOPClassUID), p.SOPClass), a.Text(part10.TagSOPInstanceUID)
	if in.SOPClass == part10.MediaDirectory || p.Has(part10.TagDirectoryRecordSequence) {
		in.Kind, in.ReferencedFiles = Index, referencedFiles(p)
		return
	}
	in.StudyUID, in.FrameOfReferenceUID = a.Text(part10.TagStudyInstanceUID), a.Text(part10.TagFrameOfReferenceUID)
	in.Number, _ = a.Integer(part10.TagInstanceNumber)
	whole := newSlice(in, a)
	in.Slices = []*Slice{whole}
	if in.Err != nil {
		return
	}
	if p.PixelIndex < 0 {
		in.classifyWithoutPixels(p, a)
		return
	}
	if in.SOPClass == part10.ParametricMap && a.Text(part10.TagManufacturer) == part10.Product {
		in.Kind, in.Slices = NoImage, nil // a map that Quell attaches to a result
		return
	}
	signed, _ := a.Integer(part10.TagPixelRepresentation)
	in.lut, err = pixel.ReadLUT(p, signed == 1)
	if in.HasModalityLUT = err != nil; in.lut != nil {
		whole.readDisplay(a) // of other values
	}
	in.readImage(whole, a, p.Elements[p.PixelIndex])
	if in.Usable() && p.Stream != nil {
		in.Err = in.checkStream(whole, p.Stream)
	}
	whole.readDistinctions(a)
	whole.readGradient(a, readCSA(p, csaBValue, csaDirection, csaBMatrix))
	if in.Usable() {
		in.splitImage(whole, p, a)
	}
}

// classifyWithoutPixels returns the kind of a sound file without Pixel Data.
func (in *Instance) classifyWithoutPixels(p *part10.File, a part10.Attributes) {
	_, sized := a.Integer(part10.TagRows)
	switch {
	case part10.NeedsPixels(in.SOPClass, sized):
		in.Err = part10.FileError(message.InputTruncated, in.Name, part10.AdviseCopy, nil, "it describes an image and ends before its pixel data")
	default:
		in.Kind, in.Slices = NoImage, nil
	}
}

// checkStream compares the image with the header of its first compressed frame: a
// file that states a wrong image size is rejected before the frame is allocated.
func (in *Instance) checkStream(s *Slice, head []byte) *part10.Error {
	if err := codec.CheckHead(in.Syntax.UID, s.Format.Info(), head); err != nil {
		return in.undecodable(err)
	}
	return nil
}

func (in *Instance) undecodable(err error) *part10.Error {
	return part10.FileError(message.InputDamaged, in.Name, part10.AdviseExport, err, "its pixels (%s) cannot be decoded (%v)", in.Syntax.Name, err)
}
