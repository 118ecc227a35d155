package control

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

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
