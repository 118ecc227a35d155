package output

import (
	"context"
	"fmt"
	"image"
	"path/filepath"
	"strings"

	"quell/app/files"
	"quell/app/judge"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/report"
	"quell/series"
	"quell/volume"
)

// pictureSigmas is the end of a residual picture's colour scale in noise sigmas,
// as in the workbench: noise stays inside it and structure stands out.
const pictureSigmas = 3

// encode returns the files of the pictures, which have one pixel per voxel.
func (d Drawn) encode() (paths [][]byte, err error) {
	for i, m := range d.Pictures {
		data, err := report.PNG(m, "")
		if err != nil {
			return nil, fmt.Errorf("%s cannot be drawn: %w", files.PictureNames[i], err)
		}
		paths = append(paths, data)
	}
	return paths, nil
}

// writePictures writes the files of a slice into a folder, which is made if it is missing. Each is
// replaced in one step, one that is no picture of Quell only with overwrite.
func writePictures(dir string, paths [][]byte, overwrite bool, inputs ...string) error {
	if err := (files.Gate{Inputs: inputs, Outputs: []files.Target{{Option: "--pictures", Path: dir, Kind: files.PicturesOutput}}, Overwrite: overwrite}).Check(); err != nil {
		return err
	}
	for i, data := range paths {
		if err := atomic.WriteFile(filepath.Join(dir, files.PictureNames[i]), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// Drawn is one slice of a run.
type Drawn struct {
	Pictures [3]*image.RGBA // before and after, and what was removed
	Limit    float64        // the end of the residual's colour scale, in the unit of the series
}

// Draw draws the middle slice as acquired, in the series' own window, the residual on a colour scale that ends at three
// noise sigmas, or at a tenth of the range if no noise was found. If the noise of the run is not known yet, the noise
// of the slice scales the residual: the whole volume would take far longer than the picture.
func Draw(ctx context.Context, r *run.Run) (Drawn, error) {
	before := r.InputVolume()
	view := before.View(before.Acquired())
	index := view.Size[2] / 2
	facts, err := run.FactsOf(ctx, before.Crop(view.Region(index)), r.KnownFacts(), denoise.VerdictFacts)
	if err != nil {
		return Drawn{}, err
	}
	return drawSlice(r, view, index, facts, pictureWindow(r.Source, before), false), nil
}

// drawSlice draws slice index of a view of what the run filtered, the residual on a scale of the
// noise in facts.
func drawSlice(run *run.Run, view volume.View, index int, facts denoise.Facts, window volume.Window, inverted bool) Drawn {
	before := run.InputVolume()
	original := view.Extract(nil, before, index)
	result := view.Extract(nil, run.Result, index)
	residual := make([]float32, len(original))
	for i := range residual {
		residual[i] = original[i] - result[i]
	}
	limit := pictureSigmas * facts.Noise.Sigma
	if limit == 0 {
		limit = float64(facts.Hi-facts.Lo) / 10
	}
	render := window.Render
	if inverted {
		render = window.RenderInverted
	}
	d := Drawn{Limit: limit}
	for i := range d.Pictures {
		d.Pictures[i] = image.NewRGBA(image.Rect(0, 0, view.Size[0], view.Size[1]))
	}
	render(d.Pictures[0], original)
	render(d.Pictures[1], result)
	volume.Diverging{Limit: limit}.Render(d.Pictures[2], residual)
	return d
}

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
