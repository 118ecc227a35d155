package session

import (
	"fmt"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/language"
	"quell/volume"
)

// foreseen is the last answer of Forecast.
type foreseen struct {
	at     time.Time
	engine denoise.Engine
	recipe denoise.Recipe
	volume *volume.Volume
	app.Forecast
}

// foresight is how long a forecast is good for, as other programs take memory and give it back.
const foresight = 2 * time.Second

// Forecast returns what memory the run over the volume will take; false where there is none to
// begin with the current recipe.
func (rs *Results) Forecast() (app.Forecast, bool) {
	recipe, err := rs.s.Tuning.Resolved()
	if rs.s.doc == nil || err != nil || rs.Applied() {
		return app.Forecast{}, false
	}
	f, now, v := &rs.foreseen, rs.s.deps.Now(), rs.s.doc.Series().Volume
	if f.volume != v || f.engine != rs.s.deps.Engine || !f.recipe.Equal(recipe) || now.Sub(f.at) >= foresight {
		*f = foreseen{now, rs.s.deps.Engine, recipe, v, app.ForecastRun(rs.s.deps.Engine, recipe, v, rs.s.deps.Available())}
	}
	return f.Forecast, true
}

// tooLarge returns why a result cannot be judged as a whole: an error that says so where the
// memory does not suffice.
func (rs *Results) tooLarge(v *volume.Volume) error {
	if need, free := app.JudgeMemory(v), rs.s.deps.Available(); free > 0 && need > free {
		return fmt.Errorf(lang.L("the result is not judged as a whole: that takes up to %s of memory and %s is free"), language.Number(app.Bytes(need)), language.Number(app.Bytes(free)))
	}
	return nil
}
