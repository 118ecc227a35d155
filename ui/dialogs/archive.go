package dialogs

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/pacs"
	"quell/ui/control"
)

// ArchiveRequest holds the places that are known, and callbacks. Functions that are given a done call it on the UI
// goroutine.
type ArchiveRequest struct {
	Places  []pacs.Place
	Hide    bool // nothing of the patient is shown
	Search  func(ctx context.Context, p pacs.Place, a pacs.Ask, done func(pacs.Found, error))
	Preview func(ctx context.Context, p pacs.Place, r pacs.Row, done func(image.Image, error))
	Open    func(p pacs.Place, r pacs.Row, first image.Image) // first is the preview, or nil
	Beside  func(p pacs.Place, r pacs.Row)                    // opens it beside the series on the screen; nil without one
	Edit    func()                                            // changes the places, and opens the dialog again
}

// modalities are those that Quell reads.
var modalities = []string{"CT", "MR"}

// archive is the state of the dialog.
type archive struct {
	r       ArchiveRequest
	d       *Dialog
	place   *control.Select
	address *control.Entry
	fields  [4]*control.Entry // patient, ID, date, description
	kind    *control.Select   // the modality
	say     *widget.Label
	list    *control.List
	picture *canvas.Image
	open    *control.Button
	beside  *control.Button

	ctx     context.Context // of the dialog
	stop    context.CancelFunc
	asked   int // the number of the last search, so that an answer to an earlier one is dropped
	looks   context.CancelFunc
	at      pacs.Place // that was searched
	found   []pacs.Row
	opened  map[string]bool // studies whose series are listed, by UID
	rows    []archiveRow
	chosen  int // of rows; -1 for none
	preview image.Image
}

// archiveRow is a study, or a series of the study above it.
type archiveRow struct {
	pacs.Row
	study, opened bool
}

// Archive asks for a series of a PACS: a place, what is looked for, and one of the series that are found, of which
// the middle slice is shown.
func Archive(r ArchiveRequest, parent fyne.Window) *Dialog {
	a := &archive{r: r, chosen: -1, looks: func() {}}
	a.ctx, a.stop = context.WithCancel(context.Background())
	search := control.NewButton(lang.L("Search"), theme.SearchIcon(), a.search)
	form := a.form(submit(search))
	a.say = wrapped("")
	a.picture = canvas.NewImageFromImage(image.NewGray(image.Rect(0, 0, 1, 1)))
	a.picture.FillMode = canvas.ImageFillContain
	a.picture.SetMinSize(fyne.NewSquareSize(240))
	a.picture.Hide()
	a.list = control.NewList(lang.L("Series"), func() int { return len(a.rows) }, newArchiveRow, a.showRow)
	a.list.OnSelected = a.choose
	a.open = control.NewButton(lang.L("Open"), theme.FolderOpenIcon(), func() {
		row, first := a.rows[a.chosen].Row, a.preview
		a.d.Hide()
		r.Open(a.at, row, first)
	})
	a.open.Importance = widget.HighImportance
	a.open.Disable()
	a.beside = control.NewButton(lang.L("Open beside"), nil, func() {
		row := a.rows[a.chosen].Row
		a.d.Hide()
		r.Beside(a.at, row)
	})
	a.beside.Disable()
	content := container.NewBorder(container.NewVBox(form, container.NewBorder(nil, nil, search, nil, a.say)), nil, nil, container.NewGridWrap(fyne.NewSquareSize(240), a.picture), a.list)
	size := parent.Canvas().Size()
	a.d = newDialog(lang.L("Open from PACS"), content, fyne.NewSize(min(size.Width*0.9, 1000), min(size.Height*0.9, 700)), parent)
	buttons := []fyne.CanvasObject{control.NewButton(lang.L("Cancel"), nil, func() { a.d.Hide() }), control.NewButton(lang.L("PACS nodes …"), nil, func() {
		a.d.Hide()
		r.Edit()
	})}
	if r.Beside != nil {
		buttons = append(buttons, a.beside)
	}
	a.d.SetButtons(append(buttons, a.open))
	a.d.SetOnClosed(a.stop)
	a.d.first = a.fields[0]
	if len(r.Places) == 0 {
		a.d.first = a.address
		say(a.say, widget.MediumImportance, lang.L("A PACS that asks for a sign-in is kept under a name first: PACS nodes."))
	}
	return a.d
}

