// Package preview filters the slice on the screen while the recipe changes, and its neighbours
// ahead.
package preview

import (
	"errors"
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app/engines"
	"quell/app/workbench"
	"quell/denoise"
	"quell/ui/language"
	"quell/ui/session/desk"
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
type previews []workbench.Preview

// find returns the newest preview of the requested slice: with the requested
// recipe (exact), or else with any recipe.
func (ps previews) find(q workbench.PreviewRequest) (p workbench.Preview, exact, ok bool) {
	for i := len(ps) - 1; i >= 0; i-- {
		r := ps[i].Request
		if r.Series != q.Series || r.Plane != q.Plane || r.Index != q.Index {
			continue
		}
		if desk.SameRequest(r, q) {
			return ps[i], true, true
		}
		if !ok {
			p, ok = ps[i], true
		}
	}
	return p, false, ok
}

func (ps *previews) add(p workbench.Preview) {
	*ps = append(*ps, p)
	if extra := len(*ps) - previewLimit; extra > 0 {
		*ps = append(previews(nil), (*ps)[extra:]...)
	}
}

// Preview filters the slice on the screen, and its neighbours.
type Preview struct {
	Measuring Measuring

	desk      *desk.Desk
	previewer *workbench.Previewer
	kept      desk.Slot[previews]
	coarse    *workbench.Preview        // of the slice asked for; nil before
	asked     *workbench.PreviewRequest // the newest request that is not answered yet
	held      bool                      // asked is not filtered yet: the original comes first
	ahead     ahead
	failed    *workbench.PreviewRequest // the request that failed, so that it is not repeated
	failure   error
	auto      bool
}

// Settled returns the picture on the screen if it shows the finished result of the current recipe, else false.
func (pv *Preview) Settled() (*viewer.Picture, bool) {
	p := pv.desk.Picture
	if pv.desk.Doc == nil || p == nil || p.Result == nil || !pv.desk.IsAsked(p) {
		return nil, false
	}
	result, _, status := pv.Shown()
	return p, result == p.Result && (status == Slice || status == Whole)
}

// Measuring is the work on the numbers of the slice on the screen, which previews come before.
type Measuring struct {
	Stop  func()                           // the measurement in progress
	Want  func()                           // asks for the numbers of the slice on the screen, if it has none
	Known func(result *volume.Volume) bool // says whether a result on the screen is measured
	Idle  func()                           // is called after a slice was filtered ahead
}

// New returns the previews of a desk. Measuring has to be set before the first.
func New(d *desk.Desk) *Preview {
	pv := &Preview{desk: d, kept: desk.Slot[previews]{OfVoxels: true}, auto: true}
	pv.previewer = workbench.NewPreviewer(d.Engine, func(p workbench.Preview) {
		d.Do(func() { pv.answered(p) })
	})
	d.OnClear(func() {
		pv.previewer.Cancel()
		pv.coarse, pv.asked, pv.failed = nil, nil, nil
		pv.held, pv.ahead = false, ahead{}
	})
	return pv
}

// Close ends the previewer.
func (pv *Preview) Close() { pv.previewer.Close() }

// Wait blocks until no slice is being filtered.
func (pv *Preview) Wait() { pv.previewer.Wait() }

// SetEngine changes the engine; what the last one failed at may be asked for again.
func (pv *Preview) SetEngine(e denoise.Engine) {
	pv.failed = nil
	pv.previewer.SetEngine(e)
}

// Shown returns what the denoised pane shows: a volume, or if part is true only the
// slice that is viewed. The result is nil if there is none yet.
func (pv *Preview) Shown() (result *volume.Volume, part bool, status Status) {
	if pv.desk.Doc == nil {
		return nil, false, Waiting
	}
	return pv.ResultOn(pv.desk.Request())
}

// ResultOn is shown for the slice of any request with the current recipe.
func (pv *Preview) ResultOn(q workbench.PreviewRequest) (result *volume.Volume, part bool, status Status) {
	run := pv.desk.Doc.Run()
	if pv.desk.Made(run) {
		return run.Result, false, Whole
	}
	p, exact, ok := pv.kept.Of(pv.desk.Document).find(q)
	switch {
	case exact:
		return p.Part, true, Slice
	case pv.coarse != nil && desk.SameRequest(pv.coarse.Request, q):
		return pv.coarse.Part, true, Coarse
	case ok:
		return p.Part, true, Stale
	case run != nil:
		return run.Result, false, Stale
	}
	return nil, false, Waiting
}

// Recipe returns the recipe of the picture in the denoised pane and its
// status; ok is false if there is no result yet.
func (pv *Preview) Recipe() (r denoise.Recipe, status Status, ok bool) {
	_, part, status := pv.Shown()
	switch {
	case status == Waiting:
		return r, status, false
	case status == Coarse:
		return pv.desk.Recipe, status, true
	case part:
		p, _, _ := pv.kept.Of(pv.desk.Document).find(pv.desk.Request())
		return p.Request.Recipe, status, true
	}
	return pv.desk.Doc.Run().Recipe, status, true
}

// Resolved returns the current recipe, with its numbers if the slice on the screen was filtered by it.
func (pv *Preview) Resolved() (denoise.Recipe, error) {
	if p, exact, _ := pv.kept.Of(pv.desk.Document).find(pv.desk.Request()); exact {
		return p.Resolved()
	}
	return pv.desk.Recipe, nil
}

// Running says whether a preview of the slice on the screen is in progress.
func (pv *Preview) Running() bool { return pv.asked != nil }

// Held says whether a preview waits until the original of its slice is drawn.
func (pv *Preview) Held() bool { return pv.held }

// Kept returns how many previews of the current voxels are kept.
func (pv *Preview) Kept() int { return len(*pv.kept.Of(pv.desk.Document)) }

// Text returns the state of the newest preview in words; problem says that it is an error.
func (pv *Preview) Text() (text string, problem bool) {
	switch {
	case pv.desk.Doc == nil:
		return "", false
	case pv.failed != nil && desk.SameRequest(*pv.failed, pv.desk.Request()):
		return language.Error(pv.failure), true
	case pv.asked != nil:
		return fmt.Sprintf(lang.L("Filtering slice %d …"), pv.asked.Index+1), false
	}
	if p, exact, _ := pv.kept.Of(pv.desk.Document).find(pv.desk.Request()); exact {
		return fmt.Sprintf(lang.L("Slice %d took %s."), p.Request.Index+1, language.Duration(p.Took)), false
	}
	return "", false
}

// Auto says whether every change of the recipe or slice is previewed.
func (pv *Preview) Auto() bool { return pv.auto }

// SetAuto switches automatic previews on or off.
func (pv *Preview) SetAuto(on bool) {
	pv.auto = on
	pv.desk.ViewChanged()
}

// Start filters the slice on the screen now.
func (pv *Preview) Start() {
	if pv.desk.Doc != nil {
		pv.ask()
		pv.desk.Changed()
	}
}

// Want requests a preview if the slice on the screen needs one, and cancels a
// preview of another slice or recipe.
func (pv *Preview) Want() {
	if pv.desk.Doc == nil {
		return
	}
	if _, known := pv.desk.Doc.Facts(); !known {
		return
	}
	q := pv.desk.Request()
	pv.ahead.follow(q)
	if pv.asked != nil && desk.SameRequest(*pv.asked, q) || pv.failed != nil && desk.SameRequest(*pv.failed, q) {
		return
	}
	_, _, status := pv.Shown()
	if pv.auto && (status == Waiting || status == Stale || status == Coarse) {
		pv.ask()
		return
	}
	if pv.asked != nil {
		pv.previewer.Cancel()
		pv.asked, pv.held = nil, false
	}
	pv.FilterAhead()
}

// ask asks for a preview of the slice on the screen. If its original is not there
// yet, that is drawn first, with all cores.
func (pv *Preview) ask() {
	q := pv.desk.Request()
	pv.Measuring.Stop()
	pv.asked, pv.failed, pv.coarse, pv.held = &q, nil, nil, false
	switch {
	case pv.ahead.takes(q): // it is being filtered already
	case pv.auto && (pv.desk.Picture == nil || !pv.desk.IsAsked(pv.desk.Picture)):
		pv.previewer.Cancel()
		pv.held = true
	default:
		pv.previewer.Request(q)
	}
	pv.ahead.running = nil
}

// Release filters the slice asked for, with its original on the screen now.
func (pv *Preview) Release() {
	if pv.held {
		pv.held = false
		pv.previewer.Request(*pv.asked)
	}
}

// MadeBy returns the request that made the result in a picture; false if the
// result is not kept any more.
func (pv *Preview) MadeBy(p *viewer.Picture) (q workbench.PreviewRequest, ok bool) {
	for _, r := range pv.desk.Results {
		if r.Run.Result == p.Result {
			q = pv.desk.Request()
			q.Recipe, q.Maps, q.Plane, q.Index = r.Run.Recipe, r.Run.Maps, p.View.Plane, p.Index
			q.Facts = pv.desk.FactsUnder(r.Run.Maps)
			return q, true
		}
	}
	for _, preview := range *pv.kept.Of(pv.desk.Document) {
		if preview.Part == p.Result {
			return preview.Request, true
		}
	}
	return q, false
}

// answered takes the previewer's answer, on the UI goroutine. An answer to an
// older request than the newest is dropped.
func (pv *Preview) answered(p workbench.Preview) {
	if p.Generation != pv.previewer.Latest() || pv.desk.Doc == nil {
		return
	}
	if pv.ahead.running != nil {
		pv.filteredAhead(p)
		return
	}
	if p.Coarse {
		pv.coarse = &p
		pv.desk.Draw()
		pv.desk.Changed()
		return
	}
	pv.asked, pv.coarse = nil, nil
	if p.Err != nil {
		pv.desk.ReportPanic(p.Err)
		pv.failed, pv.failure = &p.Request, p.Err
		pv.desk.Draw() // without what was kept
		pv.Measuring.Want()
		pv.desk.Changed()
		// One question per failure of the engine: the next is asked after a success.
		if errors.Is(p.Err, engines.ErrFailed) && pv.desk.Retry == nil {
			pv.desk.Retry = pv.Start
			pv.desk.Failed(p.Err)
		}
		return
	}
	pv.desk.Retry = nil
	pv.kept.Of(pv.desk.Document).add(p)
	pv.FilterAhead()
	pv.desk.Draw()
	pv.desk.Changed()
}

// Ahead says whether a slice that is not on the screen is being filtered, and whether the numbers
// of the one that is wait for it.
func (pv *Preview) Ahead() (running, first bool) {
	return pv.ahead.running != nil, pv.ahead.running != nil && pv.ahead.scrolled
}

// FilterAhead filters the next neighbour of the slice on the screen, if that one is previewed by
// the current recipe and nothing else is in progress; else it ends what it has begun.
func (pv *Preview) FilterAhead() {
	result, _, status := pv.Shown()
	if pv.auto && status == Slice && pv.desk.Recipe.SeriesFilter() == nil && !pv.desk.Tasks.Busy() && (pv.ahead.scrolled || pv.Measuring.Known(result)) {
		for _, step := range pv.ahead.steps() {
			q := pv.desk.Request()
			q.Index, q.Ahead = q.Index+step, true
			_, exact, _ := pv.kept.Of(pv.desk.Document).find(q)
			if exact || q.Index < 0 || q.Index >= pv.desk.State.Cut().View().Size[2] || pv.ahead.failed != nil && desk.SameRequest(*pv.ahead.failed, q) {
				continue
			}
			if !pv.ahead.takes(q) {
				pv.ahead.running = &q
				pv.previewer.Request(q)
			}
			return
		}
	}
	if pv.ahead.running != nil {
		pv.previewer.Cancel()
		pv.ahead.running = nil
	}
}

// filteredAhead keeps the preview of a slice that is not on the screen. Its error is shown
// when that slice is asked for.
func (pv *Preview) filteredAhead(p workbench.Preview) {
	pv.ahead.running = nil
	defer pv.Measuring.Idle()
	if p.Err != nil {
		pv.desk.ReportPanic(p.Err)
		pv.ahead.failed = &p.Request
		pv.Measuring.Want()
		return
	}
	pv.kept.Of(pv.desk.Document).add(p)
	pv.FilterAhead()
	pv.Measuring.Want()
}

// ahead filters the neighbours of the slice on the screen while nothing else is asked
// for: first the next in the direction in which the user scrolled last. When the user
// scrolls they come before the numbers of the slice, which take long; when the recipe
// changes they come after them. The zero value has not begun.
type ahead struct {
	running *workbench.PreviewRequest // in progress; nil for none
	failed  *workbench.PreviewRequest // the last that failed, which is not repeated

	at        workbench.PreviewRequest // what the screen showed last
	scrolled  bool                     // the last change was a change of the slice
	backwards bool                     // to a lower index
}

// takes says whether a request is in progress already.
func (a *ahead) takes(q workbench.PreviewRequest) bool {
	return a.running != nil && desk.SameRequest(*a.running, q)
}

// follow notes what the screen shows.
func (a *ahead) follow(q workbench.PreviewRequest) {
	if q.Plane == a.at.Plane && q.Index != a.at.Index {
		a.scrolled, a.backwards = true, q.Index < a.at.Index
	} else if !q.Recipe.Equal(a.at.Recipe) {
		a.scrolled = false
	}
	a.at = q
}

// steps returns the way to the next slices.
func (a *ahead) steps() [2]int {
	if a.backwards {
		return [2]int{-1, 1}
	}
	return [2]int{1, -1}
}
