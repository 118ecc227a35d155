package control

import (
	"image/color"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Radio is a row of options with one chosen. Left and Right choose the previous and
// the next option. Fyne's own widget.RadioGroup keeps all keys while one of its
// options has the focus.
type Radio struct {
	widget.BaseWidget
	OnChanged func(option string)
	// Names, if set, returns the accessible name of an option in place of its text.
	Names func(option string) string
	// OnHover, if set, is called when the pointer enters (true) and leaves an option,
	// which is drawn as o.
	OnHover func(option string, o fyne.CanvasObject, in bool)
	// OnSubmitted, if set, is what Return does on the option that is chosen already.
	OnSubmitted func()

	selected string
	disabled bool
	segments bool    // the options are buttons
	padding  float32 // on both sides of their texts
	items    []*radioItem
	row      *fyne.Container
	content  *container.ThemeOverride // of row
}

var _ fyne.Disableable = (*Radio)(nil)

// NewRadio returns a row of options, none chosen yet: buttons; the chosen one stays
// pressed.
func NewRadio(options []string, changed func(string)) *Radio {
	return newRadio(container.New(layout.NewCustomPaddedHBoxLayout(1)), true, options, changed)
}

// NewRadioLines is NewRadio with as many lines as a width needs; each line is as wide as the object.
func NewRadioLines(options []string, width float32, changed func(string)) *Radio {
	const gap = 1
	r := newRadio(container.New(linesLayout{width: width, gap: gap}), true, options, changed)
	spare := width - gap*float32(len(options)-1)
	for _, item := range r.items {
		spare -= item.MinSize().Width - 2*segmentPadding
	}
	if tight := spare / float32(2*len(options)); tight >= leastPadding && tight < segmentPadding { // one line holds all
		r.padding = tight
	}
	return r
}

// NewRadioColumn returns the options one below the other, with the round marks of radio
// buttons.
func NewRadioColumn(options []string, changed func(string)) *Radio {
	return newRadio(container.NewVBox(), false, options, changed)
}

func newRadio(row *fyne.Container, segments bool, options []string, changed func(string)) *Radio {
	r := &Radio{OnChanged: changed, row: row, segments: segments, padding: segmentPadding, content: container.NewThemeOverride(row, radioTheme{})}
	r.SetOptions(options)
	r.ExtendBaseWidget(r)
	return r
}

// CreateRenderer implements fyne.Widget.
func (r *Radio) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(r.content)
}

// Options returns the options.
func (r *Radio) Options() []string {
	var out []string
	for _, item := range r.items {
		out = append(out, item.Text)
	}
	return out
}

// SetOptions replaces the options.
func (r *Radio) SetOptions(options []string) {
	if slices.Equal(options, r.Options()) {
		return
	}
	r.row.RemoveAll()
	r.items = nil
	for _, option := range options {
		item := &radioItem{group: r}
		item.Text, item.Checked = option, option == r.selected && !r.disabled
		item.ExtendBaseWidget(item)
		if r.disabled {
			item.Disable()
		}
		r.items = append(r.items, item)
		r.row.Add(item)
	}
	r.content.Refresh() // the new items take the theme
}

// Selected returns the option that is chosen; "" if none is.
func (r *Radio) Selected() string { return r.selected }

// SetSelected chooses an option; OnChanged is called if it was not chosen.
func (r *Radio) SetSelected(option string) {
	if option == r.selected || !slices.Contains(r.Options(), option) {
		return
	}
	r.selected = option
	for _, item := range r.items {
		item.SetChecked(item.Text == option && !r.disabled)
	}
	if r.OnChanged != nil {
		r.OnChanged(option)
	}
}

// Enable implements fyne.Disableable.
func (r *Radio) Enable() {
	r.disabled = false
	for _, item := range r.items {
		item.SetChecked(item.Text == r.selected)
		item.Enable()
	}
}

// Disable implements fyne.Disableable. The choice is not shown meanwhile: Fyne draws
// a disabled, checked box as a box in every theme.
func (r *Radio) Disable() {
	r.disabled = true
	for _, item := range r.items {
		item.SetChecked(false)
		item.Disable()
	}
}