// form returns the fields in two columns.
func (a *archive) form(submitted func(string)) fyne.CanvasObject {
	var names []string
	for _, p := range a.r.Places {
		names = append(names, p.String())
	}
	a.address = control.NewEntry(lang.L("PACS"))
	a.address.SetPlaceHolder(lang.L("https://HOST/PATH or AETITLE@HOST:PORT"))
	a.place = control.NewSelect(lang.L("PACS node"), names, func(string) {
		if i := a.place.SelectedIndex(); i >= 0 {
			a.address.SetText(a.r.Places[i].To)
		}
	})
	a.kind = control.NewSelect(lang.L("Modality"), append([]string{lang.L("any")}, modalities...), nil)
	a.kind.SetSelectedIndex(0)
	for i, f := range [len(a.fields)]struct{ name, hint string }{
		{lang.L("Patient"), lang.L("beginning of the name")}, {lang.L("Patient ID"), ""}, {lang.L("Date"), "2026-01-31"},
		{lang.L("Series description"), lang.L("part of the description")},
	} {
		a.fields[i] = control.NewEntry(f.name)
		a.fields[i].SetPlaceHolder(f.hint)
		a.fields[i].OnSubmitted = submitted
	}
	a.address.OnSubmitted = submitted
	label := func(text string) fyne.CanvasObject { return widget.NewLabel(text) }
	left := container.New(layout.NewFormLayout(),
		label(a.address.Name), a.address, label(a.fields[0].Name), a.fields[0], label(a.fields[1].Name), a.fields[1])
	right := container.New(layout.NewFormLayout(),
		label(a.fields[2].Name), a.fields[2], label(a.kind.Name), a.kind, label(a.fields[3].Name), a.fields[3])
	if len(names) > 0 {
		a.place.SetSelectedIndex(0)
		return container.NewVBox(a.place, container.NewGridWithColumns(2, left, right))
	}
	return container.NewGridWithColumns(2, left, right)
}

// target returns the place that is searched: one that is kept, or the address.
func (a *archive) target() pacs.Place {
	to := strings.TrimSpace(a.address.Text)
	if i := slices.IndexFunc(a.r.Places, func(p pacs.Place) bool { return p.To == to }); i >= 0 {
		if chosen := a.place.SelectedIndex(); chosen >= 0 && a.r.Places[chosen].To == to {
			i = chosen
		}
		return a.r.Places[i]
	}
	return pacs.Place{To: to}
}

// search looks for series and lists them.
func (a *archive) search() {
	place, ask := a.target(), pacs.Ask{Patient: a.fields[0].Text, PatientID: a.fields[1].Text, Date: a.fields[2].Text, Description: a.fields[3].Text}
	if i := a.kind.SelectedIndex(); i > 0 {
		ask.Modality = modalities[i-1]
	}
	a.asked++
	mine := a.asked
	a.show(pacs.Found{})
	if err := place.Check(); err != nil {
		say(a.say, widget.WarningImportance, sentence(err))
		return
	}
	if ask.Everything() {
		say(a.say, widget.WarningImportance, lang.L("Enter a date, such as 2026-01-31, or the beginning of a patient's name; * stands for any."))
		a.d.parent.Canvas().Focus(a.fields[2])
		return
	}
	say(a.say, widget.MediumImportance, lang.L("Asking …"))
	a.r.Search(a.ctx, place, ask, func(f pacs.Found, err error) {
		if mine != a.asked || a.ctx.Err() != nil {
			return
		}
		if err != nil {
			say(a.say, widget.WarningImportance, sentence(err))
			return
		}
		a.at = place
		a.show(f)
		text := fmt.Sprintf(lang.L("%d series were found."), len(f.Rows))
		if studies := len(a.rows); studies > 0 && len(a.opened) == 0 {
			text = fmt.Sprintf(lang.L("%d series of %d studies were found; a click on a study shows its series."), len(f.Rows), studies)
		}
		if f.More {
			text = fmt.Sprintf(lang.L("The first %d series are listed; narrow the search for the others."), len(f.Rows))
		}
		say(a.say, widget.MediumImportance, text)
	})
}

