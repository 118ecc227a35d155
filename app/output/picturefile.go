package output

import (
	"image"

	"quell/app/files"
	"quell/internal/message"
	"quell/report"
	"quell/series"
)

// WritePicture writes a picture as PNG, whole or not at all, with label as its description. An
// earlier picture of Quell is replaced, any other file only with overwrite; see files.Check for of.
func WritePicture(m image.Image, label, path string, overwrite bool, of ...*series.Series) error {
	data, err := report.PNG(m, label)
	if err != nil {
		return message.Errorf(message.OutputUnwritable, "the picture cannot be written: %w", err)
	}
	return files.Write(files.PictureOutput, path, data, overwrite, of...)
}
