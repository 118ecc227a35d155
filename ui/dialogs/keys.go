package dialogs

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// KeyedCommand is a command and its keys in words.
type KeyedCommand struct{ ID, Title, Keys string }

// KeyRequest holds the commands with keys that can be changed, and what to do.
type KeyRequest struct {
	Commands []KeyedCommand
	// Check returns why a command cannot have the key that was written; "" is none.
	Check func(id, text string) error
	Set   func(id, text string)
	Reset func() // gives all commands their first keys
}

// ChangeKey asks for a command and its new key.
func ChangeKey(r KeyRequest, parent fyne.Window) *Dialog {
	var titles []string
	for _, c := range r.Commands {
		title := c.Title
		if c.Keys != "" {
			title += "  (" + c.Keys + ")"
		}
		titles = append(titles, title)
	}
	problem := wrapped("")
	problem.Importance = widget.WarningImportance
	command, key := control.NewSelect(lang.L("Command"), titles, nil), control.NewEntry(lang.L("New key"))
	key.SetPlaceHolder(lang.L("such as K, Ctrl+Shift+K or Page Up; nothing for no key"))
	var d *Dialog
	set := control.NewButton(lang.L("Set the key"), nil, func() {
		d.Hide()
		r.Set(r.Commands[command.SelectedIndex()].ID, key.Text)
	})
	set.Importance = widget.HighImportance
	set.Disable()
	check := func(string) {
		problem.SetText("")
		i := command.SelectedIndex()
		if i < 0 {
			return
		}
		if err := r.Check(r.Commands[i].ID, key.Text); err != nil {
			problem.SetText(sentence(err))
			set.Disable()
			return
		}
		set.Enable()
	}
	command.OnChanged, key.OnChanged, key.OnSubmitted = check, check, submit(set)
	form := container.New(layout.NewFormLayout(), bold(command.Name), command, bold(key.Name), key)
	reset := control.NewButton(lang.L("Restore all keys"), nil, func() {
		d.Hide()
		r.Reset()
	})
	d = newDialog(lang.L("Change a key"), container.NewVBox(form, problem), fyne.NewSize(560, 260), parent)
	d.SetButtons([]fyne.CanvasObject{control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() }), reset, set})
	d.first = command
	return d
}
