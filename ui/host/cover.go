package host

import (
	"fyne.io/fyne/v2"

	"quell/ui/panel"
)

// TakeOver shows the object of a panel in the place of everything else.
func (h *Host) TakeOver(by panel.Covering, o fyne.CanvasObject) {
	for _, p := range h.Panels {
		if m, ok := p.(panel.Pauser); ok {
			m.Pause()
		}
	}
	h.cover = by
	h.Window.SetMainMenu(nil)
	h.Frame.SetVisible(false)
	o.Show()
	h.Window.SetContent(h.Window.Content()) // Fyne moves it to the place of the menu with its size alone
	h.Window.Canvas().Unfocus()
	h.showTitle()
}

// GiveBack shows everything again.
func (h *Host) GiveBack(o fyne.CanvasObject) {
	h.cover = nil
	o.Hide()
	h.Frame.SetVisible(true)
	if !h.Frame.FullScreen() {
		h.Window.SetMainMenu(h.Bar.Main)
	}
	h.Window.SetContent(h.Window.Content())
	h.Refresh()
}

// EndCover asks whether the panel in the place of everything else ends, and says false if there is
// none.
func (h *Host) EndCover() bool {
	if h.cover == nil {
		return false
	}
	h.cover.AskEnd()
	return true
}
