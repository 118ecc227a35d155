package toolbar

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"quell/ui/control"
	"quell/ui/host"
	"quell/ui/session"
	"quell/ui/session/marks"
)

// tools are the tools with their commands, in the order of the buttons. Each shape is a path on a grid of
// 24 x 24. It is an area, as Fyne gives its colour to areas alone: an inner edge runs the other way round.
var tools = []struct {
	tool      marks.Tool
	id, shape string
}{
	{marks.EllipseTool, "tool-ellipse", "M2 12A10 7.5 0 1 1 22 12A10 7.5 0 1 1 2 12ZM4 12A8 5.5 0 1 0 20 12A8 5.5 0 1 0 4 12Z"},
	{marks.RectangleTool, "tool-rectangle", "M2 4.5H22V19.5H2ZM4 6.5V17.5H20V6.5Z"},
	{marks.FreehandTool, "tool-freehand", "M5 15C1 9 6 3 11 5C16 7 15 9 19 8C23 7 22 17 16 19C10 21 8 19 5 15Z" +
		"M6.8 14.4C9 17.4 10.5 18.9 15 17.4C19.5 15.9 20.2 8.4 17.2 9.6C14.2 10.4 15 8.4 11.2 6.9C7.5 5.4 3.8 9.9 6.8 14.4Z"},
	{marks.LineTool, "tool-line", "M4.3 18.3L18.3 4.3L19.7 5.7L5.7 19.7ZM2.3 16.7L3.7 15.3L8.7 20.3L7.3 21.7ZM15.3 3.7L16.7 2.3L21.7 7.3L20.3 8.7Z"},
}

// toolButtons take the tools that draw ROIs and lines.
type toolButtons struct {
	buttons map[marks.Tool]*control.Button
	content *fyne.Container
}

func newToolButtons(h *host.Host) *toolButtons {
	t := &toolButtons{buttons: map[marks.Tool]*control.Button{}, content: container.NewHBox()}
	for _, tool := range tools {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24"><path d="` + tool.shape + `"/></svg>`
		icon := theme.NewThemedResource(fyne.NewStaticResource(tool.id+".svg", []byte(svg)))
		t.buttons[tool.tool] = h.Button(icon, "", tool.id)
		t.content.Add(t.buttons[tool.tool])
	}
	return t
}

func (t *toolButtons) display(s *session.Session) {
	for tool, b := range t.buttons {
		control.SetEnabled(b, s.Series() != nil)
		control.SetPressed(b, s.Marks.Tool() == tool)
	}
}

// fittingLayout places containers in a row, and hides the last ones if they do not fit:
// a tool bar does not make the window wider. What it hides is in the menus.
type fittingLayout struct{}

// Layout implements fyne.Layout.
func (fittingLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	x, full := float32(0), false
	for _, o := range objects {
		m := o.MinSize()
		full = full || x+m.Width > size.Width
		o.(*fyne.Container).Hidden = full
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(m.Width, size.Height))
		x += m.Width + theme.Padding()
	}
}

// MinSize implements fyne.Layout.
func (fittingLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	var size fyne.Size
	for _, o := range objects {
		size.Height = max(size.Height, o.MinSize().Height)
	}
	return size
}
