package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/markpanel"
	"quell/ui/measurepanel"
	"quell/ui/plotpanel"
)

// The tabs of the card, from left to right: the measures, then the kinds of plots.
const (
	tabMeasures = iota
	tabHistogram
	tabProfile
	tabStrength
	tabMarks
)

var tabNames = []string{"Measures", "Histogram", "Profile", "Strength", "ROI"}

// plotOf maps the tabs of plots to their kinds.
var plotOf = map[int]plotpanel.Kind{tabHistogram: plotpanel.Histogram, tabProfile: plotpanel.Profile, tabStrength: plotpanel.Strength}

// card shows the measures, one of the plots or the marks, below the filter.
type card struct {
	widget.BaseWidget
	tabs     *control.Radio
	measures *measurepanel.Panel
	plot     *plotpanel.Panel
	marks    *markpanel.Panel
	tab      int
	content  fyne.CanvasObject
	changed  func()
}

// newCard returns a card that shows the measures; changed is called when another tab is
// shown.
func newCard(measures *measurepanel.Panel, plot *plotpanel.Panel, marks *markpanel.Panel, changed func()) *card {
	c := &card{measures: measures, plot: plot, marks: marks, changed: changed}
	var names []string
	for _, name := range tabNames {
		names = append(names, lang.L(name))
	}
	c.tabs = control.NewRadio(names, nil)
	c.tabs.SetSelected(names[tabMeasures])
	c.tabs.OnChanged = func(name string) { c.show(slices.Index(names, name)) }
	plot.Hide()
	marks.Hide()
	c.content = container.NewBorder(container.NewVBox(widget.NewSeparator(), container.NewCenter(c.tabs)), nil, nil, nil, container.NewStack(measures, plot, marks))
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer implements fyne.Widget.
func (c *card) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.content) }

// selectTab shows a tab as if the user had chosen it.
func (c *card) selectTab(tab int) { c.tabs.SetSelected(c.tabs.Options()[tab]) }

func (c *card) show(tab int) {
	c.tab = tab
	kind, plots := plotOf[tab]
	c.measures.Hidden, c.plot.Hidden, c.marks.Hidden = tab != tabMeasures, !plots, tab != tabMarks
	if plots {
		c.plot.Select(kind)
	}
	c.content.Refresh()
	c.changed()
}

// columnLayout places the filter above the card. The card gets what its contents need at
// the usual text size, but of a low window no more than the filter leaves it, or a share.
type columnLayout struct {
	needs func() columnNeeds
}

// columnNeeds is what the heights of filter and card depend on.
type columnNeeds struct {
	filter     float32 // the height without a scroll
	referenced bool    // there is a reference, which the measures are compared with
}

// columnNeeds returns them as they are now.
func (w *Workbench) columnNeeds() columnNeeds {
	return columnNeeds{filter: w.filter.Needs(), referenced: w.referenced()}
}

const (
	cardHeight    = 400 // of the measures with sentences on confidence
	cardReference = 90  // of the rows about a reference
	cardShare     = 0.5
)

// Layout implements fyne.Layout.
func (l columnLayout) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	filter, card := objects[0], objects[1]
	needs, most := l.needs(), float32(cardHeight)
	if needs.referenced {
		most += cardReference
	}
	height := min(most, max(cardShare*size.Height, size.Height-needs.filter))
	filter.Move(fyne.NewPos(0, 0))
	filter.Resize(fyne.NewSize(size.Width, size.Height-height))
	card.Move(fyne.NewPos(0, size.Height-height))
	card.Resize(fyne.NewSize(size.Width, height))
}

// MinSize implements fyne.Layout.
func (columnLayout) MinSize(objects []fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(sideWidth, objects[0].MinSize().Height)
}
