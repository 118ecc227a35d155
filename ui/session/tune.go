package session

import (
	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
)

// Recipe returns the current recipe: the one that the filter panel shows.
func (s *Session) Recipe() denoise.Recipe { return s.recipe }

// Resolved returns the current recipe with its automatic values as numbers. Where
// they cannot be found it returns the recipe itself, and the error.
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

// SetRecipe changes the current recipe. While a slider moves, final is false; the
// last recipe is final and becomes one step of the history.
func (s *Session) SetRecipe(r denoise.Recipe, final bool) {
	if s.doc == nil {
		return
	}
	if r.Filter != s.recipe.Filter && final {
		r = s.startOf(r)
	}
	if name := strengthOf(r); name != "" && r.Get(name).IsSURE() {
		// A search replaces the value; until it ends the present one stays, or for
		// another filter its default.
		present := s.recipe.Get(name)
		if f, err := denoise.FilterByName(r.Filter); err == nil && r.Filter != s.recipe.Filter {
			p, _ := f.Param(name)
			present = p.Default
		}
		s.setRecipe(r.With(name, present))
		if s.Busy() {
			s.message = lang.L("The search for the best strength has to wait for the task in progress.")
			return
		}
		s.FindStrength()
		return
	}
	if !final {
		s.setRecipe(r)
		return
	}
	s.TakeRecipe(r)
}

// startOf returns the recipe that a filter starts with when r asks for it: the last one that this
// series had of it, else its defaults. The recipes of other series do not come up, as they were
// right for the noise and the slices of those.
func (s *Session) startOf(r denoise.Recipe) denoise.Recipe {
	if own, ok := s.settings[r.Filter]; ok {
		return own
	}
	if present, err := denoise.FilterByName(s.recipe.Filter); err == nil && len(present.Dims) > 1 {
		return r // its dimensionality is the user's choice
	}
	if proposed, err := app.ProposeRecipe(s.doc.Series(), nil, r.Filter); err == nil {
		return proposed
	}
	return r
}

// TakeRecipe makes r the current recipe as it is, as one step of the history.
func (s *Session) TakeRecipe(r denoise.Recipe) {
	if s.doc == nil {
		return
	}
	s.setRecipe(r)
	if present, ok := s.doc.Edits().Present(); !ok || !present.Recipe.Equal(r) {
		present.Recipe = r
		s.doc.Edits().Push(present)
	}
	s.deps.Remember(r)
	s.listener.Changed()
}

// propose returns the recipe that the current series starts a filter with, and notes
// it as carried over from an earlier one.
func (s *Session) propose(filter string) denoise.Recipe {
	r, err := app.ProposeRecipe(s.doc.Series(), s.deps.Remembered(), filter)
	if err != nil {
		return s.recipe
	}
	s.carried = r
	return r
}

// Carried returns the labels of the parameters whose values come from an earlier
// series and are not the filter's defaults.
func (s *Session) Carried() (labels []string) {
	f, err := denoise.FilterByName(s.recipe.Filter)
	if s.doc == nil || err != nil || s.carried.Filter != s.recipe.Filter {
		return nil
	}
	for _, p := range f.Params {
		if v := s.recipe.Get(p.Name); !v.Equal(p.Default) && v.Equal(s.carried.Get(p.Name)) {
			labels = append(labels, p.Label)
		}
	}
	return labels
}

func (s *Session) setRecipe(r denoise.Recipe) {
	if r.Filter != s.recipe.Filter {
		s.settings[s.recipe.Filter] = s.recipe
	}
	s.recipe = r
	s.viewChanged()
}
