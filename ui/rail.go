package ui

import (
	"fmt"
	"image"
	"image/color"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/ui/language"
	"quell/ui/session"
	"quell/ui/session/documents"
)

// Widths of the list of open series: with names, and with pictures alone.
const (
	railWidth  = 84
	railNarrow = 28
)

// rail lists the open series at the left edge, where there are several.
type rail struct {
	w       *Workbench
	narrow  bool // it has no room for names
	cells   []*railCell
	box     *fyne.Container
	content fyne.CanvasObject
}

func newRail(w *Workbench) *rail {
	r := &rail{w: w, box: container.NewVBox()}
	r.content = container.New(fixedWidthLayout{railNarrow}, container.NewVScroll(r.box))
	r.content.Hide()
	return r
}

// width returns how wide the list is.
func (r *rail) width() float32 {
	if r.narrow {
		return railNarrow
	}
	return railWidth
}

// setNarrow leaves the names out, or shows them, and returns how wide the list is then.
func (r *rail) setNarrow(on bool) float32 {
	if r.narrow != on {
		r.narrow = on
		for _, c := range r.cells {
			c.fit()
		}
		r.box.Refresh()
	}
	return r.width()
}

// display shows the open series.
func (r *rail) display(s *session.Session, hide bool) {
	open := s.Documents.List()
	for len(r.cells) < len(open) {
		c := newRailCell(r.w, len(r.cells))
		r.cells = append(r.cells, c)
		r.box.Add(c)
	}
	for len(r.cells) > len(open) {
		last := len(r.cells) - 1
		r.box.Remove(r.cells[last])
		r.cells = r.cells[:last]
	}
	progress := s.Tasks.Progress().Fraction
	for i, d := range open {
		r.cells[i].display(d, hide, progress)
	}
}

// railCell is one open series: its picture, its state in the picture's corner, and its
// name. A click shows it; a click of the middle button closes it, the right one opens a
// menu.
type railCell struct {
	widget.BaseWidget
	w      *Workbench
	index  int
	shown  documents.Opened
	hint   string
	ground *canvas.Rectangle
	image  *canvas.Image
	badge  *canvas.Text
	state  string            // that the badge says where there is room
	under  *canvas.Rectangle // the ground of the badge
	name   *widget.Label
	detail *widget.Label
	text   *fyne.Container // name and detail
}

var (
	_ fyne.Tappable          = (*railCell)(nil)
	_ fyne.SecondaryTappable = (*railCell)(nil)
	_ desktop.Hoverable      = (*railCell)(nil)
	_ desktop.Mouseable      = (*railCell)(nil)
)

func newRailCell(w *Workbench, index int) *railCell {
	c := &railCell{
		w: w, index: index, ground: canvas.NewRectangle(color.Transparent), image: canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1))),
		badge: canvas.NewText("", color.Black), under: canvas.NewRectangle(color.Transparent),
		name: caption(""), detail: caption(""),
	}
	c.ground.StrokeWidth, c.ground.CornerRadius = 2, 3
	c.image.FillMode = canvas.ImageFillContain
	c.badge.TextSize = theme.Size(theme.SizeNameCaptionText) - 1
	c.under.CornerRadius = 3
	c.name.Truncation, c.detail.Truncation = fyne.TextTruncateEllipsis, fyne.TextTruncateEllipsis
	c.text = container.New(tightLayout{}, c.name, c.detail)
	c.fit()
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *railCell) CreateRenderer() fyne.WidgetRenderer {
	badge := container.NewBorder(container.NewHBox(container.NewStack(c.under, c.badge)), nil, nil, nil)
	content := container.NewBorder(nil, c.text, nil, nil, container.NewStack(c.image, badge))
	const edge = 2
	return widget.NewSimpleRenderer(container.NewStack(c.ground, container.New(layout.NewCustomPaddedLayout(edge, edge, edge, edge), content)))
}

// fit suits the cell to the width of the list. Where that is narrow the colour of the badge
// says the state, and the tooltip in words.
func (c *railCell) fit() {
	side := float32(railWidth - 20)
	c.text.Hidden, c.badge.Text = c.w.rail.narrow, trimmed(c.state)
	if c.w.rail.narrow {
		side, c.badge.Text = railNarrow-4, strings.Repeat(" ", min(len(c.state), 3))
	}
	c.image.SetMinSize(fyne.NewSquareSize(side))
}

// tightLayout sets lines of text below each other without the space of a form.
type tightLayout struct{}

// tightLine is the height of a line.
const tightLine = 16

// Layout implements fyne.Layout.
func (tightLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for i, o := range objects {
		height := o.MinSize().Height
		o.Move(fyne.NewPos(-theme.InnerPadding(), float32(i)*tightLine-(height-tightLine)/2))
		o.Resize(fyne.NewSize(size.Width+2*theme.InnerPadding(), height))
	}
}

// MinSize implements fyne.Layout.
func (tightLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, float32(len(objects))*tightLine)
}

