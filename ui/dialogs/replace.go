package dialogs

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/app/open"
	"quell/app/workbench"
)

// Replace asks before an export or another file replaces what standing describes in a sentence.
func Replace(standing string, replace func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Replace what exists?"), wrapped(standing+lang.L(" What it contains is lost when it is replaced.")), fyne.NewSize(520, 200), parent,
		choice{text: lang.L("Keep it"), importance: widget.HighImportance},
		choice{text: lang.L("Replace"), importance: widget.DangerImportance, chosen: replace})
}

// dayAndTime is how the time of a file is written.
const dayAndTime = "2006-01-02 15:04"

// standing says in a sentence what stands at a path: its owner, how much, and since when. If hide is set
// it names no patient and no series.
func standing(e workbench.Existing, hide bool) string {
	name, amount := filepath.Base(e.Path), fmt.Sprintf(lang.L("%s of %s"), fileCount(e.Files), e.Modified.Local().Format(dayAndTime))
	if e.States > 0 {
		amount = fmt.Sprintf(lang.L("%s, with presentation states: %d"), amount, e.States)
	}
	switch {
	case !e.Quell:
		return fmt.Sprintf(lang.L("%s exists and was not written by Quell: %s."), name, amount)
	case e.Same:
		return fmt.Sprintf(lang.L("%s exists: the earlier export of this series with this recipe, %s."), name, amount)
	case e.Source:
		return fmt.Sprintf(lang.L("%s exists: an export of this series with another recipe%s, %s."), name, made(e), amount)
	}
	return fmt.Sprintf(lang.L("%s exists: an export of another series%s, %s."), name, inBrackets(ofSeries(e, hide)), amount)
}

// made is the recipe of an export in brackets, as far as its record says.
func made(e workbench.Existing) string {
	if e.Record == nil || e.Record.Asked == nil {
		return ""
	}
	return inBrackets(e.Record.Asked.String())
}

// ofSeries says from what series an export is, as far as it says.
func ofSeries(e workbench.Existing, hide bool) string {
	m := e.Meta
	if m.Modality == "" && e.Record != nil {
		m.Modality = e.Record.Source.Modality
	}
	parts := []string{m.Modality}
	if !hide {
		parts = append(parts, m.Description)
		if day, err := time.Parse("20060102", m.StudyDate); err == nil {
			parts = append(parts, strings.TrimPrefix(lang.L(", study of "), ", ")+day.Format(time.DateOnly))
		}
		parts = append(parts, m.Patient)
	}
	if e.Record != nil {
		parts = append(parts, open.DimsText(e.Record.Source.Dims))
	}
	var said []string
	for _, p := range parts {
		if p = strings.TrimSpace(p); p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, ", ")
}

func inBrackets(text string) string {
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// fileCount is a number of files in words.
func fileCount(n int) string {
	if n == 1 {
		return lang.L("1 file")
	}
	return fmt.Sprintf(lang.L("%d files"), n)
}

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