// Disabled implements fyne.Disableable.
func (r *Radio) Disabled() bool { return r.disabled }

// radioItem is one option: a check box that only another option clears.
type radioItem struct {
	Check
	group            *Radio
	hovered, focused bool
}

// CreateRenderer implements fyne.Widget.
func (i *radioItem) CreateRenderer() fyne.WidgetRenderer {
	if i.group.segments {
		i.ExtendBaseWidget(i)
		return newSegment(i)
	}
	return i.Check.CreateRenderer()
}

// MouseIn implements desktop.Hoverable.
func (i *radioItem) MouseIn(e *desktop.MouseEvent) {
	i.hovered = true
	i.Check.MouseIn(e)
	i.Refresh()
	i.hover(true)
}

// MouseOut implements desktop.Hoverable.
func (i *radioItem) MouseOut() {
	i.hovered = false
	i.Check.MouseOut()
	i.Refresh()
	i.hover(false)
}

func (i *radioItem) hover(in bool) {
	if i.group.OnHover != nil {
		i.group.OnHover(i.Text, i, in)
	}
}

// FocusGained implements fyne.Focusable.
func (i *radioItem) FocusGained() {
	i.focused = true
	i.Check.FocusGained()
	i.Refresh()
}

// FocusLost implements fyne.Focusable.
func (i *radioItem) FocusLost() {
	i.focused = false
	i.Check.FocusLost()
	i.Refresh()
}

// Tapped implements fyne.Tappable.
func (i *radioItem) Tapped(*fyne.PointEvent) {
	if i.Disabled() {
		return
	}
	if c := canvasOf(i); c != nil {
		c.Focus(i)
	}
	i.group.SetSelected(i.Text)
}

// TypedRune implements fyne.Focusable.
func (i *radioItem) TypedRune(r rune) {
	if r == ' ' && !i.Disabled() {
		i.group.SetSelected(i.Text)
	}
}

// TypedKey implements fyne.Focusable.
func (i *radioItem) TypedKey(e *fyne.KeyEvent) {
	step := 0
	switch e.Name {
	case fyne.KeySpace: // arrives as a rune
		return
	case fyne.KeyReturn, fyne.KeyEnter:
		if i.group.OnSubmitted != nil && i.Text == i.group.selected {
			i.group.OnSubmitted()
			return
		}
		i.TypedRune(' ')
		return
	case fyne.KeyLeft:
		step = -1
	case fyne.KeyRight:
		step = 1
	default:
		PassTyped(i, e)
		return
	}
	if next := slices.Index(i.group.items, i) + step; !i.Disabled() && next >= 0 && next < len(i.group.items) {
		i.group.items[next].Tapped(nil)
	}
}

// radioTheme draws check boxes as radio buttons.
type radioTheme struct{}

func current() fyne.Theme { return fyne.CurrentApp().Settings().Theme() }

var radioIcons = map[fyne.ThemeIconName]fyne.ThemeIconName{
	theme.IconNameCheckButton:        theme.IconNameRadioButton,
	theme.IconNameCheckButtonChecked: theme.IconNameRadioButtonChecked,
	theme.IconNameCheckButtonFill:    theme.IconNameRadioButtonFill,
}

// Icon implements fyne.Theme.
func (radioTheme) Icon(name fyne.ThemeIconName) fyne.Resource {
	if radio, ok := radioIcons[name]; ok {
		name = radio
	}
	return current().Icon(name)
}

// Color implements fyne.Theme.
func (radioTheme) Color(name fyne.ThemeColorName, v fyne.ThemeVariant) color.Color {
	return current().Color(name, v)
}

// Font implements fyne.Theme.
func (radioTheme) Font(style fyne.TextStyle) fyne.Resource { return current().Font(style) }

// Size implements fyne.Theme.
func (radioTheme) Size(name fyne.ThemeSizeName) float32 { return current().Size(name) }

// segment draws an option of a row as a button that stays pressed while it is chosen.
type segment struct {
	item   *radioItem
	ground *canvas.Rectangle
	text   *canvas.Text
}

