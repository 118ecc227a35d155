// Package screen draws the pictures of the panes and of the planes.
package screen

import (
	"slices"
	"time"

	"quell/denoise"
	"quell/ui/language"
	"quell/ui/newest"
	"quell/ui/session/desk"
	"quell/ui/session/measures"
	"quell/ui/session/preview"
	"quell/ui/session/results"
	"quell/ui/viewer"
	"quell/volume"
)

// Screen draws the pictures.
type Screen struct {
	desk       *desk.Desk
	preview    *preview.Preview
	measures   *measures.Measures
	structures *measures.Structures
	results    *results.Results

	renderer viewer.Renderer
	frames   newest.Worker[viewer.Job, drawn]
	planes   *planes
	last     *viewer.Picture // the newest with a result; nil before
	settled  *viewer.Picture // the newest with a fine result; nil before
	kept     *viewer.Picture // of another slice, in the panes of the result; nil for none

	holdBefore bool
	relativeOf *volume.Volume // of relative; nil before
	relative   []volume.Window
}

// drawn is one set of frames, or why there is none.
type drawn struct {
	picture *viewer.Picture
	kept    *viewer.Picture // that the panes of the result show instead; nil for none
	frames  [viewer.Roles]viewer.Frame
	err     error
}

// New returns the screen of a desk.
func New(d *desk.Desk, p *preview.Preview, ms *measures.Measures, sx *measures.Structures, rs *results.Results) *Screen {
	sc := &Screen{desk: d, preview: p, measures: ms, structures: sx, results: rs, planes: newPlanes(d)}
	sc.frames = newest.Worker[viewer.Job, drawn]{
		Go: d.Go, Do: d.Do,
		Work: func(job viewer.Job) (out drawn) {
			out.err = d.Protect(func() error {
				out.picture, out.frames = sc.renderer.Render(job)
				out.kept = job.Last
				return nil
			})
			return out
		},
		Done: sc.framed,
	}
	d.Draw = sc.Redraw
	d.OnClear(func() {
		sc.kept, sc.last, sc.settled = nil, nil, nil
		sc.relativeOf, sc.relative = nil, nil
	})
	return sc
}

// Picture returns the slice on the screen, or nil.
func (sc *Screen) Picture() *viewer.Picture { return sc.desk.Picture }

// Kept returns the picture of another slice that stays in the panes of the result until
// the slice on the screen has one; nil if that has been drawn, or none is coming.
func (sc *Screen) Kept() *viewer.Picture {
	if next := sc.keeps(); next != nil {
		return next
	}
	return sc.kept
}

// keeps returns what the next frame keeps.
func (sc *Screen) keeps() *viewer.Picture {
	_, _, status := sc.preview.Shown()
	if sc.desk.Unfiltered() || status != preview.Waiting || !sc.preview.Running() || !sc.preview.Auto() || sc.last == nil || sc.last.View != sc.desk.State.Cut().View() || sc.last.Base != sc.desk.BaseVolume() {
		return nil
	}
	return sc.last
}

// Settled returns the picture that plots show: that on the screen, or the last before it
// that is no coarse one while a preview is coming.
func (sc *Screen) Settled() *viewer.Picture {
	_, _, status := sc.preview.Shown()
	if (status == preview.Coarse || sc.Kept() != nil) && sc.settled != nil && sc.settled.View == sc.desk.State.Cut().View() {
		return sc.settled
	}
	return sc.desk.Picture
}

// HoldBefore shows the original in the denoised pane while on is true.
func (sc *Screen) HoldBefore(on bool) {
	if sc.holdBefore != on {
		sc.holdBefore = on
		sc.Redraw()
		sc.desk.Changed()
	}
}

// HoldsBefore says whether the denoised pane shows the original.
func (sc *Screen) HoldsBefore() bool { return sc.holdBefore }

// Drawing says whether new frames are on their way. Changed is called when they are there.
func (sc *Screen) Drawing() bool { return sc.frames.Busy() }

// Await shows the frames that are on their way before it returns, unless it is late
// before they are drawn.
func (sc *Screen) Await(late <-chan time.Time) { sc.frames.Await(late) }

// Redraw requests new frames.
func (sc *Screen) Redraw() {
	if sc.desk.Doc == nil {
		return
	}
	job := sc.job()
	sc.frames.Request(job)
	sc.planes.draw(job, sc.PlanesShowResult())
}

