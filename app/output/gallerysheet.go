package output

import (
	"fmt"
	"image"

	"quell/app/judge"
	"quell/report"
	"quell/series"
	"quell/volume"
)

// WriteGallery writes a PNG with the middle slice of the gallery's region: the input,
// the reference if there is one, and every exhibit side by side, each with its
// measures below it. A slice is magnified by a whole number until labels fit. An
// earlier picture of Quell is replaced, any other file only with overwrite.
func WriteGallery(g judge.Gallery, path string, s, reference *series.Series, overwrite bool) error {
	window := pictureWindow(s, s.Volume)
	cell := func(v *volume.Volume, lines ...string) report.Cell {
		m := image.NewRGBA(image.Rect(0, 0, v.Dims[0], v.Dims[1]))
		window.Render(m, v.Plane(v.Dims[2]/2))
		return report.Cell{Picture: m, Lines: lines}
	}
	cells := []report.Cell{cell(g.Input, "input", fmt.Sprintf("sigma %.3g", g.Noise.Noise.Sigma))}
	if reference != nil {
		cells = append(cells, cell(reference.Volume.Crop(g.Region), "reference"))
	}
	for i, e := range g.Exhibits {
		if lines := e.Labels(i == g.Best); e.Part == nil {
			cells = append(cells, report.Cell{Lines: lines})
		} else {
			cells = append(cells, cell(e.Part, lines...))
		}
	}
	return WritePicture(report.Sheet(28, cells...), "", path, overwrite, s, reference)
}

// pictureWindow is the window of pictures of v, which belongs to s.
func pictureWindow(s *series.Series, v *volume.Volume) volume.Window {
	if len(s.Windows) > 0 {
		return s.Windows[0]
	}
	return volume.AutoWindow(v)
}
