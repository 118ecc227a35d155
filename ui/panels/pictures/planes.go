package pictures

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/lang"

	"quell/ui/session"
	"quell/ui/sliceview"
	"quell/ui/viewer"
	"quell/ui/wording"
	"quell/volume"
)

// setQuad shows or hides the planes. With them come the crosshair, and a swipe if no
// comparison is chosen.
func (v *Panel) setQuad(on bool) {
	if on == v.quad.on {
		return
	}
	state := v.h.Session.State()
	if !on {
		v.quad.on = false
		state.MarkCrosshair(v.quad.crosshair)
		if v.quad.mode == viewer.Plain && state.Comparison().Mode == viewer.Swipe {
			v.compare(viewer.Plain)
		}
		return
	}
	_, crosshair := state.Crosshair()
	v.quad = quad{on: true, crosshair: crosshair, mode: state.Comparison().Mode}
	state.MarkCrosshair(true)
	if v.quad.mode == viewer.Plain {
		v.compare(viewer.Swipe)
	}
}

// buildPlanes makes the panes of the planes.
func (v *Panel) buildPlanes(events sliceview.Events) (row []fyne.CanvasObject) {
	for p := range v.Planes {
		own := events
		own.Heading, own.Marker = nil, v.h.Session.Marks.On(volume.Plane(p))
		own.Maximize = func(viewer.Role) { // the comparison in this plane, alone
			v.h.Session.State().SetPlane(volume.Plane(p))
			v.maximize(viewer.Denoised)
		}
		v.Planes[p] = sliceview.NewPlane(volume.Plane(p), v.h.Session.State(), own)
		v.Planes[p].Hide()
		row = append(row, v.Planes[p])
	}
	return row
}

// PlaneSizes implements panel.Screen.
func (v *Panel) PlaneSizes() (sizes [3]viewer.Pane) {
	for p, pane := range v.Planes {
		sizes[p] = pane.Pixels()
	}
	return sizes
}

// PlanesFramed implements panel.Screen: it shows new frames of the planes; frames that have not changed are
// not uploaded again.
func (v *Panel) PlanesFramed(frames [3]viewer.Frame) {
	for p, pane := range v.Planes {
		if pane.Frame() != frames[p] {
			pane.SetFrame(frames[p])
		}
	}
}

// planeCaptions returns the texts around the pictures of the planes. The first one names
// the patient.
func planeCaptions(s *session.Session, sizes [3]viewer.Pane, id identity) (out [3]sliceview.Caption) {
	series := s.Series()
	if series == nil {
		return out
	}
	shown, names := series.Volume, wording.Sides(s, id.hidden)
	name, detail := names[0], ""
	named := series
	based := wording.Compared(s)
	if base, run := s.Results.Base(); run {
		shown, detail = base.Run.Result, wording.Recipe(s, base.Run.Recipe)
	} else if other, compared := s.Results.Beside(); compared {
		named = wording.Acquired(other)
		shown, detail = other.Volume, wording.Summary(named, id.hidden)
	}
	if s.Screen.PlanesShowResult() {
		shown, name = s.Document().Run().Result, names[1]
		detail, named = wording.Recipe(s, s.Document().Run().Recipe), series
	} else if !based && !s.Screen.HoldsBefore() {
		detail = lang.L("until the volume is filtered")
	}
	state := s.State()
	for p := range out {
		cut, c := state.In(volume.Plane(p)), &out[p]
		c.Title = strings.ToUpper(lang.L(wording.Plane(volume.Plane(p)))) + ", " + name
		c.Detail, c.Letters, c.Unit = detail, cut.View().Letters, series.Volume.Unit
		w := state.Windows.Of(viewer.Denoised)
		window, value := id.only(windowLine, strings.TrimSpace(fmt.Sprintf("W %s  L %s  %s", wording.Short(w.Width), wording.Short(w.Center), wording.Window(w)))), ""
		if voxel, ok := state.Cursor(); ok && state.Overlay() == viewer.OverlayFull {
			facts, _ := s.Document().Facts()
			value = wording.Value(float64(shown.Data[shown.Index(voxel[0], voxel[1], voxel[2])]), float64(facts.Hi)-float64(facts.Lo), series.Volume.Unit, false)
			c.Place = id.only(placeLine, wording.Position(series.Volume.Affine.Apply(float64(voxel[0]), float64(voxel[1]), float64(voxel[2]))))
		}
		c.Corner = id.foot(state.Overlay(), cut, wording.Zoom(cut, sizes[p]), window, cut.Index(), value)
	}
	role := viewer.Original
	if s.Screen.PlanesShowResult() {
		role = viewer.Denoised
	}
	for p := range out {
		out[p].Marks = marksOf(s, s.Marks.In(volume.Plane(p)), role, state.In(volume.Plane(p)).View())
	}
	out[0].Who, out[0].How = id.who(named), id.how(named)
	return out
}
