package viewer

import (
	"image"
	"image/draw"
	"math"
	"sync"

	"quell/volume"
)

// Role names the panes of a comparison.
type Role int

// The panes, from left to right.
const (
	Original Role = iota
	Denoised
	Residual
	Roles // the number of roles
)

// String returns the pane's permanent label.
func (r Role) String() string { return [...]string{"ORIGINAL", "DENOISED", "RESIDUAL"}[r] }

// Pane is the size of a pane on the screen.
type Pane struct {
	Width, Height int  // device pixels
	Hidden        bool // nothing is drawn
}

// Job describes one frame of all panes. Its volumes are not changed.
type Job struct {
	Source *volume.Volume
	View   volume.View
	Index  int
	// Base takes the place of Source as the side that the result is compared with: an
	// earlier result on the same grid; nil for Source.
	Base *volume.Volume
	// Result is the denoised volume, or where Part is true the slice of it that
	// View shows at Index; nil where there is none yet.
	Result *volume.Volume
	Part   bool
	// Last, if there is no result yet, stays in the panes that show one, dimmed: an earlier
	// picture of the same view. nil shows the original and no residual.
	Last *Picture

	Zoom      float64
	Pan       [2]float64
	Window    volume.Window
	Second    volume.Window // of the denoised pane; without a width Window
	Invert    bool
	Limit     float64 // the residual's symmetric scale; 0 scales by its own largest value
	Pixelated bool
	Before    bool // show the original in the denoised pane
	Compare   Comparison
	Lens      Lens
	Tints     [Roles]*Tint
	Panes     [Roles]Pane
}

// Tint is a volume that is laid over the picture of a pane in translucent
// colours. It is not changed.
type Tint struct {
	// Values is on the grid of Job.Source, or where Part is true holds the slice of
	// it that is shown. Nothing is laid over where its mask is false.
	Values *volume.Volume
	Part   bool
	Colors volume.Tint
	Unit   string // of the values, for the legend
}

// Picture holds the values of the slice shown, row by row from the top left. It is
// not changed after it is returned.
type Picture struct {
	Source, Result *volume.Volume // the volumes of the values
	Base           *volume.Volume // of Before; nil for Source
	Part           bool           // Result holds this slice alone
	View           volume.View
	Index          int
	Before         []float32 // of side A: the original, or Base
	After          []float32 // nil where there is no result yet
	Residual       []float32 // before minus after; nil likewise
	Mask           []bool    // false for padding; nil where there is none
}

// Volume returns values of the picture as a volume of one slice, for measures and
// plots. It shares their memory.
func (p *Picture) Volume(values []float32) *volume.Volume {
	return &volume.Volume{Geometry: p.View.Slice(p.Source.Geometry, p.Index), Data: values, Mask: p.Mask, Unit: p.Source.Unit}
}

// FirstName names side A in a plot.
func (p *Picture) FirstName() string {
	if p.Base != nil {
		return "earlier run"
	}
	return "original"
}

// Frame is one pane's image and the device pixels of the pane that it covers. Its
// memory is reused two frames later.
type Frame struct {
	Image          *image.RGBA // nil for an empty pane
	X0, Y0, X1, Y1 int
	Limit          float64 // the residual's scale that was used
	Tint           *Tint   // what is laid over the picture; nil for nothing
	Other          int     // number of the slice that is shown dimmed, from 1, if it is another than that asked for; 0
	View           volume.View
	Pane           [2]int    // the size of the pane that it was drawn for
	Placed         Transform // in that pane
}

// In returns where the frame, or the part of it that is to be shown, lies in a pane of
// another size until one is drawn for that: at the place of its picture there, which t
// gives. It begins at (x, y) and is w x h device pixels.
func (f Frame) In(t Transform, width, height int) (part *image.RGBA, x, y, w, h float64) {
	from, to := [2]int{f.X0, f.Y0}, [2]int{f.X1, f.Y1}
	var first, last [2]int // of the frame's pixels, in its pane
	var lo, size [2]float64
	for c, limit := range [2]int{width, height} {
		// The pixels of the frame are k wide; one at p of its pane lies at origin + p k.
		// Up to half of one is outside, rather than cut a frame that fits.
		k := t.PixelSize[c] / f.Placed.PixelSize[c]
		origin := t.Origin[c] - f.Placed.Origin[c]*k
		first[c] = min(max(int(math.Round(-origin/k)), from[c]), to[c])
		last[c] = max(min(int(math.Round((float64(limit)-origin)/k)), to[c]), first[c])
		lo[c], size[c] = origin+float64(first[c])*k, float64(last[c]-first[c])*k
	}
	return cropped(f.Image, image.Rect(first[0]-from[0], first[1]-from[1], last[0]-from[0], last[1]-from[1])), lo[0], lo[1], size[0], size[1]
}

