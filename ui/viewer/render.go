package viewer

import (
	"image"
	"slices"
	"sync"

	"quell/volume"
)

// Renderer draws jobs as frames, on one goroutine at a time. A frame's image is not
// changed before the frame after the next: one buffer of a pane is on the screen
// while the other is drawn.
type Renderer struct {
	picture *Picture
	panes   [Roles]painter
	turn    int
}

// painter draws one pane; it holds the working memory.
type painter struct {
	resampler Resampler
	values    []float32
	first     []float32 // of side A
	outside   [2][]float32
	buffers   [2]image.RGBA
	lens      image.RGBA
	tint      layer
}

// Render draws one frame of every pane.
func (r *Renderer) Render(job Job) (*Picture, [Roles]Frame) {
	picture := r.extract(job)
	result := picture
	if picture.After == nil && job.Last != nil && job.Last.View == job.View {
		result = job.Last
	}
	limit := job.Limit
	if !(limit > 0) {
		limit = largest(result.Residual)
	}
	turn := r.turn ^ 1
	var frames [Roles]Frame
	var panes sync.WaitGroup
	for role := range Roles {
		show, other := content{values: picture.Before, outside: picture.outside}, 0
		if result.Index != picture.Index && (role == Residual || role == Denoised && !job.Before) {
			other = result.Index + 1
		}
		switch {
		case role == Denoised && !job.Before && result.After == nil && job.Base != nil:
			show = content{values: job.View.Extract(nil, job.Source, job.Index)} // until there is a result, not side A
		case role == Denoised && !job.Before && result.After != nil && job.Compare.onlyA():
			show = content{values: result.Before, outside: result.outside}
		case role == Denoised && !job.Before && result.After != nil:
			show = content{values: result.After}
			if !job.Compare.onlyB() {
				show.first, show.outside = result.Before, result.outside
			}
		case role == Residual:
			show = content{values: result.Residual, outside: result.outside}
		}
		panes.Go(func() {
			frames[role] = r.panes[role].paint(role, job, show, limit, turn)
			if frames[role].Image != nil && other > 0 {
				frames[role].Other = other
				dim(frames[role].Image)
			}
		})
	}
	panes.Wait()
	r.turn = turn
	return picture, frames
}

// Discard says that the frame of the last Render is not shown, so that the next one takes
// its memory and not the memory of the frame on the screen. It is not called during
// Render.
func (r *Renderer) Discard() { r.turn ^= 1 }

// extract returns the values of the job's slice, the values of the last frame if
// the slice is the same.
func (r *Renderer) extract(job Job) *Picture {
	if p := r.picture; p != nil && p.Source == job.Source && p.Base == job.Base && p.Result == job.Result &&
		p.View == job.View && p.Index == job.Index {
		return p
	}
	r.picture = Extract(job)
	return r.picture
}

// Extract returns the values of the slice of a job.
func Extract(job Job) *Picture {
	p := &Picture{Source: job.Source, Base: job.Base, Other: job.Other, Result: job.Result, Part: job.Part, View: job.View, Index: job.Index}
	before := job.Source
	if job.Base != nil {
		before = job.Base
	}
	p.Before = job.View.Extract(nil, before, job.Index)
	p.Mask = job.View.ExtractMask(nil, job.Source, job.Index)
	if job.Base != nil {
		p.leaveOut(job.View.ExtractMask(nil, job.Base, job.Index))
	}
	if job.Result != nil {
		if job.Part {
			p.After = job.View.Of(job.Result.Geometry).Extract(nil, job.Result, 0)
		} else {
			p.After = job.View.Extract(nil, job.Result, job.Index)
		}
		p.Residual = make([]float32, len(p.Before))
		for i, v := range p.Before {
			p.Residual[i] = v - p.After[i]
			if p.Outside(i) {
				p.Residual[i] = 0
			}
		}
	}
	return p
}

// leaveOut leaves voxels out of the mask that are padding in base, the mask of side A; nil if none is.
func (p *Picture) leaveOut(base []bool) {
	if base == nil {
		return
	}
	of := p.Mask
	p.Mask, p.outside = make([]bool, len(base)), make([]float32, len(base))
	for i, valid := range base {
		here := of == nil || of[i]
		if p.Mask[i] = here && valid; here && !valid {
			p.outside[i] = 1
		}
	}
	if !slices.Contains(p.outside, 1) {
		p.outside = nil
	}
}

// content is the content of a pane: values, which if first is not nil are side B of a comparison with side A
// in first, and the voxels outside side A.
type content struct{ values, first, outside []float32 }

// paint draws the content of a pane.
func (p *painter) paint(role Role, job Job, show content, limit float64, turn int) Frame {
	pane := job.Panes[role]
	if pane.Hidden || pane.Width <= 0 || pane.Height <= 0 || show.values == nil {
		return Frame{Limit: limit}
	}
	t := Place(float64(pane.Width), float64(pane.Height), job.View, job.Zoom, job.Pan).aligned()
	f := Frame{Limit: limit, View: job.View, Pane: [2]int{pane.Width, pane.Height}, Placed: t}
	f.X0, f.Y0, f.X1, f.Y1 = t.Visible(pane.Width, pane.Height)
	if f.X1 <= f.X0 || f.Y1 <= f.Y0 {
		return f
	}
	draw := func(f Frame, t Transform) { p.draw(role, job, show, limit, f, t) }
	f.Image = sized(&p.buffers[turn], f.X1-f.X0, f.Y1-f.Y0)
	draw(f, t)
	if tint := job.Tints[role]; tint != nil {
		p.tint.lay(f, tint, job, t)
		f.Tint = tint
	}
	job.Lens.lay(f, job, pane, t, &p.lens, draw)
	return f
}

// draw draws the samples of a frame, which t places.
func (p *painter) draw(role Role, job Job, show content, limit float64, f Frame, t Transform) {
	// Interpolated noise is weaker between voxels than on them, which would show as a
	// grid in the residual.
	squares := job.Pixelated || role == Residual
	p.values = p.resampler.Resample(p.values, show.values, t, f.X0, f.Y0, f.X1, f.Y1, squares)
	if show.first != nil {
		p.first = p.resampler.Resample(p.first, show.first, t, f.X0, f.Y0, f.X1, f.Y1, squares)
		job.Compare.compose(p.first, p.values, f, job.Panes[role])
	}
	window := job.Window
	if role == Denoised && job.Second.Width > 0 {
		window = job.Second
	}
	switch {
	case role == Residual:
		volume.Diverging{Limit: limit}.Render(f.Image, p.values)
	case job.Invert:
		window.RenderInverted(f.Image, p.values)
	default:
		window.Render(f.Image, p.values)
	}
	if show.outside != nil {
		p.hatch(job, show, f, job.Panes[role], t)
	}
	if show.first != nil {
		job.Compare.line(f, job.Panes[role])
	}
}

// dimming divides the brightness of a slice that stands next to another one, so that a pair
// of two slices is not taken for a comparison.
const dimming = 3

func dim(img *image.RGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		for c := range 3 {
			img.Pix[i+c] /= dimming
		}
	}
}
