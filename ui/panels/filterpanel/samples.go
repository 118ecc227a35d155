package filterpanel

import (
	"image"
	"math"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/palette"
	"quell/ui/screen"
	"quell/ui/tile"
)

// Preset is one choice in the list of presets, with what it makes of a region of the slice.
type Preset struct {
	Title  string
	Detail string        // filter, or why there is no picture
	After  *tile.Picture // nil while it is awaited, and if there is none
	Marked bool          // it is the present recipe
	Take   func()
}

// The region of a preset, in units of the screen; at 2:1 it has half as many pixels of the slice.
const (
	sampleWidth, sampleHeight = 208, 160
	sampleZoom                = 2
)

// SampleColumns and SampleRows are the size of the region in pixels of the slice.
const (
	SampleColumns = sampleWidth / sampleZoom
	SampleRows    = sampleHeight / sampleZoom
)

// PresetList shows presets side by side: each the same region of a slice, left of a line before and right of it after the
// filter. The line follows the pointer in all of them. Create it with NewPresetList; its methods are for the UI goroutine.
type PresetList struct {
	widget.BaseWidget
	moved  func(column, row int)
	before *tile.Picture
	place  tile.Place
	line   float32 // where the filter begins, as a share of the width
	cells  []*presetCell
	grid   *fyne.Container
	note   *widget.Label
	body   fyne.CanvasObject
}

// NewPresetList returns an empty list. moved is called with the pixel of the region, column and row, that is clicked.
func NewPresetList(moved func(column, row int)) *PresetList {
	l := &PresetList{moved: moved, line: 0.5, note: widget.NewLabel("")}
	l.note.Truncation = fyne.TextTruncateEllipsis
	l.grid = container.NewGridWrap(newPresetCell(l).body.MinSize())
	l.body = container.NewBorder(l.note, nil, nil, nil, container.NewVScroll(l.grid))
	l.ExtendBaseWidget(l)
	return l
}

// CreateRenderer implements fyne.Widget.
func (l *PresetList) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(l.body) }

// Display shows presets on a region before the filter, in a window; note says which region that is.
func (l *PresetList) Display(note string, before *tile.Picture, place tile.Place, presets []Preset) {
	control.SetText(l.note, note)
	redraw := before != l.before || place != l.place
	l.before, l.place = before, place
	for len(l.cells) < len(presets) {
		c := newPresetCell(l)
		l.cells = append(l.cells, c)
		l.grid.Add(c.body)
	}
	for i, p := range presets {
		l.cells[i].display(p, redraw)
	}
}

// split moves the line in all pictures.
func (l *PresetList) split(at float32) {
	if l.line == at {
		return
	}
	l.line = at
	for _, c := range l.cells {
		c.picture.raster.Refresh()
	}
}

// presetCell is one preset: its picture, title, detail and button.
type presetCell struct {
	shown   Preset
	picture *presetPicture
	title   *widget.Label
	detail  *widget.Label
	take    *control.Button
	body    *fyne.Container
}

func newPresetCell(l *PresetList) *presetCell {
	c := &presetCell{title: small(""), detail: small("")}
	c.title.TextStyle.Bold, c.title.Importance = true, widget.MediumImportance
	c.take = control.NewButton(lang.L("Take"), nil, func() { c.shown.Take() })
	c.picture = newPresetPicture(l, c)
	// The labels have the padding of forms, twice between two of them.
	texts := container.New(layout.NewCustomPaddedVBoxLayout(-2*theme.InnerPadding()), fixedLines(c.title, 2), fixedLines(c.detail, 2))
	const apart = 8 // from the next row
	c.body = container.New(layout.NewCustomPaddedLayout(0, apart, 0, apart), container.New(layout.NewCustomPaddedVBoxLayout(0), c.picture, texts, c.take))
	return c
}

func (c *presetCell) display(p Preset, redraw bool) {
	redraw = redraw || p.After != c.shown.After
	c.shown = p
	setText(c.title, p.Title)
	setText(c.detail, p.Detail)
	control.SetPressed(c.take, p.Marked)
	if c.take.Importance == widget.LowImportance { // a flat button would not be seen as one below a picture
		c.take.Importance = widget.MediumImportance
		c.take.Refresh()
	}
	if redraw {
		c.picture.raster.Refresh()
	}
}

// presetPicture is the region before and after the filter.
type presetPicture struct {
	widget.BaseWidget
	of     *PresetList
	cell   *presetCell
	raster *canvas.Raster
}

var (
	_ fyne.Tappable      = (*presetPicture)(nil)
	_ desktop.Hoverable  = (*presetPicture)(nil)
	_ desktop.Cursorable = (*presetPicture)(nil)
)

func newPresetPicture(l *PresetList, c *presetCell) *presetPicture {
	p := &presetPicture{of: l, cell: c}
	p.raster = canvas.NewRaster(p.draw)
	p.ExtendBaseWidget(p)
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *presetPicture) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(p.raster)
}

// MinSize implements fyne.CanvasObject.
func (p *presetPicture) MinSize() fyne.Size { return fyne.NewSize(sampleWidth, sampleHeight) }

// placed returns the place of the whole region in a picture of a width in device pixels.
func (p *presetPicture) placed(width int) tile.Place {
	place := p.of.place
	place.Zoom = max(int(math.Round(sampleZoom*float64(width)/sampleWidth)), 1)
	if m := p.of.before; m != nil {
		place.Centre = [2]float64{float64(m.Size[0]) / 2, float64(m.Size[1]) / 2}
	}
	return place
}

// draw draws the region, and the line where the filter begins; before the picture comes, what there is without it.
func (p *presetPicture) draw(w, h int) image.Image {
	place, after := p.placed(w), p.cell.shown.After
	before := place.Draw(p.of.before, w, h)
	if after == nil {
		return before
	}
	out, ok := place.Draw(after, w, h).(*image.RGBA)
	if !ok {
		return before
	}
	x := int(math.Round(float64(p.of.line) * float64(w)))
	thick := max(int(math.Round(float64(w)/sampleWidth)), 1)
	line := palette.Picture.Letters
	for y := range h {
		for c := range min(x, w) {
			out.Set(c, y, before.At(c, y))
		}
		for c := max(x-thick, 0); c < min(x, w); c++ {
			out.Set(c, y, line)
		}
	}
	return out
}

// Cursor implements desktop.Cursorable.
func (p *presetPicture) Cursor() desktop.Cursor { return desktop.CrosshairCursor }

// Tapped implements fyne.Tappable: the region goes there.
func (p *presetPicture) Tapped(e *fyne.PointEvent) {
	if p.of.before == nil {
		return
	}
	s := screen.PixelsPerUnit(p)
	w, h := int(math.Round(float64(p.Size().Width)*s)), int(math.Round(float64(p.Size().Height)*s))
	at := p.placed(w).PixelAt(p.of.before, float64(e.Position.X)*s, float64(e.Position.Y)*s, w, h)
	p.of.moved(int(math.Floor(at[0])), int(math.Floor(at[1])))
}

// MouseIn implements desktop.Hoverable.
func (p *presetPicture) MouseIn(e *desktop.MouseEvent) { p.MouseMoved(e) }

// MouseMoved implements desktop.Hoverable.
func (p *presetPicture) MouseMoved(e *desktop.MouseEvent) {
	if width := p.Size().Width; width > 0 {
		p.of.split(min(max(e.Position.X/width, 0), 1))
	}
}

// MouseOut implements desktop.Hoverable: half of each picture is before the filter.
func (p *presetPicture) MouseOut() { p.of.split(0.5) }
