package session

import (
	"slices"

	"quell/app"
	"quell/volume"
)

// Limits of the finished runs of a series that are kept. The newest is kept whatever
// its size.
const (
	maxResults  = 4
	resultBytes = 2 << 30
)

// Results are the runs over the volume that is shown.
type Results struct {
	s        *Session
	foreseen foreseen // by Forecast
}

// result is a finished run of the current voxels.
type result struct {
	number   int // counted from 1 in the order of the runs, for labels
	run      *app.Run
	steering steering
	given    *app.GivenNoise // that automatic values followed; nil: the estimate
	numbers  measured        // of the run as a whole; not ok before they are known
	exports  []*app.Exported // the last one last; they may have gone since
	saved    *app.SavedRun   // nil where it is not kept for the next start
}

// Result describes a finished run that is kept.
type Result struct {
	Number   int // counted from 1 in the order of the runs
	Run      *app.Run
	Exported bool // and the files stand
	Shown    bool // it was made by the current recipe: side B of comparisons
	Base     bool // it is side A of comparisons
}

// List returns the finished runs of the current voxels, the oldest first.
func (rs *Results) List() []Result {
	var out []Result
	for _, r := range rs.s.results {
		out = append(out, Result{
			Number: r.number, Run: r.run, Exported: rs.s.Exports.stand(r.exports), Shown: rs.Applied() && r.run == rs.s.doc.Run(), Base: r == rs.s.base,
		})
	}
	return out
}

// CompareWith makes result i side A of comparisons: the left pane shows it, the residual
// is its difference from the denoised picture. Any other i stands for the original.
func (rs *Results) CompareWith(i int) {
	rs.s.base = nil
	if i >= 0 && i < len(rs.s.results) {
		rs.s.base = rs.s.results[i]
	}
	rs.s.viewChanged()
}

// Base returns the result that is side A of comparisons; false where that is the original.
func (rs *Results) Base() (r Result, ok bool) {
	for _, r := range rs.List() {
		if r.Base {
			return r, true
		}
	}
	return r, false
}

// baseVolume returns the volume of side A where that is a result; nil for the original.
func (rs *Results) baseVolume() *volume.Volume {
	if rs.s.base == nil {
		return nil
	}
	return rs.s.base.run.Result
}

// keepResults sets the results, numbers the new ones, and lets go of a side A that is not
// among them.
func (d *document) keepResults(results []*result) {
	last := 0
	for _, r := range results {
		if r.number == 0 {
			r.number = last + 1
		}
		last = r.number
	}
	d.results = results
	if !slices.Contains(results, d.base) {
		d.base = nil
	}
}

// Show makes the recipe of result i the current one, which shows its run.
func (rs *Results) Show(i int) {
	if i >= 0 && i < len(rs.s.results) {
		rs.s.steering = rs.s.results[i].steering
		rs.s.Tuning.Take(rs.s.results[i].run.Recipe)
	}
}

// ApplyLoses says whether the next run would take the place of a result that has not
// been exported.
func (rs *Results) ApplyLoses() bool {
	if rs.s.doc == nil || rs.s.Tasks.Busy() || rs.Applied() {
		return false
	}
	next := &result{run: &app.Run{Result: rs.s.doc.Series().Volume}}
	_, dropped := kept(append(slices.Clone(rs.s.results), next), rs.s.Exports.resultExported)
	return slices.ContainsFunc(dropped, func(r *result) bool { return !rs.s.Exports.resultExported(r) })
}

// kept divides results, the oldest first, into those within the limits and the rest.
// Those that were exported go first, then the oldest; the newest stays.
func kept(results []*result, exported func(*result) bool) (stay, dropped []*result) {
	stay = slices.Clone(results)
	for len(stay) > 1 && (len(stay) > maxResults || bytesOf(stay) > resultBytes) {
		i := max(slices.IndexFunc(stay[:len(stay)-1], exported), 0)
		dropped = append(dropped, stay[i])
		stay = slices.Delete(stay, i, i+1)
	}
	return stay, dropped
}

func bytesOf(results []*result) (n int) {
	for _, r := range results {
		n += 4 * r.run.Result.Voxels()
	}
	return n
}

// add keeps a run of a document. It refuses one of other voxels, which finished
// late.
func (rs *Results) add(d *document, r *result) bool {
	if d.doc == nil || !d.doc.SetRun(r.run) {
		return false
	}
	d.keepResults(append(d.results, r)) // numbered before the oldest goes
	stay, _ := kept(d.results, rs.s.Exports.resultExported)
	d.keepResults(stay)
	rs.save(d, r)
	rs.s.Documents.makeRoom(0)
	return true
}

// of returns the kept result of a run, nil where there is none.
func (rs *Results) of(run *app.Run) *result {
	for _, d := range append([]*document{rs.s.document}, rs.s.Documents.open...) {
		for _, r := range d.results {
			if r.run == run {
				return r
			}
		}
	}
	return nil
}

// showMade shows the newest run that the current recipe made, if there is one.
func (rs *Results) showMade() {
	for _, r := range slices.Backward(rs.s.results) {
		if rs.s.Tuning.made(r.run) {
			rs.s.doc.SetRun(r.run)
			return
		}
	}
}
