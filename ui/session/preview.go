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

// request describes the slice on the screen and the current recipe.
func (s *Session) request() app.PreviewRequest {
	return app.PreviewRequest{
		Series: s.doc.Series(), Recipe: s.recipe, Maps: s.steering.maps, Facts: s.factsUnder(s.steering.maps),
		Plane: s.state.View().Plane, Index: s.state.Index(),
	}
}

// shown returns what the denoised pane shows: a volume, or where part is true
// only the slice that is viewed. The result is nil where there is none yet.
func (s *Session) shown() (result *volume.Volume, part bool, status Status) {
	if s.doc == nil {
		return nil, false, Waiting
	}
	return s.resultOn(s.request())
}

// resultOn is shown for the slice of any request with the current recipe.
func (s *Session) resultOn(q app.PreviewRequest) (result *volume.Volume, part bool, status Status) {
	run := s.doc.Run()
	if s.made(run) {
		return run.Result, false, Whole
	}
	p, exact, ok := s.previews.find(q)
	switch {
	case exact:
		return p.Part, true, Slice
	case s.coarse != nil && sameRequest(s.coarse.Request, q):
		return s.coarse.Part, true, Coarse
	case ok:
		return p.Part, true, Stale
	case run != nil:
		return run.Result, false, Stale
	}
	return nil, false, Waiting
}

// ShownRecipe returns the recipe of the picture in the denoised pane and its
// status; ok is false where there is no result yet.
func (s *Session) ShownRecipe() (r denoise.Recipe, status Status, ok bool) {
	_, part, status := s.shown()
	switch {
	case status == Waiting:
		return r, status, false
	case status == Coarse:
		return s.recipe, status, true
	case part:
		p, _, _ := s.previews.find(s.request())
		return p.Request.Recipe, status, true
	}
	return s.doc.Run().Recipe, status, true
}

// Previewing says whether a preview of the slice on the screen is in progress.
func (s *Session) Previewing() bool { return s.asked != nil }

// PreviewText returns the state of the newest preview in words; problem says
// that it is an error.
func (s *Session) PreviewText() (text string, problem bool) {
	switch {
	case s.doc == nil:
		return "", false
	case s.failed != nil && sameRequest(*s.failed, s.request()):
		return language.Sentence(s.failure.Error()), true
	case s.asked != nil:
		return fmt.Sprintf(lang.L("Filtering slice %d …"), s.asked.Index+1), false
	}
	if p, exact, _ := s.previews.find(s.request()); exact {
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

// AutoPreview says whether every change of the recipe or slice is previewed.
func (s *Session) AutoPreview() bool { return s.autoPreview }

// SetAutoPreview switches automatic previews on or off.
func (s *Session) SetAutoPreview(on bool) {
	s.autoPreview = on
	s.viewChanged()
}

// Preview filters the slice on the screen now.
func (s *Session) Preview() {
	if s.doc != nil {
		s.requestPreview()
		s.listener.Changed()
	}
}

// wantPreview requests a preview where the slice on the screen needs one, and
// cancels a preview of another slice or recipe.
func (s *Session) wantPreview() {
	if s.doc == nil {
		return
	}
	if _, known := s.doc.Facts(); !known {
		return
	}
	q := s.request()
	s.ahead.follow(q)
	if s.asked != nil && sameRequest(*s.asked, q) || s.failed != nil && sameRequest(*s.failed, q) {
		return
	}
	_, _, status := s.shown()
	if s.autoPreview && (status == Waiting || status == Stale || status == Coarse) {
		s.requestPreview()
		return
	}
	if s.asked != nil {
		s.previewer.Cancel()
		s.asked, s.held = nil, false
	}
	s.filterAhead()
}

func sameRequest(a, b app.PreviewRequest) bool {
	return a.Series == b.Series && a.Plane == b.Plane && a.Index == b.Index && a.Recipe.Equal(b.Recipe) && a.Maps.Noise == b.Maps.Noise && sameNoise(a.Facts, b.Facts)
}

// requestPreview asks for a preview of the slice on the screen. Where its original is not
// there yet, that is drawn first, with all cores.
func (s *Session) requestPreview() {
	q := s.request()
	s.slice.stop()
	s.asked, s.failed, s.coarse, s.held = &q, nil, nil, false
	switch {
	case s.ahead.takes(q): // it is being filtered already
	case s.autoPreview && (s.picture == nil || !s.isAsked(s.picture)):
		s.previewer.Cancel()
		s.held = true
	default:
		s.previewer.Request(q)
	}
	s.ahead.running = nil
}

// release filters the slice asked for whose original is on the screen now.
func (s *Session) release() {
	if s.held {
		s.held = false
		s.previewer.Request(*s.asked)
	}
}

// Kept returns the picture of another slice that stays in the panes of the result until
// the slice on the screen has one; nil where that has been drawn, or none is coming.
func (s *Session) Kept() *viewer.Picture {
	if next := s.keeps(); next != nil {
		return next
	}
	return s.kept
}

// keeps returns what the next frame keeps.
func (s *Session) keeps() *viewer.Picture {
	_, _, status := s.shown()
	if status != Waiting || s.asked == nil || !s.autoPreview || s.last == nil || s.last.View != s.state.View() || s.last.Base != s.baseVolume() {
		return nil
	}
	return s.last
}

// Settled returns the picture that plots show: that on the screen, or the last before it
// that is no coarse one while a preview is coming.
func (s *Session) Settled() *viewer.Picture {
	_, _, status := s.shown()
	if (status == Coarse || s.Kept() != nil) && s.settled != nil && s.settled.View == s.state.View() {
		return s.settled
	}
	return s.picture
}

// previewed takes the previewer's answer, on the UI goroutine. An answer to an
// older request than the newest is dropped.
func (s *Session) previewed(p app.Preview) {
	if p.Generation != s.previewer.Latest() || s.doc == nil {
		return
	}
	if s.ahead.running != nil {
		s.filteredAhead(p)
		return
	}
	if p.Coarse {
		s.coarse = &p
		s.draw()
		s.listener.Changed()
		return
	}
	s.asked, s.coarse = nil, nil
	if p.Err != nil {
		s.reportPanic(p.Err)
		s.failed, s.failure = &p.Request, p.Err
		s.draw() // without what was kept
		s.wantMeasures()
		s.listener.Changed()
		// One question per failure of the engine: the next is asked after a success.
		if errors.Is(p.Err, app.ErrEngineFailed) && s.retry == nil {
			s.retry = s.Preview
			s.listener.Failed(p.Err)
		}
		return
	}
	s.retry = nil
	s.previews = s.previews.add(p)
	s.filterAhead()
	s.draw()
	s.listener.Changed()
}
