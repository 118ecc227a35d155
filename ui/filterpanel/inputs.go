package filterpanel

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"
)

// slider is a slider that tells the pointer coming over it, the value while it
// moves, and the end of a move, each apart. Fyne's own OnChangeEnded cannot
// serve: it fires when a value is set, and setting one during a drag makes the
// drag's end go unnoticed.
type slider struct {
	widget.Slider
	hovered func()
	moved   func(x float64)         // by the user
	ended   func(x float64)         // after moved, when the hand is done
	nudged  func(direction float64) // an arrow key: one step down (-1) or up (1)
	moving  bool
}

var _ desktop.Hoverable = (*slider)(nil)

func newSlider(hovered func()) *slider {
	s := &slider{hovered: hovered}
	s.Max = 1
	s.Step = 0 // positions are put on the parameter's steps by the row
	s.OnChanged = func(x float64) {
		s.moving = true
		s.moved(x)
	}
	s.ExtendBaseWidget(s)
	return s
}

// show sets range and value without telling anybody.
func (s *slider) show(span Span, value float64) {
	if s.Min == span.Lo && s.Max == span.Hi && s.Value == value {
		return
	}
	s.Min, s.Max, s.Value = span.Lo, span.Hi, value
	s.Refresh()
}

func (s *slider) finish() {
	if s.moving {
		s.moving = false
		s.ended(s.Value)
	}
}

// MouseIn implements desktop.Hoverable.
func (s *slider) MouseIn(e *desktop.MouseEvent) {
	s.hovered()
	s.Slider.MouseIn(e)
}

// DragEnd implements fyne.Draggable.
func (s *slider) DragEnd() {
	s.Slider.DragEnd()
	s.finish()
}

// Tapped implements fyne.Tappable.
func (s *slider) Tapped(e *fyne.PointEvent) {
	s.Slider.Tapped(e)
	s.finish()
}

// TypedKey implements fyne.Focusable.
func (s *slider) TypedKey(k *fyne.KeyEvent) {
	switch {
	case s.Disabled():
	case k.Name == fyne.KeyLeft:
		s.nudged(-1)
	case k.Name == fyne.KeyRight:
		s.nudged(1)
	}
}

// entry is a one-line field that commits on Return and when it loses the focus,
// and goes back to what it showed on Escape.
type entry struct {
	widget.Entry
	commit  func(text string)
	hovered func()
	shown   string // what show last put there
	typing  bool   // the entry has the focus
}

func newEntry(commit func(string), hovered func()) *entry {
	e := &entry{commit: commit, hovered: hovered}
	e.Wrapping = fyne.TextWrapOff
	e.Scroll = fyne.ScrollNone
	e.ExtendBaseWidget(e)
	e.OnSubmitted = func(string) { e.finish() }
	return e
}

// show sets the text, unless the user is typing into it.
func (e *entry) show(text string) {
	if e.typing && e.Text != e.shown {
		return
	}
	e.shown = text
	if e.Text != text {
		e.SetText(text)
	}
}

func (e *entry) finish() {
	if text := e.Text; text != e.shown {
		e.shown = text // so that the answer may overwrite it
		e.commit(text)
	}
}

// FocusGained implements fyne.Focusable.
func (e *entry) FocusGained() {
	e.typing = true
	e.hovered()
	e.Entry.FocusGained()
}

// FocusLost implements fyne.Focusable.
func (e *entry) FocusLost() {
	e.typing = false
	e.Entry.FocusLost()
	e.finish()
}

// TypedKey implements fyne.Focusable.
func (e *entry) TypedKey(k *fyne.KeyEvent) {
	if k.Name == fyne.KeyEscape {
		e.SetText(e.shown)
		return
	}
	e.Entry.TypedKey(k)
}

// hoverArea is an object that tells when the pointer comes over it, for the
// help line.
type hoverArea struct {
	widget.BaseWidget
	content fyne.CanvasObject
	hovered func()
}

var _ desktop.Hoverable = (*hoverArea)(nil)

func newHoverArea(content fyne.CanvasObject, hovered func()) *hoverArea {
	h := &hoverArea{content: content, hovered: hovered}
	h.ExtendBaseWidget(h)
	return h
}

// CreateRenderer implements fyne.Widget.
func (h *hoverArea) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(h.content)
}

// MouseIn implements desktop.Hoverable.
func (h *hoverArea) MouseIn(*desktop.MouseEvent) { h.hovered() }

// MouseMoved implements desktop.Hoverable.
func (h *hoverArea) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable: the help of the last row stays, so
// that it can be read.
func (h *hoverArea) MouseOut() {}
