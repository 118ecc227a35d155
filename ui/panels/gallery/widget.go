package gallery

import (
	"image"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/app/judge"
	"quell/app/output"
	"quell/ui/control"
	"quell/ui/language"
	"quell/ui/screen"
	"quell/ui/session/tuning"
	"quell/ui/tile"
)

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct {
	Take   func(Cell)           // the filter of a cell; the dialog closes
	Sort   func(o tuning.Order) // the cells
	Blind  func(i, k int)       // compares two cells; the dialog closes
	Scroll func(steps int)      // shows another slice in all cells
}

// Widget is the content of the gallery: tiles that show the same region, and the frontiers. Create it with NewWidget; its
// methods are for the UI goroutine.
type Widget struct {
	widget.BaseWidget
	hooks    Hooks
	place    tile.Place
	first    *tile.Picture // the original
	original bool          // is shown in every tile
	cells    []Cell
	tiles    []*cellView
	chosen   []int // cells for the blind comparison, at most two
	ended    bool  // the filters are compared
	slice    string

	grid      *fyne.Container
	hint      *widget.Label
	blind     *control.Button
	chart     *canvas.Image
	frontiers []judge.Frontier
	charts    *fyne.Container // the chart and what it is of
	scroll    *container.Scroll
	content   fyne.CanvasObject
}

var (
	_ fyne.Focusable  = (*Widget)(nil)
	_ desktop.Keyable = (*Widget)(nil)
)

// columns is how many pictures stand side by side.
const columns = 4

// NewWidget returns an empty gallery that begins with a place.
func NewWidget(p tile.Place, hooks Hooks) *Widget {
	g := &Widget{hooks: hooks, place: p, grid: container.NewGridWithColumns(columns)}
	orders := []string{lang.L("as listed"), lang.L("most noise removed first")}
	order := control.NewSelect(lang.L("Order"), orders, nil)
	for _, o := range orders { // what it has room for; one is always chosen
		if len([]rune(o)) > len([]rune(order.PlaceHolder)) {
			order.PlaceHolder = o
		}
	}
	order.SetSelectedIndex(int(tuning.AsListed))
	order.OnChanged = func(string) {
		hooks.Sort(tuning.Order(order.SelectedIndex()))
		g.focus()
	}
	zoom := func(text string, zoom int) *control.Button {
		return control.NewButton(text, nil, func() {
			p := g.place
			if p.Zoom == 0 && p.Centre == ([2]float64{}) && g.first != nil {
				p.Centre = [2]float64{float64(g.first.Size[0]) / 2, float64(g.first.Size[1]) / 2}
			}
			p.Zoom = zoom
			g.show(p)
			g.focus()
		})
	}
	g.blind = control.NewButton(lang.L("Compare two blind"), nil, func() { g.hooks.Blind(g.chosen[0], g.chosen[1]) })
	g.blind.Disable()
	frontier := control.NewButton(lang.L("Contrast over noise"), nil, func() {
		if g.charts.Hidden {
			g.charts.Show()
			g.scroll.Hide()
		} else {
			g.charts.Hide()
			g.scroll.Show()
		}
		g.drawChart()
		g.content.Refresh()
		g.focus()
	})
	g.hint = widget.NewLabel("")
	g.hint.Wrapping = fyne.TextWrapWord
	g.setHint()
	bar := container.NewVBox(container.NewHBox(zoom(lang.L("Fit"), 0), zoom("2:1", 2), zoom("4:1", 4), order, layout.NewSpacer(), frontier, g.blind), g.hint)
	g.chart = control.NewPicture(fyne.Size{})
	caption := widget.NewLabel(lang.L("Each curve mixes the result of a filter with the original, from none to all of it; the disc is where what is visible begins to fade or the noise to look like plastic."))
	caption.Wrapping = fyne.TextWrapWord
	g.charts = container.NewBorder(nil, caption, nil, nil, g.chart)
	g.charts.Hide()
	g.scroll = container.NewVScroll(g.grid)
	g.content = container.NewBorder(bar, nil, nil, nil, container.NewStack(g.scroll, g.charts))
	g.ExtendBaseWidget(g)
	return g
}

// CreateRenderer implements fyne.Widget.
func (g *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(g.content) }

// Display shows the cells, the original among them; a tile that looks the same is not made again.
func (g *Widget) Display(cells []Cell, frontiers []judge.Frontier, ended bool) {
	if len(frontiers) != len(g.frontiers) {
		g.frontiers = frontiers
		g.drawChart()
	}
	g.frontiers, g.ended = frontiers, ended
	defer g.enable()
	if slices.EqualFunc(cells, g.cells, Cell.same) {
		return
	}
	tiles, objects := make([]*cellView, len(cells)), make([]fyne.CanvasObject, len(cells))
	for i, c := range cells {
		if c.ID < 0 && c.Picture != nil {
			g.first = c.Picture
		}
		if i < len(g.cells) && c.same(g.cells[i]) {
			tiles[i], objects[i] = g.tiles[i], g.grid.Objects[i]
			continue
		}
		tiles[i] = newCellView(g, c)
		objects[i] = tiles[i].object()
	}
	g.cells, g.tiles, g.grid.Objects = cells, tiles, objects
	g.grid.Refresh()
}

