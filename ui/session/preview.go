package session

import (
	"errors"
	"fmt"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/ui/language"
	"quell/ui/viewer"
	"quell/volume"
)

// Status says whether the denoised picture belongs to the current recipe.
type Status int

// The states of the denoised picture.
const (
	Waiting Status = iota // this slice has not been filtered yet
	Stale                 // it was made with another recipe
	Coarse                // it was made with the coarse form of the current recipe, for this slice alone
	Slice                 // it was made with the current recipe, for this slice alone
	Whole                 // the whole volume was filtered with the current recipe
)

// previewLimit bounds the previews that are kept for scrolling back.
const previewLimit = 24

// previews holds the previews of the current voxels, newest last.
type previews []app.Preview

// find returns the newest preview of the requested slice: with the requested
// recipe (exact), or else with any recipe.
func (ps previews) find(q app.PreviewRequest) (p app.Preview, exact, ok bool) {
	for i := len(ps) - 1; i >= 0; i-- {
		r := ps[i].Request
		if r.Series != q.Series || r.Plane != q.Plane || r.Index != q.Index {
			continue
		}
		if sameRequest(r, q) {
			return ps[i], true, true
		}
		if !ok {
			p, ok = ps[i], true
		}
	}
	return p, false, ok
}

func (ps previews) add(p app.Preview) previews {
	ps = append(ps, p)
	if extra := len(ps) - previewLimit; extra > 0 {
		ps = append(previews(nil), ps[extra:]...)
	}
	return ps
}

// Preview filters the slice on the screen, and those beside it.
type Preview struct {
	s         *Session
	previewer *app.Previewer
	coarse    *app.Preview        // of the slice asked for; nil before
	asked     *app.PreviewRequest // the newest request that is not answered yet
	held      bool                // asked is not filtered yet: the original comes first
	ahead     ahead
	failed    *app.PreviewRequest // the request that failed, so that it is not repeated
	failure   error
	auto      bool
}

// request describes the slice on the screen and the current recipe.
func (tu *Tuning) request() app.PreviewRequest {
	return app.PreviewRequest{
		Series: tu.s.doc.Series(), Recipe: tu.s.recipe, Maps: tu.s.steering.maps, Facts: tu.factsUnder(tu.s.steering.maps),
		Plane: tu.s.state.View().Plane, Index: tu.s.state.Index(),
	}
}

// shown returns what the denoised pane shows: a volume, or where part is true
// only the slice that is viewed. The result is nil where there is none yet.
func (pv *Preview) shown() (result *volume.Volume, part bool, status Status) {
	if pv.s.doc == nil {
		return nil, false, Waiting
	}
	return pv.resultOn(pv.s.Tuning.request())
}

// resultOn is shown for the slice of any request with the current recipe.
func (pv *Preview) resultOn(q app.PreviewRequest) (result *volume.Volume, part bool, status Status) {
	run := pv.s.doc.Run()
	if pv.s.Tuning.made(run) {
		return run.Result, false, Whole
	}
	p, exact, ok := pv.s.previews.find(q)
	switch {
	case exact:
		return p.Part, true, Slice
	case pv.coarse != nil && sameRequest(pv.coarse.Request, q):
		return pv.coarse.Part, true, Coarse
	case ok:
		return p.Part, true, Stale
	case run != nil:
		return run.Result, false, Stale
	}
	return nil, false, Waiting
}

// Recipe returns the recipe of the picture in the denoised pane and its
// status; ok is false where there is no result yet.
func (pv *Preview) Recipe() (r denoise.Recipe, status Status, ok bool) {
	_, part, status := pv.shown()
	switch {
	case status == Waiting:
		return r, status, false
	case status == Coarse:
		return pv.s.recipe, status, true
	case part:
		p, _, _ := pv.s.previews.find(pv.s.Tuning.request())
		return p.Request.Recipe, status, true
	}
	return pv.s.doc.Run().Recipe, status, true
}

// Running says whether a preview of the slice on the screen is in progress.
func (pv *Preview) Running() bool { return pv.asked != nil }

// Text returns the state of the newest preview in words; problem says
// that it is an error.
func (pv *Preview) Text() (text string, problem bool) {
	switch {
	case pv.s.doc == nil:
		return "", false
	case pv.failed != nil && sameRequest(*pv.failed, pv.s.Tuning.request()):
		return language.Sentence(pv.failure.Error()), true
	case pv.asked != nil:
		return fmt.Sprintf(lang.L("Filtering slice %d …"), pv.asked.Index+1), false
	}
	if p, exact, _ := pv.s.previews.find(pv.s.Tuning.request()); exact {
		return fmt.Sprintf(lang.L("Slice %d took %s."), p.Request.Index+1, Duration(p.Took)), false
	}
	return "", false
}

