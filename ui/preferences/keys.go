package preferences

import (
	"maps"
	"strings"

	"quell/ui/command"
	"quell/ui/dialogs"
)

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
