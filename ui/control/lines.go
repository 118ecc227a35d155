package control

import (
	"math"

	"fyne.io/fyne/v2"
)

// linesLayout places its objects in as few lines as a width allows, the lines about equally full. Each line is stretched
// to the width.
type linesLayout struct {
	width float32
	gap   float32 // between objects, and between lines
}

// MinSize implements fyne.Layout: the width is that of the widest object, as the lines are for a width of their own.
func (l linesLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size, lines := fyne.Size{}, l.lines(objects, l.width)
	for _, line := range lines {
		height := float32(0)
		for _, o := range line {
			height = max(height, o.MinSize().Height)
			size.Width = max(size.Width, o.MinSize().Width)
		}
		size.Height += height
	}
	size.Height += l.gap * float32(max(len(lines)-1, 0))
	return size
}

// Layout implements fyne.Layout.
func (l linesLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	y := float32(0)
	for _, line := range l.lines(objects, l.width) {
		x, height := float32(0), float32(0)
		stretch := max(size.Width-l.wide(line), 0) / float32(len(line))
		for _, o := range line {
			least := o.MinSize()
			o.Move(fyne.NewPos(x, y))
			o.Resize(fyne.NewSize(least.Width+stretch, least.Height))
			x, height = x+least.Width+stretch+l.gap, max(height, least.Height)
		}
		y += height + l.gap
	}
}

// wide returns the width of a line that is not stretched.
func (l linesLayout) wide(line []fyne.CanvasObject) float32 {
	width := l.gap * float32(len(line)-1)
	for _, o := range line {
		width += o.MinSize().Width
	}
	return width
}

// lines returns the objects in the fewest lines within a width, of which the widest is as narrow as possible. An
// object that is wider than that has a line of its own.
func (l linesLayout) lines(objects []fyne.CanvasObject, width float32) [][]fyne.CanvasObject {
	broken := l.broken(objects, width)
	best := broken
	for low, high := float32(0), width; high-low > 1; {
		middle := (low + high) / 2
		if tried := l.broken(objects, middle); len(tried) > len(broken) {
			low = middle
		} else {
			high, best = middle, tried
		}
	}
	return best
}

// broken breaks lines at a width.
func (l linesLayout) broken(objects []fyne.CanvasObject, width float32) (lines [][]fyne.CanvasObject) {
	at := float32(math.Inf(1))
	for _, o := range objects {
		w := o.MinSize().Width
		if at+l.gap+w > width {
			lines, at = append(lines, nil), -l.gap
		}
		at += l.gap + w
		lines[len(lines)-1] = append(lines[len(lines)-1], o)
	}
	return lines
}
