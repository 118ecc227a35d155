package ui

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/language"
)

// recipeCommands take the recipes that come with the program, and those that the user keeps.
func (w *Workbench) recipeCommands() (out []Command) {
	for _, p := range app.Presets() {
		out = append(out, Command{Title: lang.L(p.Title), Run: func() {
			w.session.Tuning.Take(p.Recipe)
			data, _, _ := strings.Cut(p.TunedOn, ":")
			w.status.note(fmt.Sprintf(lang.L("%s: tuned on %s."), lang.L(p.Title), data))
		}})
	}
	for _, r := range w.settings.Presets {
		out = append(out, Command{
			Title: language.Number(r.String()), Run: func() { w.takeRecipe(r) },
			Checked: func() bool { return w.session.Tuning.Recipe().Equal(r) },
		})
	}
	return out
}

// keepPreset lists the present recipe among the presets, or takes it off the list, now and at
// the next start.
func (w *Workbench) keepPreset() {
	w.settings.KeepPreset(w.session.Tuning.Recipe())
	w.saveSettings()
	w.changed()
}

// loadRecipe takes the recipe in a file. Its name, which may be that of a patient, is not
// shown.
func (w *Workbench) loadRecipe(path string) {
	w.options.Go(func() {
		r, err := app.LoadRecipe(path)
		w.options.Do(func() {
			switch {
			case err != nil:
				w.failed(err)
			case w.open():
				w.takeRecipe(r)
				w.status.note(lang.L("The parameters are those of the file."))
			}
		})
	})
}

// takeRecipe takes a recipe as it is. One whose strength is to be searched for begins with
// the default, and the search.
func (w *Workbench) takeRecipe(r denoise.Recipe) {
	f, err := denoise.FilterByName(r.Filter)
	name := f.Strength.Param
	if err != nil || name == "" || !r.Get(name).IsSURE() {
		w.session.Tuning.Take(r)
		return
	}
	p, _ := f.Param(name)
	w.session.Tuning.Take(r.With(name, p.Default))
	w.findStrength()
}
