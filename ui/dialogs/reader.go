package dialogs

import (
	"fmt"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// The number of trials of a blind comparison.
const (
	usualTrials = 20
	mostTrials  = 500
)

// BlindStart explains a blind comparison of two images and asks for the number of trials.
func BlindStart(a, b string, start func(trials int), parent fyne.Window) *Dialog {
	text := wrapped(fmt.Sprintf(lang.L("Two images of slices that are drawn at random, side by side, in this window and zoom: %s and %s. "+
		"Which of them is on the left is drawn as well. Names, metrics and the patient's identity are hidden meanwhile.\n"+
		"Answer which you prefer: 1 or Left, 2 or Right, 3 or Down where neither is better. Escape ends the comparison."), a, b))
	trials, report := control.NewEntry(lang.L("Trials")), wrapped("")
	report.Importance = widget.WarningImportance
	number := func() (int, bool) {
		n, err := strconv.Atoi(strings.TrimSpace(trials.Text))
		return n, err == nil && n >= 1 && n <= mostTrials
	}
	var d *Dialog
	begin := control.NewButton(lang.L("Start"), nil, func() {
		n, _ := number()
		d.Hide()
		start(n)
	})
	begin.Importance = widget.HighImportance
	trials.OnSubmitted = submit(begin)
	trials.OnChanged = func(string) {
		if _, ok := number(); ok {
			report.SetText("")
			begin.Enable()
		} else {
			report.SetText(fmt.Sprintf(lang.L("Give a number from 1 to %d."), mostTrials))
			begin.Disable()
		}
	}
	trials.SetText(strconv.Itoa(usualTrials))
	trials.CursorColumn = len(trials.Text)
	cancel := control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() })
	content := container.NewVBox(text, container.NewBorder(nil, nil, widget.NewLabel(trials.Name), nil, trials), report)
	size := parent.Canvas().Size()
	d = newDialog(lang.L("Blind comparison"), content, fyne.NewSize(min(size.Width*0.8, 640), 330), parent)
	d.SetButtons([]fyne.CanvasObject{cancel, begin})
	d.first = trials
	return d
}

// BlindEnd asks whether a blind comparison ends before its last trial.
func BlindEnd(answered, trials int, end func(), parent fyne.Window) *Dialog {
	text := fmt.Sprintf(lang.L("%d of %d trials are answered. What is answered is counted; the rest is not shown."), answered, trials)
	return newDialog(lang.L("End the comparison?"), wrapped(text), fyne.NewSize(480, 180), parent,
		choice{text: lang.L("Go on"), importance: widget.HighImportance},
		choice{text: lang.L("End"), importance: widget.DangerImportance, chosen: end})
}

// BlindResult shows the result of a blind comparison. Closing it in any other way than by a
// button decides nothing.
func BlindResult(text string, save, discard func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Result of the blind comparison"), wrapped(text), fyne.NewSize(560, 300), parent,
		choice{text: lang.L("Save the table (CSV) …"), importance: widget.HighImportance, chosen: save},
		choice{text: lang.L("Discard"), importance: widget.DangerImportance, chosen: discard})
}
