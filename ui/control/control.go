// Package control holds Fyne's controls with one rule for keys: a control that
// has the focus uses Left, Right, Space and Return, a list Up and Down too, and a
// text field all keys and shortcuts that edit text. Every other one goes on to the canvas, so
// that scrolling, presets and Escape work wherever the focus is.
//
// It imports Fyne only. Everything is for the UI goroutine.
package control

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"
)

// PassTyped gives a key that o does not use to the canvas, for controls of other
// packages.
func PassTyped(o fyne.CanvasObject, e *fyne.KeyEvent) {
	if c := canvasOf(o); c != nil && c.OnTypedKey() != nil {
		c.OnTypedKey()(e)
	}
}

// PassHeld gives the press or release of a key that o does not use to the canvas.
func PassHeld(o fyne.CanvasObject, e *fyne.KeyEvent, down bool) {
	c, ok := canvasOf(o).(desktop.Canvas)
	if !ok {
		return
	}
	f := c.OnKeyUp()
	if down {
		f = c.OnKeyDown()
	}
	if f != nil {
		f(e)
	}
}

// canvasOf returns the canvas that o is on. Fyne does not know an embedded control
// as the widget on its canvas; Quell has one canvas.
func canvasOf(o fyne.CanvasObject) fyne.Canvas {
	driver := fyne.CurrentApp().Driver()
	if c := driver.CanvasForObject(o); c != nil {
		return c
	}
	if all := driver.AllWindows(); len(all) > 0 {
		return all[0].Canvas()
	}
	return nil
}

// activates says whether a key operates a control that has the focus.
func activates(k fyne.KeyName) bool {
	return k == fyne.KeySpace || k == fyne.KeyReturn || k == fyne.KeyEnter
}

// Button is a widget.Button that Space and Return press.
type Button struct {
	widget.Button
	Named func() string // returns the accessible name in place of the text; nil: the text
	// OnHover, if set, is called when the pointer enters (true) and leaves the button.
	OnHover func(in bool)
	ring    *ring
	pressed bool
}

var (
	_ desktop.Keyable   = (*Button)(nil)
	_ desktop.Hoverable = (*Button)(nil)
)

// NewButton returns a button; icon may be nil.
func NewButton(text string, icon fyne.Resource, tapped func()) *Button {
	b := &Button{}
	b.Text, b.Icon, b.OnTapped = text, icon, tapped
	b.ExtendBaseWidget(b)
	return b
}

// CreateRenderer implements fyne.Widget.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	b.ring = ringed(b.Button.CreateRenderer())
	return b.ring
}

// FocusGained implements fyne.Focusable.
func (b *Button) FocusGained() {
	b.Button.FocusGained()
	b.ring.show(true)
}

// FocusLost implements fyne.Focusable.
func (b *Button) FocusLost() {
	b.Button.FocusLost()
	b.ring.show(false)
}

// TypedKey implements fyne.Focusable.
func (b *Button) TypedKey(e *fyne.KeyEvent) {
	switch {
	case !activates(e.Name):
		PassTyped(b, e)
	case !b.Disabled():
		b.Tapped(nil)
	}
}

// MouseIn implements desktop.Hoverable.
func (b *Button) MouseIn(e *desktop.MouseEvent) {
	b.Button.MouseIn(e)
	b.hover(true)
}

// MouseOut implements desktop.Hoverable.
func (b *Button) MouseOut() {
	b.Button.MouseOut()
	b.hover(false)
}

func (b *Button) hover(in bool) {
	if b.OnHover != nil {
		b.OnHover(in)
	}
}

// KeyDown implements desktop.Keyable.
func (b *Button) KeyDown(e *fyne.KeyEvent) { b.held(e, true) }

// KeyUp implements desktop.Keyable.
func (b *Button) KeyUp(e *fyne.KeyEvent) { b.held(e, false) }

func (b *Button) held(e *fyne.KeyEvent, down bool) {
	if !activates(e.Name) {
		PassHeld(b, e, down)
	}
}

// Check is a widget.Check that Space and Return toggle.
type Check struct {
	widget.Check
	OnSubmitted func() // what Return does instead, such as the main button of a dialog; nil: it toggles
	ring        *ring
}

var _ desktop.Keyable = (*Check)(nil)

