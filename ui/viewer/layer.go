package viewer

import "quell/volume"

// layer lays one tint over the frames of a pane. It keeps the slice that it showed
// last, and its working memory.
type layer struct {
	resampler     Resampler
	of            *volume.Volume // the slice below is of this volume, view and index
	view          volume.View
	index         int
	values, cover []float32 // of the slice; values are 0 if cover is
	drawn, share  []float32 // the same on the screen
}

// lay paints a tint over frame f, which t places.
func (l *layer) lay(f Frame, tint *Tint, job Job, t Transform) {
	l.extract(tint, job)
	l.drawn = l.resampler.Resample(l.drawn, l.values, t, f.X0, f.Y0, f.X1, f.Y1, job.Pixelated)
	l.share = l.resampler.Resample(l.share, l.cover, t, f.X0, f.Y0, f.X1, f.Y1, job.Pixelated)
	// At the edge of the layer, the zeros beyond must not lower the values.
	for i, share := range l.share {
		if share > 0 {
			l.drawn[i] /= share
		}
	}
	tint.Colors.Blend(f.Image, l.drawn, l.share)
}

// extract takes the slice of the job from the tint.
func (l *layer) extract(tint *Tint, job Job) {
	if l.of == tint.Values && l.view == job.View && l.index == job.Index {
		return
	}
	l.of, l.view, l.index = tint.Values, job.View, job.Index
	var mask []bool
	if tint.Part {
		part := job.View.Of(tint.Values.Geometry)
		l.values = part.Extract(l.values, tint.Values, 0)
		mask = part.ExtractMask(nil, tint.Values, 0)
	} else {
		l.values = job.View.Extract(l.values, tint.Values, job.Index)
		mask = job.View.ExtractMask(nil, tint.Values, job.Index)
	}
	l.cover = resize(l.cover, len(l.values))
	for i := range l.values {
		l.cover[i] = 1
		if mask != nil && !mask[i] || !tint.Colors.Shows(float64(l.values[i])) {
			l.values[i], l.cover[i] = 0, 0
		}
	}
}
