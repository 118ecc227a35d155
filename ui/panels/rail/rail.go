// Package rail is the list of the open series, and the commands that show and close them.
package rail

import (
	"fmt"
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/ui/command"
	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/palette"
	"quell/ui/panel"
	"quell/ui/screen"
	"quell/ui/session/documents"
	"quell/ui/wording"
)

// Panel lists the open series at the left edge, if there are several. Create it with New.
type Panel struct {
	h       *host.Host
	Cells   []*Thumbnail
	box     *fyne.Container
	content *container.Scroll
}

// New returns the list of open series.
func New(h *host.Host) panel.Panel {
	r := &Panel{h: h, box: container.NewVBox()}
	r.content = container.NewVScroll(r.box)
	return r
}

// Dock implements panel.Panel.
func (r *Panel) Dock() panel.Dock { return panel.Dock{Area: panel.Rail, Object: r.content} }

// Wanted implements panel.Optional.
func (r *Panel) Wanted() bool { return len(r.Cells) > 1 }

// Show implements panel.Panel.
func (r *Panel) Show(now panel.Snapshot) {
	s, hide := now.Session, now.Settings.HideIdentity
	open := s.Documents.List()
	for len(r.Cells) < len(open) {
		c := newCell(r, len(r.Cells))
		r.Cells = append(r.Cells, c)
		r.box.Add(c)
	}
	for len(r.Cells) > len(open) {
		last := len(r.Cells) - 1
		r.box.Remove(r.Cells[last])
		r.Cells = r.Cells[:last]
	}
	progress := s.Tasks.Progress().Fraction
	for i, d := range open {
		if c := r.Cells[i]; c.display(d, hide, progress) && d.Shown {
			r.reveal(c)
		}
	}
}

// reveal scrolls a cell that has just been shown into sight.
func (r *Panel) reveal(c *Thumbnail) {
	r.box.Resize(r.box.MinSize().Max(r.content.Size())) // of cells that were added
	top, bottom := c.Position().Y, c.Position().Y+c.Size().Height
	if height := r.content.Size().Height; top < r.content.Offset.Y {
		r.content.ScrollToOffset(fyne.NewPos(0, top))
	} else if bottom > r.content.Offset.Y+height {
		r.content.ScrollToOffset(fyne.NewPos(0, bottom-height))
	}
}

// Thumbnail is one open series: its picture, its state in the picture's corner, and its
// name. A click shows it; a click of the middle button closes it, the right one opens a
// menu.
type Thumbnail struct {
	widget.BaseWidget
	r      *Panel
	index  int
	shown  documents.Listed
	colors *palette.Colors // in use
	Hint   string
	Ground *canvas.Rectangle
	image  *canvas.Image
	Badge  *canvas.Text
	under  *canvas.Rectangle // the ground of the badge
	Name   *widget.Label
	detail *widget.Label
	text   *fyne.Container // name and detail
}

var (
	_ fyne.Tappable          = (*Thumbnail)(nil)
	_ fyne.SecondaryTappable = (*Thumbnail)(nil)
	_ desktop.Hoverable      = (*Thumbnail)(nil)
	_ desktop.Mouseable      = (*Thumbnail)(nil)
)