func newSegment(i *radioItem) *segment {
	s := &segment{item: i, ground: canvas.NewRectangle(nil), text: canvas.NewText(i.Text, nil)}
	s.ground.CornerRadius = 3
	s.text.Alignment = fyne.TextAlignCenter
	s.color()
	return s
}

// segmentPadding is the space on both sides of the text, and leastPadding that in a line that holds no more otherwise.
const segmentPadding, leastPadding = 9, 3

// MinSize implements fyne.WidgetRenderer.
func (s *segment) MinSize() fyne.Size {
	return s.text.MinSize().AddWidthHeight(2*s.item.group.padding, 2*theme.Size(theme.SizeNameInnerPadding))
}

// Layout implements fyne.WidgetRenderer.
func (s *segment) Layout(size fyne.Size) {
	s.ground.Resize(size)
	height := s.text.MinSize().Height
	s.text.Move(fyne.NewPos(0, (size.Height-height)/2))
	s.text.Resize(fyne.NewSize(size.Width, height))
}

// Refresh implements fyne.WidgetRenderer.
func (s *segment) Refresh() {
	s.color()
	s.ground.Refresh()
	s.text.Refresh()
}

// Objects implements fyne.WidgetRenderer.
func (s *segment) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{s.ground, s.text} }

// Destroy implements fyne.WidgetRenderer.
func (s *segment) Destroy() {}

// color follows the state of the option.
func (s *segment) color() {
	i := s.item
	s.text.Text, s.text.TextSize = i.Text, theme.Size(theme.SizeNameText)
	s.text.Color = theme.Color(theme.ColorNameForeground)
	s.ground.FillColor = theme.Color(theme.ColorNameButton)
	switch {
	case i.Disabled():
		s.text.Color = theme.Color(theme.ColorNameDisabled)
		s.ground.FillColor = theme.Color(theme.ColorNameDisabledButton)
	case i.Checked:
		s.text.Color = theme.Color(theme.ColorNameForegroundOnPrimary)
		s.ground.FillColor = theme.Color(theme.ColorNamePrimary)
	case i.hovered:
		s.ground.FillColor = theme.Color(theme.ColorNameInputBorder)
	}
	s.ground.StrokeWidth, s.ground.StrokeColor = 0, color.Transparent
	if i.focused {
		s.ground.StrokeWidth, s.ground.StrokeColor = 2, theme.Color(theme.ColorNameForeground)
	}
}

// ring draws a line around a control that has the focus. Fyne only tints the control, by less than the 3:1 to its
// surroundings that WCAG 2.1 asks of what has the focus: a stronger tint would leave the text too little contrast.
type ring struct {
	fyne.WidgetRenderer
	line *canvas.Rectangle
	on   bool
}

// ringWidth is the width of the line around what has the focus.
const ringWidth = 2

// ringed returns the renderer of a control with a ring, which is hidden.
func ringed(r fyne.WidgetRenderer) *ring {
	f := &ring{WidgetRenderer: r, line: canvas.NewRectangle(nil)}
	f.line.StrokeWidth, f.line.CornerRadius = ringWidth, theme.Size(theme.SizeNameInputRadius)
	f.show(false)
	return f
}

// show shows the ring or hides it. The control may have no renderer yet.
func (f *ring) show(on bool) {
	if f == nil {
		return
	}
	f.on, f.line.Hidden, f.line.StrokeColor = on, !on, theme.Color(theme.ColorNameForeground)
	f.line.Refresh()
}

// Layout implements fyne.WidgetRenderer.
func (f *ring) Layout(size fyne.Size) {
	f.WidgetRenderer.Layout(size)
	f.line.Resize(size)
}

// Refresh implements fyne.WidgetRenderer.
func (f *ring) Refresh() {
	f.WidgetRenderer.Refresh()
	f.show(f.on)
}

// Objects implements fyne.WidgetRenderer.
func (f *ring) Objects() []fyne.CanvasObject {
	objects := f.WidgetRenderer.Objects()
	return append(objects[:len(objects):len(objects)], f.line)
}