// cropped returns a part of an image that begins at (0, 0): a copy, as Fyne uploads rows
// without a gap.
func cropped(img *image.RGBA, part image.Rectangle) *image.RGBA {
	if part == img.Rect {
		return img
	}
	out := image.NewRGBA(image.Rect(0, 0, part.Dx(), part.Dy()))
	draw.Draw(out, out.Rect, img, part.Min, draw.Src)
	return out
}

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
		values, first, other := picture.Before, []float32(nil), 0
		if result.Index != picture.Index && (role == Residual || role == Denoised && !job.Before) {
			other = result.Index + 1
		}
		switch {
		case role == Denoised && !job.Before && result.After != nil && job.Compare.onlyA():
			values = result.Before
		case role == Denoised && !job.Before && result.After != nil:
			values = result.After
			if !job.Compare.onlyB() {
				first = result.Before
			}
		case role == Residual:
			values = result.Residual
		}
		panes.Go(func() {
			frames[role] = r.panes[role].paint(role, job, values, first, limit, turn)
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
// its memory and not that of the frame on the screen. It is not called during Render.
func (r *Renderer) Discard() { r.turn ^= 1 }

// extract returns the values of the job's slice, those of the last frame where the
// slice is the same.
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
	p := &Picture{Source: job.Source, Base: job.Base, Result: job.Result, Part: job.Part, View: job.View, Index: job.Index}
	before := job.Source
	if job.Base != nil {
		before = job.Base
	}
	p.Before = job.View.Extract(nil, before, job.Index)
	p.Mask = job.View.ExtractMask(nil, job.Source, job.Index)
	if job.Result != nil {
		if job.Part {
			p.After = job.View.Of(job.Result.Geometry).Extract(nil, job.Result, 0)
		} else {
			p.After = job.View.Extract(nil, job.Result, job.Index)
		}
		p.Residual = make([]float32, len(p.Before))
		for i, v := range p.Before {
			p.Residual[i] = v - p.After[i]
		}
	}
	return p
}

// paint draws values; where first is not nil they are side B of a comparison, and first
// is side A.
func (p *painter) paint(role Role, job Job, values, first []float32, limit float64, turn int) Frame {
	pane := job.Panes[role]
	if pane.Hidden || pane.Width <= 0 || pane.Height <= 0 || values == nil {
		return Frame{Limit: limit}
	}
	t := Place(float64(pane.Width), float64(pane.Height), job.View, job.Zoom, job.Pan).aligned()
	f := Frame{Limit: limit, View: job.View, Pane: [2]int{pane.Width, pane.Height}, Placed: t}
	f.X0, f.Y0, f.X1, f.Y1 = t.Visible(pane.Width, pane.Height)
	if f.X1 <= f.X0 || f.Y1 <= f.Y0 {
		return f
	}
	draw := func(f Frame, t Transform) { p.draw(role, job, values, first, limit, f, t) }
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
func (p *painter) draw(role Role, job Job, values, first []float32, limit float64, f Frame, t Transform) {
	// Interpolated noise is weaker between voxels than on them, which would show as a
	// grid in the residual.
	squares := job.Pixelated || role == Residual
	p.values = p.resampler.Resample(p.values, values, t, f.X0, f.Y0, f.X1, f.Y1, squares)
	if first != nil {
		p.first = p.resampler.Resample(p.first, first, t, f.X0, f.Y0, f.X1, f.Y1, squares)
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
	if first != nil {
		job.Compare.line(f, job.Panes[role])
	}
}

// dimming divides the brightness of a slice that stands beside another one, so that a pair of
// two slices is not taken for a comparison.
const dimming = 3

func dim(img *image.RGBA) {
	for i := 0; i < len(img.Pix); i += 4 {
		for c := range 3 {
			img.Pix[i+c] /= dimming
		}
	}
}

// sized changes the size of an image and reuses its memory where it is large enough.
func sized(img *image.RGBA, w, h int) *image.RGBA {
	if cap(img.Pix) < 4*w*h {
		img.Pix = make([]uint8, 4*w*h)
	}
	img.Pix, img.Stride, img.Rect = img.Pix[:4*w*h], 4*w, image.Rect(0, 0, w, h)
	return img
}

func largest(values []float32) float64 {
	most := float32(0)
	for _, v := range values {
		most = max(most, v, -v)
	}
	return float64(most)
}