// Duration writes a duration with about two significant digits.
func Duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return language.Sprintf("%.1f min", d.Minutes())
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return language.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// Auto says whether every change of the recipe or slice is previewed.
func (pv *Preview) Auto() bool { return pv.auto }

// SetAuto switches automatic previews on or off.
func (pv *Preview) SetAuto(on bool) {
	pv.auto = on
	pv.s.viewChanged()
}

// Start filters the slice on the screen now.
func (pv *Preview) Start() {
	if pv.s.doc != nil {
		pv.ask()
		pv.s.listener.Changed()
	}
}

// want requests a preview where the slice on the screen needs one, and
// cancels a preview of another slice or recipe.
func (pv *Preview) want() {
	if pv.s.doc == nil {
		return
	}
	if _, known := pv.s.doc.Facts(); !known {
		return
	}
	q := pv.s.Tuning.request()
	pv.ahead.follow(q)
	if pv.asked != nil && sameRequest(*pv.asked, q) || pv.failed != nil && sameRequest(*pv.failed, q) {
		return
	}
	_, _, status := pv.shown()
	if pv.auto && (status == Waiting || status == Stale || status == Coarse) {
		pv.ask()
		return
	}
	if pv.asked != nil {
		pv.previewer.Cancel()
		pv.asked, pv.held = nil, false
	}
	pv.filterAhead()
}

func sameRequest(a, b app.PreviewRequest) bool {
	return a.Series == b.Series && a.Plane == b.Plane && a.Index == b.Index && a.Recipe.Equal(b.Recipe) && a.Maps.Noise == b.Maps.Noise && sameNoise(a.Facts, b.Facts)
}

// ask asks for a preview of the slice on the screen. Where its original is not
// there yet, that is drawn first, with all cores.
func (pv *Preview) ask() {
	q := pv.s.Tuning.request()
	pv.s.Measures.slice.stop()
	pv.asked, pv.failed, pv.coarse, pv.held = &q, nil, nil, false
	switch {
	case pv.ahead.takes(q): // it is being filtered already
	case pv.auto && (pv.s.Screen.picture == nil || !pv.s.Screen.isAsked(pv.s.Screen.picture)):
		pv.previewer.Cancel()
		pv.held = true
	default:
		pv.previewer.Request(q)
	}
	pv.ahead.running = nil
}

// release filters the slice asked for whose original is on the screen now.
func (pv *Preview) release() {
	if pv.held {
		pv.held = false
		pv.previewer.Request(*pv.asked)
	}
}

// Kept returns the picture of another slice that stays in the panes of the result until
// the slice on the screen has one; nil where that has been drawn, or none is coming.
func (sc *Screen) Kept() *viewer.Picture {
	if next := sc.keeps(); next != nil {
		return next
	}
	return sc.kept
}

// keeps returns what the next frame keeps.
func (sc *Screen) keeps() *viewer.Picture {
	_, _, status := sc.s.Preview.shown()
	if status != Waiting || sc.s.Preview.asked == nil || !sc.s.Preview.auto || sc.last == nil || sc.last.View != sc.s.state.View() || sc.last.Base != sc.s.Results.baseVolume() {
		return nil
	}
	return sc.last
}

// Settled returns the picture that plots show: that on the screen, or the last before it
// that is no coarse one while a preview is coming.
func (sc *Screen) Settled() *viewer.Picture {
	_, _, status := sc.s.Preview.shown()
	if (status == Coarse || sc.Kept() != nil) && sc.settled != nil && sc.settled.View == sc.s.state.View() {
		return sc.settled
	}
	return sc.picture
}

// answered takes the previewer's answer, on the UI goroutine. An answer to an
// older request than the newest is dropped.
func (pv *Preview) answered(p app.Preview) {
	if p.Generation != pv.previewer.Latest() || pv.s.doc == nil {
		return
	}
	if pv.ahead.running != nil {
		pv.filteredAhead(p)
		return
	}
	if p.Coarse {
		pv.coarse = &p
		pv.s.Screen.draw()
		pv.s.listener.Changed()
		return
	}
	pv.asked, pv.coarse = nil, nil
	if p.Err != nil {
		pv.s.reportPanic(p.Err)
		pv.failed, pv.failure = &p.Request, p.Err
		pv.s.Screen.draw() // without what was kept
		pv.s.Measures.want()
		pv.s.listener.Changed()
		// One question per failure of the engine: the next is asked after a success.
		if errors.Is(p.Err, app.ErrEngineFailed) && pv.s.retry == nil {
			pv.s.retry = pv.Start
			pv.s.listener.Failed(p.Err)
		}
		return
	}
	pv.s.retry = nil
	pv.s.previews = pv.s.previews.add(p)
	pv.filterAhead()
	pv.s.Screen.draw()
	pv.s.listener.Changed()
}
