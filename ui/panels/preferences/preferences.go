// Package preferences has the commands on settings that concern no panel: language and size of the
// interface, keys, and the list of recent series.
package preferences

import (
	"fmt"
	"maps"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/workbench"
	"quell/ui/command"
	"quell/ui/dialogs"
	"quell/ui/host"
	"quell/ui/language"
	"quell/ui/panel"
	"quell/ui/screen"
)

// Panel has the commands. Create it with New.
type Panel struct {
	panel.Base
	h *host.Host
}

// New returns the commands on settings of a workbench.
func New(h *host.Host) panel.Panel {
	h.Session.State().Windows.SetInvertLevel(h.Settings.InvertLevel)
	return &Panel{h: h}
}

// Commands implements panel.Panel.
func (p *Panel) Commands() []command.Command {
	return []command.Command{
		{ID: "forget-paths", Title: "Clear recent series", Menu: command.EditMenu, Gap: true, Run: p.forgetPaths},
		{ID: "keep-paths", Title: "Keep a list of recent series", Menu: command.EditMenu, Run: p.toggleKeepPaths,
			Checked: func() bool { return p.h.Settings.KeepRecent }},
		{ID: "invert-level", Title: "Dragging down darkens", Menu: command.EditMenu, Run: p.toggleLevelDirection,
			Checked: func() bool { return p.h.Settings.InvertLevel }},
		{ID: "language", Title: "Language", Menu: command.ViewMenu, List: p.languageCommands},
		{ID: "appearance", Title: "Appearance", Menu: command.ViewMenu, List: p.appearanceCommands},
		{ID: "scale", Title: "Size of the interface", Menu: command.ViewMenu, List: p.scaleCommands},
		{ID: "change-key", Title: "Change a key …", Menu: command.HelpMenu, Run: p.changeKeys},
	}
}

func (p *Panel) forgetPaths() {
	p.h.Settings.ForgetPaths()
	p.h.SaveSettings()
	p.h.Refresh()
}

func (p *Panel) toggleKeepPaths() {
	p.h.Settings.KeepRecent = !p.h.Settings.KeepRecent
	if !p.h.Settings.KeepRecent {
		p.h.Settings.ForgetPaths()
	}
	p.h.SaveSettings()
	p.h.Refresh()
}

func (p *Panel) toggleLevelDirection() {
	p.h.Settings.InvertLevel = !p.h.Settings.InvertLevel
	p.h.Session.State().Windows.SetInvertLevel(p.h.Settings.InvertLevel)
	p.h.RefreshMenu()
}

// scales are the sizes of the interface that the menu offers; 0 is that of the desktop.
var scales = []float64{0, 1, 1.25, 1.5, 2, 3}

// scaleCommands set the size of the interface.
func (p *Panel) scaleCommands() (out []command.Command) {
	for _, scale := range scales {
		title := lang.L("As the desktop")
		if scale > 0 {
			title = fmt.Sprintf("%.0f %%", 100*scale)
		}
		out = append(out, command.Command{
			Title: title, Checked: func() bool { return p.h.Settings.Scale == scale },
			Run: func() {
				p.h.Settings.Scale = scale
				p.h.SaveSettings()
				p.h.RefreshMenu()
				p.h.Note(lang.L("The size of the interface changes at the next start."))
			},
		})
	}
	return out
}

// appearanceCommands set the colours of the workbench.
func (p *Panel) appearanceCommands() (out []command.Command) {
	for _, a := range []struct{ name, title string }{
		{workbench.Dark, lang.L("Dark")}, {workbench.Light, lang.L("Light")}, {workbench.System, lang.L("As the desktop")},
	} {
		out = append(out, command.Command{
			Title: a.title, Checked: func() bool { return p.h.Settings.Appearance == a.name },
			Run: func() {
				p.h.Settings.Appearance = a.name
				p.h.SaveSettings()
				p.h.App.Settings().SetTheme(screen.Theme{Appearance: a.name})
				p.h.RefreshMenu()
			},
		})
	}
	return out
}

// languageCommands set the language of the workbench. Each is named in itself.
func (p *Panel) languageCommands() (out []command.Command) {
	for _, l := range []struct{ code, title string }{
		{language.System, lang.L("As the desktop")}, {language.English, "English"}, {language.German, "Deutsch"},
	} {
		out = append(out, command.Command{
			Title: l.title, Checked: func() bool { return p.h.Settings.Language == l.code },
			Run: func() {
				p.h.Settings.Language = l.code
				p.h.SaveSettings()
				p.h.RefreshMenu()
				p.h.Note(lang.L("The language changes at the next start."))
			},
		})
	}
	return out
}

// setKeys takes and keeps the user's keys.
func (p *Panel) setKeys(keys map[string]string) {
	p.h.Settings.Keys = keys
	p.h.SaveSettings()
	p.h.UseKeys()
}

// changeKeys asks which command gets which key.
func (p *Panel) changeKeys() {
	var commands []dialogs.KeyedCommand
	for _, c := range p.h.Table {
		if c.Changeable() {
			commands = append(commands, dialogs.KeyedCommand{ID: c.ID, Title: c.Title, Keys: c.Keys()})
		}
	}
	p.h.ShowDialog(dialogs.ChangeKey(dialogs.KeyRequest{
		Commands: commands,
		Check: func(id, text string) error {
			if strings.TrimSpace(text) == "" {
				return nil
			}
			chord, err := command.ParseChord(text)
			if err != nil {
				return err
			}
			return command.CheckChord(p.h.Table, id, chord)
		},
		Set: func(id, text string) {
			keys := maps.Clone(p.h.Settings.Keys)
			if keys == nil {
				keys = map[string]string{}
			}
			keys[id] = strings.TrimSpace(text)
			p.setKeys(keys)
		},
		Reset: func() { p.setKeys(nil) },
	}, p.h.Window))
}
