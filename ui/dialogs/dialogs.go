// Package dialogs holds the workbench's dialogs: which series to open, what noise
// to add, to what to export, what was found, and what may be discarded.
//
// Every function returns a dialog that is ready to be shown and calls back on
// the UI goroutine. The package imports app, denoise, series, ui/control and
// Fyne.
package dialogs

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/engines"
	"quell/internal/message"
	"quell/series"
	"quell/ui/control"
	"quell/ui/language"
)

// Dialog is a dialog in which one control has the focus from the start, so that it
// can be used with keys alone.
type Dialog struct {
	*dialog.CustomDialog
	parent fyne.Window
	first  fyne.Focusable
	shown  bool
}

// Resize gives the dialog a size, at least that of its content. Text that wraps is as tall as it is in the width that it
// has: the first size sets that, and the second one the height.
func (d *Dialog) Resize(size fyne.Size) {
	d.CustomDialog.Resize(size)
	d.CustomDialog.Resize(size)
}

// Show shows the dialog and focuses its first control.
func (d *Dialog) Show() {
	d.shown = true
	d.CustomDialog.Show()
	if d.first != nil {
		d.parent.Canvas().Focus(d.first)
	}
}

// Hide takes the focus from the control that has it, and hides the dialog. Fyne removes an
// overlay without FocusLost: the cursor of a text field would blink, and the window be painted
// for it, until the program ends.
func (d *Dialog) Hide() {
	if d.shown {
		d.shown = false
		d.parent.Canvas().Unfocus()
	}
	d.CustomDialog.Hide()
}

// choice is a button that closes a dialog and then calls chosen, which may be nil.
type choice struct {
	text       string
	importance widget.Importance
	chosen     func()
	focused    bool // from the start, in the place of the first button
}

// newDialog returns a dialog with a row of buttons. The first button has the
// focus, or one that says so: it must be one that loses nothing.
func newDialog(title string, content fyne.CanvasObject, size fyne.Size, parent fyne.Window, choices ...choice) *Dialog {
	d := &Dialog{CustomDialog: dialog.NewCustomWithoutButtons(title, content, parent), parent: parent}
	var row []fyne.CanvasObject
	for i, c := range choices {
		b := control.NewButton(c.text, nil, func() {
			d.Hide()
			if c.chosen != nil {
				c.chosen()
			}
		})
		b.Importance = c.importance
		if i == 0 || c.focused {
			d.first = b
		}
		row = append(row, b)
	}
	d.SetButtons(row)
	d.Resize(size)
	return d
}

func closeOnly() choice { return choice{text: lang.L("Close")} }

// Error shows an error's sentence.
func Error(err error, parent fyne.Window) *Dialog {
	return newDialog(lang.L("Error"), wrapped(sentence(err)), fyne.NewSize(480, 160), parent, closeOnly())
}

// Offer shows an error's sentence and the facts of an alternative, and offers that.
func Offer(err error, known, alternative string, take func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Error"), wrapped(strings.TrimSpace(sentence(err)+" "+known)), fyne.NewSize(480, 180), parent,
		closeOnly(), choice{text: alternative, importance: widget.HighImportance, chosen: take})
}

// Dropped asks whether what was dropped is opened, or opened beside the series on the screen.
func Dropped(open, beside func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Open what was dropped"), wrapped(lang.L("A series is open already. The other one can stand beside it, linked by the position in the patient.")),
		fyne.NewSize(520, 180), parent,
		choice{text: lang.L("Cancel")}, choice{text: lang.L("Open beside"), chosen: beside}, choice{text: lang.L("Open"), importance: widget.HighImportance, chosen: open, focused: true})
}

// Damaged shows the error of a series that broken files keep from being read, and offers to open
// the rest of its slices. Exactly one of open and drop is called: drop if the dialog is closed in
// any other way than by the button.
func Damaged(err error, rest int, open, drop func(), parent fyne.Window) *Dialog {
	text := sentence(err) + "\n\n" + fmt.Sprintf(lang.L("Its other slices (%d) can be opened without it. A finding names what is left out."), rest)
	then := drop
	d := newDialog(lang.L("A file is damaged"), wrapped(text), fyne.NewSize(560, 240), parent)
	cancel := control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() })
	others := control.NewButton(fmt.Sprintf(lang.L("Open the other %d"), rest), nil, func() {
		then = open
		d.Hide()
	})
	others.Importance = widget.HighImportance
	d.SetButtons([]fyne.CanvasObject{cancel, others})
	d.first = cancel
	d.SetOnClosed(func() { then() })
	return d
}

// Discard asks whether work may be lost: text says which. Closing the dialog in
// any other way than by the button keeps it.
func Discard(text string, discard func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Discard your work?"), wrapped(text), fyne.NewSize(480, 180), parent,
		choice{text: lang.L("Keep working"), importance: widget.HighImportance},
		choice{text: lang.L("Discard"), importance: widget.DangerImportance, chosen: discard})
}

