package app

import (
	"cmp"
	"fmt"
	"image"

	"quell/measure"
	"quell/report"
	"quell/series"
	"quell/volume"
)

// WritePicture writes a PNG with the middle slice of the gallery's region: the input,
// the reference where there is one, and every exhibit side by side, each with its
// measures below it. A slice is magnified by a whole number until labels fit. An
// earlier picture of Quell is replaced, any other file only with overwrite.
func (g Gallery) WritePicture(path string, s, reference *series.Series, overwrite bool) error {
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

// Labels are the lines below an exhibit's picture: what it is, what it reached, and
// the time.
func (e Exhibit) Labels(best bool) []string {
	name := fmt.Sprintf("%s %d-D", e.Filter, e.Recipe.Dims)
	if best {
		name += " (least error)"
	}
	if !e.Problem.IsZero() {
		return []string{name, "cannot run"}
	}
	measured := string(e.Verdict)
	if e.MSE != nil {
		measured = fmt.Sprintf("error %.3f, noise left %.3g %s", *e.MSE, *e.SigmaLeft, cmp.Or(e.Part.Unit, "units"))
	}
	return []string{name, measured, e.Took()}
}

// Took is the time in words, after the PSNR where there is a reference.
func (e Exhibit) Took() string {
	took := TimeText(e.Seconds)
	if e.Truth != nil {
		took = fmt.Sprintf("PSNR %s, %s", measure.Decibels(e.Truth.PSNR, 2), took)
	}
	return took
}

// TimeText is a time in a few digits: "3.1 ms", "520 ms", "5.2 s", "52 s".
func TimeText(seconds float64) string {
	switch {
	case seconds < 0.01:
		return fmt.Sprintf("%.1f ms", 1000*seconds)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 10:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return fmt.Sprintf("%.0f s", seconds)
}

// pictureWindow is the window of pictures of v, which belongs to s.
func pictureWindow(s *series.Series, v *volume.Volume) volume.Window {
	if len(s.Windows) > 0 {
		return s.Windows[0]
	}
	return volume.AutoWindow(v)
}
