package command_test

import (
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"quell/app/workbench"
	_ "quell/internal/locale" // English
	"quell/ui/command"
	"quell/ui/screen"
)

// Fyne draws the keys of menus in a fifth of the contrast of their titles: they are part of the titles, one below the other, and
// still trigger their items.
func TestKeysInMenusAreAsReadableAsTheTitles(t *testing.T) {
	for _, appearance := range []string{workbench.Dark, workbench.Light} {
		app := test.NewTempApp(t)
		app.Settings().SetTheme(screen.Theme{Appearance: appearance})
		table := []command.Command{
			{ID: "fit", Title: "Fit to pane", Menu: command.PictureMenu, Chords: command.Key(fyne.KeyF)},
			{ID: "mirror", Title: "Mirror top and bottom", Menu: command.PictureMenu, Chords: command.With(fyne.KeyModifierShift, fyne.KeyV)},
			{ID: "cine", Title: "Cine", Menu: command.PictureMenu},
			{ID: "undo", Title: "A title of about 80 units", Menu: command.PictureMenu, Chords: command.With(command.Ctrl, fyne.KeyZ), Enabled: func() bool { return false }},
		}
		menu := command.NewBar(table, func(command.Command) {}).Main.Items[0]
		w := test.NewTempWindow(t, widget.NewMenu(menu))
		keys := map[string]bool{}
		for _, o := range test.LaidOutObjects(w.Content()) {
			text, ok := o.(*canvas.Text)
			if !ok {
				continue
			}
			want := theme.ColorNameForeground
			if strings.HasPrefix(text.Text, "A title") {
				want = theme.ColorNameDisabled
			}
			if text.Color != theme.Color(want) {
				t.Errorf("%s: %q is drawn in %v; want %v", appearance, text.Text, text.Color, theme.Color(want))
			}
			if _, key, ok := strings.Cut(text.Text, "\t"); ok {
				keys[strings.TrimLeft(key, "\t")] = true
			}
		}
		for i, c := range table {
			if c.Chords == nil {
				continue
			}
			if s := menu.Items[i].Shortcut; !keys[c.Keys()] || s == nil || s.ShortcutName() != c.Chords[0].Shortcut().ShortcutName() {
				t.Errorf("%s: of the keys there are %v, %q is triggered by %v", appearance, keys, c.Title, s)
			}
		}
		column := func(i int) float32 {
			label := menu.Items[i].Label
			return fyne.MeasureText(label[:strings.LastIndex(label, "\t")+1], theme.TextSize(), fyne.TextStyle{}).Width
		}
		if a, b, c := column(0), column(1), column(3); a != b || a != c {
			t.Errorf("the keys begin at %g, %g and %g", a, b, c)
		}
	}
}
