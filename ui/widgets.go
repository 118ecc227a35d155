package ui

import (
	"unicode"
	"unicode/utf8"

	"quell/ui/control"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// caption returns a label in small print.
func caption(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// setText redraws a label only where its text changes: the bars are refreshed with
// every move of the pointer.
func setText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// setEnabled redraws a control only where it changes.
func setEnabled(o fyne.Disableable, on bool) {
	switch {
	case on && o.Disabled():
		o.Enable()
	case !on && !o.Disabled():
		o.Disable()
	}
}

// iconButton returns a flat button of the tool and status bars.
func iconButton(icon fyne.Resource, text string, tapped func()) *control.Button {
	b := control.NewButton(text, icon, tapped)
	b.Importance = widget.LowImportance
	return b
}

// setPressed shows whether a button that switches something is on.
func setPressed(b *control.Button, on bool) {
	importance := widget.LowImportance
	if on {
		importance = widget.HighImportance
	}
	if b.Importance != importance {
		b.Importance = importance
		b.Refresh()
	}
}

// lowerFirst returns a text that begins in lower case, to follow a colon.
func lowerFirst(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToLower(r)) + text[n:]
}
