package dialogs

import (
	"fmt"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/denoise/lesions"
	"quell/ui/control"
	"quell/ui/language"
)

// The number of places of a forced choice: each is in one pair, which is shown twice.
const (
	usualPlaces = 60
	mostPlaces  = 500
)

// choiceContrasts are those of the lesions of a forced choice, in sigmas.
var choiceContrasts = []float64{0.5, 1, 1.5, 2, 3, 4}

// usualContrast is the place of the one that is chosen from the start.
const usualContrast = 2

// ChoiceRequest holds suggestions for a forced choice, and its callbacks.
type ChoiceRequest struct {
	Sizes    []float64               // of the lesions in mm; nil: there is no series from which a study can be made
	Check    func(name string) error // why a name is none for a reader
	Make     func(reader string, size, sigmas float64, places int)
	Continue func(reader string) // a study that was made before
}

// Choice explains a forced choice and asks who reads, and which lesion is to be found.
func Choice(r ChoiceRequest, parent fyne.Window) *Dialog {
	text := wrapped(lang.L("Two squares of the series side by side, one of which has a virtual lesion in its middle. " +
		"Every pair is shown as it is and filtered, in an order that is drawn. Answer 1 or Left, 2 or Right, and guess if you see none. " +
		"Every answer is written at once: Escape pauses, and the same reader goes on later."))
	reader, places, report := control.NewEntry(lang.L("Reader")), control.NewEntry(lang.L("Places")), wrapped("")
	report.Importance = widget.WarningImportance
	var sizes, contrasts []string
	for _, s := range r.Sizes {
		sizes = append(sizes, language.Sprintf("%.3g mm", s))
	}
	for _, c := range choiceContrasts {
		contrasts = append(contrasts, language.Sprintf("%.3g σ", c))
	}
	size, contrast := control.NewSelect(lang.L("Diameter"), sizes, nil), control.NewSelect(lang.L("Contrast"), contrasts, nil)
	contrast.SetSelectedIndex(usualContrast)
	if len(sizes) > 0 {
		size.SetSelectedIndex(len(sizes) / 2)
	}
	number := func() (int, bool) {
		n, err := strconv.Atoi(strings.TrimSpace(places.Text))
		return n, err == nil && n >= lesions.LeastPlaces && n <= mostPlaces
	}
	who := func() string { return strings.TrimSpace(reader.Text) }
	var d *Dialog
	again := control.NewButton(lang.L("Continue a study …"), nil, func() {
		d.Hide()
		r.Continue(who())
	})
	begin := control.NewButton(lang.L("New study …"), nil, func() {
		n, _ := number()
		d.Hide()
		r.Make(who(), r.Sizes[size.SelectedIndex()], choiceContrasts[contrast.SelectedIndex()], n)
	})
	begin.Importance = widget.HighImportance
	update := func(string) {
		problem := ""
		again.Enable()
		begin.Enable()
		if err := r.Check(who()); err != nil {
			problem = sentence(err)
			again.Disable()
			begin.Disable()
		} else if _, ok := number(); !ok {
			problem = fmt.Sprintf(lang.L("Give a number from %d to %d."), lesions.LeastPlaces, mostPlaces)
			begin.Disable()
		}
		if len(r.Sizes) == 0 {
			begin.Disable()
		}
		report.SetText(problem)
	}
	reader.OnChanged, places.OnChanged = update, update
	reader.OnSubmitted, places.OnSubmitted = submit(begin), submit(begin)
	places.SetText(strconv.Itoa(usualPlaces))
	reader.SetText("1")
	reader.CursorColumn = 1
	form := container.New(layout.NewFormLayout(),
		bold(reader.Name), reader,
		bold(lang.L("Disc")), container.NewGridWithColumns(2, size, contrast),
		bold(places.Name), places,
	)
	cancel := control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() })
	width := parent.Canvas().Size().Width
	d = newDialog(lang.L("Forced choice"), container.NewVBox(text, form, report), fyne.NewSize(min(width*0.8, 640), 340), parent)
	d.SetButtons([]fyne.CanvasObject{cancel, again, begin})
	d.first = reader
	return d
}

// ChoiceResult shows the score of a reader.
func ChoiceResult(text string, export func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Result of the forced choice"), wrapped(text), fyne.NewSize(600, 340), parent,
		choice{text: lang.L("Close")},
		choice{text: lang.L("Export for iMRMC …"), importance: widget.HighImportance, chosen: export})
}

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