// show lists what was found: the studies, and if there is one alone its series.
func (a *archive) show(f pacs.Found) {
	a.found, a.opened = f.Rows, map[string]bool{}
	if len(f.Rows) > 0 && studyOf(f.Rows).SeriesCount == len(f.Rows) {
		a.opened[f.Rows[0].Study] = true
	}
	a.lay()
}

// lay lists every study, and the series of those that are opened below it. No series is chosen then.
func (a *archive) lay() {
	a.looks()
	a.chosen, a.preview, a.rows = -1, nil, nil
	a.open.Disable()
	a.beside.Disable()
	a.paint(nil)
	for i, r := range a.found {
		opened := a.opened[r.Study]
		if i == 0 || a.found[i-1].Study != r.Study {
			a.rows = append(a.rows, archiveRow{studyOf(a.found[i:]), true, opened})
		}
		if opened {
			a.rows = append(a.rows, archiveRow{Row: r})
		}
	}
	a.list.UnselectAll()
	a.list.Refresh()
}

// studyOf counts the series and instances of the study of the first row.
func studyOf(rows []pacs.Row) pacs.Row {
	study := rows[0]
	study.SeriesCount, study.Instances = 0, 0
	for _, r := range rows {
		if r.Study != study.Study {
			break
		}
		study.SeriesCount++
		study.Instances += r.Instances
	}
	return study
}

func newArchiveRow() fyne.CanvasObject {
	l := widget.NewLabel("")
	l.Truncation = fyne.TextTruncateEllipsis
	return container.NewBorder(nil, nil, widget.NewIcon(theme.MenuExpandIcon()), nil, l)
}

func (a *archive) showRow(i widget.ListItemID, o fyne.CanvasObject) {
	parts, row := o.(*fyne.Container).Objects, a.rows[i]
	l, icon := parts[0].(*widget.Label), parts[1].(*widget.Icon)
	switch {
	case !row.study:
		icon.SetResource(nil)
	case row.opened:
		icon.SetResource(theme.MenuDropDownIcon())
	default:
		icon.SetResource(theme.MenuExpandIcon())
	}
	l.TextStyle.Bold = row.study
	l.SetText(row.text(a.r.Hide))
}

// text is a row in a line.
func (r archiveRow) text(hide bool) string {
	images := ""
	switch {
	case r.Instances == 1:
		images = lang.L("1 image")
	case r.Instances > 0:
		images = fmt.Sprintf(lang.L("%d images"), r.Instances)
	}
	if !r.study {
		return joined(r.Number, r.Modality, r.Description, images)
	}
	patient, id, date := strings.ReplaceAll(r.Patient, "^", " "), r.PatientID, r.Date
	if day, err := time.Parse("20060102", r.Date); err == nil {
		date = day.Format(time.DateOnly)
	}
	if hide {
		patient, id, date = masked(r.Patient), "", ""
	}
	return joined(date, patient, id, fmt.Sprintf(lang.L("%d series"), r.SeriesCount), images)
}

func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return strings.TrimSpace(s) == "" }), "  ")
}

// choose shows the series of a study, or hides them; of a series it shows the middle slice, which arrives alone.
func (a *archive) choose(i widget.ListItemID) {
	if row := a.rows[i]; row.study {
		a.opened[row.Study] = !row.opened
		a.lay()
		return
	}
	a.looks()
	a.chosen, a.preview = i, nil
	a.open.Enable()
	a.beside.Enable()
	a.paint(nil)
	ctx, cancel := context.WithCancel(a.ctx)
	a.looks = cancel
	a.r.Preview(ctx, a.at, a.rows[i].Row, func(m image.Image, err error) {
		switch {
		case ctx.Err() != nil || errors.Is(err, context.Canceled):
		case err != nil:
			say(a.say, widget.WarningImportance, sentence(err))
		default:
			a.preview = m
			a.paint(m)
		}
	})
}

func (a *archive) paint(m image.Image) {
	if a.picture.Hidden = m == nil; m != nil {
		a.picture.Image = m
	}
	a.picture.Refresh()
}
