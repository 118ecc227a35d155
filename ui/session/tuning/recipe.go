// Package tuning changes the recipe of the series that is shown: by hand, by a search for the best
// strength, by a comparison of all filters, and by the noise map that the filter follows.
package tuning

import (
	"cmp"

	"fyne.io/fyne/v2/lang"

	"quell/app/run"
	"quell/denoise"
	"quell/ui/session/desk"
)

// Tuning changes the current recipe.
type Tuning struct {
	desk   *desk.Desk
	own    desk.Slot[own]
	search func() // for the best strength
	dial   func() // for the strength that keeps visible objects
}

// own are the recipes of a document.
type own struct {
	left    map[string]denoise.Recipe // of the filters that were left for another one, by name
	carried denoise.Recipe            // what the series started the filter with
}

// New returns the tuning, which starts with the filter of the desk, or with the first.
func New(d *desk.Desk) *Tuning {
	if _, err := denoise.FilterByName(d.Filter); err != nil {
		d.Filter = ""
	}
	d.Recipe, _ = denoise.NewRecipe(cmp.Or(d.Filter, denoise.Filters()[0].Name), 0)
	return &Tuning{desk: d}
}

// Recipe returns the current recipe: the one that the filter panel shows.
func (tu *Tuning) Recipe() denoise.Recipe { return tu.desk.Recipe }

// Resolved returns the current recipe with its automatic values as numbers. If they cannot be
// found it returns the recipe itself, and the error; the recipe also for a filter of 4-D series.
func (tu *Tuning) Resolved() (denoise.Recipe, error) {
	if tu.desk.Doc == nil {
		return tu.desk.Recipe, nil
	}
	facts, known := tu.desk.Doc.Facts()
	if !known || tu.desk.Recipe.SeriesFilter() != nil {
		return tu.desk.Recipe, nil
	}
	r, err := tu.desk.Recipe.Resolve(tu.desk.Doc.Series().Volume.Geometry, facts)
	if err != nil {
		return tu.desk.Recipe, err
	}
	return r, nil
}

// Set changes the current recipe. While a slider moves, final is false; the
// last recipe is final and becomes one step of the history.
func (tu *Tuning) Set(r denoise.Recipe, final bool) {
	if tu.desk.Doc == nil {
		return
	}
	if r.Filter != tu.desk.Recipe.Filter && final {
		r = tu.startOf(r)
	}
	switch name := strengthOf(r); {
	case r.Dials():
		tu.searchFor(r, denoise.MixStrength.Name, tu.dial)
		return
	case name != "" && r.Get(name).IsSURE():
		tu.searchFor(r, name, tu.search)
		return
	}
	if !final {
		tu.Change(r)
		return
	}
	tu.Take(r)
}

// searchFor starts a search, which replaces a value of the recipe; until it ends the present one stays, or for another
// filter its default.
func (tu *Tuning) searchFor(r denoise.Recipe, name string, search func()) {
	present := tu.desk.Recipe.Get(name)
	if f, err := denoise.FilterByName(r.Filter); err == nil && r.Filter != tu.desk.Recipe.Filter {
		p, _ := f.Param(name)
		present = p.Default
	}
	tu.Change(r.With(name, present))
	if tu.desk.Tasks.Busy() {
		tu.desk.Tasks.Say(lang.L("The search for the best strength has to wait for the task in progress."))
		return
	}
	search()
}

// startOf returns the recipe that a filter starts with when r asks for it: the last one that this
// series had of it, else its defaults. The recipes of other series do not come up, as they were
// right for the noise and the slices of those.
func (tu *Tuning) startOf(r denoise.Recipe) denoise.Recipe {
	if own, ok := tu.own.Of(tu.desk.Document).left[r.Filter]; ok {
		return own
	}
	if present, err := denoise.FilterByName(tu.desk.Recipe.Filter); err == nil && len(present.Dims) > 1 {
		return r // its dimensionality is the user's choice
	}
	if proposed, err := run.ProposeRecipe(tu.desk.Doc.Series(), nil, r.Filter); err == nil {
		return proposed
	}
	return r
}

// Take makes r the current recipe as it is, as one step of the history. Its filter is that of the next series, unless
// it was proposed for this one, or is for 4-D series.
func (tu *Tuning) Take(r denoise.Recipe) {
	if tu.desk.Doc == nil {
		return
	}
	if tu.desk.Chosen = true; r.Filter != tu.desk.Proposed && r.SeriesFilter() == nil {
		tu.desk.Filter = r.Filter
	}
	tu.Restore(r)
}

// Adopt makes a proposed recipe the current one in the place of the one that the series was opened with: no step of
// the history, and no choice of the user.
func (tu *Tuning) Adopt(r denoise.Recipe) {
	present := tu.desk.Edit()
	present.Recipe = r
	tu.desk.Doc.Edits().Amend(present)
	tu.Change(r)
}

// Restore makes r the current recipe as Take does, but it says nothing of the next series.
func (tu *Tuning) Restore(r denoise.Recipe) {
	tu.desk.Chosen = true
	tu.Change(r)
	if present, ok := tu.desk.Doc.Edits().Present(); !ok || !present.Recipe.Equal(r) {
		present.Recipe = r
		tu.desk.Doc.Edits().Push(present)
	}
	tu.desk.Remember(r, tu.desk.Filter)
	tu.desk.Changed()
}

// Begin gives the current series, which was opened now, the recipe that it starts with: of the filter that the user chose
// last, or of the first. It notes what is carried over from an earlier series.
func (tu *Tuning) Begin() {
	r, err := run.ProposeRecipe(tu.desk.Doc.Series(), tu.desk.Remembered(), tu.desk.Filter)
	if err != nil {
		return
	}
	tu.own.Of(tu.desk.Document).carried = r
	plain, err := denoise.NewRecipe(r.Filter, r.Dims)
	tu.desk.Recipe, tu.desk.Chosen = r, tu.desk.Filter != "" || err != nil || !r.Equal(plain)
}

// Carried returns the labels of the parameters with values that come from an
// earlier series and are not the filter's defaults.
func (tu *Tuning) Carried() (labels []string) {
	f, err := denoise.FilterByName(tu.desk.Recipe.Filter)
	carried := tu.own.Of(tu.desk.Document).carried
	if tu.desk.Doc == nil || err != nil || carried.Filter != tu.desk.Recipe.Filter {
		return nil
	}
	for _, p := range f.Params {
		if v := tu.desk.Recipe.Get(p.Name); !v.Equal(p.Default) && v.Equal(carried.Get(p.Name)) {
			labels = append(labels, p.Label)
		}
	}
	return labels
}

// Change makes r the current recipe, as no step of the history.
func (tu *Tuning) Change(r denoise.Recipe) {
	if r.Filter != tu.desk.Recipe.Filter {
		own := tu.own.Of(tu.desk.Document)
		if own.left == nil {
			own.left = map[string]denoise.Recipe{}
		}
		own.left[tu.desk.Recipe.Filter] = tu.desk.Recipe
	}
	tu.desk.Recipe = r
	tu.settleMap()
	tu.desk.ViewChanged()
}

// strengthOf returns the name of the parameter that sets the strength of a recipe;
// "" if there is none.
func strengthOf(r denoise.Recipe) string {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil || !r.Ignores(f.Strength.Param).IsZero() {
		return ""
	}
	return f.Strength.Param
}