// NewCheck returns a check box; changed may be nil.
func NewCheck(text string, changed func(bool)) *Check {
	c := &Check{}
	c.Text, c.OnChanged = text, changed
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *Check) CreateRenderer() fyne.WidgetRenderer {
	c.ring = ringed(c.Check.CreateRenderer())
	return c.ring
}

// FocusGained implements fyne.Focusable.
func (c *Check) FocusGained() {
	c.Check.FocusGained()
	c.ring.show(true)
}

// FocusLost implements fyne.Focusable.
func (c *Check) FocusLost() {
	c.Check.FocusLost()
	c.ring.show(false)
}

// TypedKey implements fyne.Focusable. Space arrives as a rune.
func (c *Check) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeySpace:
	case fyne.KeyReturn, fyne.KeyEnter:
		if c.OnSubmitted != nil {
			c.OnSubmitted()
			return
		}
		c.TypedRune(' ')
	default:
		PassTyped(c, e)
	}
}

// KeyDown implements desktop.Keyable.
func (c *Check) KeyDown(e *fyne.KeyEvent) { c.held(e, true) }

// KeyUp implements desktop.Keyable.
func (c *Check) KeyUp(e *fyne.KeyEvent) { c.held(e, false) }

func (c *Check) held(e *fyne.KeyEvent, down bool) {
	if !activates(e.Name) {
		PassHeld(c, e, down)
	}
}

// Select is a widget.Select that Space and Return open; Left and Right choose the
// previous and the next option.
type Select struct {
	widget.Select
	Name string // accessible name, for screen readers
	ring *ring
}

var _ desktop.Keyable = (*Select)(nil)

// NewSelect returns a selection; name is its accessible name, changed may be nil.
func NewSelect(name string, options []string, changed func(string)) *Select {
	s := &Select{Name: name}
	s.Options, s.OnChanged = options, changed
	s.PlaceHolder = lang.L("(choose)")
	s.ExtendBaseWidget(s)
	return s
}

// CreateRenderer implements fyne.Widget.
func (s *Select) CreateRenderer() fyne.WidgetRenderer {
	s.ring = ringed(s.Select.CreateRenderer())
	return s.ring
}

// FocusGained implements fyne.Focusable.
func (s *Select) FocusGained() {
	s.Select.FocusGained()
	s.ring.show(true)
}

// FocusLost implements fyne.Focusable.
func (s *Select) FocusLost() {
	s.Select.FocusLost()
	s.ring.show(false)
}

// TypedKey implements fyne.Focusable.
func (s *Select) TypedKey(e *fyne.KeyEvent) {
	switch {
	case activates(e.Name):
		s.Select.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	case e.Name == fyne.KeyLeft, e.Name == fyne.KeyRight:
		s.Select.TypedKey(e)
	default:
		PassTyped(s, e)
	}
}

// KeyDown implements desktop.Keyable.
func (s *Select) KeyDown(e *fyne.KeyEvent) { s.held(e, true) }

// KeyUp implements desktop.Keyable.
func (s *Select) KeyUp(e *fyne.KeyEvent) { s.held(e, false) }

func (s *Select) held(e *fyne.KeyEvent, down bool) {
	if !activates(e.Name) {
		PassHeld(s, e, down)
	}
}

// Slider is a widget.Slider that Left and Right move.
type Slider struct {
	widget.Slider
	Name string // accessible name, for screen readers
}

var _ desktop.Keyable = (*Slider)(nil)

// NewSlider returns a slider from lo to hi in steps of 1; name is its accessible name.
func NewSlider(name string, lo, hi float64) *Slider {
	s := &Slider{Name: name}
	s.Min, s.Max, s.Step = lo, hi, 1
	s.ExtendBaseWidget(s)
	return s
}

// TypedKey implements fyne.Focusable.
func (s *Slider) TypedKey(e *fyne.KeyEvent) {
	if e.Name == fyne.KeyLeft || e.Name == fyne.KeyRight {
		s.Slider.TypedKey(e)
		return
	}
	PassTyped(s, e)
}

// DoubleTapped selects a number as a whole, as a new one is typed in its place; Fyne's word ends
// at the point.
func (e *Entry) DoubleTapped(p *fyne.PointEvent) {
	e.Entry.DoubleTapped(p)
	if _, err := strconv.ParseFloat(strings.Replace(e.Text, ",", ".", 1), 64); err == nil {
		e.TypedShortcut(&fyne.ShortcutSelectAll{})
	}
}

