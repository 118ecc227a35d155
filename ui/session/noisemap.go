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

// noiseMap is the noise of every voxel, found once for the current voxels.
type noiseMap struct {
	found *app.NoiseMap // nil: not asked for yet
	tint  *viewer.Tint  // over the original
	shown bool
	facts denoise.Facts // denoise.FactsFor the series and the map; zero before the filter follows it
}

// ToggleNoiseMap lays the noise map over the original, or takes it off again. The
// map is computed the first time; meanwhile the command cancels that. It does
// nothing while another task is in progress.
func (s *Session) ToggleNoiseMap() {
	switch {
	case !s.CanMapNoise():
	case s.noise.found != nil:
		s.noise.shown = !s.noise.shown
		s.draw()
		s.listener.Changed()
	case s.Mapping():
		s.Cancel()
	default:
		s.mapNoise()
	}
}

// CanMapNoise says whether ToggleNoiseMap would do something.
func (s *Session) CanMapNoise() bool {
	return s.doc != nil && (s.noise.found != nil || s.Mapping() || !s.Busy())
}

// Mapping says whether the noise map is being computed.
func (s *Session) Mapping() bool { return s.task != nil && s.task.kind == Mapping }

// NoiseMap returns the noise map that is laid over the original; nil while it is
// not shown.
func (s *Session) NoiseMap() *app.NoiseMap {
	if !s.noise.shown {
		return nil
	}
	return s.noise.found
}

func (s *Session) mapNoise() {
	series := s.doc.Series()
	t := s.start(Mapping, lang.L("Mapping the noise"), "")
	var found app.NoiseMap
	s.background(func() (err error) {
		found, err = app.MapNoise(t.ctx, series)
		return err
	}, func(err error) {
		if !s.finish(t, err) {
			return
		}
		s.noise = noiseMap{found: &found, tint: noiseTint(found), shown: true}
		s.message = language.Sprintf(lang.L("The noise is mapped: σ is mostly %.3g to %s."), found.Lo, Quantity(found.Hi, found.Values.Unit))
		s.draw()
		s.listener.Changed()
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
func (s *Session) tints(result *volume.Volume) (tints [viewer.Roles]*viewer.Tint) {
	if s.noise.shown && s.base == nil {
		tints[viewer.Original] = s.noise.tint
	}
	if s.marksStructure && s.base == nil {
		if found := s.Structure(); found != nil && s.picture.Result == result {
			tints[viewer.Residual] = found.tint
		}
	}
	return tints
}
