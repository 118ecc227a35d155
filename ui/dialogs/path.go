package dialogs

import (
	"os"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// Path asks for the path of a file or folder by typing, from start on, and calls open
// with one that exists.
func Path(start string, open func(path string), parent fyne.Window) *Dialog {
	field, problem := control.NewEntry(), wrapped("")
	problem.Importance = widget.WarningImportance
	var d *Dialog
	confirm := control.NewButton("Open", nil, func() {
		path := typedPath(field.Text)
		if _, err := os.Stat(path); err != nil {
			problem.SetText("There is no file or folder of this path, or it may not be read.")
			return
		}
		d.Hide()
		open(path)
	})
	confirm.Importance = widget.HighImportance
	field.OnChanged = func(text string) {
		problem.SetText("")
		if typedPath(text) == "" {
			confirm.Disable()
		} else {
			confirm.Enable()
		}
	}
	field.OnSubmitted = func(string) {
		if !confirm.Disabled() {
			confirm.OnTapped()
		}
	}
	field.SetText(start)
	field.OnChanged(field.Text)
	field.CursorColumn = len([]rune(field.Text))
	size := parent.Canvas().Size()
	d = newDialog("Open a path", container.NewVBox(field, problem), fyne.NewSize(min(size.Width*0.8, 760), 190), parent)
	d.SetButtons([]fyne.CanvasObject{control.NewButton("Cancel", nil, d.Hide), confirm})
	d.first = field
	return d
}

// typedPath returns a path as it was meant: without the spaces and quotes around it that
// come with a copy, and with the home folder in the place of ~.
func typedPath(text string) string {
	path := strings.Trim(strings.TrimSpace(text), `"'`)
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		if home, err := os.UserHomeDir(); err == nil {
			path = filepath.Join(home, rest)
		}
	}
	return path
}
