package control

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"
)

// Caption returns a label in small print.
func Caption(text string) *widget.Label { return Cell(text, fyne.TextAlignLeading) }

// Cell returns a label in small print for a column of that alignment.
func Cell(text string, align fyne.TextAlign) *widget.Label {
	l := widget.NewLabelWithStyle(text, align, fyne.TextStyle{})
	l.SizeName = theme.SizeNameCaptionText
	return l
}

// SetText redraws a label only if its text changes: the bars are refreshed with
// every move of the pointer.
func SetText(l *widget.Label, text string) {
	if l.Text != text {
		l.SetText(text)
	}
}

// SetEnabled redraws a control only if it changes.
func SetEnabled(o fyne.Disableable, on bool) {
	switch {
	case on && o.Disabled():
		o.Enable()
	case !on && !o.Disabled():
		o.Disable()
	}
}

// IconButton returns a flat button of the tool and status bars.
func IconButton(icon fyne.Resource, text string, tapped func()) *Button {
	b := NewButton(text, icon, tapped)
	b.Importance = widget.LowImportance
	return b
}

// SetPressed shows whether a button that switches something is on.
func SetPressed(b *Button, on bool) {
	b.pressed = on
	importance := widget.LowImportance
	if on {
		importance = widget.HighImportance
	}
	if b.Importance != importance {
		b.Importance = importance
		b.Refresh()
	}
}
