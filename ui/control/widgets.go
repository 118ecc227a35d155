package control

import (
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Caption returns a label in small print.
func Caption(text string) *widget.Label { return Cell(text, fyne.TextAlignLeading) }

// Cell returns a label in small print for a column of that alignment.
func Cell(text string, align fyne.TextAlign) *widget.Label {
	l := widget.NewLabelWithStyle(text, align, fyne.TextStyle{})
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// SetText redraws a label only if its text changes: the bars are refreshed with
// every move of the pointer.
func SetText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// SetEnabled redraws a control only if it changes.
func SetEnabled(o fyne.Disableable, on bool) {
	switch {
	case on && o.Disabled():
		o.Enable()
	case !on && !o.Disabled():
		o.Disable()
	}
}

// IconButton returns a flat button of the tool and status bars.
func IconButton(icon fyne.Resource, text string, tapped func()) *Button {
	b := NewButton(text, icon, tapped)
	b.Importance = widget.LowImportance
	return b
}

// SetPressed shows whether a button that switches something is on.
func SetPressed(b *Button, on bool) {
	b.pressed = on
	importance := widget.LowImportance
	if on {
		importance = widget.HighImportance
	}
	if b.Importance != importance {
		b.Importance = importance
		b.Refresh()
	}
}

// Ground is a rectangle in a colour of the theme, also after the theme has changed. Create it with NewGround.
type Ground struct {
	widget.BaseWidget
	fill   fyne.ThemeColorName
	border fyne.ThemeColorName // "" for none
	radius float32
}

// NewGround returns a ground of a colour.
func NewGround(fill fyne.ThemeColorName) *Ground { return NewPlate(fill, "", 0) }

// NewPlate returns a ground of a colour with a border of another and round corners.
func NewPlate(fill, border fyne.ThemeColorName, radius float32) *Ground {
	g := &Ground{fill: fill, border: border, radius: radius}
	g.ExtendBaseWidget(g)
	return g
}

// CreateRenderer implements fyne.Widget.
func (g *Ground) CreateRenderer() fyne.WidgetRenderer {
	r := &groundRenderer{g: g, shape: canvas.NewRectangle(nil)}
	r.shape.CornerRadius = g.radius
	r.color()
	return r
}

type groundRenderer struct {
	g     *Ground
	shape *canvas.Rectangle
}

func (r *groundRenderer) color() {
	r.shape.FillColor = theme.Color(r.g.fill)
	if r.g.border != "" {
		r.shape.StrokeColor, r.shape.StrokeWidth = theme.Color(r.g.border), 1
	}
}

// Layout implements fyne.WidgetRenderer.
func (r *groundRenderer) Layout(size fyne.Size) { r.shape.Resize(size) }

// MinSize implements fyne.WidgetRenderer.
func (r *groundRenderer) MinSize() fyne.Size { return fyne.Size{} }

// Refresh implements fyne.WidgetRenderer.
func (r *groundRenderer) Refresh() {
	r.color()
	r.shape.Refresh()
}

// Objects implements fyne.WidgetRenderer.
func (r *groundRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.shape} }

// Destroy implements fyne.WidgetRenderer.
func (r *groundRenderer) Destroy() {}

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
