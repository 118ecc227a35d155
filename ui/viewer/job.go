package viewer

import (
	"image"
	"image/draw"
	"math"

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

// Mode is how the denoised pane compares the two sides: A, the original or an earlier
// run, and B, the denoised picture.
type Mode int

// The modes.
const (
	Plain        Mode = iota // B alone
	Swipe                    // A left of a divider, B right of it
	Blink                    // A and B in turn
	Fade                     // a mixture of A and B
	Checkerboard             // squares of A and B in turn
	Modes                    // the number of modes
)

// String returns the name of a mode.
func (m Mode) String() string {
	return [...]string{"Off", "Swipe", "Blink", "Fade", "Checkerboard"}[m]
}

// Comparison is a mode and its setting.
type Comparison struct {
	Mode Mode
	// Share is the part of the pane's width left of the swipe's divider, or the
	// weight of B in a mixture; 0 to 1.
	Share float64
	First bool // of Blink: A is shown now
}

// Lens magnifies around a voxel.
type Lens struct {
	On    bool
	Voxel [3]int
}

// Tint is a volume that is laid over the picture of a pane in translucent
// colours. It is not changed.
type Tint struct {
	// Values is on the grid of Job.Source, or if Part is true holds the slice of it
	// that is shown. Nothing is laid over voxels with a false mask.
	Values *volume.Volume
	Part   bool
	Colors volume.Tint
	Unit   string // of the values, for the legend
}

// Job describes one frame of all panes. Its volumes are not changed.
type Job struct {
	Source *volume.Volume
	View   volume.View
	Index  int
	// Base takes the place of Source as the side that the result is compared with: an
	// earlier result, or another series, on the same grid; nil for Source.
	Base  *volume.Volume
	Other bool // Base is another series
	// Result is the denoised volume, or if Part is true the slice of it that View
	// shows at Index; nil if there is none yet.
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

// Picture holds the values of the slice shown, row by row from the top left. It is
// not changed after it is returned.
type Picture struct {
	Source, Result *volume.Volume // the volumes of the values
	Base           *volume.Volume // of Before; nil for Source
	Other          bool           // Base is another series
	Part           bool           // Result holds this slice alone
	View           volume.View
	Index          int
	Before         []float32 // of side A: the original, or Base
	After          []float32 // nil if there is no result yet
	Residual       []float32 // before minus after; nil likewise
	Mask           []bool    // false for padding, of Source or Base; nil if there is none
	outside        []float32 // 1 where Base has no data and Source has, 0 elsewhere; nil if that is nowhere
}

// Outside says whether side A has no data at value i, where the source has some.
func (p *Picture) Outside(i int) bool { return p.outside != nil && p.outside[i] > 0 }

// Own returns the picture with the original as side A: what numbers about the filter are of.
func (p *Picture) Own() *Picture {
	if p.Base == nil {
		return p
	}
	return Extract(Job{Source: p.Source, Result: p.Result, Part: p.Part, View: p.View, Index: p.Index})
}

// Volume returns values of the picture as a volume of one slice, for measures and
// plots. It shares their memory.
func (p *Picture) Volume(values []float32) *volume.Volume {
	return &volume.Volume{Geometry: p.View.Slice(p.Source.Geometry, p.Index), Data: values, Mask: p.Mask, Unit: p.Source.Unit}
}

// FirstName names side A in a plot.
func (p *Picture) FirstName() string {
	switch {
	case p.Other:
		return "other series"
	case p.Base != nil:
		return "earlier run"
	}
	return "original"
}

// Unfiltered says whether side B is the original.
func (p *Picture) Unfiltered() bool { return p.Result != nil && p.Result == p.Source }

// SecondName names side B in a plot.
func (p *Picture) SecondName() string {
	if p.Unfiltered() {
		return "original"
	}
	return "denoised"
}

// Frame is one pane's image and the device pixels of the pane that it covers. Its
// memory is reused two frames later.
type Frame struct {
	Image          *image.RGBA // nil for an empty pane
	X0, Y0, X1, Y1 int
	Limit          float64 // the residual's scale that was used
	Tint           *Tint   // the layer over the picture; nil for none
	Other          int     // number of the slice that is shown dimmed, from 1, if it is another than that asked for; 0
	View           volume.View
	Pane           [2]int    // the size of the pane that it was drawn for
	Placed         Transform // in that pane
}

// In returns the place at which the frame, or the part of it that is to be shown, lies
// in a pane of another size until one is drawn for that: at the place of its picture
// there, which t gives. It begins at (x, y) and is w x h device pixels.
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

// sized changes the size of an image and reuses its memory if it is large enough.
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
