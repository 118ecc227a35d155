// Package dialogs holds the questions and answers that come up over the
// window: which series, what noise, where to export, what was found.
//
// Every function returns a dialog that is ready to be shown and calls back on
// the UI goroutine. The package imports app, denoise, volume and Fyne.
package dialogs

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app"
	"quell/series"
)

// Error tells an error's sentence.
func Error(err error, parent fyne.Window) dialog.Dialog {
	d := dialog.NewCustom("That did not work", "Close", wrapped(sentence(err)), parent)
	d.Resize(fyne.NewSize(480, 160))
	return d
}

// Offer tells an error's sentence and offers another way.
func Offer(err error, way string, take func(), parent fyne.Window) dialog.Dialog {
	d := dialog.NewCustomConfirm("That did not work", way, "Close", wrapped(sentence(err)), func(yes bool) {
		if yes {
			take()
		}
	}, parent)
	d.Resize(fyne.NewSize(480, 180))
	return d
}

// sentence gives an error's text a capital and a full stop.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return strings.TrimSuffix(string(unicode.ToUpper(first))+text[size:], ".") + "."
}

// Findings lists what the reader noticed about a series, the worst first.
func Findings(findings []series.Finding, parent fyne.Window) dialog.Dialog {
	box := container.NewVBox()
	for severity := series.Refused; severity >= series.Note; severity-- {
		for _, f := range findings {
			if f.Severity == severity {
				box.Add(finding(f))
			}
		}
	}
	if len(findings) == 0 {
		box.Add(wrapped("The reader found nothing to remark on this series."))
	}
	d := dialog.NewCustom("Findings on this series", "Close", container.NewVScroll(box), parent)
	d.Resize(fyne.NewSize(640, 400))
	return d
}

// shownFiles bounds the files named in one finding.
const shownFiles = 8

func finding(f series.Finding) fyne.CanvasObject {
	icon := theme.InfoIcon()
	if f.Severity > series.Note {
		icon = theme.NewWarningThemedResource(theme.WarningIcon())
	}
	title := widget.NewLabel(strings.ToUpper(f.Severity.String()[:1]) + f.Severity.String()[1:] + ": " + string(f.Kind))
	title.TextStyle.Bold = true
	box := container.New(layout.NewCustomPaddedVBoxLayout(rowGap), title, wrapped(f.Text))
	if len(f.Files) > 0 {
		names := f.Files
		more := ""
		if len(names) > shownFiles {
			more = fmt.Sprintf(" and %d more", len(names)-shownFiles)
			names = names[:shownFiles]
		}
		files := wrapped(strings.Join(names, ", ") + more)
		files.Importance = widget.LowImportance
		box.Add(files)
	}
	return container.NewBorder(nil, nil, container.NewVBox(widget.NewIcon(icon)), nil, box)
}

// Engines lists the engines and why one is missing.
func Engines(engines []app.EngineStatus, parent fyne.Window) dialog.Dialog {
	grid := container.New(layout.NewFormLayout())
	for _, e := range engines {
		text := e.Why
		if text == "" {
			text = e.Info.Device
			if e.Info.Cores > 0 {
				text += fmt.Sprintf(", %d cores", e.Info.Cores)
			}
			if e.Info.Memory > 0 {
				text += fmt.Sprintf(", %.1f GiB", float64(e.Info.Memory)/(1<<30))
			}
		} else {
			text = "not usable: " + text
		}
		grid.Add(bold(e.Name))
		grid.Add(wrapped(text))
	}
	d := dialog.NewCustom("Engines and devices", "Close", grid, parent)
	d.Resize(fyne.NewSize(520, 220))
	return d
}

// About says what the program is and is not.
func About(version string, icon fyne.Resource, parent fyne.Window) dialog.Dialog {
	text := wrapped("Quell " + version + "\n\n" +
		"Quiets noise in CT and MR volumes and shows, slice by slice, what was taken away.\n\n" +
		"Quell is not a medical device and is not for clinical use. It makes no network connection. Licence: Apache 2.0.")
	content := fyne.CanvasObject(text)
	if icon != nil {
		image := canvas.NewImageFromResource(icon)
		image.SetMinSize(fyne.NewSize(72, 72))
		image.FillMode = canvas.ImageFillContain
		content = container.NewBorder(nil, nil, container.NewVBox(image), nil, text)
	}
	d := dialog.NewCustom("About Quell", "Close", content, parent)
	d.Resize(fyne.NewSize(520, 260))
	return d
}

// Shortcuts is the help sheet: two columns of keys, and the mouse.
func Shortcuts(keys, gestures [][2]string, parent fyne.Window) dialog.Dialog {
	half := (len(keys) + 1) / 2
	columns := container.NewHBox(
		sheet("Keys", keys[:half]), widget.NewSeparator(), sheet("", keys[half:]),
	)
	all := container.NewVBox(columns, widget.NewSeparator(), sheet("Mouse", gestures))
	d := dialog.NewCustom("Keys and mouse", "Close", container.NewScroll(all), parent)
	size := parent.Canvas().Size()
	d.Resize(fyne.NewSize(min(size.Width*0.95, 980), min(size.Height*0.95, 780)))
	return d
}

// rowGap draws lines of text together: a label's own padding is meant for forms.
const rowGap = -7

// sheet sets two columns of text close together.
func sheet(title string, rows [][2]string) fyne.CanvasObject {
	left := container.New(layout.NewCustomPaddedVBoxLayout(rowGap), bold(title))
	right := container.New(layout.NewCustomPaddedVBoxLayout(rowGap), widget.NewLabel(""))
	for _, r := range rows {
		left.Add(bold(r[0]))
		right.Add(widget.NewLabel(r[1]))
	}
	return container.NewHBox(left, right)
}

func wrapped(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

func bold(text string) *widget.Label {
	return widget.NewLabelWithStyle(text, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
}
