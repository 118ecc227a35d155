package dialogs

import (
	"image"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// GalleryCell is a picture with a title and measures.
type GalleryCell struct {
	Title    string
	Lines    []string
	Picture  image.Image // nil while it is awaited, and if there is none
	Take     func()      // nil if there is nothing to be taken
	Marked   bool        // it is the best one
	Awaiting bool        // the picture is to come
}

// GalleryDialog shows pictures side by side; one can be taken.
type GalleryDialog struct {
	*Dialog
	grid   *fyne.Container
	done   int // cells that are complete
	closed func()
}

// The pictures of a gallery: how many stand side by side, and how high they are.
const (
	galleryColumns = 4
	galleryHeight  = 280
)

// Gallery returns the dialog; closed is called once it is closed in any way.
func Gallery(title string, size fyne.Size, closed func(), parent fyne.Window) *GalleryDialog {
	grid := container.NewGridWithColumns(galleryColumns)
	return &GalleryDialog{Dialog: newDialog(title, container.NewVScroll(grid), size, parent, closeOnly()), grid: grid, closed: closed, done: -1}
}

// SetOnClosed adds to what follows a close.
func (g *GalleryDialog) SetOnClosed(f func()) {
	g.Dialog.SetOnClosed(func() {
		f()
		g.closed()
	})
}

// Display shows the cells; complete ones are not drawn again. Taking one closes the
// dialog.
func (g *GalleryDialog) Display(cells []GalleryCell) {
	done := 0
	for _, c := range cells {
		if !c.Awaiting {
			done++
		}
	}
	if done == g.done && len(cells) == len(g.grid.Objects) {
		return
	}
	g.done = done
	objects := make([]fyne.CanvasObject, len(cells))
	for i, c := range cells {
		objects[i] = g.cell(c)
	}
	g.grid.Objects = objects
	g.grid.Refresh()
}

func (g *GalleryDialog) cell(c GalleryCell) fyne.CanvasObject {
	take := func() {
		g.Hide()
		c.Take()
	}
	var picture fyne.CanvasObject = canvas.NewRectangle(theme.Color(theme.ColorNameInputBackground))
	if c.Picture != nil {
		m := canvas.NewImageFromImage(c.Picture)
		m.FillMode = canvas.ImageFillContain
		picture = m
		if c.Take != nil {
			picture = newTappable(m, take)
		}
	}
	ground := canvas.NewRectangle(nil)
	ground.SetMinSize(fyne.NewSize(0, galleryHeight))
	var title fyne.CanvasObject = bold(c.Title)
	if c.Take != nil {
		b := control.NewButton(c.Title, nil, take)
		if c.Marked {
			b.Importance = widget.HighImportance
		}
		title = b
	}
	box := container.NewVBox(container.NewStack(ground, picture), title)
	lines := wrapped(strings.Join(c.Lines, "\n"))
	lines.SizeName = theme.SizeNameCaptionText
	lines.Alignment = fyne.TextAlignCenter
	box.Add(lines)
	return box
}

// tappable calls back when its content is tapped.
type tappable struct {
	widget.BaseWidget
	content fyne.CanvasObject
	tapped  func()
}

var _ desktop.Cursorable = (*tappable)(nil)

func newTappable(content fyne.CanvasObject, tapped func()) *tappable {
	t := &tappable{content: content, tapped: tapped}
	t.ExtendBaseWidget(t)
	return t
}

// CreateRenderer implements fyne.Widget.
func (t *tappable) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(t.content) }

// Tapped implements fyne.Tappable.
func (t *tappable) Tapped(*fyne.PointEvent) { t.tapped() }

// Cursor implements desktop.Cursorable.
func (t *tappable) Cursor() desktop.Cursor { return desktop.PointerCursor }
