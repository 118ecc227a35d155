package documents

import (
	"slices"

	"quell/app/workbench"
	"quell/ui/session/desk"
)

// Loss is work of one kind that would be lost, and of which series, by their index in List: once for the task, and once for
// each result. Of is empty for a task on none of them.
type Loss struct {
	Kind desk.Loss
	Of   []int
}

// VoxelsLoss returns the losses when the series that is shown gets other voxels.
func (ds *Documents) VoxelsLoss() []Loss { return ds.LossOf(slices.Index(ds.open, ds.shown())) }

// LossOf returns the losses when document i is closed.
func (ds *Documents) LossOf(i int) []Loss {
	if i < 0 || i >= len(ds.open) {
		return nil
	}
	return ds.lost(ds.taskLoss(i), i)
}

// Loss returns the losses when all series are closed now.
func (ds *Documents) Loss() []Loss {
	all := make([]int, len(ds.open))
	for i := range all {
		all[i] = i
	}
	return ds.lost(ds.TaskLoss(), all...)
}

// TaskLoss returns the losses when another task takes the place of the one in progress.
func (ds *Documents) TaskLoss() []Loss {
	for i := range ds.open {
		if loss := ds.taskLoss(i); loss != nil {
			return loss
		}
	}
	if kind := ds.desk.Tasks.Loss(); kind != desk.NoLoss {
		return []Loss{{Kind: kind}}
	}
	return nil
}

func (ds *Documents) taskLoss(i int) []Loss {
	if kind := ds.desk.Tasks.Loss(); kind != desk.NoLoss && ds.desk.Tasks.On(ds.open[i].Document) != nil {
		return []Loss{{kind, []int{i}}}
	}
	return nil
}

// lost adds to a loss the results of documents that were not exported, and those that were in vain.
func (ds *Documents) lost(all []Loss, of ...int) []Loss {
	never, gone := Loss{Kind: desk.LosesResult}, Loss{Kind: desk.LosesGone}
	for _, i := range of {
		for _, exports := range ds.open[i].exports() {
			switch {
			case len(exports) == 0:
				never.Of = append(never.Of, i)
			case !ds.results.Files.Stand(exports):
				gone.Of = append(gone.Of, i)
			}
		}
	}
	return slices.DeleteFunc(append(all, never, gone), func(l Loss) bool { return l.Kind >= desk.LosesResult && len(l.Of) == 0 })
}

// exports returns the exports of every result of a document.
func (d *document) exports() (all [][]*workbench.Exported) {
	for _, r := range d.Results {
		all = append(all, r.Exports)
	}
	if d.away != nil {
		for _, r := range d.away.Runs {
			if r.Kept() {
				all = append(all, r.Exports)
			}
		}
	}
	return all
}

// Exports returns the exports of the results of every open series.
func (ds *Documents) Exports() (all []*workbench.Exported) {
	for _, d := range ds.open {
		all = append(all, slices.Concat(d.exports()...)...)
	}
	return all
}
