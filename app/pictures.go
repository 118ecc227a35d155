package app

import (
	"context"
	"fmt"
	"image"
	"path/filepath"

	"quell/denoise"
	"quell/io/atomic"
	"quell/report"
	"quell/volume"
)

// pictureSigmas is the end of a residual picture's colour scale in noise sigmas,
// as in the workbench: noise stays inside it and structure stands out.
const pictureSigmas = 3

// pictureNames are the files that Pictures writes.
var pictureNames = []string{"before.png", "after.png", "residual.png"}

// Pictures writes before.png, after.png and residual.png of one slice of a run
// into dir, which is created where it is missing: the middle slice as acquired,
// one pixel per voxel, in the series' own window, the residual on a colour scale
// that ends at three noise sigmas (a tenth of the range where no noise was found).
// It returns the files' paths; each file is replaced in one step, one that is no picture of
// Quell only with overwrite.
func Pictures(ctx context.Context, run *Run, dir string, overwrite bool) ([]string, error) {
	drawn, err := Draw(ctx, run)
	if err != nil {
		return nil, err
	}
	files, err := drawn.encode()
	if err != nil {
		return nil, err
	}
	return writePictures(files, dir, overwrite, sourcesOf(run.Source)...)
}

// pictureFile is a picture as it is written.
type pictureFile struct {
	name string
	data []byte
}

// encode returns the files of the pictures.
func (d Drawn) encode() (files []pictureFile, err error) {
	for i, m := range []*image.RGBA{d.Before, d.After, d.Residual} {
		data, err := report.PNG(m, "")
		if err != nil {
			return nil, fmt.Errorf("%s cannot be drawn: %w", pictureNames[i], err)
		}
		files = append(files, pictureFile{pictureNames[i], data})
	}
	return files, nil
}

// writePictures writes files into a folder, which is made where it is missing, and returns
// their paths.
func writePictures(files []pictureFile, dir string, overwrite bool, inputs ...string) (paths []string, err error) {
	if err := (Gate{Inputs: inputs, Outputs: []Target{{"--pictures", dir, PicturesOutput}}, Overwrite: overwrite}).Check(); err != nil {
		return nil, err
	}
	for _, f := range files {
		path := filepath.Join(dir, f.name)
		if err := atomic.WriteFile(path, f.data, 0o644); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// Drawn is one slice of a run, before and after, and what was removed.
type Drawn struct {
	Before, After, Residual *image.RGBA
	Limit                   float64 // the end of the residual's colour scale, in the unit of the series
}

// Draw draws the slice that Pictures writes. Where the noise of the run is not known yet, that of
// the slice scales the residual: the whole volume would take far longer than the picture.
func Draw(ctx context.Context, run *Run) (Drawn, error) {
	before := run.input()
	view := before.View(before.Acquired())
	index := view.Size[2] / 2
	facts, err := factsOf(ctx, before.Crop(view.Region(index)), run.known(), denoise.VerdictFacts)
	if err != nil {
		return Drawn{}, err
	}
	return drawSlice(run, view, index, facts, pictureWindow(run.Source, before), false), nil
}

// input returns the voxels that the run filtered.
func (r *Run) input() *volume.Volume {
	if r.Whole() {
		return r.Source.Volume
	}
	return r.Source.Volume.Crop(r.Region)
}

// drawSlice draws slice index of a view of what the run filtered, the residual on a scale of the
// noise in facts.
func drawSlice(run *Run, view volume.View, index int, facts denoise.Facts, window volume.Window, inverted bool) Drawn {
	before := run.input()
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
	draw := func(render func(*image.RGBA)) *image.RGBA {
		m := image.NewRGBA(image.Rect(0, 0, view.Size[0], view.Size[1]))
		render(m)
		return m
	}
	render := window.Render
	if inverted {
		render = window.RenderInverted
	}
	return Drawn{
		Before:   draw(func(m *image.RGBA) { render(m, original) }),
		After:    draw(func(m *image.RGBA) { render(m, result) }),
		Residual: draw(func(m *image.RGBA) { volume.Diverging{Limit: limit}.Render(m, residual) }),
		Limit:    limit,
	}
}