// Notice says, at the first start and now and then, what Quell is not for, and what becomes of
// the images.
func Notice(parent fyne.Window) *Dialog {
	return newDialog(lang.L("Not for clinical use"), wrapped(
		lang.L("Quell is for research and teaching. It is not a medical device: what a filter removes may be a finding. Do not base a diagnosis on its pictures.\n\n"+
			"Images stay on this computer unless you send them. Settings, the list of recent series and, against a crash, the work that is open are kept in your own folders; "+
			"if “Keep a list of recent series” (menu Edit) is off, neither the list nor the work is kept.")), fyne.NewSize(560, 260), parent,
		choice{text: lang.L("Understood"), importance: widget.HighImportance})
}

// Restore asks whether to open the work that text describes again. Closing the dialog
// in any other way calls neither function.
func Restore(text string, restore, discard func(), parent fyne.Window) *Dialog {
	return newDialog(lang.L("Open your last work again?"), wrapped(text), fyne.NewSize(480, 180), parent,
		choice{text: lang.L("Not now")},
		choice{text: lang.L("Discard"), importance: widget.DangerImportance, chosen: discard},
		choice{text: lang.L("Open"), importance: widget.HighImportance, chosen: restore, focused: true})
}

// sentence gives an error's text a capital and a full stop.
func sentence(err error) string {
	if err.Error() == "" {
		return ""
	}
	return strings.TrimSuffix(capital(language.Error(err)), ".") + "."
}

// submit returns what Return in a field does: it presses the button, if that is enabled.
func submit(button *control.Button) func(string) {
	return func(string) {
		if !button.Disabled() {
			button.OnTapped()
		}
	}
}

// capital gives a text a capital.
func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

// Findings lists a series' findings, the most severe first.
func Findings(findings []series.Finding, parent fyne.Window) *Dialog {
	box := container.NewVBox()
	for severity := series.Refused; severity >= series.Note; severity-- {
		for _, f := range findings {
			if f.Severity == severity {
				box.Add(finding(f))
			}
		}
	}
	if len(findings) == 0 {
		box.Add(wrapped(lang.L("The reader found nothing unusual in this series.")))
	}
	return newDialog(lang.L("Findings on this series"), scrolled(box, 600, 300), fyne.NewSize(640, 160), parent, closeOnly())
}

// scrolled returns a vertical scroll as tall as its content at a width, at most tallest.
func scrolled(content fyne.CanvasObject, width, tallest float32) fyne.CanvasObject {
	scroll := container.NewVScroll(content)
	content.Resize(fyne.NewSize(width, content.MinSize().Height)) // text wraps, and is as tall as it then is
	scroll.SetMinSize(fyne.NewSize(0, min(content.MinSize().Height, tallest)))
	return scroll
}

// shownFiles bounds the files named in one finding.
const shownFiles = 8

func finding(f series.Finding) fyne.CanvasObject {
	icon := theme.InfoIcon()
	if f.Severity > series.Note {
		icon = theme.NewWarningThemedResource(theme.WarningIcon())
	}
	title := widget.NewLabel(capital(lang.L(f.Severity.String())) + ": " + language.Of(message.Word(string(f.Kind))))
	title.TextStyle.Bold = true
	box := container.New(layout.NewCustomPaddedVBoxLayout(rowGap), title, wrapped(language.Of(f.Text)))
	if len(f.Files) > 0 {
		files := wrapped(firstOf(f.Files, shownFiles, ", "))
		files.Importance = widget.LowImportance
		box.Add(files)
	}
	return container.NewBorder(nil, nil, container.NewVBox(widget.NewIcon(icon)), nil, box)
}

// firstOf joins at most n texts and says how many more there are.
func firstOf(texts []string, n int, separator string) string {
	if len(texts) <= n {
		return strings.Join(texts, separator)
	}
	return strings.Join(texts[:n], separator) + fmt.Sprintf(lang.L(" and %d more"), len(texts)-n)
}

// Engines lists the engines and why one is missing.
func Engines(engines []engines.Status, parent fyne.Window) *Dialog {
	grid := container.New(layout.NewFormLayout())
	for _, e := range engines {
		text := language.Of(e.Why)
		if text == "" {
			text = e.Info.Device
			if e.Info.Cores > 0 {
				text += fmt.Sprintf(lang.L(", %d cores"), e.Info.Cores)
			}
			if e.Info.Memory > 0 {
				text += language.Sprintf(", %.1f GiB", float64(e.Info.Memory)/(1<<30))
			}
		} else {
			text = lang.L("not usable: ") + text
		}
		grid.Add(bold(e.Name))
		grid.Add(wrapped(text))
	}
	return newDialog(lang.L("Engines and devices"), grid, fyne.NewSize(520, 220), parent, closeOnly())
}

