// Package results runs the recipe over the volume that is shown, and keeps what comes of it.
package results

import (
	"fmt"
	"slices"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/app/engines"
	"quell/app/executor"
	"quell/app/job"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/ui/language"
	"quell/ui/session/desk"
	"quell/ui/session/tuning"
	"quell/ui/viewer"
	"quell/volume"
)

// Limits of the finished runs of a series that are kept. The newest is kept whatever its size.
const (
	MaxResults  = 4
	resultBytes = 2 << 30
)

// Results are the runs over the volume that is shown.
type Results struct {
	Files Files
	Room  func() // is called after a run was added, which takes memory

	desk     *desk.Desk
	tuning   *tuning.Tuning
	foreseen foreseen // by Forecast
}

// New returns the results of a desk. Room has to be set before the first.
func New(d *desk.Desk, t *tuning.Tuning) *Results {
	rs := &Results{desk: d, tuning: t}
	d.OnClear(func() { rs.foreseen = foreseen{} })
	return rs
}

// Listed describes a finished run that is kept.
type Listed struct {
	Number   int // counted from 1 in the order of the runs
	Run      *run.Run
	Exported bool // and the files stand
	Shown    bool // it was made by the current recipe: side B of comparisons
	Base     bool // it is side A of comparisons
}

// List returns the finished runs of the current voxels, the oldest first.
func (rs *Results) List() []Listed {
	var out []Listed
	for _, r := range rs.desk.Results {
		out = append(out, Listed{
			Number: r.Number, Run: r.Run, Exported: rs.Files.Stand(r.Exports), Shown: rs.Applied() && r.Run == rs.desk.Doc.Run(), Base: r == rs.desk.Base,
		})
	}
	return out
}

// CompareWith makes result i side A of comparisons: the left pane shows it, the residual
// is its difference from the denoised picture. Any other i stands for the original.
func (rs *Results) CompareWith(i int) {
	rs.compareOther(false)
	rs.desk.Base = nil
	if i >= 0 && i < len(rs.desk.Results) {
		rs.desk.Base = rs.desk.Results[i]
	}
	rs.desk.ViewChanged()
}

// Beside returns the other series that stands beside the one on the screen, and whether it is side A of
// comparisons; nil for none.
func (rs *Results) Beside() (other *workbench.Beside, compared bool) {
	return rs.desk.Beside, rs.desk.Other()
}

// CompareWithOther makes the other series side A of comparisons, if there is one.
func (rs *Results) CompareWithOther() {
	if rs.desk.Beside != nil {
		rs.desk.Base = nil
		rs.compareOther(true)
		rs.desk.ViewChanged()
	}
}

// Unfiltered says whether the other series is compared with the series on the screen itself, and not with its result.
func (rs *Results) Unfiltered() bool { return rs.desk.Unfiltered() }

// CompareUnfiltered chooses whether the other series is compared with the series on the screen itself.
func (rs *Results) CompareUnfiltered(on bool) {
	rs.desk.AsIs = on
	rs.desk.ViewChanged()
}

// CloseOther lets go of the other series: the original is side A again, if it was the other series.
func (rs *Results) CloseOther() {
	if rs.desk.Beside == nil {
		return
	}
	rs.compareOther(false)
	rs.desk.Beside = nil
	rs.desk.Tasks.Say("") // what was said of it
	rs.desk.FreeLater()
	rs.desk.ViewChanged()
}

// compareOther makes the other series side A or not. If it has a window of its own, the denoised picture
// keeps the window that both had.
func (rs *Results) compareOther(on bool) {
	if rs.desk.Other() == on {
		return
	}
	rs.desk.ByBeside = on
	windows := &rs.desk.State.Windows
	switch own := rs.desk.Beside.Window; {
	case own.Width <= 0:
	case on && !windows.Unlinked():
		windows.Show(own, windows.Of(viewer.Denoised))
	case !on && windows.Unlinked():
		windows.Show(windows.Of(viewer.Denoised), volume.Window{})
	}
}

// Base returns the result that is side A of comparisons; false if that is the original.
func (rs *Results) Base() (r Listed, ok bool) {
	for _, r := range rs.List() {
		if r.Base {
			return r, true
		}
	}
	return r, false
}

// Show makes the recipe of result i the current one, which shows its run.
func (rs *Results) Show(i int) {
	if i >= 0 && i < len(rs.desk.Results) {
		rs.desk.AsIs = false
		rs.desk.Maps = rs.desk.Results[i].Maps
		rs.tuning.Take(rs.desk.Results[i].Run.Recipe)
	}
}

