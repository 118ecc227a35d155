package dialogs

import "fyne.io/fyne/v2"

// Live is a dialog whose content changes while it is open.
type Live struct {
	*Dialog
	closed func()
}

// NewLive returns the dialog; closed is called once it is closed in any way.
func NewLive(title string, content fyne.CanvasObject, size fyne.Size, closed func(), parent fyne.Window) *Live {
	return &Live{newDialog(title, content, size, parent, closeOnly()), closed}
}

// SetOnClosed adds to what follows a close.
func (l *Live) SetOnClosed(f func()) {
	l.Dialog.SetOnClosed(func() {
		f()
		l.closed()
	})
}