func newCell(r *Panel, index int) *Thumbnail {
	c := &Thumbnail{
		r: r, index: index, Ground: canvas.NewRectangle(color.Transparent), image: canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1))),
		Badge: canvas.NewText("", palette.Picture.Ground), under: canvas.NewRectangle(color.Transparent),
		Name: control.Caption(""), detail: control.Caption(""),
	}
	c.Ground.StrokeWidth, c.Ground.CornerRadius = 2, 3
	c.image.FillMode = canvas.ImageFillContain
	c.Badge.TextSize = theme.Size(theme.SizeNameCaptionText) - 1
	c.under.CornerRadius = 3
	c.Name.Truncation, c.detail.Truncation = fyne.TextTruncateEllipsis, fyne.TextTruncateEllipsis
	c.text = container.New(tightLayout{}, c.Name, c.detail)
	c.image.SetMinSize(fyne.NewSquareSize(panel.RailWidth - 20))
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *Thumbnail) CreateRenderer() fyne.WidgetRenderer {
	badge := container.NewBorder(container.NewHBox(container.NewStack(c.under, c.Badge)), nil, nil, nil)
	content := container.NewBorder(nil, c.text, nil, nil, container.NewStack(c.image, badge))
	const edge = 2
	return widget.NewSimpleRenderer(container.NewStack(c.Ground, container.New(layout.NewCustomPaddedLayout(edge, edge, edge, edge), content)))
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

// badgeColor is the ground of a badge.
func badgeColor(c *palette.Colors, s documents.DocumentState) color.Color {
	switch s {
	case documents.Running:
		return c.Running
	case documents.Unexported:
		return c.Unexported
	}
	return c.Exported
}

// display shows a series, if anything differs from the shown one. It returns whether another series is on the screen now, or
// not any more.
func (c *Thumbnail) display(d documents.Listed, hide bool, progress float64) (turned bool) {
	badge := map[documents.DocumentState]string{documents.Unexported: lang.L("result"), documents.Exported: lang.L("exported")}[d.State]
	if d.State == documents.Running {
		badge = fmt.Sprintf("%.0f %%", 100*progress)
	}
	name, hint := wording.Series(d, hide), wording.SeriesHint(d, hide)
	colors := screen.Colors()
	if c.colors == colors && c.Hint == hint && c.Name.Text == name && c.Badge.Text == trimmed(badge) && c.shown.Shown == d.Shown && c.shown.Picture == d.Picture && c.shown.Away == d.Away {
		return false
	}
	turned = c.shown.Shown != d.Shown
	c.shown, c.Hint, c.colors = d, hint, colors
	c.Badge.Text, c.under.FillColor = trimmed(badge), color.Transparent
	if badge != "" {
		c.under.FillColor = badgeColor(colors, d.State)
	}
	c.Ground.FillColor, c.Ground.StrokeColor = color.Transparent, color.Transparent
	if d.Shown {
		c.Ground.FillColor, c.Ground.StrokeColor = theme.Color(theme.ColorNameSelection), theme.Color(theme.ColorNamePrimary)
	}
	c.image.Image = image.NewGray(image.Rect(0, 0, 1, 1))
	if d.Picture != nil {
		c.image.Image = d.Picture
	}
	c.image.Translucency = 0
	if d.Away {
		c.image.Translucency = 0.6
	}
	c.Name.SetText(name)
	c.detail.SetText(wording.Slices(d.Dims[2]))
	c.Refresh()
	canvas.Refresh(c)
	return turned
}

// trimmed sets a badge's text apart from the edges of its ground.
func trimmed(badge string) string {
	if badge == "" {
		return ""
	}
	return " " + badge + " "
}

// Tapped implements fyne.Tappable.
func (c *Thumbnail) Tapped(*fyne.PointEvent) {
	c.r.h.Tip.Hide()
	c.r.h.ShowDocument(c.index)
}

// TappedSecondary implements fyne.SecondaryTappable.
func (c *Thumbnail) TappedSecondary(e *fyne.PointEvent) {
	c.r.h.Tip.Hide()
	beside := fyne.NewMenuItem(lang.L("Open beside"), func() { c.r.h.Session.Reader.ShowBeside(c.index) })
	beside.Disabled = c.shown.Shown || !c.r.h.Idle()
	menu := fyne.NewMenu("",
		fyne.NewMenuItem(lang.L("Show"), func() { c.r.h.ShowDocument(c.index) }), beside,
		fyne.NewMenuItem(lang.L("Close"), func() { c.r.closeDocument(c.index) }))
	widget.ShowPopUpMenuAtPosition(menu, c.r.h.Window.Canvas(), e.AbsolutePosition)
}

// MouseDown implements desktop.Mouseable.
func (c *Thumbnail) MouseDown(*desktop.MouseEvent) {}

// MouseUp implements desktop.Mouseable.
func (c *Thumbnail) MouseUp(e *desktop.MouseEvent) {
	if e.Button == desktop.MouseButtonTertiary {
		c.r.h.Tip.Hide()
		c.r.closeDocument(c.index)
	}
}

// MouseIn implements desktop.Hoverable.
func (c *Thumbnail) MouseIn(*desktop.MouseEvent) {
	c.r.h.Tip.ShowAt(c, fyne.NewPos(panel.RailWidth, 4), c.Hint)
}

// MouseMoved implements desktop.Hoverable.
func (c *Thumbnail) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (c *Thumbnail) MouseOut() { c.r.h.Tip.Hide() }

// Commands implements panel.Panel: they switch between the open series and close them.
func (r *Panel) Commands() []command.Command {
	several := func() bool { return len(r.h.Session.Documents.List()) > 1 }
	return []command.Command{
		{ID: "next-series", Title: "Next series", Menu: command.FileMenu, Gap: true, Enabled: several,
			Chords: command.With(command.Ctrl, fyne.KeyTab, fyne.KeyPageDown), Run: func() { r.nextDocument(1) }},
		{ID: "previous-series", Title: "Previous series", Menu: command.FileMenu, Enabled: several,
			Chords: append(command.With(command.Ctrl|fyne.KeyModifierShift, fyne.KeyTab), command.With(command.Ctrl, fyne.KeyPageUp)...), Run: func() { r.nextDocument(-1) }},
		{ID: "series", Title: "Open series", Menu: command.FileMenu, List: r.seriesCommands},
		{ID: "close-series", Title: "Close the series", Menu: command.FileMenu, Chords: command.With(command.Ctrl, fyne.KeyW), Enabled: r.h.IsOpen,
			Run: func() { r.closeDocument(r.h.Current()) }},
	}
}

// seriesCommands show the open series.
func (r *Panel) seriesCommands() (out []command.Command) {
	for i, d := range r.h.Session.Documents.List() {
		out = append(out, command.Command{
			Title: wording.Joined(wording.Series(d, r.h.Settings.HideIdentity), wording.Slices(d.Dims[2])),
			Run:   func() { r.h.ShowDocument(i) }, Checked: func() bool { return d.Shown },
		})
	}
	return out
}

// nextDocument shows the series step places on in the list.
func (r *Panel) nextDocument(step int) {
	n := len(r.h.Session.Documents.List())
	r.h.ShowDocument((r.h.Current() + step + n) % n)
}

// closeDocument closes an open series, after a question if that would lose work.
func (r *Panel) closeDocument(i int) {
	listed := r.h.Session.Documents.List()
	if r.h.Covered() || i < 0 || i >= len(listed) { // the list is shown a moment after a series was closed
		return
	}
	open := listed[i]
	r.h.Session.Exports.Check(func() {
		if now := r.h.Session.Documents.List(); i >= len(now) || now[i].Path != open.Path {
			return // it was closed meanwhile
		}
		r.h.Ask(r.h.Losses(r.h.Session.Documents.LossOf(i)), func() { r.h.Session.Documents.Close(i) })
	})
}
