package desk

import (
	"context"
	"slices"

	"quell/app/executor"
	"quell/app/judge"
	"quell/app/run"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/viewer"
	"quell/volume"
)

// Document is an open series and the work on it. One of them is shown; the others keep the state that is
// here, and what the parts keep of them in a Slot.
type Document struct {
	Doc       *workbench.Document // nil before a series is open, and while it is put away
	Recipe    denoise.Recipe
	Chosen    bool              // the user has chosen the recipe: no proposal takes its place by itself
	Touched   bool              // the user has done something with the series since it was opened: nothing is changed by itself
	Proposed  string            // the filter that was taken as it was proposed; "" for none
	Maps      run.Maps          // that steer the filter besides the recipe, of the current voxels
	Steered   bool              // the user decided whether the filter follows the noise map: it is not changed by itself
	Noise     Noise             // of the current voxels
	Results   []*Result         // finished runs of the current voxels, the oldest first
	Base      *Result           // of Results: side A of comparisons; nil for the original, or Beside
	Beside    *workbench.Beside // another series at the voxels of this one; nil for none
	ByBeside  bool              // Beside is side A of comparisons, and Base nil
	AsIs      bool              // while Beside is side A, the series itself is side B, and not its result
	Voxels    context.Context
	Volume    executor.SeriesVolume // that is shown
	EndVoxels context.CancelFunc    // ends Voxels, when the document has other voxels or is closed

	kept, ofVoxels map[any]any // by slot
}

// Noise is the noise of every voxel, found once for the current voxels.
type Noise struct {
	Found *judge.NoiseMap // nil: not asked for yet
	Tint  *viewer.Tint    // over the original
	Shown bool
	Facts denoise.Facts // denoise.FactsFor the series and the map; zero before the filter follows it
}

// Result is a finished run of the current voxels.
type Result struct {
	Number  int // counted from 1 in the order of the runs, for labels
	Run     *run.Run
	Maps    run.Maps              // that the filter followed
	Given   *workbench.GivenNoise // that automatic values followed; nil: the estimate
	Numbers Measured
	Exports []*workbench.Exported // the last one last; they may have gone since
	Saved   *workbench.SavedRun   // nil if it is not kept for the next start
}

// Pair is two pictures of one slice that a blind comparison shows.
type Pair struct {
	Job   viewer.Job         // of volumes of that slice alone: A is Source, B is Result
	Made  [2]*denoise.Recipe // A and B, resolved; nil for the original
	Asked [2]*denoise.Recipe // the same as asked for
	Index int                // of the slice in the series
}

// Measured are the numbers of a run as a whole.
type Measured struct {
	Measures  judge.Measures
	Reference *series.Series // that they were measured with
	Err       error
	Known     bool // there are numbers, or an error
}

// Slot is the state that a part of the session keeps of each document; the zero value holds zero values.
type Slot[T any] struct {
	OfVoxels bool // it is dropped with the voxels of a document
}

// Of returns the kept state of a document.
func (s *Slot[T]) Of(d *Document) *T {
	in := d.kept
	if s.OfVoxels {
		in = d.ofVoxels
	}
	if in[s] == nil {
		in[s] = new(T)
	}
	return in[s].(*T)
}

// NewDocument returns a document without a series.
func NewDocument() *Document {
	d := &Document{kept: map[any]any{}}
	d.begin()
	return d
}

func (d *Document) begin() {
	d.Voxels, d.EndVoxels = context.WithCancel(context.Background())
	d.ofVoxels = map[any]any{}
}

// ResetVoxels cancels the work on the present voxels and drops its results.
func (d *Document) ResetVoxels() {
	d.EndVoxels()
	d.begin()
	d.Results, d.Base, d.Noise, d.Maps, d.Steered = nil, nil, Noise{}, run.Maps{}, false
}

// Series returns the series as it is shown, or nil.
func (d *Document) Series() *series.Series {
	if d.Doc == nil {
		return nil
	}
	return d.Doc.Series()
}

// Follows says whether the filter follows the noise map.
func (d *Document) Follows() bool { return d.Maps.Noise != nil }

// Untouched says that nothing was done on an open series.
func (d *Document) Untouched() bool {
	return d.Doc != nil && len(d.Results) == 0 && d.Doc.Reference() == nil && !d.Doc.Edits().Worked()
}

// Edit is the present step of the history.
func (d *Document) Edit() workbench.Edit {
	if d.Doc == nil {
		return workbench.Edit{}
	}
	e, _ := d.Doc.Edits().Present()
	return e
}

// FactsUnder returns the facts that recipes are resolved by under maps, which are none or have
// been found for the current voxels.
func (d *Document) FactsUnder(maps run.Maps) denoise.Facts {
	if maps.Noise != nil {
		return d.Noise.Facts
	}
	facts, _ := d.Doc.Facts()
	return facts
}

// Made says whether a run was made by the current recipe, steered as it is now.
func (d *Document) Made(run *run.Run) bool {
	if run == nil || !run.Recipe.Equal(d.Recipe) || run.Maps.Noise != d.Maps.Noise && d.Recipe.SeriesFilter() == nil {
		return false
	}
	facts, known := d.Doc.Facts()
	return d.Follows() || !known || run.Facts == nil || sameNoise(facts, *run.Facts)
}

// sameNoise says whether automatic values are the same under two facts of one volume: a person
// may have given another sigma between them.
func sameNoise(a, b denoise.Facts) bool { return a.Noise.Sigma == b.Noise.Sigma }

// ResultOf returns the kept result of a run, nil if there is none.
func (d *Document) ResultOf(run *run.Run) *Result {
	if i := slices.IndexFunc(d.Results, func(r *Result) bool { return r.Run == run }); i >= 0 {
		return d.Results[i]
	}
	return nil
}

// BaseVolume returns the volume of side A if that is a result or another series; nil for the original.
func (d *Document) BaseVolume() *volume.Volume {
	switch {
	case d.Base != nil:
		return d.Base.Run.Result
	case d.Other():
		return d.Beside.Volume
	}
	return nil
}

// Other says whether side A of comparisons is another series.
func (d *Document) Other() bool { return d.Beside != nil && d.ByBeside }

// Unfiltered says whether side B of comparisons is the series itself.
func (d *Document) Unfiltered() bool { return d.Other() && d.AsIs }

// KeepResults sets the results, numbers the new ones, and lets go of a side A that is not among
// them.
func (d *Document) KeepResults(results []*Result) {
	last := 0
	for _, r := range results {
		if r.Number == 0 {
			r.Number = last + 1
		}
		last = r.Number
	}
	d.Results = results
	if !slices.Contains(results, d.Base) {
		d.Base = nil
	}
}
