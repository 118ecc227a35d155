package dialogs

import (
	"context"
	"fmt"
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
)

// PlacesRequest has the places that are kept, and callbacks.
type PlacesRequest struct {
	Places []pacs.Place // by name
	// Save keeps a place and returns all. former is the name of the place that it stands for; "" for a new one.
	Save   func(former string, p pacs.Place) ([]pacs.Place, error)
	Remove func(name string) ([]pacs.Place, error)
	// Echo asks whether a place answers, until the context ends, and calls done on the UI goroutine.
	Echo func(ctx context.Context, p pacs.Place, done func(error))
}

// places is the state of the dialog.
type places struct {
	r      PlacesRequest
	known  *control.Select
	former string // the name of the place that is edited; "" for a new one

	name, to, from, authority, certificate, secret, token, scopes *control.Entry

	tls    *control.Check
	signIn *control.Select
	rows   map[string][]fyne.CanvasObject // those of one protocol, and those of a sign-in of client

	report             *widget.Label
	test, remove, save *control.Button
	asked              int // the number of the last test, so that an answer for another place is dropped
	ctx                context.Context
}

// Rows of the form that not every place has.
const (
	networkRows = "network"
	webRows     = "web"
	secretRows  = "secret"
	clientRows  = "client"
)

// Places shows the places of a PACS that are kept, and changes them. A secret is named, never typed.
func Places(r PlacesRequest, parent fyne.Window) *Dialog {
	p := &places{r: r, rows: map[string][]fyne.CanvasObject{}, report: wrapped("")}
	ctx, cancel := context.WithCancel(context.Background())
	p.ctx = ctx
	p.save = control.NewButton(lang.L("Save"), theme.DocumentSaveIcon(), p.keep)
	p.save.Importance = widget.HighImportance
	p.test = control.NewButton(lang.L("Test the connection"), nil, p.echo)
	p.remove = control.NewButton(lang.L("Remove"), theme.DeleteIcon(), p.forget)
	form := p.form()
	text := wrapped(lang.L("A PACS node is a PACS under a name, for the window and for the command line. It contains no secret: name a file that only you may read, or a variable of the environment."))
	d := newDialog(lang.L("PACS nodes"), container.NewVBox(text, form, p.report), fyne.NewSize(min(parent.Canvas().Size().Width*0.8, 720), min(parent.Canvas().Size().Height*0.9, 560)), parent)
	d.SetButtons([]fyne.CanvasObject{control.NewButton(lang.L("Close"), nil, func() { d.Hide() }), p.remove, p.test, p.save})
	d.SetOnClosed(cancel)
	d.first = p.name
	p.list(r.Places, "")
	return d
}

// form returns the rows of a place.
func (p *places) form() fyne.CanvasObject {
	var all []fyne.CanvasObject
	row := func(kind, label string, o fyne.CanvasObject) {
		pair := []fyne.CanvasObject{widget.NewLabel(label), o}
		all, p.rows[kind] = append(all, pair...), append(p.rows[kind], pair...)
	}
	entry := func(kind, label, hint string) *control.Entry {
		e := control.NewEntry(label)
		e.SetPlaceHolder(hint)
		e.OnChanged = func(string) { p.update() }
		e.OnSubmitted = submit(p.save)
		row(kind, label, e)
		return e
	}
	p.known = control.NewSelect(lang.L("PACS node"), nil, func(string) { p.choose() })
	row("", p.known.Name, p.known)
	p.name = entry("", lang.L("Name"), "home")
	p.to = entry("", lang.L("PACS"), lang.L("https://HOST/PATH or AETITLE@HOST:PORT"))
	p.from = entry(networkRows, lang.L("Your AE title"), pacs.DefaultAETitle)
	p.tls = control.NewCheck(lang.L("Connect by TLS"), func(bool) { p.update() })
	row(networkRows, "", p.tls)
	p.signIn = control.NewSelect(lang.L("Sign-in"), append([]string{lang.L("no sign-in")}, pacs.SignIns()...), func(string) { p.update() })
	row(webRows, p.signIn.Name, p.signIn)
	p.secret = entry(secretRows, lang.L("Secret"), lang.L("file:/PATH or env:NAME"))
	p.token = entry(clientRows, lang.L("Address of tokens"), "https://HOST/token")
	p.scopes = entry(clientRows, lang.L("Scopes"), "")
	p.authority = entry("", lang.L("Trusted certificates"), lang.L("/PATH of a PEM file; those of the system if empty"))
	p.certificate = entry("", lang.L("Own certificate and key"), lang.L("/PATH of a PEM file, for a PACS that asks for one"))
	return container.New(layout.NewFormLayout(), all...)
}