// Cine returns the pictures of all slices as the panes show them, without the residual if inset says that it lies over another
// pane; nil if nothing is shown.
func (sc *Screen) Cine(inset bool) *viewer.Cine {
	if sc.desk.Doc == nil {
		return nil
	}
	job := sc.job()
	job.Before = false
	job.Panes[viewer.Residual].Hidden = job.Panes[viewer.Residual].Hidden || inset
	if tint := job.Tints[viewer.Residual]; tint != nil && tint.Part { // of the slice on the screen
		job.Tints[viewer.Residual] = nil
	}
	return viewer.NewCine(job)
}

// job is what the panes show now.
func (sc *Screen) job() viewer.Job {
	result, part, _ := sc.preview.Shown()
	if sc.desk.Unfiltered() {
		result, part = sc.desk.Doc.Series().Volume, false
	}
	state, cut := sc.desk.State, sc.desk.State.Cut()
	facts, _ := sc.desk.Doc.Facts()
	return viewer.Job{
		Source: sc.desk.Doc.Series().Volume, View: cut.View(), Index: cut.Index(),
		Base: sc.desk.BaseVolume(), Other: sc.desk.Other(), Result: result, Part: part, Last: sc.keeps(), Compare: state.Comparison(), Lens: state.Lens(),
		Zoom: cut.Zoom(), Pan: cut.Pan(),
		Window: state.Windows.Of(viewer.Original), Second: state.Windows.Second(), Invert: state.Windows.Inverted(),
		Limit: sc.limit(facts), Pixelated: state.Pixelated(),
		Before: sc.holdBefore, Tints: sc.tints(result), Panes: sc.desk.Panes(),
	}
}

// limit returns the scale of the residual: a multiple of the noise. The difference to another series is more than
// noise, and has the scale of the window.
func (sc *Screen) limit(facts denoise.Facts) float64 {
	sigmas := sc.desk.State.Windows.Sigmas()
	if sc.desk.Other() {
		return sigmas / viewer.DefaultSigmas * sc.desk.State.Windows.Of(viewer.Denoised).Width / 2
	}
	return sigmas * facts.Noise.Sigma
}

// framed takes new frames, on the UI goroutine; frames of a previous series are
// dropped.
func (sc *Screen) framed(d drawn) {
	if d.err != nil { // a dialog for every frame would block the view
		sc.desk.Tasks.Say(language.Error(d.err))
		sc.preview.Release()
		sc.desk.Changed()
		return
	}
	if sc.desk.Doc == nil || d.picture.Source != sc.desk.Doc.Series().Volume {
		sc.renderer.Discard()
		sc.desk.Changed()
		return
	}
	sc.desk.Picture, sc.kept = d.picture, d.kept
	if sc.desk.Picture.Result != nil && !sc.desk.Picture.Unfiltered() {
		sc.last = sc.desk.Picture
		if _, fine := sc.preview.MadeBy(sc.desk.Picture); fine {
			sc.settled = sc.desk.Picture
		}
	}
	if sc.desk.IsAsked(sc.desk.Picture) {
		sc.preview.Release()
	}
	sc.measures.Want()
	sc.desk.Framed(d.picture, d.frames)
	sc.desk.Collect(false)
}

// tints returns the layers over the pictures of a result.
func (sc *Screen) tints(result *volume.Volume) (tints [viewer.Roles]*viewer.Tint) {
	if sc.desk.Noise.Shown && sc.desk.BaseVolume() == nil {
		tints[viewer.Original] = sc.desk.Noise.Tint
	}
	if sc.structures.Marked() && sc.desk.BaseVolume() == nil {
		if found := sc.structures.Here(); found != nil && sc.desk.Picture.Result == result {
			tints[viewer.Residual] = found.Tint
		}
	}
	return tints
}

// OwnWindow returns the window width and level stored in the series; a width of
// 0 if it has none.
func (sc *Screen) OwnWindow() volume.Window {
	if series := sc.desk.Series(); series != nil && len(series.Windows) > 0 {
		return series.Windows[0]
	}
	return volume.Window{}
}

// WindowPresets returns the windows that suit the series: the windows of CT, or
// else by percentiles of its voxels.
func (sc *Screen) WindowPresets() []volume.Window {
	if sc.desk.Doc == nil {
		return nil
	}
	of := sc.desk.Series()
	if ct := volume.Presets(of.Modality); ct != nil {
		return ct
	}
	if sc.relativeOf != of.Volume {
		sc.relativeOf, sc.relative = of.Volume, volume.RelativeWindows(of.Volume)
	}
	return slices.Clone(sc.relative)
}

// PlanesShowResult says whether the planes show the denoised volume. Until the whole volume
// has been filtered with the current recipe, or while Space is held, they show side A.
func (sc *Screen) PlanesShowResult() bool {
	_, _, status := sc.preview.Shown()
	return status == preview.Whole && !sc.holdBefore && !sc.desk.Unfiltered()
}
