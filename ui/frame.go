package ui

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/denoise/tune"
	"quell/ui/filterpanel"
)

// The choices whether the column of filter, measures and plots is shown.
const (
	columnShown  = "shown"
	columnHidden = "hidden"
)

// pictureShare is the part of the workbench that pictures take at least without the column.
const pictureShare = 0.8

// showsColumn says whether the column is beside the pictures.
func (w *Workbench) showsColumn() bool {
	switch w.settings.Column {
	case columnShown:
		return true
	case columnHidden:
		return false
	}
	return w.columnFits()
}

// The size of the workbench, in units, from which on the column is shown until the user hides it: a
// window that fills 1440 pixels less the borders of a desktop, and is no strip.
const (
	columnFrom = 1400
	columnTall = 600
)

// columnFits says whether there is room for the column beside the pictures.
func (w *Workbench) columnFits() bool {
	whole := w.main.Canvas().Size()
	return whole.Width >= columnFrom && whole.Height >= columnTall
}

// fits says whether pictures have their share of the workbench beside something of a width.
func (w *Workbench) fits(beside float32) bool {
	whole, frame := w.main.Canvas().Size(), w.frame.Size() // with and without the menu
	width, height := frame.Width-beside, frame.Height
	for _, bar := range []fyne.CanvasObject{w.tools, w.status, w.slices} {
		height -= bar.MinSize().Height
	}
	return width > 0 && height > 0 && width*height >= pictureShare*whole.Width*whole.Height
}

// showColumn shows or hides the column, now and at the next start.
func (w *Workbench) showColumn(on bool) {
	if on == w.showsColumn() {
		return
	}
	w.settings.Column = columnHidden
	if on {
		w.settings.Column = columnShown
		w.filter.Display(filterSnapshot(w.session))
		w.displayCard()
	}
	w.saveSettings()
	w.arrange()
}

// buildQuick makes the line that stands for the column where that is not shown.
func (w *Workbench) buildQuick(hooks filterpanel.Hooks) {
	w.verdict = widget.NewLabel("")
	w.dial = filterpanel.NewDial(hooks, func() {
		w.tip.hide()
		w.run(w.command("strip"))
	}, func(o fyne.CanvasObject, in bool) {
		if in {
			w.tip.show(o, w.command("strip").hint())
		} else {
			w.tip.hide()
		}
	})
	w.quick = container.NewHBox(container.NewCenter(w.verdict), w.dial)
	w.quick.Hide()
}

// displayQuick shows strength and run, and the verdict on the slice.
func (w *Workbench) displayQuick(s filterpanel.Snapshot) {
	w.dial.Display(s)
	text, importance := "", widget.LowImportance
	if m := w.session.Measures.Slice(); m.Known && m.Current && !arrives(w.session) {
		text, importance = lang.L("Verdict")+": "+lang.L(string(m.Measures.Verdict)), verdictImportance[m.Measures.Verdict]
		if m.Measures.Verdict == tune.Unknown {
			text = lang.L("No verdict")
		}
	}
	if w.verdict.Text != text || w.verdict.Importance != importance {
		w.verdict.Importance = importance
		w.verdict.SetText(text)
	}
}

// verdictImportance gives verdicts their colours.
var verdictImportance = map[tune.Verdict]widget.Importance{
	tune.Matched: widget.SuccessImportance, tune.Over: widget.WarningImportance,
}

// frameLayout places the tool bar above and the status bar below everything, the open series
// at the left, the column at the right, and in the rest the pictures above the slices. As
// long as the user has not chosen, it shows or hides the column as the size requires.
type frameLayout struct{ w *Workbench }

// Layout implements fyne.Layout. The last object is the pictures.
func (l frameLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	w := l.w
	column := w.showsColumn()
	w.column.Hidden, w.quick.Hidden = w.pictures || !column, column
	left, right, top, bottom := float32(0), size.Width, float32(0), size.Height
	place := func(o fyne.CanvasObject, x, y, width, height float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(width, height))
	}
	if w.tools.Visible() {
		top = w.tools.MinSize().Height
		place(w.tools, 0, 0, size.Width, top)
	}
	if w.status.Visible() {
		bottom -= w.status.MinSize().Height
		place(w.status, 0, bottom, size.Width, size.Height-bottom)
	}
	if w.rail.content.Visible() {
		left = w.rail.setNarrow(!w.fits(railWidth))
		place(w.rail.content, 0, top, left, bottom-top)
	}
	if w.column.Visible() {
		right -= w.column.MinSize().Width
		place(w.column, right, top, size.Width-right, bottom-top)
	}
	if w.slices.Visible() {
		least := w.slices.MinSize()
		if least.Width > right-left { // P shows the column on a narrow workbench too
			w.quick.Hidden = true
		}
		bottom -= least.Height
		place(w.slices, left, bottom, right-left, least.Height)
	}
	place(objects[len(objects)-1], left, top, right-left, bottom-top)
}

// MinSize implements fyne.Layout. A column that the user has not asked for needs no place.
func (l frameLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	w := l.w
	size := objects[len(objects)-1].MinSize()
	if w.slices.Visible() {
		m := w.slices.MinSize()
		if w.quick.Visible() { // which gives way
			m.Width -= w.quick.MinSize().Width
		}
		size.Width, size.Height = max(size.Width, m.Width), size.Height+m.Height
	}
	if w.column.Visible() && w.settings.Column == columnShown {
		m := w.column.MinSize()
		size.Width, size.Height = size.Width+m.Width, max(size.Height, m.Height)
	}
	if w.rail.content.Visible() {
		size.Width += railNarrow
	}
	for _, bar := range []fyne.CanvasObject{w.tools, w.status} {
		if bar.Visible() {
			size.Width, size.Height = max(size.Width, bar.MinSize().Width), size.Height+bar.MinSize().Height
		}
	}
	return size
}
