package control

import (
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
)

// Accessibility labels of the controls for screen readers: the name, then the state after a comma, as fyne.Accessible has no
// field for states. Fyne uses the labels in builds with the tag accessibility.

var (
	_ fyne.Accessible = (*Button)(nil)
	_ fyne.Accessible = (*Check)(nil)
	_ fyne.Accessible = (*Select)(nil)
	_ fyne.Accessible = (*Slider)(nil)
	_ fyne.Accessible = (*List)(nil)
	_ fyne.Accessible = (*Entry)(nil)
)

// spoken returns the label of a control: its name and its states, without empty ones. The label of a control without a name is
// empty: its value alone would be taken for that of another control.
func spoken(o fyne.Disableable, name string, states ...string) string {
	if name == "" {
		return ""
	}
	if o.Disabled() {
		states = append(states, lang.L("not available"))
	}
	parts := slices.DeleteFunc(append([]string{name}, states...), func(s string) bool { return s == "" })
	return strings.Join(parts, ", ")
}

// AccessibilityLabel implements fyne.Accessible.
func (b *Button) AccessibilityLabel() string {
	name, pressed := b.Text, ""
	if b.Named != nil {
		name = b.Named()
	}
	if b.pressed {
		pressed = lang.L("on")
	}
	return spoken(b, name, pressed)
}

// AccessibilityRole implements fyne.Accessible.
func (b *Button) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// AccessibilityLabel implements fyne.Accessible.
func (c *Check) AccessibilityLabel() string {
	state := lang.L("off")
	if c.Checked {
		state = lang.L("on")
	}
	return spoken(c, c.Text, state)
}

// AccessibilityRole implements fyne.Accessible; Fyne has no role for a check box.
func (c *Check) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// AccessibilityLabel implements fyne.Accessible.
func (i *radioItem) AccessibilityLabel() string {
	name, state := i.Text, ""
	if i.group.Names != nil {
		name = i.group.Names(i.Text)
	}
	if i.Checked {
		state = lang.L("chosen")
	}
	return spoken(i, name, state)
}

// AccessibilityLabel implements fyne.Accessible.
func (s *Select) AccessibilityLabel() string { return spoken(s, s.Name, s.Selected) }

// AccessibilityRole implements fyne.Accessible; Fyne has no role for a selection.
func (s *Select) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// AccessibilityLabel implements fyne.Accessible.
func (s *Slider) AccessibilityLabel() string {
	return spoken(s, s.Name, strconv.FormatFloat(s.Value, 'g', 4, 64))
}

// AccessibilityRole implements fyne.Accessible; Fyne has no role for a slider.
func (s *Slider) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// AccessibilityLabel implements fyne.Accessible.
func (l *List) AccessibilityLabel() string { return l.Name }

// AccessibilityRole implements fyne.Accessible.
func (l *List) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleContainer }

// AccessibilityLabel implements fyne.Accessible. A typed password is not spoken.
func (e *Entry) AccessibilityLabel() string {
	text := e.Text
	if e.Password {
		text = ""
	}
	return spoken(e, e.Name, text)
}

// AccessibilityRole implements fyne.Accessible; Fyne has no role for a text field.
func (e *Entry) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }
