package nifti

import (
	"io/fs"

	"quell/internal/message"
	"quell/series"
)

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