// list offers the places, and shows the one of a name, or a new one.
func (p *places) list(all []pacs.Place, name string) {
	p.r.Places = all
	names := []string{lang.L("New PACS node")}
	for _, k := range all {
		names = append(names, k.Name)
	}
	p.known.Options = names
	p.known.ClearSelected()
	p.known.SetSelectedIndex(1 + slices.IndexFunc(all, func(k pacs.Place) bool { return k.Name == name }))
}

// choose fills the form with the chosen place.
func (p *places) choose() {
	i := p.known.SelectedIndex()
	if i < 0 {
		return
	}
	at := pacs.Place{}
	if i > 0 {
		at = p.r.Places[i-1]
	}
	p.former = at.Name
	p.tls.SetChecked(at.TLS)
	p.signIn.SetSelectedIndex(1 + slices.Index(pacs.SignIns(), at.SignIn.Way))
	for e, text := range map[*control.Entry]string{
		p.name: at.Name, p.to: at.To, p.from: at.From, p.authority: at.Authority, p.certificate: at.Certificate,
		p.secret: at.SignIn.Secret, p.token: at.SignIn.Token, p.scopes: at.SignIn.Scopes,
	} {
		e.SetText(text)
	}
	p.update()
}

// place returns what the form says. Rows that are hidden say nothing.
func (p *places) place() pacs.Place {
	text := func(e *control.Entry) string { return strings.TrimSpace(e.Text) }
	at := pacs.Place{Name: text(p.name), To: text(p.to), Authority: text(p.authority), Certificate: text(p.certificate)}
	if !at.Web() {
		at.From, at.TLS = text(p.from), p.tls.Checked
		return at
	}
	if i := p.signIn.SelectedIndex(); i > 0 {
		at.SignIn = pacs.SignIn{Way: pacs.SignIns()[i-1], Secret: text(p.secret)}
		if at.SignIn.Way == "client" {
			at.SignIn.Token, at.SignIn.Scopes = text(p.token), text(p.scopes)
		}
	}
	return at
}

// update shows the rows that the place has, and why it can be none.
func (p *places) update() {
	p.asked++
	at := p.place()
	shown := map[string]bool{networkRows: !at.Web(), webRows: at.Web(), secretRows: at.SignIn.Way != "", clientRows: at.SignIn.Way == "client"}
	for kind, show := range shown {
		for _, o := range p.rows[kind] {
			if show {
				o.Show()
			} else {
				o.Hide()
			}
		}
	}
	named, err := pacs.CheckName(at.Name), at.Check()
	control.SetEnabled(p.remove, p.former != "")
	control.SetEnabled(p.test, err == nil)
	twice := at.Name != p.former && slices.ContainsFunc(p.r.Places, func(k pacs.Place) bool { return k.Name == at.Name })
	control.SetEnabled(p.save, err == nil && named == nil && !twice)
	problem := ""
	switch {
	case twice:
		problem = lang.L("There is a PACS node of this name; choose it in the list to change it.")
	case err != nil && at.To != "":
		problem = sentence(err)
	case named != nil && at.Name != "":
		problem = sentence(named)
	}
	say(p.report, widget.WarningImportance, problem)
}

// echo asks whether the place answers, as it is in the form.
func (p *places) echo() {
	p.asked++
	mine := p.asked
	p.test.Disable()
	say(p.report, widget.MediumImportance, lang.L("Asking …"))
	p.r.Echo(p.ctx, p.place(), func(err error) {
		if mine != p.asked || p.ctx.Err() != nil {
			return
		}
		p.test.Enable()
		if err != nil {
			say(p.report, widget.WarningImportance, sentence(err))
			return
		}
		say(p.report, widget.SuccessImportance, lang.L("The PACS answers."))
	})
}

func (p *places) keep() {
	at := p.place()
	all, err := p.r.Save(p.former, at)
	p.changed(all, err, at.Name, fmt.Sprintf(lang.L("%s is kept."), at.Name))
}

func (p *places) forget() {
	all, err := p.r.Remove(p.former)
	p.changed(all, err, "", fmt.Sprintf(lang.L("%s is no longer kept."), p.former))
}

// changed shows the places after a change, or why there was none.
func (p *places) changed(all []pacs.Place, err error, name, said string) {
	if err != nil {
		say(p.report, widget.WarningImportance, sentence(err))
		return
	}
	p.list(all, name)
	say(p.report, widget.SuccessImportance, said)
}
