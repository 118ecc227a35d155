package dialogs

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"
)

// MissingSource says that a source of a project is not there. Closing the dialog in any other way than by a button calls
// neither function.
func MissingSource(text string, locate, leave func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("A series of the project is missing"), wrapped(text), fyne.NewSize(560, 200), parent,
		choice{text: lang.L("Cancel")},
		choice{text: lang.L("Open without it"), chosen: leave},
		choice{text: lang.L("Locate …"), importance: widget.HighImportance, chosen: locate, focused: true})
}

// AlteredSource says why a series of a project is not shown. use, which may be nil, takes it as it is. Closing the dialog in
// any other way than by a button leaves it in the list.
func AlteredSource(err error, locate, use func(), parent fyne.Window) *Dialog {
	choices := []choice{{text: lang.L("Not now")}}
	if use != nil {
		choices = append(choices, choice{text: lang.L("Use it as it is"), chosen: use})
	}
	choices = append(choices, choice{text: lang.L("Locate …"), importance: widget.HighImportance, chosen: locate})
	return newDialog(lang.L("A series of the project has changed"), wrapped(sentence(err)), fyne.NewSize(560, 200), parent, choices...)
}
