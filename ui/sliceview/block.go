package sliceview

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"quell/ui/palette"
)

// maxLines is how many lines a block has at most.
const maxLines = 4

// block is some lines of text in a corner of the picture, on one dark translucent
// ground.
type block struct {
	ground *canvas.Rectangle
	lines  [maxLines]*canvas.Text
	right  bool // aligned to the right
}

func newBlock(right bool) *block {
	b := &block{ground: canvas.NewRectangle(palette.Picture.Plate), right: right}
	b.ground.CornerRadius = 2
	for i := range b.lines {
		b.lines[i] = canvas.NewText("", palette.Picture.Text)
		b.lines[i].TextSize = textSize
	}
	return b
}

// set shows up to maxLines lines, shortened to a width; none hides the block. The
// value under the pointer, a last line in bold, is emphasised if last is true.
func (b *block) set(lines []string, width float32, last bool) {
	lines = lines[:min(len(lines), maxLines)]
	b.ground.Hidden = true
	for i, t := range b.lines {
		t.Text, t.TextStyle.Bold = "", last && i == len(lines)-1
		if i < len(lines) {
			t.Text = ellipsis(lines[i], width, textSize, t.TextStyle)
		}
		t.Hidden = t.Text == ""
		b.ground.Hidden = b.ground.Hidden && t.Hidden
	}
}

// size returns the size of the lines that are shown.
func (b *block) size() (s fyne.Size) {
	for _, t := range b.lines {
		if !t.Hidden {
			m := t.MinSize()
			s.Width, s.Height = max(s.Width, m.Width), s.Height+m.Height
		}
	}
	return s
}

// place moves the block: (x, y) is its left or, if it is aligned to the right, its
// right edge, and its top.
func (b *block) place(x, y float32) {
	size := b.size()
	if b.right {
		x -= size.Width
	}
	b.ground.Move(fyne.NewPos(x-platePadding, y))
	b.ground.Resize(size.AddWidthHeight(2*platePadding, 0))
	for _, t := range b.lines {
		if t.Hidden {
			continue
		}
		m := t.MinSize()
		left := x
		if b.right {
			left += size.Width - m.Width
		}
		t.Move(fyne.NewPos(left, y))
		t.Resize(m)
		y += m.Height
	}
}

func (b *block) objects() []fyne.CanvasObject {
	all := []fyne.CanvasObject{b.ground}
	for _, t := range b.lines {
		all = append(all, t)
	}
	return all
}
