package sliceview

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/ui/viewer"
)

// seen returns the parts that are not hidden.
func (g ground) seen() (parts []*canvas.Rectangle) {
	for _, part := range g {
		if !part.Hidden {
			parts = append(parts, part)
		}
	}
	return parts
}

// covers counts the parts of the ground that a point lies on.
func (g ground) covers(x, y float32) (parts int) {
	for _, part := range g.seen() {
		at, size := part.Position(), part.Size()
		if x > at.X && x < at.X+size.Width && y > at.Y && y < at.Y+size.Height {
			parts++
		}
	}
	return parts
}

// Every point of a pane lies on the picture or on one part of the ground, which reaches under the edges of the picture and no
// further.
func TestTheGroundSurroundsThePicture(t *testing.T) {
	size := fyne.NewSize(40, 30)
	for name, c := range map[string]struct {
		at      fyne.Position
		picture fyne.Size
	}{
		"in the middle":             {fyne.NewPos(10, 5), fyne.NewSize(20, 20)},
		"as high as the pane":       {fyne.NewPos(5, 0), fyne.NewSize(30, 30)},
		"as wide as the pane":       {fyne.NewPos(0, 7), fyne.NewSize(40, 9)},
		"in a corner":               {fyne.NewPos(0, 0), fyne.NewSize(9, 9)},
		"beyond the pane":           {fyne.NewPos(-10, -10), fyne.NewSize(100, 25)},
		"larger than the pane":      {fyne.NewPos(-10, -10), fyne.NewSize(100, 100)},
		"outside the pane":          {fyne.NewPos(50, 5), fyne.NewSize(20, 20)},
		"smaller than its underlap": {fyne.NewPos(10, 5), fyne.NewSize(1, 20)},
		"none":                      {},
	} {
		g := newGround()
		g.place(size, c.picture, c.at)
		for x := float32(0.5); x < size.Width; x++ {
			for y := float32(0.5); y < size.Height; y++ {
				onPicture := x > c.at.X && x < c.at.X+c.picture.Width && y > c.at.Y && y < c.at.Y+c.picture.Height
				inside := x > c.at.X+underlap && x < c.at.X+c.picture.Width-underlap && y > c.at.Y+underlap && y < c.at.Y+c.picture.Height-underlap
				switch parts := g.covers(x, y); {
				case parts > 1, !onPicture && parts == 0, inside && parts > 0:
					t.Fatalf("%s: %d parts of the ground at %g, %g", name, parts, x, y)
				}
			}
		}
	}
}

// A picture that fills its pane has nothing under it.
func TestNothingIsPaintedUnderThePicture(t *testing.T) {
	p, r, _ := shownPane(t, viewer.Original)
	if n := r.ground.covers(150, 150); n != 0 {
		t.Errorf("%d parts of the ground lie under the picture", n)
	}
	p.SetFrame(viewer.Frame{})
	if n := r.ground.covers(150, 150); n != 1 {
		t.Errorf("%d parts of the ground fill a pane without a picture; want one", n)
	}
}
