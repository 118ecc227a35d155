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

// ToggleFollow lets the filter follow the estimated noise map, for noise that
// differs from place to place, or leaves that again. The map is computed the first
// time; meanwhile the command cancels that. It does nothing while another task is in
// progress.
func (nz *Noise) ToggleFollow() {
	switch {
	case !nz.CanFollow():
	case nz.s.steering.on():
		nz.s.steering = steering{}
		nz.s.viewChanged()
	case nz.Mapping():
		nz.s.Tasks.Cancel()
	default:
		nz.follow()
	}
}

// CanFollow says whether ToggleFollowNoise would do something.
func (nz *Noise) CanFollow() bool {
	return nz.s.doc != nil && (nz.s.steering.on() || nz.Mapping() || !nz.s.Tasks.Busy())
}

// Follows says whether the filter follows the noise map.
func (nz *Noise) Follows() bool { return nz.s.steering.on() }

func (nz *Noise) follow() {
	series, found := nz.s.doc.Series(), nz.s.noise.found
	t := nz.s.Tasks.start(Mapping, lang.L("Mapping the noise"), "")
	var next steering
	var facts denoise.Facts
	nz.s.background(func() (err error) {
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
		if !nz.s.Tasks.finish(t, err) {
			return
		}
		nz.s.noise.found, nz.s.noise.tint, nz.s.noise.facts, nz.s.steering = found, noiseTint(*found), facts, next
		nz.s.Tasks.message = language.Sprintf(lang.L("The filter follows the noise, which is mostly %.3g to %s."), found.Lo, Quantity(found.Hi, found.Values.Unit))
		nz.s.viewChanged()
	})
}

// factsUnder returns the facts that recipes are resolved by under maps, which are none
// or have been found for the current voxels.
func (tu *Tuning) factsUnder(maps app.Maps) denoise.Facts {
	if maps.Noise != nil {
		return tu.s.noise.facts
	}
	facts, _ := tu.s.doc.Facts()
	return facts
}

// equal says whether a request or a run has the same maps.
func (g steering) equal(maps app.Maps) bool { return maps.Noise == g.maps.Noise }

// made says whether a run was made by the current recipe, steered as it is now.
func (tu *Tuning) made(run *app.Run) bool {
	if run == nil || !run.Recipe.Equal(tu.s.recipe) || !tu.s.steering.equal(run.Maps) {
		return false
	}
	facts, known := tu.s.doc.Facts()
	return tu.s.steering.on() || !known || run.Facts == nil || sameNoise(facts, *run.Facts)
}

// sameNoise says whether automatic values are the same under two facts of one volume: a
// person may have given another sigma between them.
func sameNoise(a, b denoise.Facts) bool { return a.Noise.Sigma == b.Noise.Sigma }
