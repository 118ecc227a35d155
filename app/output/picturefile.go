package output

import (
	"image"
	"path/filepath"
	"strings"

	"quell/app/files"
	"quell/internal/message"
	"quell/report"
	"quell/series"
)

// WritePicture writes a picture as PNG, whole or not at all, with label as its description. An
// earlier picture of Quell is replaced, any other file only with overwrite; see files.Check for of.
func WritePicture(m image.Image, label, path string, overwrite bool, of ...*series.Series) error {
	return writePicture(files.PictureOutput, report.PNG, m, label, path, overwrite, of)
}

// WriteScreen is WritePicture for a picture of the panes: as TIFF if the name ends so, and else as PNG.
func WriteScreen(m image.Image, label, path string, overwrite bool, of ...*series.Series) error {
	encode := report.PNG
	if end := strings.ToLower(filepath.Ext(path)); end == ".tif" || end == ".tiff" {
		encode = report.TIFF
	}
	return writePicture(files.ScreenOutput, encode, m, label, path, overwrite, of)
}

func writePicture(kind *files.Kind, encode func(image.Image, string) ([]byte, error), m image.Image, label, path string, overwrite bool, of []*series.Series) error {
	data, err := encode(m, label)
	if err != nil {
		return message.Errorf(message.OutputUnwritable, "the picture cannot be written: %w", err)
	}
	return files.Write(kind, path, data, overwrite, of...)
}
