package session

import "quell/denoise"

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
	if r.Filter != s.recipe.Filter { // a filter starts with its last parameters
		if last, ok := s.deps.Remembered()[r.Filter]; ok && final && last.Validate() == nil {
			r = last
		}
	}
	if name := strengthOf(r); name != "" && r.Get(name).IsSURE() {
		// A search replaces the value; until it ends the present one stays.
		if r.Filter != s.recipe.Filter {
			return
		}
		s.setRecipe(r.With(name, s.recipe.Get(name)))
		if s.Busy() {
			s.message = "The search for the best strength has to wait for the task in progress."
			return
		}
		s.FindStrength()
		return
	}
	s.setRecipe(r)
	if !final {
		return
	}
	if present, ok := s.doc.Recipes().Present(); !ok || !present.Equal(r) {
		s.doc.Recipes().Push(r)
	}
	s.deps.Remember(r)
	s.listener.Changed()
}

func (s *Session) setRecipe(r denoise.Recipe) {
	s.recipe = r
	s.viewChanged()
}

// Undo returns to the previous recipe.
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
