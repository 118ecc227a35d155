package tuning

import (
	"context"

	"fyne.io/fyne/v2/lang"

	"quell/app/judge"
	"quell/app/run"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session/desk"
	"quell/ui/viewer"
	"quell/volume"
)

// Noise is the noise map of the series that is shown, and whether the filter follows it.
type Noise struct{ desk *desk.Desk }

// NewNoise returns the noise of a desk.
func NewNoise(d *desk.Desk) *Noise { return &Noise{desk: d} }

// ToggleMap lays the noise map over the original, or takes it off again. The
// map is computed the first time; meanwhile the command cancels that. It does
// nothing while another task is in progress.
func (nz *Noise) ToggleMap() {
	switch {
	case !nz.CanMap():
	case nz.desk.Noise.Found != nil:
		nz.desk.Noise.Shown = !nz.desk.Noise.Shown
		nz.desk.Draw()
		nz.desk.Changed()
	case nz.Mapping():
		nz.desk.Tasks.Cancel()
	default:
		nz.find()
	}
}

// CanMap says whether ToggleMap would do something.
func (nz *Noise) CanMap() bool {
	return nz.desk.Doc != nil && (nz.desk.Noise.Found != nil || nz.Mapping() || !nz.desk.Tasks.Busy())
}

// Mapping says whether the noise map is being computed.
func (nz *Noise) Mapping() bool { return nz.desk.Tasks.Kind() == desk.Mapping }

// Map returns the noise map that is laid over the original; nil while it is not shown.
func (nz *Noise) Map() *judge.NoiseMap {
	if !nz.desk.Noise.Shown {
		return nil
	}
	return nz.desk.Noise.Found
}

func (nz *Noise) find() {
	series := nz.desk.Doc.Series()
	t := nz.desk.Tasks.Start(desk.Mapping, lang.L("Mapping the noise"), "")
	var found judge.NoiseMap
	nz.desk.Tasks.Do(t, func() (err error) {
		found, err = judge.MapNoise(t.Ctx, series)
		return err
	}, func() {
		nz.desk.Noise = desk.Noise{Found: &found, Tint: noiseTint(found), Shown: true}
		nz.desk.Tasks.Say(language.Sprintf(lang.L("The noise is mapped: σ is mostly %.3g to %s."), found.Lo, language.Quantity(found.Hi, found.Values.Unit)))
		nz.desk.Draw()
		nz.desk.Changed()
	})
}

// leastRange is the least ratio of the ends of a noise map's colour scale. Noise
// that hardly varies must not look as if it did.
const leastRange = 1.5

func noiseTint(m judge.NoiseMap) *viewer.Tint {
	return &viewer.Tint{
		Values: m.Values, Unit: m.Values.Unit,
		Colors: volume.Tint{Lo: m.Lo, Hi: max(m.Hi, leastRange*m.Lo)},
	}
}

// ToggleFollow lets the filter follow the estimated noise map, for noise that differs from place to
// place, or leaves that again. The map is computed the first time; meanwhile the command cancels
// that. It does nothing while another task is in progress.
func (nz *Noise) ToggleFollow() {
	switch {
	case !nz.CanFollow():
	case nz.desk.Follows():
		nz.desk.Maps, nz.desk.Steered = run.Maps{}, true
		nz.desk.ViewChanged()
	case nz.Mapping():
		nz.desk.Tasks.Cancel()
	default:
		nz.follow()
	}
}

// CanFollow says whether ToggleFollow would do something.
func (nz *Noise) CanFollow() bool {
	return nz.desk.Doc != nil && nz.desk.Recipe.SeriesFilter() == nil && (nz.desk.Follows() || nz.Mapping() || !nz.desk.Tasks.Busy())
}

// Follows says whether the filter follows the noise map.
func (nz *Noise) Follows() bool { return nz.desk.Follows() }

func (nz *Noise) follow() {
	series, found := nz.desk.Doc.Series(), nz.desk.Noise.Found
	t := nz.desk.Tasks.Start(desk.Mapping, lang.L("Mapping the noise"), "")
	var m Mapped
	nz.desk.Tasks.Do(t, func() (err error) {
		m, err = MapNoise(t.Ctx, series, found)
		return err
	}, func() {
		nz.desk.Steered = true
		nz.Take(m)
	})
}

// settleMap follows the noise map, once it is known, or leaves it, as a job of the recipe without a word on maps does, unless the
// user decided on it.
func (tu *Tuning) settleMap() {
	facts, _ := tu.desk.Doc.Facts()
	switch pays := run.MapPays(tu.desk.Doc.Series(), tu.desk.Recipe, facts); {
	case tu.desk.Steered:
	case !pays:
		tu.desk.Maps = run.Maps{}
	case tu.desk.Noise.Facts.Usual > 0:
		tu.desk.Maps = tu.desk.Noise.Found.Maps()
	}
}

// Mapped is the input of a filter that follows the noise.
type Mapped struct {
	Noise desk.Noise
	Maps  run.Maps
}

// MapNoise maps the noise of a series, or takes the map that was found before. It may be called on any goroutine.
func MapNoise(ctx context.Context, s *series.Series, found *judge.NoiseMap) (m Mapped, err error) {
	if found == nil {
		one, err := judge.MapNoise(ctx, s)
		if err != nil {
			return m, err
		}
		found = &one
	}
	m.Maps = found.Maps()
	m.Noise = desk.Noise{Found: found, Tint: noiseTint(*found)}
	m.Noise.Facts = *m.Maps.Facts
	return m, ctx.Err()
}

// Take lets the filter follow the noise map of the series that is shown.
func (nz *Noise) Take(m Mapped) {
	m.Noise.Shown = nz.desk.Noise.Shown
	nz.desk.Noise, nz.desk.Maps = m.Noise, m.Maps
	found := m.Noise.Found
	nz.desk.Tasks.Say(language.Sprintf(lang.L("The filter follows the noise, which is mostly %.3g to %s."), found.Lo, language.Quantity(found.Hi, found.Values.Unit)))
	nz.desk.ViewChanged()
}