// Exported says whether one of the exports of a result stands.
func (rs *Results) Exported(r *desk.Result) bool { return rs.Files.Stand(r.Exports) }

// ApplyLoses says whether the next run would take the place of a result that has not been exported.
func (rs *Results) ApplyLoses() bool {
	if rs.desk.Doc == nil || rs.desk.Tasks.Busy() || rs.Applied() {
		return false
	}
	next := &desk.Result{Run: &run.Run{Result: rs.desk.Doc.Series().Volume}}
	_, dropped := kept(append(slices.Clone(rs.desk.Results), next), rs.Exported)
	return slices.ContainsFunc(dropped, func(r *desk.Result) bool { return !rs.Exported(r) })
}

// kept divides results, the oldest first, into those within the limits and the rest.
// Exported ones go first, then the oldest; the newest stays.
func kept(results []*desk.Result, exported func(*desk.Result) bool) (stay, dropped []*desk.Result) {
	stay = slices.Clone(results)
	for len(stay) > 1 && (len(stay) > MaxResults || Bytes(stay) > resultBytes) {
		i := max(slices.IndexFunc(stay[:len(stay)-1], exported), 0)
		dropped = append(dropped, stay[i])
		stay = slices.Delete(stay, i, i+1)
	}
	return stay, dropped
}

// Bytes returns the memory that results take.
func Bytes(results []*desk.Result) (n int) {
	for _, r := range results {
		n += 4 * r.Run.Result.Voxels()
	}
	return n
}

// add keeps a run of a document. It refuses one of other voxels, which finished late.
func (rs *Results) add(d *desk.Document, r *desk.Result) bool {
	if d.Doc == nil || !d.Doc.SetRun(r.Run) {
		return false
	}
	d.KeepResults(append(d.Results, r)) // numbered before the oldest goes
	stay, _ := kept(d.Results, rs.Exported)
	d.KeepResults(stay)
	rs.save(d, r)
	rs.Room()
	return true
}

// save keeps a result for the next start, in the background. It is no task: the
// user need not know, and an error means that the result is not kept.
func (rs *Results) save(d *desk.Document, r *desk.Result) {
	if rs.desk.SaveRun == nil {
		return
	}
	ctx := d.Voxels
	var saved workbench.SavedRun
	var ok bool
	rs.desk.Background(func() (err error) {
		saved, ok, err = rs.desk.SaveRun(ctx, r.Run)
		return err
	}, func(err error) {
		if err == nil && ok {
			r.Saved = &saved
			rs.desk.Changed()
		}
	})
}

// ShowMade shows the newest run that the current recipe made, if there is one.
func (rs *Results) ShowMade() {
	for _, r := range slices.Backward(rs.desk.Results) {
		if rs.desk.Made(r.Run) {
			rs.desk.Doc.SetRun(r.Run)
			return
		}
	}
}

// foreseen is the last answer of Forecast.
type foreseen struct {
	at     time.Time
	engine denoise.Engine
	recipe denoise.Recipe
	volume *volume.Volume
	executor.Forecast
}

// foresight is how long a forecast is good for, as other programs take memory and give it back.
const foresight = 2 * time.Second

// Forecast returns what memory the run over the volume will take; false if there is none to
// begin with the current recipe.
func (rs *Results) Forecast() (executor.Forecast, bool) {
	recipe, err := rs.tuning.Resolved()
	if rs.desk.Doc == nil || err != nil || rs.Applied() || recipe.SeriesFilter() != nil {
		return executor.Forecast{}, false
	}
	f, now, v := &rs.foreseen, rs.desk.Now(), rs.desk.Doc.Series().Volume
	if f.volume != v || f.engine != rs.desk.Engine || !f.recipe.Equal(recipe) || now.Sub(f.at) >= foresight {
		*f = foreseen{now, rs.desk.Engine, recipe, v, executor.ForecastOf(rs.desk.Engine, recipe, v, rs.desk.Available())}
	}
	return f.Forecast, true
}

