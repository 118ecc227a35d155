package session

import (
	"errors"
	"fmt"
	"time"

	"quell/app"
	"quell/denoise"
	"quell/volume"
)

// Status says how the denoised picture stands to the parameters.
type Status int

// The states of the denoised picture.
const (
	Waiting Status = iota // this slice was not filtered yet
	Stale                 // it was made with other parameters
	Slice                 // it matches; only this slice was filtered
	Whole                 // it matches, and so does every slice of the volume
)

// previewLimit bounds the previews that are kept for scrolling back.
const previewLimit = 24

// previews holds what was previewed, newest last.
type previews []app.Preview

// find returns the newest preview of a slice: of the recipe itself, or where
// there is none of any other.
func (ps previews) find(q app.PreviewRequest) (p app.Preview, exact, ok bool) {
	for i := len(ps) - 1; i >= 0; i-- {
		r := ps[i].Request
		if r.Series != q.Series || r.Plane != q.Plane || r.Index != q.Index {
			continue
		}
		if r.Recipe.Equal(q.Recipe) {
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

// request describes the slice on the screen with the recipe on the sliders.
func (s *Session) request() app.PreviewRequest {
	facts, _ := s.doc.Facts()
	return app.PreviewRequest{
		Series: s.doc.Series(), Recipe: s.recipe, Facts: facts,
		Plane: s.state.View().Plane, Index: s.state.Index(),
	}
}

// shown returns what stands in the denoised pane: a volume, or the part of one
// that the view shows, and how it stands to the parameters.
func (s *Session) shown() (result *volume.Volume, part bool, status Status) {
	if s.doc == nil {
		return nil, false, Waiting
	}
	run := s.doc.Run()
	if run != nil && run.Recipe.Equal(s.recipe) {
		return run.Result, false, Whole
	}
	p, exact, ok := s.previews.find(s.request())
	switch {
	case exact:
		return p.Part, true, Slice
	case ok:
		return p.Part, true, Stale
	case run != nil:
		return run.Result, false, Stale
	}
	return nil, false, Waiting
}

// ShownRecipe returns the recipe of the picture in the denoised pane and how it
// stands to the parameters; ok is false where there is none.
func (s *Session) ShownRecipe() (r denoise.Recipe, status Status, ok bool) {
	_, part, status := s.shown()
	switch {
	case status == Waiting:
		return r, status, false
	case part:
		p, _, _ := s.previews.find(s.request())
		return p.Request.Recipe, status, true
	}
	return s.doc.Run().Recipe, status, true
}

// Previewing says whether a preview of the slice on the screen is on its way.
func (s *Session) Previewing() bool { return s.asked != nil }

// PreviewText says what became of the newest preview; problem marks an error's
// sentence.
func (s *Session) PreviewText() (text string, problem bool) {
	switch {
	case s.doc == nil:
		return "", false
	case s.failed != nil && sameRequest(*s.failed, s.request()):
		return s.failure.Error(), true
	case s.asked != nil:
		return fmt.Sprintf("Filtering slice %d …", s.asked.Index+1), false
	}
	if p, exact, _ := s.previews.find(s.request()); exact {
		return fmt.Sprintf("Slice %d took %s.", p.Request.Index+1, Duration(p.Took)), false
	}
	return "", false
}

// Duration writes a duration with two digits that mean something.
func Duration(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return fmt.Sprintf("%.1f min", d.Minutes())
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}

// Recipe returns the recipe on the sliders.
func (s *Session) Recipe() denoise.Recipe { return s.recipe }

// Resolved returns the recipe with its automatic values found; the recipe
// itself where they cannot be, and why.
func (s *Session) Resolved() (denoise.Recipe, error) {
	if s.doc == nil {
		return s.recipe, nil
	}
	facts, known := s.doc.Facts()
	if !known {
		return s.recipe, nil
	}
	r, err := s.recipe.Resolve(s.doc.Series().Volume.Geometry, facts)
	if err != nil {
		return s.recipe, err
	}
	return r, nil
}

// SetRecipe tunes. While a slider moves final is false; the last of its recipes
// is final and becomes one step of the history.
func (s *Session) SetRecipe(r denoise.Recipe, final bool) {
	if s.doc == nil {
		return
	}
	if r.Filter != s.recipe.Filter { // every filter comes back as it was left
		if last, ok := s.deps.Remembered()[r.Filter]; ok && final && last.Validate() == nil {
			r = last
		}
	}
	s.setRecipe(r)
	if !final {
		return
	}
	if present, ok := s.doc.Recipes().Present(); !ok || !present.Equal(r) {
		s.doc.Recipes().Push(r)
	}
	s.deps.Remember(r)
	s.tell.Changed()
}

func (s *Session) setRecipe(r denoise.Recipe) {
	s.recipe = r
	s.viewChanged()
}

// Undo goes back to the parameters before.
func (s *Session) Undo() {
	if s.doc != nil {
		if r, ok := s.doc.Recipes().Undo(); ok {
			s.setRecipe(r)
		}
	}
}

// Redo is the inverse of Undo.
func (s *Session) Redo() {
	if s.doc != nil {
		if r, ok := s.doc.Recipes().Redo(); ok {
			s.setRecipe(r)
		}
	}
}

// AutoPreview says whether every change is previewed at once.
func (s *Session) AutoPreview() bool { return s.autoPreview }

// SetAutoPreview switches that on or off.
func (s *Session) SetAutoPreview(on bool) {
	s.autoPreview = on
	s.viewChanged()
}

// Preview filters the slice on the screen now.
func (s *Session) Preview() {
	if s.doc != nil {
		s.requestPreview()
		s.tell.Changed()
	}
}

// wantPreview asks for a preview where the slice on the screen needs one, and
// drops the one that is on its way for a slice or recipe that is gone.
func (s *Session) wantPreview() {
	if s.doc == nil {
		return
	}
	if _, known := s.doc.Facts(); !known {
		return
	}
	q := s.request()
	if s.asked != nil && sameRequest(*s.asked, q) || s.failed != nil && sameRequest(*s.failed, q) {
		return
	}
	_, _, status := s.shown()
	if s.autoPreview && (status == Waiting || status == Stale) {
		s.requestPreview()
	} else if s.asked != nil {
		s.previewer.Cancel()
		s.asked = nil
	}
}

func sameRequest(a, b app.PreviewRequest) bool {
	return a.Series == b.Series && a.Plane == b.Plane && a.Index == b.Index && a.Recipe.Equal(b.Recipe)
}

func (s *Session) requestPreview() {
	q := s.request()
	s.asked, s.failed = &q, nil
	s.previewer.Request(q)
}

// previewed takes an answer of the previewer, on the UI goroutine.
func (s *Session) previewed(p app.Preview) {
	if p.Generation != s.previewer.Latest() || s.doc == nil {
		return
	}
	s.asked = nil
	if p.Err != nil {
		s.failed, s.failure = &p.Request, p.Err
		s.tell.Changed()
		if errors.Is(p.Err, app.ErrEngineFailed) && s.undone == nil {
			s.undone = s.Preview
			s.tell.Failed(p.Err)
		}
		return
	}
	s.previews = s.previews.add(p)
	s.draw()
	s.tell.Changed()
}
