package session

import (
	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
)

// Tuning is the recipe that is being tuned.
type Tuning struct{ s *Session }

// Recipe returns the current recipe: the one that the filter panel shows.
func (tu *Tuning) Recipe() denoise.Recipe { return tu.s.recipe }

// Resolved returns the current recipe with its automatic values as numbers. Where
// they cannot be found it returns the recipe itself, and the error.
func (tu *Tuning) Resolved() (denoise.Recipe, error) {
	if tu.s.doc == nil {
		return tu.s.recipe, nil
	}
	facts, known := tu.s.doc.Facts()
	if !known {
		return tu.s.recipe, nil
	}
	r, err := tu.s.recipe.Resolve(tu.s.doc.Series().Volume.Geometry, facts)
	if err != nil {
		return tu.s.recipe, err
	}
	return r, nil
}

// Set changes the current recipe. While a slider moves, final is false; the
// last recipe is final and becomes one step of the history.
func (tu *Tuning) Set(r denoise.Recipe, final bool) {
	if tu.s.doc == nil {
		return
	}
	if r.Filter != tu.s.recipe.Filter && final {
		r = tu.startOf(r)
	}
	if name := strengthOf(r); name != "" && r.Get(name).IsSURE() {
		// A search replaces the value; until it ends the present one stays, or for
		// another filter its default.
		present := tu.s.recipe.Get(name)
		if f, err := denoise.FilterByName(r.Filter); err == nil && r.Filter != tu.s.recipe.Filter {
			p, _ := f.Param(name)
			present = p.Default
		}
		tu.change(r.With(name, present))
		if tu.s.Tasks.Busy() {
			tu.s.Tasks.message = lang.L("The search for the best strength has to wait for the task in progress.")
			return
		}
		tu.s.Strength.Find()
		return
	}
	if !final {
		tu.change(r)
		return
	}
	tu.Take(r)
}

// startOf returns the recipe that a filter starts with when r asks for it: the last one that this
// series had of it, else its defaults. The recipes of other series do not come up, as they were
// right for the noise and the slices of those.
func (tu *Tuning) startOf(r denoise.Recipe) denoise.Recipe {
	if own, ok := tu.s.settings[r.Filter]; ok {
		return own
	}
	if present, err := denoise.FilterByName(tu.s.recipe.Filter); err == nil && len(present.Dims) > 1 {
		return r // its dimensionality is the user's choice
	}
	if proposed, err := app.ProposeRecipe(tu.s.doc.Series(), nil, r.Filter); err == nil {
		return proposed
	}
	return r
}

// Take makes r the current recipe as it is, as one step of the history.
func (tu *Tuning) Take(r denoise.Recipe) {
	if tu.s.doc == nil {
		return
	}
	tu.change(r)
	if present, ok := tu.s.doc.Edits().Present(); !ok || !present.Recipe.Equal(r) {
		present.Recipe = r
		tu.s.doc.Edits().Push(present)
	}
	tu.s.deps.Remember(r)
	tu.s.listener.Changed()
}

// propose returns the recipe that the current series starts a filter with, and notes
// it as carried over from an earlier one.
func (tu *Tuning) propose(filter string) denoise.Recipe {
	r, err := app.ProposeRecipe(tu.s.doc.Series(), tu.s.deps.Remembered(), filter)
	if err != nil {
		return tu.s.recipe
	}
	tu.s.carried = r
	return r
}

// Carried returns the labels of the parameters whose values come from an earlier
// series and are not the filter's defaults.
func (tu *Tuning) Carried() (labels []string) {
	f, err := denoise.FilterByName(tu.s.recipe.Filter)
	if tu.s.doc == nil || err != nil || tu.s.carried.Filter != tu.s.recipe.Filter {
		return nil
	}
	for _, p := range f.Params {
		if v := tu.s.recipe.Get(p.Name); !v.Equal(p.Default) && v.Equal(tu.s.carried.Get(p.Name)) {
			labels = append(labels, p.Label)
		}
	}
	return labels
}

func (tu *Tuning) change(r denoise.Recipe) {
	if r.Filter != tu.s.recipe.Filter {
		tu.s.settings[tu.s.recipe.Filter] = tu.s.recipe
	}
	tu.s.recipe = r
	tu.s.viewChanged()
}
