package output

import (
	"context"
	"fmt"
	"image"
	"path/filepath"

	"quell/app/files"
	"quell/app/run"
	"quell/denoise"
	"quell/io/atomic"
	"quell/report"
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
