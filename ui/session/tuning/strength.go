package tuning

import (
	"fmt"
	"strconv"

	"fyne.io/fyne/v2/lang"

	"quell/app/run"
	"quell/denoise"
	"quell/denoise/tune"
	"quell/internal/message"
	"quell/ui/language"
	"quell/ui/session/desk"
)

// Curve is the estimated error of the filter over its strength.
type Curve struct {
	tune.Curve
	Sigma   float64 // of the noise, in the unit of the volume
	Present float64 // the strength of the current recipe as in Points; 0 if not known
	Current bool    // its other parameters are as in the current recipe
	Gain    bool    // the best strength lowers the error by more than the estimate may be wrong
}

// usualPoints is how many strengths a search tries, as a rule.
const usualPoints = 10

// searched is what the last search for the best strength found.
type searched struct {
	asked denoise.Recipe
	tuned run.Tuned
}

// Strength searches for the best strength of the recipe.
type Strength struct {
	desk    *desk.Desk
	tuning  *Tuning
	last    desk.Slot[*searched] // nil before the first search
	growing *searched            // what the search in progress has found so far; nil before
}

// NewStrength returns the search for a tuning.
func NewStrength(d *desk.Desk, t *Tuning) *Strength {
	st := &Strength{desk: d, tuning: t, last: desk.Slot[*searched]{OfVoxels: true}}
	t.search = st.Find
	d.OnClear(func() { st.growing = nil })
	return st
}

// CanFind says whether Find would do something: start a search, or
// cancel the one in progress.
func (st *Strength) CanFind() bool {
	return st.desk.Doc != nil && (st.Searching() || !st.desk.Tasks.Busy() && strengthOf(st.desk.Recipe) != "")
}

// Searching says whether the best strength is being searched for.
func (st *Strength) Searching() bool {
	return st.desk.Tasks.Kind() == desk.Searching
}

// valueOf returns the value of point i of a curve, in sigmas if it can be.
func valueOf(filter string, c tune.Curve, i int) denoise.Value {
	point := c.Points[i]
	if f, err := denoise.FilterByName(filter); err == nil {
		if p, ok := f.Param(c.Param); ok && p.Unit == "value" {
			x, _ := strconv.ParseFloat(strconv.FormatFloat(point.Strength, 'g', 4, 64), 64)
			return denoise.Sigmas(x)
		}
	}
	return point.Value
}

// Find searches for the strength of the current recipe with the least estimated error, and takes
// it, unless the recipe was changed meanwhile or there is nothing to gain. During a search it
// cancels that; during another task it does nothing.
func (st *Strength) Find() {
	if st.Searching() {
		st.desk.Tasks.Cancel()
		return
	}
	if !st.CanFind() {
		return
	}
	asked, series, engine := st.desk.Recipe, st.desk.Doc.Series(), st.desk.Engine
	var known *denoise.Facts
	if facts, ok := st.desk.Doc.Facts(); ok {
		known = &facts
	}
	t := st.desk.Tasks.Start(desk.Searching, lang.L("Searching for the best strength"), lang.L("strengths"))
	t.Again, st.growing = st.Find, nil
	grows := func(c tune.Curve) {
		st.desk.Do(func() {
			if !st.desk.Tasks.Goes(t) || known == nil {
				return
			}
			st.growing = &searched{asked: asked, tuned: run.Tuned{Curve: c, Noise: known.Noise.Figure}}
			t.Done = int64(len(c.Points))
			t.Total = max(t.Done, usualPoints)
			st.desk.Changed()
		})
	}
	var tuned run.Tuned
	st.desk.Tasks.Do(t, func() (err error) {
		tuned, err = run.Tune(t.Ctx, engine, run.TuneRequest{Series: series, Recipe: asked, Facts: known, Progress: grows, Whole: true})
		return err
	}, func() {
		*st.last.Of(st.desk.Document) = &searched{asked: asked, tuned: tuned}
		best := tuned.Curve.Points[tuned.Curve.Best]
		var said string
		switch {
		case !tuned.Helps():
			said = lang.L("No strength lowers the estimated error of this series; the strength stays as it is.")
		case !st.desk.Recipe.Equal(asked):
			said = lang.L("The best strength was found. The recipe was changed meanwhile and stays as it is.")
		default:
			st.tuning.Set(asked.With(tuned.Curve.Param, valueOf(asked.Filter, tuned.Curve, tuned.Curve.Best)), true)
			said = fmt.Sprintf(lang.L("The best strength lowers the estimated error by %.0f %%."), 100*(1-best.RMSE()))
		}
		if tuned.Helps() && len(tuned.Doubts) > 0 {
			said += " " + language.Of(message.Join(" ", tuned.Doubts...))
		}
		st.desk.Tasks.Show(said)
	})
}

// Curve returns the result of the last search for the voxels and the filter that are shown; during
// a search, what that has found so far. It is nil if there is none.
func (st *Strength) Curve() *Curve {
	last := *st.last.Of(st.desk.Document)
	if st.Searching() && st.growing != nil {
		last = st.growing
	}
	if last == nil || st.desk.Doc == nil || last.asked.Filter != st.desk.Recipe.Filter {
		return nil
	}
	found := last.tuned
	c := &Curve{Curve: found.Curve, Sigma: found.Noise.Sigma, Gain: found.Helps()}
	param := found.Curve.Param
	c.Current = st.desk.Recipe.With(param, denoise.Auto).Equal(last.asked.With(param, denoise.Auto))
	if r, err := st.tuning.Resolved(); err == nil && r.Resolved() {
		c.Present, _ = tune.StrengthOf(r, st.desk.Doc.Series().Volume.Geometry, c.Sigma)
	}
	return c
}

// Take sets the strength to point i of the curve; the other parameters stay as they are.
func (st *Strength) Take(i int) {
	if c := st.Curve(); c != nil && i >= 0 && i < len(c.Points) {
		st.tuning.Set(st.desk.Recipe.Set(c.Param, valueOf(st.desk.Recipe.Filter, c.Curve, i)), true)
	}
}
