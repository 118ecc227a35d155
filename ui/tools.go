package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"

	"quell/ui/control"
	"quell/ui/session"
	"quell/ui/session/marks"
)

// toolIcons are paths of the shapes that the tools draw, on a grid of 24 x 24. They are
// areas, as Fyne gives its colour to areas alone: an inner edge runs the other way round.
var toolIcons = map[marks.Tool]string{
	marks.EllipseTool:   "M2 12A10 7.5 0 1 1 22 12A10 7.5 0 1 1 2 12ZM4 12A8 5.5 0 1 0 20 12A8 5.5 0 1 0 4 12Z",
	marks.RectangleTool: "M2 4.5H22V19.5H2ZM4 6.5V17.5H20V6.5Z",
	marks.FreehandTool: "M5 15C1 9 6 3 11 5C16 7 15 9 19 8C23 7 22 17 16 19C10 21 8 19 5 15Z" +
		"M6.8 14.4C9 17.4 10.5 18.9 15 17.4C19.5 15.9 20.2 8.4 17.2 9.6C14.2 10.4 15 8.4 11.2 6.9C7.5 5.4 3.8 9.9 6.8 14.4Z",
	marks.LineTool: "M4.3 18.3L18.3 4.3L19.7 5.7L5.7 19.7ZM2.3 16.7L3.7 15.3L8.7 20.3L7.3 21.7ZM15.3 3.7L16.7 2.3L21.7 7.3L20.3 8.7Z",
}

// toolOrder is that of the buttons.
var toolOrder = []marks.Tool{marks.EllipseTool, marks.RectangleTool, marks.FreehandTool, marks.LineTool}

// toolButtons take the tools that draw ROIs and lines.
type toolButtons struct {
	buttons map[marks.Tool]*control.Button
	content *fyne.Container
}

func newToolButtons(w *Workbench) *toolButtons {
	t := &toolButtons{buttons: map[marks.Tool]*control.Button{}, content: container.NewHBox()}
	for _, tool := range toolOrder {
		svg := `<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24"><path d="` + toolIcons[tool] + `"/></svg>`
		icon := theme.NewThemedResource(fyne.NewStaticResource(toolIDs[tool]+".svg", []byte(svg)))
		t.buttons[tool] = w.commandButton(icon, "", toolIDs[tool])
		t.content.Add(t.buttons[tool])
	}
	return t
}

func (t *toolButtons) display(s *session.Session) {
	for tool, b := range t.buttons {
		setEnabled(b, s.Series() != nil)
		setPressed(b, s.Marks.Tool() == tool)
	}
}

// fittingLayout places containers in a row, and hides the last ones where they do not fit:
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
