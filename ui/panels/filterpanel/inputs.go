package filterpanel

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// slider reports separately when the pointer or the focus comes and goes, each value while it
// moves, and the end of a move. Fyne's OnChangeEnded cannot be used: it also fires
// when a value is set, and setting one during a drag suppresses the end of the
// drag.
type slider struct {
	control.Slider
	hovered func(in bool)
	moved   func(x float64)         // by the user
	ended   func(x float64)         // after moved, at the end of a drag or click
	nudged  func(direction float64) // an arrow key: one step down (-1) or up (1)
	moving  bool
}

var _ desktop.Hoverable = (*slider)(nil)

func newSlider(name string, hovered func(in bool)) *slider {
	s := &slider{hovered: hovered}
	s.Name = name
	s.Max = 1
	s.Step = 0 // the row rounds to the parameter's steps
	s.OnChanged = func(x float64) {
		s.moving = true
		s.moved(x)
	}
	s.ExtendBaseWidget(s)
	return s
}

// show sets range and value without calling a hook.
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
	s.hovered(true)
	s.Slider.MouseIn(e)
}

// MouseOut implements desktop.Hoverable.
func (s *slider) MouseOut() {
	s.hovered(false)
	s.Slider.MouseOut()
}

// FocusGained implements fyne.Focusable.
func (s *slider) FocusGained() {
	s.hovered(true)
	s.Slider.FocusGained()
}

// FocusLost implements fyne.Focusable.
func (s *slider) FocusLost() {
	s.hovered(false)
	s.Slider.FocusLost()
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
	direction := map[fyne.KeyName]float64{fyne.KeyLeft: -1, fyne.KeyRight: 1}[k.Name]
	switch {
	case direction == 0:
		s.Pass(k)
	case !s.Disabled():
		s.nudged(direction)
	}
}

// entry is a one-line field. Return, or leaving the field, commits the text;
// Escape restores the last value. Both keys give the keyboard back to the
// pictures.
type entry struct {
	control.Entry
	commit  func(text string)
	hovered func(in bool) // the focus comes and goes
	shown   string        // the text last set by show
	typing  bool          // the entry has the focus
}

func newEntry(name string, commit func(string), hovered func(in bool)) *entry {
	e := &entry{commit: commit, hovered: hovered}
	e.Name = name
	e.Wrapping = fyne.TextWrapOff
	e.Scroll = fyne.ScrollNone
	e.ExtendBaseWidget(e)
	e.OnSubmitted = func(string) {
		e.finish()
		e.release()
	}
	return e
}

// Editing says whether the field holds text that is not committed yet.
func (e *entry) Editing() bool { return e.typing && e.Text != e.shown }

// release takes the focus off the field.
func (e *entry) release() {
	if c := fyne.CurrentApp().Driver().CanvasForObject(e); c != nil && e.typing {
		c.Unfocus()
	}
}

// show sets the text, unless the user is typing into it.
func (e *entry) show(text string) {
	if e.Editing() {
		return
	}
	e.shown = text
	if e.Text != text {
		e.SetText(text)
	}
}

func (e *entry) finish() {
	if text := e.Text; text != e.shown {
		e.shown = text // so that show may replace it by the accepted value
		e.commit(text)
	}
}

// FocusGained implements fyne.Focusable.
func (e *entry) FocusGained() {
	e.typing = true
	e.hovered(true)
	e.Entry.FocusGained()
}

// FocusLost implements fyne.Focusable.
func (e *entry) FocusLost() {
	e.typing = false
	e.hovered(false)
	e.Entry.FocusLost()
	e.finish()
}

// TypedKey implements fyne.Focusable.
func (e *entry) TypedKey(k *fyne.KeyEvent) {
	if k.Name == fyne.KeyEscape {
		e.SetText(e.shown)
		e.release()
		return
	}
	e.Entry.TypedKey(k)
}

// hoverArea reports when the pointer enters and leaves its content, for the help.
type hoverArea struct {
	widget.BaseWidget
	content fyne.CanvasObject
	hovered func(in bool)
}

var _ desktop.Hoverable = (*hoverArea)(nil)

func newHoverArea(content fyne.CanvasObject, hovered func(in bool)) *hoverArea {
	h := &hoverArea{content: content, hovered: hovered}
	h.ExtendBaseWidget(h)
	return h
}

// CreateRenderer implements fyne.Widget.
func (h *hoverArea) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(h.content)
}

// MouseIn implements desktop.Hoverable.
func (h *hoverArea) MouseIn(*desktop.MouseEvent) { h.hovered(true) }

// MouseMoved implements desktop.Hoverable.
func (h *hoverArea) MouseMoved(*desktop.MouseEvent) {}

// MouseOut implements desktop.Hoverable.
func (h *hoverArea) MouseOut() { h.hovered(false) }