// Colours of the badges: those of the badges on the pictures.
var railBadges = map[documents.DocumentState]color.Color{
	documents.Running:    color.NRGBA{R: 0x8f, G: 0xb4, B: 0xd8, A: 0xff},
	documents.Unexported: color.NRGBA{R: 0xff, G: 0xb3, B: 0x47, A: 0xff},
	documents.Exported:   color.NRGBA{R: 0x8f, G: 0xbf, B: 0x8f, A: 0xff},
}

// display shows a series, where anything differs from what is shown.
func (c *railCell) display(d documents.Opened, hide bool, progress float64) {
	badge := map[documents.DocumentState]string{documents.Unexported: lang.L("result"), documents.Exported: lang.L("exported")}[d.State]
	if d.State == documents.Running {
		badge = fmt.Sprintf("%.0f %%", 100*progress)
	}
	name, hint := documentName(d, hide), documentHint(d, hide)
	if c.hint == hint && c.name.Text == name && c.state == badge && c.shown.Shown == d.Shown && c.shown.Picture == d.Picture && c.shown.Away == d.Away {
		return
	}
	c.shown, c.hint = d, hint
	c.state, c.under.FillColor = badge, color.Transparent
	c.fit()
	if badge != "" {
		c.under.FillColor = railBadges[d.State]
	}
	c.ground.FillColor, c.ground.StrokeColor = color.Transparent, color.Transparent
	if d.Shown {
		c.ground.FillColor, c.ground.StrokeColor = theme.Color(theme.ColorNameSelection), theme.Color(theme.ColorNamePrimary)
	}
	c.image.Image = image.NewGray(image.Rect(0, 0, 1, 1))
	if d.Picture != nil {
		c.image.Image = d.Picture
	}
	c.image.Translucency = 0
	if d.Away {
		c.image.Translucency = 0.6
	}
	c.name.SetText(name)
	c.detail.SetText(slicesText(d.Dims[2]))
	c.Refresh()
	canvas.Refresh(c)
}

// trimmed sets a badge's text apart from the edges of its ground.
func trimmed(badge string) string {
	if badge == "" {
		return ""
	}
	return " " + badge + " "
}

func slicesText(n int) string { return counted(n, lang.L("1 slice"), lang.L("%d slices")) }

// documentName names an open series in a few words, without its identity where hide is
// set.
func documentName(d documents.Opened, hide bool) string {
	switch {
	case d.Path == "":
		return lang.L("bundled series")
	case hide:
		return strings.TrimSpace(d.Meta.Modality + " " + app.DimsText(d.Dims))
	}
	return d.Name
}

// documentHint says in a line what an open series is and in what state.
func documentHint(d documents.Opened, hide bool) string {
	parts := []string{documentName(d, hide)}
	if !hide {
		parts = append(parts, d.Meta.Patient, date("", d.Meta.StudyDate))
		if file := filepath.Base(d.Path); d.Path != "" && file != d.Name {
			parts = append(parts, file)
		}
	}
	if dims := app.DimsText(d.Dims); !strings.Contains(parts[0], dims) {
		parts = append(parts, dims)
	}
	parts = append(parts, map[documents.DocumentState]string{
		documents.Running: lang.L("being filtered"), documents.Unexported: lang.L("a result that was not exported"), documents.Exported: lang.L("results exported"),
	}[d.State])
	if d.Away {
		parts = append(parts, lang.L("read again when it is shown"))
	} else {
		parts = append(parts, language.Number(app.Bytes(d.Bytes)))
	}
	return joined(parts...)
}

// Tapped implements fyne.Tappable.
func (c *railCell) Tapped(*fyne.PointEvent) {
	c.w.tip.hide()
	c.w.showDocument(c.index)
}

// TappedSecondary implements fyne.SecondaryTappable.
func (c *railCell) TappedSecondary(e *fyne.PointEvent) {
	c.w.tip.hide()
	menu := fyne.NewMenu("",
		fyne.NewMenuItem(lang.L("Show"), func() { c.w.showDocument(c.index) }),
		fyne.NewMenuItem(lang.L("Close"), func() { c.w.closeDocument(c.index) }))
	widget.ShowPopUpMenuAtPosition(menu, c.w.main.Canvas(), e.AbsolutePosition)
}

// MouseDown implements desktop.Mouseable.
func (c *railCell) MouseDown(*desktop.MouseEvent) {}

// MouseUp implements desktop.Mouseable.
func (c *railCell) MouseUp(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonTertiary {
		c.w.tip.hide()
		c.w.closeDocument(c.index)
	}
}

// MouseIn implements desktop.Hoverable.
func (c *railCell) MouseIn(*desktop.MouseEvent) {
	c.w.tip.showAt(c, fyne.NewPos(c.w.rail.width(), 4), c.hint)
}

// MouseMoved implements desktop.Hoverable.
func (c *railCell) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (c *railCell) MouseOut() { c.w.tip.hide() }
