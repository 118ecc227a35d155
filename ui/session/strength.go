package session

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/denoise/tune"
)

// Curve is the estimated error of the filter over its strength.
type Curve struct {
	tune.Curve
	Sigma   float64 // of the noise, in the unit of the volume
	Present float64 // the strength of the current recipe as in Points; 0 if not known
	Current bool    // its other parameters are those of the current recipe
	Gain    bool    // the best strength lowers the error by more than the estimate may be wrong
}

// usualPoints is how many strengths a search tries, as a rule.
const usualPoints = 10

// searched is what the last search for the best strength found.
type searched struct {
	asked denoise.Recipe
	tuned app.Tuned
}

// Strength searches for the best strength of the recipe.
type Strength struct {
	s       *Session
	growing *searched // what the search in progress has found so far; nil before
}

// CanFind says whether FindStrength would do something: start a search, or
// cancel the one in progress.
func (st *Strength) CanFind() bool {
	return st.s.doc != nil && (st.Searching() || !st.s.Tasks.Busy() && strengthOf(st.s.recipe) != "")
}

// Searching says whether the best strength is being searched for.
func (st *Strength) Searching() bool {
	return st.s.Tasks.now != nil && st.s.Tasks.now.kind == Searching
}

// strengthOf returns the name of the parameter that sets the strength of a recipe;
// "" where there is none.
func strengthOf(r denoise.Recipe) string {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil || r.Ignores(f.Strength.Param) != "" {
		return ""
	}
	return f.Strength.Param
}

// valueOf returns the value of point i of a curve, in sigmas where it can be.
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

// Find searches for the strength of the current recipe with the least
// estimated error, and takes it, unless the recipe was changed meanwhile or there is
// nothing to gain. During a search it cancels that; during another task it does
// nothing.
func (st *Strength) Find() {
	if st.Searching() {
		st.s.Tasks.Cancel()
		return
	}
	if !st.CanFind() {
		return
	}
	asked, series, engine := st.s.recipe, st.s.doc.Series(), st.s.deps.Engine
	var known *denoise.Facts
	if facts, ok := st.s.doc.Facts(); ok {
		known = &facts
	}
	t := st.s.Tasks.start(Searching, lang.L("Searching for the best strength"), lang.L("strengths"))
	st.growing = nil
	grows := func(c tune.Curve) {
		st.s.deps.Do(func() {
			if st.s.Tasks.now != t || known == nil {
				return
			}
			st.growing = &searched{asked: asked, tuned: app.Tuned{Curve: c, Noise: known.Noise.Figure}}
			t.done = int64(len(c.Points))
			t.total = max(t.done, usualPoints)
			st.s.listener.Changed()
		})
	}
	var tuned app.Tuned
	st.s.background(func() (err error) {
		tuned, err = app.Tune(t.ctx, engine, app.TuneRequest{Series: series, Recipe: asked, Facts: known, Progress: grows})
		return err
	}, func(err error) {
		if errors.Is(err, app.ErrEngineFailed) && st.s.Tasks.now == t {
			st.s.retry = st.Find
		}
		if !st.s.Tasks.finish(t, err) {
			return
		}
		st.s.retry = nil
		st.s.searched = &searched{asked: asked, tuned: tuned}
		best := tuned.Curve.Points[tuned.Curve.Best]
		switch {
		case !tuned.Helps():
			st.s.Tasks.message = lang.L("No strength lowers the estimated error of this series; the strength stays as it is.")
		case !st.s.recipe.Equal(asked):
			st.s.Tasks.message = lang.L("The best strength was found. The recipe was changed meanwhile and stays as it is.")
		default:
			st.s.Tuning.Set(asked.With(tuned.Curve.Param, valueOf(asked.Filter, tuned.Curve, tuned.Curve.Best)), true)
			st.s.Tasks.message = fmt.Sprintf(lang.L("The best strength lowers the estimated error by %.0f %%."), 100*(1-math.Sqrt(max(best.MSE, 0))))
		}
		if tuned.Helps() && len(tuned.Doubts) > 0 {
			st.s.Tasks.message += " " + strings.Join(tuned.Doubts, " ")
		}
		st.s.listener.Changed()
	})
}

// Curve returns the result of the last search for the voxels and the filter that
// are shown; during a search, what that has found so far. It is nil where there is
// none.
func (st *Strength) Curve() *Curve {
	last := st.s.searched
	if st.Searching() && st.growing != nil {
		last = st.growing
	}
	if last == nil || st.s.doc == nil || last.asked.Filter != st.s.recipe.Filter {
		return nil
	}
	found := last.tuned
	c := &Curve{Curve: found.Curve, Sigma: found.Noise.Sigma, Gain: found.Helps()}
	param := found.Curve.Param
	c.Current = st.s.recipe.With(param, denoise.Auto).Equal(last.asked.With(param, denoise.Auto))
	if r, err := st.s.Tuning.Resolved(); err == nil && r.Resolved() {
		c.Present, _ = tune.StrengthOf(r, st.s.doc.Series().Volume.Geometry, c.Sigma)
	}
	return c
}

// Take sets the strength to point i of the curve; the other parameters stay
// as they are.
func (st *Strength) Take(i int) {
	if c := st.Curve(); c != nil && i >= 0 && i < len(c.Points) {
		st.s.Tuning.Set(st.s.recipe.Set(c.Param, valueOf(st.s.recipe.Filter, c.Curve, i)), true)
	}
}