// show shows a place in every tile.
func (g *Widget) show(p tile.Place) {
	g.place = p
	g.setHint()
	for _, t := range g.tiles {
		t.raster.Refresh()
	}
}

// shownAt returns the pixel of a picture below a point of a tile, both in units of the screen.
func (g *Widget) shownAt(m *tile.Picture, x, y float64, w, h int) [2]float64 {
	s := screen.PixelsPerUnit(g)
	return g.place.PixelAt(m, x*s, y*s, int(math.Round(float64(w)*s)), int(math.Round(float64(h)*s)))
}

func (g *Widget) setHint() {
	if g.original {
		g.hint.SetText(lang.L("ORIGINAL in every picture"))
		return
	}
	zoom := lang.L("fit")
	if g.place.Zoom > 0 {
		zoom = language.Sprintf("%d:1", g.place.Zoom)
	}
	g.hint.SetText(g.slice + ", " + language.Sprintf(lang.L("%s, W %.4g L %.4g. Click: region. Wheel, Up, Down: slice. Ctrl+wheel: zoom. Drag: window. Hold Space: original."), zoom, g.place.Window.Width, g.place.Window.Center))
}

// wheel shows another slice in every tile, or scrolls the tiles.
func (g *Widget) wheel(e *fyne.ScrollEvent) {
	switch {
	case !g.ended:
		g.scroll.Scrolled(e)
	case e.Scrolled.DY > 0:
		g.hooks.Scroll(-1)
	case e.Scrolled.DY < 0:
		g.hooks.Scroll(1)
	}
}

// ShowSlice says which slice the pictures show.
func (g *Widget) ShowSlice(text string) {
	if g.slice != text {
		g.slice = text
		g.setHint()
	}
}

// taken takes the filter of a cell.
func (g *Widget) taken(c Cell) { g.hooks.Take(c) }

func (g *Widget) picked(id int) bool { return slices.Contains(g.chosen, id) }

// pick chooses a cell for the blind comparison, or not any more. A third one takes the place of the first.
func (g *Widget) pick(id int, on bool) {
	if on == g.picked(id) {
		return
	}
	g.chosen = slices.DeleteFunc(g.chosen, func(other int) bool { return other == id })
	if on {
		g.chosen = append(g.chosen, id)
	}
	if len(g.chosen) > 2 {
		g.chosen = slices.Clone(g.chosen[1:])
		cells := g.cells
		g.cells = nil // their boxes are made again
		g.Display(cells, g.frontiers, g.ended)
	}
	g.enable()
	g.focus()
}

// enable enables the blind comparison of two cells. It waits for the end of the work, which it would disturb, and for
// both pictures.
func (g *Widget) enable() {
	drawn := func(id int) bool {
		return slices.ContainsFunc(g.cells, func(c Cell) bool { return c.ID == id && c.Picture != nil })
	}
	if len(g.chosen) == 2 && g.ended && drawn(g.chosen[0]) && drawn(g.chosen[1]) {
		g.blind.Enable()
	} else {
		g.blind.Disable()
	}
}

// drawChart draws the frontiers if they are shown.
func (g *Widget) drawChart() {
	if g.charts.Hidden {
		return
	}
	g.chart.Image = g.frontierPicture()
	g.chart.Refresh()
}

func (g *Widget) frontierPicture() image.Image {
	if len(g.frontiers) == 0 {
		return nil
	}
	const legend, caption = 110, 60
	size := g.scroll.Size()
	return screen.Chart(screen.Colors(), float64(max(size.Width-legend, 300)), float64(max(size.Height-caption, 200)), screen.PixelsPerUnit(g),
		output.FrontierChart(g.frontiers, lang.L("noise left, %"), lang.L("contrast kept of visible objects, %")))
}

// focus takes the keys, so that Space shows the original.
func (g *Widget) focus() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(g); c != nil {
		c.Focus(g)
	}
}

// AccessibilityLabel implements fyne.Accessible.
func (g *Widget) AccessibilityLabel() string { return lang.L("Filters side by side") }

// AccessibilityRole implements fyne.Accessible.
func (g *Widget) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleContainer }

// FocusGained implements fyne.Focusable.
func (g *Widget) FocusGained() {}

// FocusLost implements fyne.Focusable.
func (g *Widget) FocusLost() { g.hold(false) }

// TypedRune implements fyne.Focusable.
func (g *Widget) TypedRune(rune) {}

// TypedKey implements fyne.Focusable.
func (g *Widget) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace:
	case fyne.KeyUp:
		g.hooks.Scroll(-1)
	case fyne.KeyDown:
		g.hooks.Scroll(1)
	default:
		control.PassTyped(g, e)
	}
}

// KeyDown implements desktop.Keyable.
func (g *Widget) KeyDown(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace {
		g.hold(true)
	}
}

// KeyUp implements desktop.Keyable.
func (g *Widget) KeyUp(e *fyne.KeyEvent) {
	if e.Name == fyne.KeySpace {
		g.hold(false)
	}
}

// hold shows the original in every tile, or not any more.
func (g *Widget) hold(on bool) {
	if g.original != on {
		g.original = on
		g.show(g.place)
	}
}