// Pass gives a key that an extending type does not use to the canvas.
func (s *Slider) Pass(e *fyne.KeyEvent) { PassTyped(s, e) }

// KeyDown implements desktop.Keyable.
func (s *Slider) KeyDown(e *fyne.KeyEvent) { PassHeld(s, e, true) }

// KeyUp implements desktop.Keyable.
func (s *Slider) KeyUp(e *fyne.KeyEvent) { PassHeld(s, e, false) }

// List is a widget.List that Up, Down and Space operate; Return selects the row
// that has the focus.
type List struct {
	widget.List
	Name string // accessible name, for screen readers
	// OnSubmitted, if set, is what Return does with that row instead; i is -1 in an empty list.
	OnSubmitted func(i widget.ListItemID)
}

// NewList returns a list; name is its accessible name.
func NewList(name string, length func() int, create func() fyne.CanvasObject, update func(widget.ListItemID, fyne.CanvasObject)) *List {
	l := &List{Name: name}
	l.Length, l.CreateItem = length, create
	l.UpdateItem = func(i widget.ListItemID, o fyne.CanvasObject) {
		if i < length() { // Fyne updates the row that has the focus, also of an empty list
			update(i, o)
		}
	}
	l.ExtendBaseWidget(l)
	return l
}

// TypedKey implements fyne.Focusable.
func (l *List) TypedKey(e *fyne.KeyEvent) {
	switch e.Name {
	case fyne.KeyUp, fyne.KeyDown:
		l.List.TypedKey(e)
	case fyne.KeySpace:
		l.List.TypedKey(e)
	case fyne.KeyReturn, fyne.KeyEnter:
		l.submit()
	default:
		PassTyped(l, e)
	}
}

// submit selects the row that has the focus, which Fyne does not name, for OnSubmitted.
func (l *List) submit() {
	if l.OnSubmitted != nil {
		if l.Length() == 0 {
			l.OnSubmitted(-1)
			return
		}
		selected := l.OnSelected
		defer func() { l.OnSelected = selected }()
		l.OnSelected = l.OnSubmitted
	}
	l.List.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
}

// Entry is a one-line text field.
type Entry struct {
	widget.Entry
	Name   string // accessible name, for screen readers
	OnDown func() // Down, which leads to the control below the field; nil: the key is passed on
}

// NewEntry returns an empty field; name is its accessible name.
func NewEntry(name string) *Entry {
	e := &Entry{Name: name}
	e.ExtendBaseWidget(e)
	return e
}

// TypedKey implements fyne.Focusable.
func (e *Entry) TypedKey(k *fyne.KeyEvent) {
	switch {
	case edits(k.Name):
		e.Entry.TypedKey(k)
		return
	case k.Name == fyne.KeyDown && e.OnDown != nil:
		e.OnDown()
		return
	}
	PassTyped(e, k)
}

// Pass gives a key that an extending type does not use to the canvas.
func (e *Entry) Pass(k *fyne.KeyEvent) { PassTyped(e, k) }

// TypedShortcut implements fyne.Shortcutable: a field uses the shortcuts that edit text.
func (e *Entry) TypedShortcut(s fyne.Shortcut) {
	switch s.(type) {
	case *fyne.ShortcutUndo, *fyne.ShortcutRedo, *fyne.ShortcutCut, *fyne.ShortcutCopy, *fyne.ShortcutPaste, *fyne.ShortcutSelectAll:
		e.Entry.TypedShortcut(s)
		return
	}
	if c, ok := Shortcuts(canvasOf(e)); ok {
		c.TypedShortcut(s)
	}
}

// Shortcuts is what takes the shortcuts of a canvas. Tests replace it, as their canvas takes them in a canvas that it
// hides.
var Shortcuts = func(c fyne.Canvas) (fyne.Shortcutable, bool) {
	s, ok := c.(fyne.Shortcutable)
	return s, ok
}

// edits says whether a key means something in a line of text. Letters and digits
// arrive as runes too, so they are the field's.
func edits(k fyne.KeyName) bool {
	switch k {
	case fyne.KeyEscape, fyne.KeyUp, fyne.KeyDown, fyne.KeyPageUp, fyne.KeyPageDown:
		return false
	}
	function := len(k) > 1 && k[0] == 'F' && k[1] >= '1' && k[1] <= '9'
	return !function
}
