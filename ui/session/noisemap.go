package session

import (
	"fmt"
	"math"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/language"
	"quell/ui/viewer"
	"quell/volume"
)

// Noise is the noise map of the series that is shown, and whether the filter follows it.
type Noise struct{ s *Session }

// noiseMap is the noise of every voxel, found once for the current voxels.
type noiseMap struct {
	found *app.NoiseMap // nil: not asked for yet
	tint  *viewer.Tint  // over the original
	shown bool
	facts denoise.Facts // denoise.FactsFor the series and the map; zero before the filter follows it
}

// ToggleMap lays the noise map over the original, or takes it off again. The
// map is computed the first time; meanwhile the command cancels that. It does
// nothing while another task is in progress.
func (nz *Noise) ToggleMap() {
	switch {
	case !nz.CanMap():
	case nz.s.noise.found != nil:
		nz.s.noise.shown = !nz.s.noise.shown
		nz.s.Screen.draw()
		nz.s.listener.Changed()
	case nz.Mapping():
		nz.s.Tasks.Cancel()
	default:
		nz.find()
	}
}

// CanMap says whether ToggleNoiseMap would do something.
func (nz *Noise) CanMap() bool {
	return nz.s.doc != nil && (nz.s.noise.found != nil || nz.Mapping() || !nz.s.Tasks.Busy())
}

// Mapping says whether the noise map is being computed.
func (nz *Noise) Mapping() bool { return nz.s.Tasks.now != nil && nz.s.Tasks.now.kind == Mapping }

// Map returns the noise map that is laid over the original; nil while it is
// not shown.
func (nz *Noise) Map() *app.NoiseMap {
	if !nz.s.noise.shown {
		return nil
	}
	return nz.s.noise.found
}

func (nz *Noise) find() {
	series := nz.s.doc.Series()
	t := nz.s.Tasks.start(Mapping, lang.L("Mapping the noise"), "")
	var found app.NoiseMap
	nz.s.background(func() (err error) {
		found, err = app.MapNoise(t.ctx, series)
		return err
	}, func(err error) {
		if !nz.s.Tasks.finish(t, err) {
			return
		}
		nz.s.noise = noiseMap{found: &found, tint: noiseTint(found), shown: true}
		nz.s.Tasks.message = language.Sprintf(lang.L("The noise is mapped: σ is mostly %.3g to %s."), found.Lo, Quantity(found.Hi, found.Values.Unit))
		nz.s.Screen.draw()
		nz.s.listener.Changed()
	})
}

// Quantity writes a number with its unit.
func Quantity(x float64, unit string) string {
	text := language.Sprintf("%.3g", x)
	if math.Abs(x) >= 1000 {
		text = fmt.Sprintf("%.0f", x)
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}

// leastRange is the least ratio of the ends of a noise map's colour scale. Noise
// that hardly varies must not look as if it did.
const leastRange = 1.5

func noiseTint(m app.NoiseMap) *viewer.Tint {
	return &viewer.Tint{
		Values: m.Values, Unit: m.Values.Unit,
		Colors: volume.Tint{Lo: m.Lo, Hi: max(m.Hi, leastRange*m.Lo)},
	}
}

// tints returns what is laid over the pictures of a result.
func (sc *Screen) tints(result *volume.Volume) (tints [viewer.Roles]*viewer.Tint) {
	if sc.s.noise.shown && sc.s.base == nil {
		tints[viewer.Original] = sc.s.noise.tint
	}
	if sc.s.Structures.marked && sc.s.base == nil {
		if found := sc.s.Structures.Here(); found != nil && sc.picture.Result == result {
			tints[viewer.Residual] = found.tint
		}
	}
	return tints
}