// Expected says how long filtering the volume is expected to take on another engine, and how many
// times as long as on the present one, if that is known and at least 2; "" if nothing is.
func (rs *Results) Expected(on denoise.Engine) string {
	if rs.desk.Doc == nil {
		return ""
	}
	recipe, _ := rs.tuning.Resolved() // the recipe itself, if its automatic values are not known
	takes, times := engines.Slowdown(rs.desk.Engine, on, recipe, rs.desk.Doc.Series().Volume.Geometry, 1)
	switch {
	case takes == 0:
		return ""
	case times == 0:
		return fmt.Sprintf(lang.L("On the CPU the volume is expected to take %s."), language.Duration(takes))
	}
	return fmt.Sprintf(lang.L("On the CPU the volume is expected to take %s, about %.0f times as long."), language.Duration(takes), times)
}

// Apply filters the whole volume with the current recipe. It does nothing while
// a task is in progress, so that no second request restarts a run. A run for which there is
// no memory is refused: it would end the workbench, and with it other work.
func (rs *Results) Apply() {
	if rs.desk.Doc == nil || rs.desk.Tasks.Busy() || rs.Applied() {
		return
	}
	rs.foreseen = foreseen{}
	if f, ok := rs.Forecast(); ok && f.Err() != nil {
		rs.desk.Failed(f.Err())
		return
	}
	d, recipe, next := rs.desk.Document, rs.desk.Recipe, &desk.Result{Maps: rs.desk.Maps, Given: rs.desk.Doc.GivenNoise()}
	on := app.On{Series: rs.desk.Doc.Series(), Engine: rs.desk.Engine, Maps: rs.desk.Maps, Volume: rs.desk.Request().Volume}
	if facts, known := rs.desk.Doc.Facts(); known {
		on.Facts = &facts
	}
	t := rs.desk.Tasks.Start(desk.Applying, lang.L("Filtering"), lang.L("slices"))
	t.Again, t.Recipe, t.Slices = rs.Apply, recipe, int64(rs.desk.Doc.Series().Volume.Dims[2])
	var report executor.Outcome
	rs.desk.Background(func() (err error) {
		report, err = app.DoOn(t.Ctx, on, job.Job{Recipe: &recipe}, rs.desk.Tasks.Events(t))
		return err
	}, func(err error) {
		if !rs.desk.Tasks.Finish(t, err) {
			return
		}
		made := report.Run
		if next.Run = made; report.Outcome == run.AsItIs {
			rs.desk.Tasks.Show(unchanged(made))
			return
		}
		if !rs.add(d, next) {
			return
		}
		rs.desk.Tasks.Say(fmt.Sprintf(lang.L("Filtered %d slices in %s on %s."), made.Result.Dims[2], language.Duration(made.Filter), made.Engine.Name))
		if d != rs.desk.Document {
			rs.desk.Changed()
			return
		}
		rs.desk.ViewChanged()
	})
}

// unchanged says why a run that left the series as it is makes no result.
func unchanged(r *run.Run) string {
	facts := r.KnownFacts()
	switch follows := facts != nil && NoiseFree(r.Recipe, *facts); {
	case follows && r.Recipe.Given(*facts).Noise.Confidence == noise.None:
		return language.Of(r.AutoWarning())
	case follows:
		return lang.L("The images are free of noise: there is no result.")
	}
	return lang.L("This setting changes nothing: there is no result.")
}

// NoiseFree says whether a recipe leaves a series of these facts as it is: it follows the noise, and none is known.
func NoiseFree(r denoise.Recipe, f denoise.Facts) bool {
	_, sigma := r.Needs()
	return sigma && r.Given(f).AutoSigma() == 0
}

// Applied says whether the run of the whole volume has the current recipe.
func (rs *Results) Applied() bool { return rs.desk.Doc != nil && rs.desk.Made(rs.desk.Doc.Run()) }

// Exportable returns the run that an export would write, or nil.
func (rs *Results) Exportable() *run.Run {
	if rs.desk.Doc == nil {
		return nil
	}
	return rs.desk.Doc.Run()
}

// Files are the files to which results were exported to.
type Files struct {
	gone map[*workbench.Exported]bool // not as they were written
}

// Gone says whether files are not as they were written.
func (f *Files) Gone(e *workbench.Exported) bool { return f.gone[e] }

// SetGone notes whether files are not as they were written.
func (f *Files) SetGone(e *workbench.Exported, gone bool) {
	if f.gone == nil {
		f.gone = map[*workbench.Exported]bool{}
	}
	if f.gone[e] = gone; !gone {
		delete(f.gone, e)
	}
}

// Stand says whether one of some exports stands.
func (f *Files) Stand(exports []*workbench.Exported) bool {
	return slices.ContainsFunc(exports, func(e *workbench.Exported) bool { return !f.gone[e] })
}
