package frame

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/lang"
	"fyne.io/fyne/v2/widget"

	"quell/ui/control"
	"quell/ui/panel"
)

// card shows one of several panels, below the column, by tabs. A panel can have several.
type card struct {
	tabs    *control.Radio
	panels  []panel.Panel
	titles  []string // of the tabs, in English, from left to right
	owners  []int    // the panel behind each tab
	title   string   // of the tab that is shown
	content fyne.CanvasObject
	changed func()
}

// newCard returns a card that shows the first tab; changed is called when another one is
// shown.
func newCard(panels []panel.Panel, changed func()) *card {
	c := &card{panels: panels, changed: changed}
	var names []string
	objects := container.NewStack()
	for i, p := range panels {
		for _, title := range p.Dock().Tabs {
			c.titles, c.owners, names = append(c.titles, title), append(c.owners, i), append(names, lang.L(title))
		}
		objects.Add(p.Dock().Object)
		if i > 0 {
			p.Dock().Object.Hide()
		}
	}
	c.tabs = control.NewRadioLines(names, cardWidth, nil)
	c.tabs.SetSelected(names[0])
	c.title = c.titles[0]
	c.tabs.OnChanged = func(name string) { c.show(slices.Index(names, name)) }
	c.content = container.NewBorder(container.NewVBox(widget.NewSeparator(), c.tabs), nil, nil, nil, objects)
	return c
}

// selectTab shows a tab as if the user had chosen it.
func (c *card) selectTab(title string) { c.tabs.SetSelected(lang.L(title)) }

func (c *card) show(tab int) {
	c.title = c.titles[tab]
	for i, p := range c.panels {
		object := p.Dock().Object
		if i != c.owners[tab] {
			object.Hide()
			continue
		}
		object.Show()
		if t, ok := p.(panel.Tabbed); ok {
			t.SelectTab(c.title)
		}
	}
	c.content.Refresh()
	c.changed()
}
