// Package markpanel lists the marks of the series, shows the figures of the selected
// one, in every pane, and has the buttons for it. The widget imports
// ui/control and Fyne; panel.go places it in the workbench, with the commands on marks.
package markpanel

import (
	"fmt"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
)

// Entry is a mark in the list.
type Entry struct {
	ID       int
	Text     string // "ROI 2, slice 14: 33.1 ± 4.9 HU"
	Selected bool
}

// Row is a line of the table of the selected mark, with a value for each pane.
type Row struct {
	Label  string
	Values [3]string
}

// Snapshot is everything that the panel shows.
type Snapshot struct {
	Ready   bool // a series is open
	Entries []Entry
	Rows    []Row  // of the selected mark; nil for none
	Note    string // below them, in sentences
	ROI     bool   // the selected mark is one: Ground, Window and Noise make sense
	Ground  bool   // and it is not the ground already
	Given   bool   // the noise is that of an ROI: Estimate makes sense
}

// Hooks are called on the UI goroutine for what the user does.
type Hooks struct {
	Select func(id int)
	// Button returns a button that runs a command.
	Button func(icon fyne.Resource, text, command string) *control.Button
}

// The commands behind the buttons.
const (
	Delete   = "mark-delete"
	Ground   = "mark-ground"
	Window   = "mark-window"
	Noise    = "mark-noise"
	Estimate = "mark-noise-estimated"
	Copy     = "marks-copy"
)

// Widget shows a Snapshot. Create it with NewWidget; its methods are for the UI goroutine.
type Widget struct {
	widget.BaseWidget
	hooks   Hooks
	list    *fyne.Container
	table   *fyne.Container
	note    *widget.Label
	buttons map[string]*control.Button
	content fyne.CanvasObject
	key     string // of the snapshot shown
}

// NewWidget returns an empty panel.
func NewWidget(hooks Hooks) *Widget {
	p := &Widget{hooks: hooks, buttons: map[string]*control.Button{}}
	button := func(text, command string) fyne.CanvasObject {
		b := hooks.Button(nil, text, command)
		p.buttons[command] = b
		return b
	}
	p.list = container.New(layout.NewCustomPaddedVBoxLayout(listGap))
	p.table = container.New(layout.NewCustomPaddedVBoxLayout(rowGap))
	p.note = control.Cell("", fyne.TextAlignLeading)
	p.note.Wrapping = fyne.TextWrapWord
	p.note.Importance = widget.LowImportance
	actions := container.NewVBox(
		container.NewHBox(button(lang.L("Window"), Window), button(lang.L("Contrast to this"), Ground), button(lang.L("Delete"), Delete)),
		container.NewHBox(button(lang.L("Use its noise"), Noise), button(lang.L("Estimated noise"), Estimate), button(lang.L("Copy table"), Copy)),
	)
	rows := container.NewVBox(p.table, p.note, p.list)
	p.content = container.NewBorder(nil, actions, nil, nil, container.NewVScroll(container.New(layout.NewCustomPaddedLayout(0, 0, 0, 10), rows)))
	p.ExtendBaseWidget(p)
	p.Display(Snapshot{})
	return p
}

// CreateRenderer implements fyne.Widget.
func (p *Widget) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(p.content) }

const (
	rowGap     = -7 // reduces the space between labels, whose padding is meant for forms
	listGap    = -2
	valueWidth = 70
)

// Display shows a snapshot; it returns at once if nothing has changed.
func (p *Widget) Display(s Snapshot) {
	key := fmt.Sprint(s)
	if key == p.key {
		return
	}
	p.key = key
	p.showList(s)
	p.table.Objects = nil
	for i, r := range s.Rows {
		p.table.Add(row(r, i == 0))
	}
	p.note.SetText(s.Note)
	p.note.Hidden = s.Note == ""
	for id, on := range map[string]bool{
		Delete: len(s.Rows) > 0, Ground: s.ROI && s.Ground, Window: s.ROI, Noise: s.ROI, Estimate: s.Given, Copy: len(s.Entries) > 0,
	} {
		if on {
			p.buttons[id].Enable()
		} else {
			p.buttons[id].Disable()
		}
	}
	p.content.Refresh()
}

// showList lists the marks. Buttons are used again, so that one keeps the focus.
func (p *Widget) showList(s Snapshot) {
	for len(p.list.Objects) > len(s.Entries) {
		p.list.Objects = p.list.Objects[:len(p.list.Objects)-1]
	}
	for i, e := range s.Entries {
		if i == len(p.list.Objects) {
			b := control.NewButton("", nil, nil)
			b.Alignment = widget.ButtonAlignLeading
			p.list.Add(b)
		}
		b := p.list.Objects[i].(*control.Button)
		b.Importance = widget.LowImportance
		if e.Selected {
			b.Importance = widget.MediumImportance
		}
		b.OnTapped = func() { p.hooks.Select(e.ID) }
		b.SetText(e.Text)
	}
}

// row lays out a line of the table; the first heads it.
func row(r Row, head bool) fyne.CanvasObject {
	values := container.New(layout.NewCustomPaddedHBoxLayout(0))
	for _, v := range r.Values {
		l := control.Cell(v, fyne.TextAlignTrailing)
		l.TextStyle.Bold = head
		values.Add(container.New(fixed{}, l))
	}
	name := control.Cell(r.Label, fyne.TextAlignLeading)
	name.TextStyle.Bold = head
	return container.NewBorder(nil, nil, nil, values, name)
}

// fixed gives a value the width of a column.
type fixed struct{}

// Layout implements fyne.Layout.
func (fixed) Layout(objects []fyne.CanvasObject, size fyne.Size) { objects[0].Resize(size) }

// MinSize implements fyne.Layout.
func (fixed) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(valueWidth, objects[0].MinSize().Height)
}
