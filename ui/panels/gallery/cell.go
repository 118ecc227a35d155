package gallery

import (
	"image"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/palette"
	"quell/ui/tile"
)

// Cell is the content of a tile.
type Cell struct {
	ID      int // of the exhibit; -1 for the original
	Title   string
	Lines   []string
	Picture *tile.Picture // nil while it is awaited, and if there is none
	Take    func()        // nil if there is nothing to be taken
	Marked  bool          // it is the best one
}

// same says whether two cells look the same.
func (c Cell) same(o Cell) bool {
	return c.ID == o.ID && c.Title == o.Title && c.Picture == o.Picture && c.Marked == o.Marked && strings.Join(c.Lines, "\n") == strings.Join(o.Lines, "\n")
}

// The room of tiles, in units.
const (
	captionHeight = 150 // of the title and the lines below a picture, as a rule
	twoRows       = 240 // pictures of which two rows are in sight at once have this height at least
	leastTile     = 120
)

// tileHeight returns how high a picture is: as high as leaves one row of tiles in sight as a whole, or two, and no higher
// than it is wide.
func (g *Widget) tileHeight() float32 {
	size := g.scroll.Size()
	height := size.Height/2 - captionHeight
	if height < twoRows {
		height = size.Height - captionHeight
	}
	return max(min(height, size.Width/columns), leastTile)
}

// cellView is a picture that is clicked, dragged and magnified together with all others.
type cellView struct {
	widget.BaseWidget
	of     *Widget
	cell   Cell
	raster *canvas.Raster
}

var (
	_ desktop.Cursorable = (*cellView)(nil)
	_ fyne.Scrollable    = (*cellView)(nil)
	_ fyne.Draggable     = (*cellView)(nil)
)

func newCellView(of *Widget, c Cell) *cellView {
	t := &cellView{of: of, cell: c}
	t.raster = canvas.NewRaster(t.draw)
	t.ExtendBaseWidget(t)
	return t
}

// draw draws the picture, or the original while that is shown.
func (t *cellView) draw(w, h int) image.Image {
	m := t.cell.Picture
	if t.of.original && m != nil {
		m = t.of.first
	}
	return t.of.place.Draw(m, w, h)
}

// CreateRenderer implements fyne.Widget.
func (t *cellView) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.raster) }

// MinSize implements fyne.CanvasObject.
func (t *cellView) MinSize() fyne.Size { return fyne.NewSize(0, t.of.tileHeight()) }

// Cursor implements desktop.Cursorable.
func (t *cellView) Cursor() desktop.Cursor { return desktop.CrosshairCursor }

// Tapped implements fyne.Tappable: all tiles show the region around the point.
func (t *cellView) Tapped(e *fyne.PointEvent) {
	if t.cell.Picture == nil {
		return
	}
	// In units of the screen, as the place of a pixel in the picture is.
	w, h := int(t.Size().Width), int(t.Size().Height)
	p := t.of.place
	p.Centre = t.of.shownAt(t.cell.Picture, float64(e.Position.X), float64(e.Position.Y), w, h)
	p.Zoom = max(p.Zoom, tile.ClickZoom)
	t.of.show(p)
}

// Scrolled implements fyne.Scrollable: with Ctrl the wheel magnifies, else it shows another slice, as in the panes. Until every
// filter was compared, which is of one slice, it scrolls the tiles.
func (t *cellView) Scrolled(e *fyne.ScrollEvent) {
	d, ok := fyne.CurrentApp().Driver().(desktop.Driver)
	if !ok || d.CurrentKeyModifiers()&fyne.KeyModifierControl == 0 {
		t.of.wheel(e)
	} else if e.Scrolled.DY > 0 {
		t.of.show(t.of.place.Zoomed(1))
	} else if e.Scrolled.DY < 0 {
		t.of.show(t.of.place.Zoomed(-1))
	}
}

// Dragged implements fyne.Draggable: window width and level.
func (t *cellView) Dragged(e *fyne.DragEvent) {
	t.of.show(t.of.place.Dragged(float64(e.Dragged.DX), float64(e.Dragged.DY)))
}

// DragEnd implements fyne.Draggable.
func (t *cellView) DragEnd() {}

// object returns the tile with its title and lines below it.
func (t *cellView) object() fyne.CanvasObject {
	c := t.cell
	var title fyne.CanvasObject = widget.NewLabelWithStyle(c.Title, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
	if c.Take != nil {
		b := control.NewButton(c.Title, nil, func() { t.of.taken(c) })
		if c.Marked {
			b.Importance = widget.HighImportance
		}
		title = b
	}
	if c.Picture != nil {
		pick := control.NewCheck(lang.L("blind"), func(on bool) { t.of.pick(c.ID, on) })
		pick.Checked = t.of.picked(c.ID)
		title = container.NewBorder(nil, nil, nil, pick, title)
	}
	lines := widget.NewLabelWithStyle(strings.Join(c.Lines, "\n"), fyne.TextAlignLeading, fyne.TextStyle{})
	lines.Wrapping = fyne.TextWrapWord
	lines.SizeName = theme.SizeNameCaptionText
	ground := canvas.NewRectangle(palette.Picture.Ground)
	return container.NewVBox(container.NewStack(ground, t), title, lines)
}
