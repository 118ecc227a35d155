package dialogs

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/pacs"
	"quell/ui/control"
	"quell/ui/language"
)

// SendRequest holds what would be sent, the nodes that are known, and callbacks.
type SendRequest struct {
	Plan  pacs.Plan
	Nodes []pacs.Place // the last first
	At    pacs.Place   // proposed; empty for the first node
	Hide  bool         // nothing of the patient is shown
	// Echo asks whether a node answers, until the context ends, and calls done on the UI goroutine.
	Echo func(ctx context.Context, t pacs.Place, done func(error))
	// Attach names the objects attached to the images, see job.Attachments. Send is given what shall be: another choice can be
	// made if the result can be exported again.
	Attach   []string
	CanWrite bool
	Send     func(t pacs.Place, attach []string)
}

// Send asks where to send a series, and says which series, how many files and whether they carry
// the patient's identity.
func Send(r SendRequest, parent fyne.Window) *Dialog {
	to, from := control.NewEntry(lang.L("PACS")), control.NewEntry(lang.L("Your AE title"))
	to.SetPlaceHolder(lang.L("AETITLE@HOST:PORT, such as PACS@192.168.1.20:104"))
	from.SetText(pacs.DefaultAETitle)
	tls := control.NewCheck(lang.L("Connect by TLS"), nil)
	report, again := wrapped(""), wrapped(lang.L("The export is written again before it is sent. Measurements take a while, as the result is judged for them."))
	again.Hide()
	attach := attachBoxes(r.Attach)
	for _, box := range attach {
		box.OnChanged = func(bool) {
			again.Hidden = slices.Equal(attached(attach), r.Attach)
			again.Refresh()
		}
	}
	var taken pacs.Place // from the list
	target := func() pacs.Place {
		p := pacs.Place{To: strings.TrimSpace(to.Text)}
		if p.To == taken.To {
			p = taken // with its certificates and sign-in
		}
		if p.Web() {
			return p
		}
		p.From, p.TLS = strings.TrimSpace(from.Text), tls.Checked
		return p
	}

	ctx, cancel := context.WithCancel(context.Background())
	var d *Dialog
	send := control.NewButton(lang.L("Send"), theme.MailSendIcon(), func() {
		d.Hide()
		r.Send(target(), attached(attach))
	})
	send.Importance = widget.HighImportance
	var asked int // the number of the last test, so that an answer for another node is dropped
	var test *control.Button
	test = control.NewButton(lang.L("Test the connection"), nil, func() {
		asked++
		mine := asked
		test.Disable()
		say(report, widget.MediumImportance, lang.L("Asking …"))
		r.Echo(ctx, target(), func(err error) {
			if mine != asked || ctx.Err() != nil {
				return
			}
			test.Enable()
			if err != nil {
				say(report, widget.WarningImportance, sentence(err))
				return
			}
			say(report, widget.SuccessImportance, lang.L("The PACS answers and accepts both titles."))
		})
	})
	update := func() {
		asked++
		if err := target().Check(); err != nil {
			text := sentence(err)
			if to.Text == "" {
				text = "" // nothing was typed yet
			}
			say(report, widget.WarningImportance, text)
			send.Disable()
			test.Disable()
			return
		}
		say(report, widget.MediumImportance, "")
		send.Enable()
		test.Enable()
	}
	to.OnChanged = func(string) { update() }
	from.OnChanged = func(string) { update() }
	tls.OnChanged = func(bool) { update() }
	to.OnSubmitted, from.OnSubmitted = submit(send), submit(send)
	var names []string
	for _, n := range r.Nodes {
		names = append(names, n.String())
	}
	fill := func(n pacs.Place) {
		taken = n
		from.SetText(n.From)
		tls.SetChecked(n.TLS)
		to.SetText(n.To)
	}
	known := control.NewSelect(lang.L("Used before"), names, nil)
	known.OnChanged = func(string) {
		if i := known.SelectedIndex(); i >= 0 {
			fill(r.Nodes[i])
		}
	}
	rows := []fyne.CanvasObject{widget.NewLabel(to.Name), to, widget.NewLabel(from.Name), from}
	if len(names) > 0 {
		rows = append([]fyne.CanvasObject{widget.NewLabel(known.Name), known}, rows...)
		known.SetSelectedIndex(0)
	}
	if r.At.To != "" {
		if !slices.Contains(names, r.At.String()) {
			known.ClearSelected()
		}
		fill(r.At)
	}
	update()

	content := container.NewVBox(
		wrapped(sendText(r.Plan, r.Hide)), widget.NewSeparator(),
		container.New(layout.NewFormLayout(), rows...), tls,
	)
	height := float32(420)
	if r.CanWrite {
		height += 130
		for _, box := range attach {
			content.Add(box)
		}
		content.Add(again)
	}
	content.Add(report)
	d = newDialog(lang.L("Send to a PACS"), content, fyne.NewSize(min(parent.Canvas().Size().Width*0.8, 680), height), parent)
	d.SetButtons([]fyne.CanvasObject{control.NewButton(lang.L("Cancel"), nil, func() { d.Hide() }), test, send})
	d.SetOnClosed(cancel)
	d.first = to
	return d
}

