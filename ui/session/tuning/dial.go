package tuning

import (
	"errors"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/internal/message"
	"quell/ui/language"
	"quell/ui/session/desk"
)

// Dial searches for the highest strength of the mixture that keeps what is visible, see run.Choose.
type Dial struct {
	desk   *desk.Desk
	tuning *Tuning
	bound  desk.Slot[bound]
}

// bound is the strength that the last search found.
type bound struct {
	of       workbench.PreviewRequest // the series with the recipe, without the mixture, and the maps and noise for which it holds
	strength float64
}

// request is the present recipe without the mixture, whichever slice is shown.
func (di *Dial) request() workbench.PreviewRequest {
	q := di.desk.Request()
	q.Recipe, q.Plane, q.Index = q.Recipe.With(denoise.MixStrength.Name, denoise.MixStrength.Default), 0, 0
	return q
}

// Bound returns the highest strength of the mixture that keeps what is visible, in percent, if it was found for the other
// values of the recipe; else 0.
func (di *Dial) Bound() float64 {
	if di.desk.Doc == nil {
		return 0
	}
	if b := di.bound.Of(di.desk.Document); b.of.Series != nil && desk.SameRequest(b.of, di.request()) {
		return b.strength
	}
	return 0
}

// Learn notes the highest strength that keeps what is visible, found for a recipe whose mixture is the filter alone.
func (di *Dial) Learn(of workbench.PreviewRequest, strength float64) {
	if di.desk.Doc == nil || of.Series != di.desk.Doc.Series() {
		return
	}
	of.Recipe, of.Plane, of.Index = of.Recipe.With(denoise.MixStrength.Name, denoise.MixStrength.Default), 0, 0
	*di.bound.Of(di.desk.Document) = bound{of: of, strength: strength}
}

// NewDial returns the search for a tuning.
func NewDial(d *desk.Desk, t *Tuning) *Dial {
	di := &Dial{desk: d, tuning: t, bound: desk.Slot[bound]{OfVoxels: true}}
	t.dial = di.Find
	return di
}

// CanFind says whether Find would do something: start a search, or cancel the one in progress.
func (di *Dial) CanFind() bool {
	return di.desk.Doc != nil && (di.Searching() || !di.desk.Tasks.Busy() && di.desk.Recipe.SeriesFilter() == nil)
}

// Searching says whether the strength is being searched for.
func (di *Dial) Searching() bool { return di.desk.Tasks.Kind() == desk.Dialling }

// Find searches for the strength and takes it, unless the recipe was changed meanwhile; what it leaves is said. During
// the search it cancels that; during another task it does nothing.
func (di *Dial) Find() {
	if di.Searching() {
		di.desk.Tasks.Cancel()
		return
	}
	if !di.CanFind() {
		return
	}
	name := denoise.MixStrength.Name
	asked, engine, of := di.desk.Recipe, di.desk.Engine, di.request()
	q := run.Request{Series: di.desk.Doc.Series(), Recipe: asked.With(name, denoise.Visible), Maps: di.desk.Maps}
	if facts, ok := di.desk.Doc.Facts(); ok {
		q.Facts = &facts
	}
	t := di.desk.Tasks.Start(desk.Dialling, lang.L("Searching for what stays visible"), "")
	t.Again = di.Find
	var tuned *run.Tuned
	var problem message.Message
	di.desk.Tasks.Do(t, func() (err error) {
		_, tuned, err = q.Resolve(t.Ctx, engine, q.Maps.Input(q.Series.Volume))
		var in *job.InputError
		if errors.As(err, &in) { // what the series lacks is no failure of the program
			problem, err = in.Problem.Sentence(), nil
		}
		return err
	}, func() {
		if !problem.IsZero() {
			di.desk.Tasks.Show(lang.L("The strength stays as it is. ") + language.Of(problem))
			return
		}
		*di.bound.Of(di.desk.Document) = bound{of: of, strength: tuned.Dial.Strength}
		said := lang.L("The strength was found. The recipe was changed meanwhile and stays as it is.")
		if di.desk.Recipe.Equal(asked) {
			di.tuning.Set(asked.With(name, denoise.Number(tuned.Dial.Strength)), true)
			said = language.Of(tuned.Dial.Sentence())
		}
		di.desk.Tasks.Show(said)
	})
}
