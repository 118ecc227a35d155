package viewer

import (
	"image"
	"image/color"
	"math"

	"quell/ui/palette"
	"quell/volume"
)

const (
	lensFactor = 3 // of the magnification of the pane
	lensShare  = 6 // of the shorter side of a pane that the radius of a lens takes
)

// lay draws the lens into a frame: the picture, drawn by draw, magnified about the voxel
// within a circle. Panes that show another slice have none.
func (l Lens) lay(f Frame, job Job, pane Pane, t Transform, buffer *image.RGBA, draw func(f Frame, t Transform)) {
	col, row, index := job.View.Locate(l.Voxel)
	if !l.On || index != job.Index {
		return
	}
	x, y := t.Center(col, row)
	radius := float64(min(pane.Width, pane.Height)) / lensShare
	lens := Frame{
		X0: max(int(x-radius), f.X0), Y0: max(int(y-radius), f.Y0),
		X1: min(int(x+radius)+1, f.X1), Y1: min(int(y+radius)+1, f.Y1),
	}
	if lens.X1 <= lens.X0 || lens.Y1 <= lens.Y0 {
		return
	}
	for c, at := range [2]float64{x, y} { // the voxel's centre stays at its place
		t.Origin[c] = at - lensFactor*(at-t.Origin[c])
		t.PixelSize[c] *= lensFactor
	}
	lens.Image = sized(buffer, lens.X1-lens.X0, lens.Y1-lens.Y0)
	draw(lens, t)
	for py := lens.Y0; py < lens.Y1; py++ {
		for px := lens.X0; px < lens.X1; px++ {
			switch d := math.Hypot(float64(px)+0.5-x, float64(py)+0.5-y); {
			case d < radius-1:
				f.Image.SetRGBA(px-f.X0, py-f.Y0, lens.Image.RGBAAt(px-lens.X0, py-lens.Y0))
			case d < radius:
				f.Image.SetRGBA(px-f.X0, py-f.Y0, color.RGBA(palette.Picture.Lens))
			}
		}
	}
}

// Magnifies says whether a lens follows the pointer.
func (s *State) Magnifies() bool { return s.magnifies }

// ToggleMagnifier shows a lens under the pointer, or none.
func (s *State) ToggleMagnifier() {
	s.magnifies = !s.magnifies
	s.changed()
}

// Lens returns the lens at the pointer.
func (s *State) Lens() Lens {
	voxel, on := s.Cursor()
	return Lens{On: on && s.magnifies, Voxel: voxel}
}

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

// Hatching marks where side A of a comparison has no data: lines that rise to the right, hatchStep device
// pixels apart and hatchLine wide, in a colour that no window gives.
const (
	hatchStep = 12
	hatchLine = 2
)

var hatchColor = [3]uint8{0x50, 0x62, 0x78}

// hatch draws the hatching over the samples of a frame, which t places. Of a comparison it covers side A.
func (p *painter) hatch(job Job, show content, f Frame, pane Pane, t Transform) {
	cover := &p.outside[0]
	*cover = p.resampler.Resample(*cover, show.outside, t, f.X0, f.Y0, f.X1, f.Y1, true)
	if show.first != nil {
		b := &p.outside[1]
		*b = resize(*b, len(*cover))
		clear(*b)
		job.Compare.compose(*cover, *b, f, pane)
		cover = b
	}
	width := f.X1 - f.X0
	for i, share := range *cover {
		x, y := i%width, i/width
		if share <= 0 || (x+f.X0+y+f.Y0)%hatchStep >= hatchLine {
			continue
		}
		rgb := f.Image.Pix[f.Image.PixOffset(x, y):][:3]
		for c, v := range rgb {
			rgb[c] = uint8(float32(v) + share*(float32(hatchColor[c])-float32(v)))
		}
	}
}
