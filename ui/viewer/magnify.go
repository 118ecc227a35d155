package viewer

import (
	"image"
	"image/color"
	"math"

	"quell/ui/palette"
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
