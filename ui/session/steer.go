package session

import (
	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/language"
)

// steering is what steers the filter beside the recipe. The zero value steers
// nothing.
type steering struct {
	maps app.Maps
}

func (g steering) on() bool { return g.maps.Noise != nil }

// ToggleFollowNoise lets the filter follow the estimated noise map, for noise that
// differs from place to place, or leaves that again. The map is computed the first
// time; meanwhile the command cancels that. It does nothing while another task is in
// progress.
func (s *Session) ToggleFollowNoise() {
	switch {
	case !s.CanFollowNoise():
	case s.steering.on():
		s.steering = steering{}
		s.viewChanged()
	case s.Mapping():
		s.Cancel()
	default:
		s.followNoise()
	}
}

// CanFollowNoise says whether ToggleFollowNoise would do something.
func (s *Session) CanFollowNoise() bool {
	return s.doc != nil && (s.steering.on() || s.Mapping() || !s.Busy())
}

// FollowsNoise says whether the filter follows the noise map.
func (s *Session) FollowsNoise() bool { return s.steering.on() }

func (s *Session) followNoise() {
	series, found := s.doc.Series(), s.noise.found
	t := s.start(Mapping, lang.L("Mapping the noise"), "")
	var next steering
	var facts denoise.Facts
	s.background(func() (err error) {
		if found == nil {
			m, err := app.MapNoise(t.ctx, series)
			if err != nil {
				return err
			}
			found = &m
		}
		next.maps = found.Maps()
		facts, err = denoise.FactsFor(t.ctx, denoise.Input{Volume: series.Volume, Noise: next.maps.Noise})
		return err
	}, func(err error) {
		if !s.finish(t, err) {
			return
		}
		s.noise.found, s.noise.tint, s.noise.facts, s.steering = found, noiseTint(*found), facts, next
		s.message = language.Sprintf(lang.L("The filter follows the noise, which is mostly %.3g to %s."), found.Lo, Quantity(found.Hi, found.Values.Unit))
		s.viewChanged()
	})
}

// factsUnder returns the facts that recipes are resolved by under maps, which are none
// or have been found for the current voxels.
func (s *Session) factsUnder(maps app.Maps) denoise.Facts {
	if maps.Noise != nil {
		return s.noise.facts
	}
	facts, _ := s.doc.Facts()
	return facts
}

// equal says whether a request or a run has the same maps.
func (g steering) equal(maps app.Maps) bool { return maps.Noise == g.maps.Noise }

// made says whether a run was made by the current recipe, steered as it is now.
func (s *Session) made(run *app.Run) bool {
	if run == nil || !run.Recipe.Equal(s.recipe) || !s.steering.equal(run.Maps) {
		return false
	}
	facts, known := s.doc.Facts()
	return s.steering.on() || !known || run.Facts == nil || sameNoise(facts, *run.Facts)
}

// sameNoise says whether automatic values are the same under two facts of one volume: a
// person may have given another sigma between them.
func sameNoise(a, b denoise.Facts) bool { return a.Noise.Sigma == b.Noise.Sigma }
