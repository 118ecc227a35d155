package documents

import (
	"fmt"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/app/open"
	"quell/app/run"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/session/desk"
)

// SetReference compares results with the series at a path. It does nothing while
// a task is in progress.
func (rd *Reader) SetReference(path string) {
	if rd.desk.Doc == nil || rd.desk.Tasks.Busy() {
		return
	}
	doc := rd.desk.Doc
	t := rd.desk.Tasks.Start(desk.Preparing, lang.L("Reading the reference"), lang.L("files"))
	report := rd.desk.Tasks.Reporter(t)
	var reference *series.Series
	rd.desk.Background(func() error {
		in, err := open.Open(t.Ctx, job.Input{Path: path}, job.Events{
			Progress: func(_ job.Step, done, total int64) { report(done, total) },
		})
		if err != nil {
			return err
		}
		closeCatalog(in.Catalog)
		reference = in.Series
		return nil
	}, func(err error) {
		if err == nil && rd.desk.Tasks.Goes(t) {
			err = doc.SetReference(reference)
		}
		if !rd.desk.Tasks.Finish(t, err) {
			return
		}
		rd.documents.shown().reference = path
		rd.desk.Tasks.Say(lang.L("Results are compared with the reference."))
		rd.measures.Again()
	})
}

// ClearReference removes the reference, and noise that was added. It does
// nothing while a task is in progress.
func (rd *Reader) ClearReference() {
	if rd.desk.Doc == nil || rd.desk.Tasks.Busy() {
		return
	}
	if _, noisy := rd.desk.Doc.Noise(); noisy {
		rd.desk.Doc.RemoveNoise()
		rd.documents.shown().reference = ""
		rd.changedVoxels(lang.L("The added noise is removed."))
		return
	}
	if err := rd.desk.Doc.SetReference(nil); err != nil {
		rd.desk.Failed(err)
		return
	}
	rd.documents.shown().reference = ""
	rd.measures.Again()
}

// AddNoise shows the series with noise added; the clean original becomes the
// reference. It does nothing while a task is in progress.
func (rd *Reader) AddNoise(n job.AddedNoise) {
	if rd.desk.Doc == nil || rd.desk.Tasks.Busy() {
		return
	}
	doc, clean := rd.desk.Doc, rd.desk.Doc.Clean()
	t := rd.desk.Tasks.Start(desk.Preparing, lang.L("Adding noise"), "")
	var noisy *series.Series
	rd.desk.Tasks.Do(t, func() (err error) {
		noisy, err = run.AddNoise(t.Ctx, clean, n)
		return err
	}, func() {
		doc.SetNoisy(noisy, n)
		rd.documents.shown().reference = ""
		rd.changedVoxels(fmt.Sprintf(lang.L("Added %s; the original is the reference."), n))
	})
}

// ShowVolume shows volume k of the 4-D series in the place of the one on the screen: at the same
// slice and window, with the same recipe and marks. Results, added noise and the reference belong
// to the volume that is left, and are dropped. A volume that is still being read gives way.
func (rd *Reader) ShowVolume(k int) {
	g, now := rd.documents.Group()
	loading := rd.desk.Tasks.Kind() == desk.Loading
	if g == nil || k < 0 || k >= g.Len() || k == now && !loading || rd.desk.Tasks.Busy() && !loading {
		return
	}
	if k == now {
		rd.desk.Tasks.Cancel()
		return
	}
	d := rd.documents.shown()
	catalog, entry := d.catalog, d.catalog.Members(d.entry)[k]
	t := rd.desk.Tasks.Start(desk.Loading, lang.L("Reading"), lang.L("files"))
	t.Document = d.Document
	report := rd.desk.Tasks.Reporter(t)
	var loaded *series.Series
	rd.desk.Background(func() (err error) {
		loaded, err = catalog.Load(t.Ctx, entry, func(done, total int) { report(int64(done), int64(total)) })
		return err
	}, func(err error) {
		if !rd.desk.Tasks.Finish(t, err) || rd.desk.Document != d.Document {
			return
		}
		edits := *d.Doc.Edits()
		d.Doc = workbench.NewDocument(loaded)
		*d.Doc.Edits() = edits
		d.entry, d.meta, d.reference, d.Volume.K = entry, loaded.Meta, "", k
		rd.changedVoxels(g.Places[k].String())
		rd.drawPicture()
		rd.desk.Changed()
	})
}
