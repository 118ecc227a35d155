package documents

import (
	"slices"

	"quell/app/workbench"
	"quell/ui/session/desk"
)

// VoxelsLoss returns what is lost when the series that is shown gets other voxels.
func (ds *Documents) VoxelsLoss() desk.Loss { return ds.lossOf(ds.shown()) }

// LossOf returns what is lost when document i is closed.
func (ds *Documents) LossOf(i int) desk.Loss {
	if i < 0 || i >= len(ds.open) {
		return desk.NoLoss
	}
	return ds.lossOf(ds.open[i])
}

func (ds *Documents) lossOf(d *document) desk.Loss {
	if ds.desk.Tasks.On(d.Document) != nil && ds.desk.Tasks.Loss() != desk.NoLoss {
		return ds.desk.Tasks.Loss()
	}
	return ds.lossOfResults(d)
}

// Loss returns what is lost when all series are closed now.
func (ds *Documents) Loss() desk.Loss {
	if loss := ds.desk.Tasks.Loss(); loss != desk.NoLoss {
		return loss
	}
	return ds.lossOfResults(ds.open...)
}

// Exports returns the exports of the results of every open series.
func (ds *Documents) Exports() (all []*workbench.Exported) {
	for _, d := range ds.open {
		all = append(all, slices.Concat(d.exports()...)...)
	}
	return all
}