// About describes the program and what it is not for.
func About(version string, icon fyne.Resource, parent fyne.Window) *Dialog {
	text := wrapped("Quell " + version + "\n\n" +
		lang.L("Removes noise from CT and MR volumes and shows, slice by slice, what was removed.\n\n") +
		lang.L("Quell is not a medical device and is not for clinical use. It makes no network connection but to a PACS that you send to. Licence: Apache 2.0."))
	content := fyne.CanvasObject(text)
	if icon != nil {
		image := canvas.NewImageFromResource(icon)
		image.SetMinSize(fyne.NewSize(72, 72))
		image.FillMode = canvas.ImageFillContain
		content = container.NewBorder(nil, nil, container.NewVBox(image), nil, text)
	}
	return newDialog(lang.L("About Quell"), content, fyne.NewSize(520, 260), parent, closeOnly())
}

// Section is a part of the help sheet: keys or gestures, and what they do.
type Section struct {
	Title string
	Rows  [][2]string
}

// Shortcuts is the help sheet, in as few columns as show all of it. If none do, it has as many as its width holds, and scrolls.
func Shortcuts(sections []Section, parent fyne.Window) *Dialog {
	whole := parent.Canvas().Size()
	size := fyne.NewSize(whole.Width*0.98, min(whole.Height*0.98, 860))
	scroll := container.NewScroll(container.NewHBox())
	d := newDialog(lang.L("Keys and mouse"), scroll, size, parent, closeOnly())
	around, there := d.MinSize().Subtract(scroll.MinSize()), scroll.Size()
	for n := 2; n <= mostColumns; n++ {
		content := columns(balanced(sections, n))
		if n > 2 && content.MinSize().Width > there.Width {
			break
		}
		scroll.Content = content
		if scroll.Content.MinSize().Height <= size.Height-around.Height {
			break
		}
	}
	d.Resize(size.Min(scroll.Content.MinSize().Add(around).Add(fyne.NewSquareSize(theme.ScrollBarSize()))))
	return d
}

const mostColumns = 4 // of the help sheet

// columns sets columns of sections side by side.
func columns(of [][]Section) fyne.CanvasObject {
	row := container.NewHBox()
	for i, column := range of {
		if i > 0 {
			row.Add(widget.NewSeparator())
		}
		box := container.NewVBox()
		for _, s := range column {
			box.Add(sheet(s.Title, s.Rows))
		}
		row.Add(box)
	}
	return row
}

// balanced divides sections in their order into at most n columns of about the same
// number of rows.
func balanced(sections []Section, n int) (columns [][]Section) {
	height := func(s Section) int { return len(s.Rows) + 2 } // with the title
	total := 0
	for _, s := range sections {
		total += height(s)
	}
	done := 0
	for _, s := range sections {
		// A section goes to the column in which its middle lies.
		at := min((done+height(s)/2)*n/max(total, 1), n-1)
		for len(columns) <= at {
			columns = append(columns, nil)
		}
		columns[at] = append(columns[at], s)
		done += height(s)
	}
	return slices.DeleteFunc(columns, func(c []Section) bool { return len(c) == 0 })
}

// rowGap and columnGap reduce the space between labels, as their padding is meant for
// forms.
const (
	rowGap    = -9
	columnGap = -2
)

// sheet sets two columns of text close together, below a title.
func sheet(title string, rows [][2]string) fyne.CanvasObject {
	left := container.New(layout.NewCustomPaddedVBoxLayout(rowGap))
	right := container.New(layout.NewCustomPaddedVBoxLayout(rowGap))
	for _, r := range rows {
		left.Add(smallText(r[0], fyne.TextStyle{Bold: true}))
		right.Add(smallText(r[1], fyne.TextStyle{}))
	}
	head := bold(title)
	return container.New(layout.NewCustomPaddedVBoxLayout(rowGap), head, container.New(layout.NewCustomPaddedHBoxLayout(columnGap), left, right))
}

func smallText(text string, style fyne.TextStyle) *widget.Label {
	l := widget.NewLabelWithStyle(text, fyne.TextAlignLeading, style)
	l.SizeName = theme.SizeNameCaptionText
	return l
}

func wrapped(text string) *widget.Label {
	l := widget.NewLabel(text)
	l.Wrapping = fyne.TextWrapWord
	return l
}

func bold(text string) *widget.Label {
	return widget.NewLabelWithStyle(text, fyne.TextAlignLeading, fyne.TextStyle{Bold: true})
}

// Live is a dialog whose content changes while it is open.
type Live struct {
	*Dialog
	closed func()
}

// NewLive returns the dialog; closed is called once it is closed in any way.
func NewLive(title string, content fyne.CanvasObject, size fyne.Size, closed func(), parent fyne.Window) *Live {
	return &Live{newDialog(title, content, size, parent, closeOnly()), closed}
}

// SetOnClosed adds to what follows a close.
func (l *Live) SetOnClosed(f func()) {
	l.Dialog.SetOnClosed(func() {
		f()
		l.closed()
	})
}
