// Package help shows the abilities of the workbench and the facts of the series: keys and mouse, findings,
// the version, and the notice on clinical use.
package help

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/panel"
)

// Panel has the commands. Create it with New.
type Panel struct {
	panel.Base
	h *host.Host
}

// New returns the help of a workbench.
func New(h *host.Host) panel.Panel { return &Panel{h: h} }

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	return []command.Command{
		{ID: "shortcuts", Title: "Keys and mouse", Menu: command.HelpMenu, Chords: command.Key(fyne.KeyF1), Run: p.showShortcuts},
		{ID: "findings", Title: "Findings on this series", Menu: command.HelpMenu, Run: p.showFindings, Enabled: p.h.IsOpen},
		{ID: "about", Title: "About Quell", Menu: command.HelpMenu, Run: p.showAbout},
	}
}

func (p *Panel) showFindings() {
	if series := p.h.Session.Series(); series != nil {
		p.h.ShowDialog(dialogs.Findings(series.Findings, p.h.Window))
	}
}

// Start implements panel.Starter: it shows the notice on clinical use if it is due. Nothing waits for it.
func (p *Panel) Start() {
	if now := p.h.Now(); p.h.Settings.NoticeDue(now) {
		p.h.Settings.Noticed = now
		p.h.SaveSettings()
		p.h.ShowDialog(dialogs.Notice(p.h.Window))
	}
}

func (p *Panel) showAbout() { p.h.ShowDialog(dialogs.About(job.Version(), p.h.App.Icon(), p.h.Window)) }

// showShortcuts shows the keys of the table of commands, menu by menu, and the mouse.
func (p *Panel) showShortcuts() { p.h.ShowDialog(dialogs.Shortcuts(p.Sections(), p.h.Window)) }

// Sections returns the help sheet: keys by menu, then those of no menu, and the mouse.
func (p *Panel) Sections() (sections []dialogs.Section) {
	for _, menu := range append(slices.Clone(command.Menus), "") {
		s := dialogs.Section{Title: lang.L(cmp.Or(menu, "Slices"))}
		for _, c := range p.h.Table {
			if cmp.Or(c.Menu, c.Section) == menu && len(c.Chords) > 0 {
				s.Rows = append(s.Rows, [2]string{c.Keys(), c.Title})
			}
		}
		if len(s.Rows) > 0 {
			sections = append(sections, s)
		}
	}
	mouse := dialogs.Section{Title: lang.L("Mouse")}
	for _, g := range gestures {
		mouse.Rows = append(mouse.Rows, [2]string{lang.L(g[0]), lang.L(g[1])})
	}
	return append(sections, mouse)
}

// gestures is the part of the help sheet for the mouse.
var gestures = [][2]string{
	{"Wheel", "Slices"},
	{"Shift + wheel", "Five slices at a time"},
	{"Ctrl + wheel", "Zoom at the pointer"},
	{"Left drag", "Window and level"},
	{"Left drag, residual", "Its scale"},
	{"Middle or Shift + left drag", "Pan"},
	{"Right drag", "Zoom about where it began"},
	{"Drag the line of a swipe", "More of one side"},
	{"Click the name of a pane", "Another run in its place"},
	{"Right click", "Menu"},
	{"Click, with the crosshair", "All planes go there"},
	{"Double click", "One pane alone, and back"},
	{"Point", "The value in every pane"},
	{"Drop a file or folder", "Open it"},
}
