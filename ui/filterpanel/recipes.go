package filterpanel

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/command"
	"quell/ui/language"
)

// recipeCommands take the recipes that come with the program, and those that the user keeps.
func (p *Panel) recipeCommands() (out []command.Command) {
	for _, preset := range app.Presets() {
		out = append(out, command.Command{Title: lang.L(preset.Title), Run: func() {
			p.h.Session.Tuning.Take(preset.Recipe)
			data, _, _ := strings.Cut(preset.TunedOn, ":")
			p.h.Note(fmt.Sprintf(lang.L("%s: tuned on %s."), lang.L(preset.Title), data))
		}})
	}
	for _, r := range p.h.Settings.Presets {
		out = append(out, command.Command{
			Title: language.Number(r.String()), Run: func() { p.takeRecipe(r) },
			Checked: func() bool { return p.h.Session.Tuning.Recipe().Equal(r) },
		})
	}
	return out
}

// keepPreset lists the present recipe among the presets, or takes it off the list, now and at
// the next start.
func (p *Panel) keepPreset() {
	p.h.Settings.KeepPreset(p.h.Session.Tuning.Recipe())
	p.h.SaveSettings()
	p.h.Changed()
}

// loadRecipe takes the recipe in a file. Its name, which may be that of a patient, is not
// shown.
func (p *Panel) loadRecipe(path string) {
	p.h.Go(func() {
		r, err := app.LoadRecipe(path)
		p.h.Do(func() {
			switch {
			case err != nil:
				p.h.Fail(err)
			case p.h.IsOpen():
				p.takeRecipe(r)
				p.h.Note(lang.L("The parameters are those of the file."))
			}
		})
	})
}

// takeRecipe takes a recipe as it is. One whose strength is to be searched for begins with
// the default, and the search.
func (p *Panel) takeRecipe(r denoise.Recipe) {
	f, err := denoise.FilterByName(r.Filter)
	name := f.Strength.Param
	if err != nil || name == "" || !r.Get(name).IsSURE() {
		p.h.Session.Tuning.Take(r)
		return
	}
	strength, _ := f.Param(name)
	p.h.Session.Tuning.Take(r.With(name, strength.Default))
	p.findStrength()
}
