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
func (s *Session) Forecast() (app.Forecast, bool) {
	recipe, err := s.Resolved()
	if s.doc == nil || err != nil || s.Applied() {
		return app.Forecast{}, false
	}
	f, now, v := &s.foreseen, s.deps.Now(), s.doc.Series().Volume
	if f.volume != v || f.engine != s.deps.Engine || !f.recipe.Equal(recipe) || now.Sub(f.at) >= foresight {
		*f = foreseen{now, s.deps.Engine, recipe, v, app.ForecastRun(s.deps.Engine, recipe, v, s.deps.Available())}
	}
	return f.Forecast, true
}

// tooLarge returns why a result cannot be judged as a whole: an error that says so where the
// memory does not suffice.
func (s *Session) tooLarge(v *volume.Volume) error {
	if need, free := app.JudgeMemory(v), s.deps.Available(); free > 0 && need > free {
		return fmt.Errorf(lang.L("the result is not judged as a whole: that takes up to %s of memory and %s is free"), language.Number(app.Bytes(need)), language.Number(app.Bytes(free)))
	}
	return nil
}
