package tuning

import (
	"errors"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/message"
	"quell/ui/language"
	"quell/ui/session/desk"
)

// Dial searches for the highest strength of the mixture that keeps what is visible, see lesions.UsualBounds.
type Dial struct {
	desk   *desk.Desk
	tuning *Tuning
}

// NewDial returns the search for a tuning.
func NewDial(d *desk.Desk, t *Tuning) *Dial {
	di := &Dial{desk: d, tuning: t}
	t.dial = di.Find
	return di
}

// CanFind says whether Find would do something: start a search, or cancel the one in progress.
func (di *Dial) CanFind() bool {
	return di.desk.Doc != nil && (di.Searching() || !di.desk.Tasks.Busy())
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
	asked, engine := di.desk.Recipe, di.desk.Engine
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
		said := lang.L("The strength was found. The recipe was changed meanwhile and stays as it is.")
		switch {
		case !problem.IsZero():
			said = lang.L("The strength stays as it is. ") + language.Of(problem)
		case di.desk.Recipe.Equal(asked):
			di.tuning.Set(asked.With(name, denoise.Number(tuned.Dial.Strength)), true)
			said = language.Of(tuned.Dial.Sentence())
		}
		di.desk.Tasks.Show(said)
	})
}
