package app

import (
	"image"

	"quell/internal/message"
	"quell/report"
	"quell/series"
)

// isPicture reports whether a file is a picture of Quell.
func isPicture(path string) bool { return holdsMark(path, report.PictureMark, 256) }

// WritePicture writes a picture as PNG, whole or not at all, with label as its description. An
// earlier picture of Quell is replaced, any other file only with overwrite; see CheckFile for of.
func WritePicture(m image.Image, label, path string, overwrite bool, of ...*series.Series) error {
	data, err := report.PNG(m, label)
	if err != nil {
		return message.Errorf(message.OutputUnwritable, "the picture cannot be written: %w", err)
	}
	return WriteFile(PictureOutput, path, data, overwrite, of...)
}
