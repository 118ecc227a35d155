package frame

import (
	"fyne.io/fyne/v2"

	"quell/ui/panel"
)

// sideWidth is the width of the filter column: enough for a slider with unit and
// field, and no more, as the pictures need the space.
const sideWidth = 346

// cardWidth is the width of the content of the column: a tab is in the line that has room for it.
const cardWidth = sideWidth - 2*3 // the padding of the theme

// fixedWidthLayout gives its objects a fixed width and the available height.
type fixedWidthLayout struct{ width float32 }

// Layout implements fyne.Layout.
func (l fixedWidthLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objects {
		o.Move(fyne.NewPos(0, 0))
		o.Resize(size)
	}
}

// MinSize implements fyne.Layout.
func (l fixedWidthLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	size := fyne.NewSize(l.width, 0)
	for _, o := range objects {
		size.Height = max(size.Height, o.MinSize().Height)
	}
	return size
}

// frameLayout places the tool bar above and the status bar below everything, the open series
// at the left, the column at the right, and in the rest the pictures above the slices. As
// long as the user has not chosen, it shows or hides the column as the size requires.
type frameLayout struct{ f *Frame }

// Layout implements fyne.Layout. The last object is the pictures.
func (l frameLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	f := l.f
	column := f.ShowsColumn()
	f.column.Hidden, f.h.Beside.Hidden = f.full || !column, column
	left, right, top, bottom := float32(0), size.Width, float32(0), size.Height
	place := func(o fyne.CanvasObject, x, y, width, height float32) {
		o.Move(fyne.NewPos(x, y))
		o.Resize(fyne.NewSize(width, height))
	}
	if f.tools.Visible() {
		top = f.tools.MinSize().Height
		place(f.tools, 0, 0, size.Width, top)
	}
	if f.status.Visible() {
		bottom -= f.status.MinSize().Height
		place(f.status, 0, bottom, size.Width, size.Height-bottom)
	}
	if f.rail.Visible() {
		left = panel.RailWidth
		place(f.rail, 0, top, left, bottom-top)
	}
	if f.column.Visible() {
		right -= f.column.MinSize().Width
		place(f.column, right, top, size.Width-right, bottom-top)
	}
	if f.slices.Visible() {
		least := f.slices.MinSize()
		if least.Width > right-left { // P shows the column on a narrow workbench too
			f.h.Beside.Hidden = true
		}
		bottom -= least.Height
		place(f.slices, left, bottom, right-left, least.Height)
	}
	place(objects[len(objects)-1], left, top, right-left, bottom-top)
}

// MinSize implements fyne.Layout. A column that the user has not asked for needs no place.
func (l frameLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	f := l.f
	size := objects[len(objects)-1].MinSize()
	if f.slices.Visible() {
		m := f.slices.MinSize()
		if f.h.Beside.Visible() { // which gives way
			m.Width -= f.h.Beside.MinSize().Width
		}
		size.Width, size.Height = max(size.Width, m.Width), size.Height+m.Height
	}
	if f.column.Visible() && f.h.Settings.Column == columnShown {
		m := f.column.MinSize()
		size.Width, size.Height = size.Width+m.Width, max(size.Height, m.Height)
	}
	if f.rail.Visible() {
		size.Width += panel.RailWidth
	}
	for _, bar := range []fyne.CanvasObject{f.tools, f.status} {
		if bar.Visible() {
			size.Width, size.Height = max(size.Width, bar.MinSize().Width), size.Height+bar.MinSize().Height
		}
	}
	return size
}

// columnLayout places the filter above the card. The card gets what its contents need at
// the usual text size, but of a low window no more than the filter leaves it, or a share; of a high window it gets
// what the filter has no use for.
type columnLayout struct {
	needs func() columnNeeds
}

// columnNeeds is what the heights of column and card depend on.
type columnNeeds struct {
	column float32 // the height without a scroll
	least  float32 // up to which it has a use for a height below most
	most   float32 // that it has a use for; 0 for all that there is
	card   float32 // the most that the card needs
}

// columnNeeds returns them as they are now.
func (f *Frame) columnNeeds() columnNeeds {
	most := func(a panel.Area) (height float32) {
		for _, p := range f.in[a] {
			if n, ok := p.(panel.Needing); ok {
				height = max(height, n.Needs())
			}
		}
		return height
	}
	needs := columnNeeds{column: most(panel.Column), card: most(panel.Card)}
	for _, p := range f.in[panel.Column] {
		if w, ok := p.(panel.Wanting); ok {
			needs.least, needs.most = w.Wants()
		}
	}
	return needs
}

// cardShare is the part of the column that the card has at least.
const cardShare = 0.5

// Layout implements fyne.Layout.
func (l columnLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	filter, card := objects[0], objects[1]
	needs := l.needs()
	height := min(needs.card, max(cardShare*size.Height, size.Height-needs.column))
	switch left := size.Height - height; {
	case needs.most == 0:
	case needs.most <= left:
		height = size.Height - needs.most
	default:
		height = size.Height - min(needs.least, left)
	}
	filter.Move(fyne.NewPos(0, 0))
	filter.Resize(fyne.NewSize(size.Width, size.Height-height))
	card.Move(fyne.NewPos(0, size.Height-height))
	card.Resize(fyne.NewSize(size.Width, height))
}

// MinSize implements fyne.Layout.
func (columnLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(sideWidth, objects[0].MinSize().Height)
}
