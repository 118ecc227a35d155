package raster

import (
	"io/fs"

	"quell/internal/message"
	"quell/io/format"
	"quell/series"
	"quell/volume"
)

// Text is the description in a text header of the voxels behind it or in files of their own.
type Text struct {
	Layout      func() (Layout, error) // without the offset
	Description string
	Files       []string // of the voxels, as the header names them, each with as much; nil for this one
	Parts       int64    // how many files they must be; 0 for any number
	Packed      Packing
	Lines       int64 // to leave out before them
	Skip        int64 // bytes to leave out before them, behind the lines; negative for all but the voxels
}

// TextParser reads the header at the start of a file.
type TextParser func(file *File) (Text, error)

// Open is the [Opener] of such files.
func (parse TextParser) Open(fsys fs.FS, name string) (*Image, error) {
	file, h, err := OpenHeader(fsys, name, parse)
	if err != nil {
		return nil, err
	}
	l, err := h.Layout()
	names := []string{name}
	if err == nil && h.Files != nil {
		file.Close()
		if file, names, err = h.openFiles(fsys, name, l); err != nil {
			return nil, err
		}
	}
	if err == nil {
		l.Offset, err = h.seek(file, l)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Image{l, name, names, file}, nil
}

// Describe returns the description in a header, whether or not its voxels are there.
func (parse TextParser) Describe(fsys fs.FS, name string) (string, error) {
	file, h, err := OpenHeader(fsys, name, parse)
	if err != nil {
		return "", err
	}
	file.Close()
	return h.Description, nil
}

// openFiles opens the files that the header names for the voxels.
func (h Text) openFiles(fsys fs.FS, header string, l Layout) (file *File, names []string, err error) {
	if len(h.Files) == 0 {
		return nil, nil, message.Errorf(message.InputTruncated, "its header names no file of voxels; get a complete copy")
	}
	for _, data := range h.Files {
		name, err := Detached(header, data)
		if err != nil {
			return nil, nil, err
		}
		names = append(names, name)
	}
	if len(names) == 1 && h.Parts <= 1 {
		if file, err = OpenStored(fsys, names[0]); err != nil {
			err = message.Errorf(message.InputUnreadable, "its voxels, %s, cannot be opened (%w); put both files into one folder", h.Files[0], err)
		}
		return file, names, err
	}
	n := int64(len(names))
	if h.Parts > 0 && n != h.Parts {
		return nil, nil, message.Errorf(message.InputMissing, "its header names %d files of voxels, and there should be %d; get a complete copy", n, h.Parts)
	}
	if h.Packed != Plain || h.Lines != 0 || h.Skip != 0 || l.bytes()%n != 0 {
		return nil, nil, message.Errorf(message.InputUnsupported, "its voxels are in several files that are compressed, have headers or are not alike; save it as one file")
	}
	file, err = OpenJoined(fsys, names, l.bytes()/n)
	return file, names, err
}

// seek goes to the voxels, and returns the byte at which they begin.
func (h Text) seek(file *File, l Layout) (int64, error) {
	for range h.Lines {
		if _, err := file.Line(); err != nil {
			return 0, ReadError(err)
		}
	}
	switch size := l.bytes(); {
	case h.Packed != Plain:
		return h.Skip, file.Unpack(h.Packed, l.Datatype)
	case h.Skip >= 0:
		return file.At() + h.Skip, nil
	case size > file.Size():
		return 0, message.Errorf(message.InputTruncated, "the file is truncated; get a complete copy")
	default:
		return file.Size() - size, nil
	}
}

// bytes is how many all voxels take.
func (l Layout) bytes() int64 {
	return int64(l.Geometry.Voxels()) * int64(l.Volumes) * int64(l.Datatype.Bytes)
}

// PlainMaker makes single files of a header of text and voxels that are not compressed, in a format without a scale:
// integers hold whole numbers. name is the name of the format, and header returns the text for the volumes of o. keeps
// reports whether it holds the diffusion gradients; nil for never.
func PlainMaker(name string, keeps func(g *series.Gradients) bool, header func(grid volume.Geometry, d Datatype, o format.Options, description string) []byte) Maker {
	return func(_ string, from *series.Series, description string, o format.Options) (Spec, error) {
		d, err := DatatypeByName(o.Datatype)
		s := Spec{
			Datatype: d, Scale: Unscaled, MaskedAsNaN: HasNaN(from, o.Volumes()),
			Header: func(grid volume.Geometry, _ Encoder, _ Limits) []byte {
				return header(grid, d, o, description)
			},
		}
		if g := o.Gradients(); g != nil && (keeps == nil || !keeps(g)) {
			s.Lost = []message.Message{message.New(message.OutputReduced, "%s files do not keep the diffusion gradients; write NIfTI to keep them.", name)}
		}
		return s, err
	}
}
