package sliceview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/ui/palette"
)

// ground fills a pane around its picture: above, below, left and right of it. A rectangle under the whole picture would be
// painted with every frame and never be seen, which takes a software OpenGL as long as the picture itself.
type ground [4]*canvas.Rectangle

func newGround() (g ground) {
	for i := range g {
		g[i] = canvas.NewRectangle(palette.Picture.Ground)
	}
	return g
}

func (g ground) objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{g[0], g[1], g[2], g[3]}
}

// underlap is how far the ground reaches under the picture, in units, so that rounding leaves no gap between them.
const underlap = 1

// place fills a pane of a size but for the part that lies under an opaque picture, which may reach beyond the pane; one
// without a size leaves out nothing.
func (g ground) place(size, picture fyne.Size, at fyne.Position) {
	clamp := func(v, limit float32) float32 { return min(max(v, 0), limit) }
	left, right := clamp(at.X+underlap, size.Width), clamp(at.X+picture.Width-underlap, size.Width)
	top, bottom := clamp(at.Y+underlap, size.Height), clamp(at.Y+picture.Height-underlap, size.Height)
	if left >= right || top >= bottom {
		left, right, top, bottom = 0, 0, size.Height, size.Height
	}
	for i, edges := range [...][4]float32{
		{0, 0, size.Width, top},
		{0, bottom, size.Width, size.Height},
		{0, top, left, bottom},
		{right, top, size.Width, bottom},
	} {
		g[i].Move(fyne.NewPos(edges[0], edges[1]))
		g[i].Resize(fyne.NewSize(edges[2]-edges[0], edges[3]-edges[1]))
		g[i].Hidden = edges[0] >= edges[2] || edges[1] >= edges[3]
	}
}