func say(l *widget.Label, importance widget.Importance, text string) {
	l.Importance = importance
	l.SetText(text)
}

// shownSeries bounds the series named in the question.
const shownSeries = 3

// sendText describes the instances to send. The patient is masked, and not named at all if hide is set.
func sendText(p pacs.Plan, hide bool) string {
	series := p.Series()
	text := fmt.Sprintf(lang.L("%s of %d series: %s"), fileCount(len(p.Objects)), len(series), firstOf(series, shownSeries, "; ")) +
		lang.L("\nfrom ") + filepath.Base(p.Folder)
	if p.Others > 0 {
		text += fmt.Sprintf(lang.L(" (%d other files in it are not sent)"), p.Others)
	}
	open, named := false, false
	for _, o := range p.Objects {
		open = open || !o.Deidentified
		named = named || o.Patient != "" || o.PatientID != ""
	}
	switch o := p.Objects[0]; {
	case !open:
		text += lang.L("\nThe files are de-identified.")
	case !named:
		text += lang.L("\nThe files name no patient.")
	case hide:
		text += lang.L("\nThe files carry the patient's identity (hidden here).")
	default:
		text += fmt.Sprintf(lang.L("\nThe files carry the patient's identity: %s, ID %s."), masked(o.Patient), masked(o.PatientID))
	}
	return text
}

// masked returns the first character of a text: enough to see that it is another one than was
// meant, and not to read it from a screen.
func masked(text string) string {
	for _, r := range text {
		return string(r) + "•••"
	}
	return lang.L("none")
}

// Sent shows what became of every file. If some are not stored, retry sends these.
func Sent(r pacs.Report, err error, retry func(), parent fyne.Window) *Dialog {
	if err == nil {
		text := fmt.Sprintf(lang.L("%s confirmed all files: %d."), r.Target, r.Stored)
		if r.Verified > 0 {
			text += " " + fmt.Sprintf(lang.L("A search finds %d of them there."), r.Verified)
		}
		for _, f := range r.Files {
			if !f.Status.Same(pacs.Stored) {
				text += fmt.Sprintf("\n%s: %s", f.Name, language.Of(f.Status))
			}
		}
		return newDialog(lang.L("Sent"), container.NewVScroll(wrapped(text)), fyne.NewSize(600, 220), parent, closeOnly())
	}
	box := container.NewVBox(wrapped(sentence(err)))
	if r.Stored > 0 {
		var lines []string
		for _, f := range r.Files {
			if !f.Stored {
				lines = append(lines, f.Name+": "+language.Of(f.Status))
			}
		}
		box.Add(wrapped(strings.Join(lines, "\n")))
	}
	title, again := lang.L("Not sent completely"), fmt.Sprintf(lang.L("Send the %d that are missing"), r.Planned-r.Stored)
	switch {
	case r.Stored == 0:
		title, again = lang.L("Not sent"), lang.L("Send again")
	case r.Planned-r.Stored == 1:
		again = lang.L("Send the one that is missing")
	}
	return newDialog(title, container.NewVScroll(box), fyne.NewSize(600, 320), parent,
		closeOnly(), choice{text: again, chosen: retry})
}
