package documents

import (
	"bytes"
	"cmp"
	"image"
	"image/png"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/executor"
	"quell/app/files"
	"quell/app/open"
	"quell/app/workbench"
	"quell/denoise"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/measures"
	"quell/ui/session/results"
	"quell/ui/session/screen"
	"quell/ui/session/tuning"
)

// Reader opens series, and changes the voxels of the one that is shown.
type Reader struct {
	// Altered asks what to do about a source of a project that is missing or changed; if nil, an error is shown.
	Altered func(Altered)

	desk      *desk.Desk
	documents *Documents
	tuning    *tuning.Tuning
	measures  *measures.Measures
	screen    *screen.Screen
	results   *results.Results

	arriving *Arriving  // that reads is about; nil before it is known
	reads    *desk.Task // the last that read a series
}

// Arriving is a series that is being read.
type Arriving struct {
	Path  string
	Name  string
	Meta  series.Meta
	Dims  [3]int
	Slice image.Image // one of its slices; nil before one is read
}

// firstSide bounds the size of the slices that are shown while a series is read, in pixels.
const firstSide = 1024

// read loads entry i on another goroutine. Meanwhile its middle slice is shown, or if that
// cannot be read alone some slices as they come.
func (rd *Reader) read(t *desk.Task, catalog *open.Catalog, i int) (*series.Series, error) {
	e := catalog.Entries[i]
	report := rd.desk.Tasks.Reporter(t)
	rd.desk.Do(func() {
		if rd.desk.Tasks.Goes(t) {
			if t.Unit = lang.L("files"); !files.FormatNamed(e.Format).Folder() {
				t.Unit = lang.L("slices")
			}
			var first image.Image // of a series that was retrieved by this task
			if now := rd.Arriving(); now != nil {
				first = now.Slice
			}
			rd.reads, rd.arriving = t, &Arriving{Path: catalog.Path, Name: nameOf(catalog, i), Meta: e.Meta, Dims: e.Geometry.Dims, Slice: first}
			rd.drawFirst(t, catalog, i)
		}
	})
	return catalog.LoadShowing(t.Ctx, i, func(done, total int) { report(int64(done), int64(total)) }, firstSide,
		func(done, total int, m *image.Gray) {
			rd.desk.Do(func() { rd.arrived(t, m) })
			report(int64(done), int64(total))
		})
}

// drawFirst shows the middle slice of entry i while the rest is read.
func (rd *Reader) drawFirst(t *desk.Task, catalog *open.Catalog, i int) {
	var first *image.Gray
	rd.desk.Background(func() error {
		first = catalog.Thumbnail(t.Ctx, i, firstSide)
		return nil
	}, func(err error) {
		if err == nil && first != nil {
			rd.arrived(t, first)
		}
	})
}

// arrived shows a slice of the series that is read by a task, unless that has ended.
func (rd *Reader) arrived(t *desk.Task, slice image.Image) {
	if rd.desk.Tasks.Goes(t) && rd.reads == t {
		rd.arriving.Slice = slice
		rd.desk.Changed()
	}
}

// Arriving returns the series that is being read; nil for none.
func (rd *Reader) Arriving() *Arriving {
	if rd.reads == nil || !rd.desk.Tasks.Goes(rd.reads) {
		return nil
	}
	return rd.arriving
}

// begin shows a series as it was read, as the document d.
func (rd *Reader) begin(d *document, series *series.Series, catalog *open.Catalog, entry int) {
	rd.documents.leave()
	rd.documents.open = slices.DeleteFunc(rd.documents.open, func(old *document) bool {
		if old == d || !old.spare() {
			return false
		}
		old.release()
		return true
	})
	if !slices.Contains(rd.documents.open, d) {
		rd.documents.open = append(rd.documents.open, d)
	}
	rd.documents.use(d)
	d.catalog, d.entry, d.meta, d.dims = catalog, entry, series.Meta, series.Volume.Dims
	if catalog != nil {
		d.name = nameOf(catalog, entry)
		d.Volume = executor.SeriesVolume{Of: executor.PreviewOfSeries(catalog, catalog.Members(entry), func() int64 { return min(rd.desk.Memory, cmp.Or(rd.desk.Available(), rd.desk.Memory)) / 2 }), K: catalog.Entries[entry].GroupIndex}
	}
	d.Doc = workbench.NewDocument(series)
	rd.tuning.Begin()
	rd.desk.Tasks.Say("")
	rd.desk.State.Open(series.Volume, rd.screen.OwnWindow())
	d.Doc.Edits().Push(rd.desk.WithView(workbench.Edit{Recipe: d.Recipe}))
	rd.findFacts()
	rd.drawPicture()
	rd.documents.makeRoom(0)
	rd.desk.FreeLater() // of what was read, and of what gave way
}

// pictureSide is the size of the pictures of the documents, in pixels.
const pictureSide = 128

// drawPicture draws the picture of the document that is shown, in the background.
func (rd *Reader) drawPicture() {
	d, shown := rd.documents.shown(), rd.desk.Doc.Series()
	var picture image.Image
	var data bytes.Buffer
	rd.desk.Background(func() error {
		picture = shown.Thumbnail(pictureSide)
		return png.Encode(&data, picture)
	}, func(err error) {
		if err == nil {
			d.small, d.png = picture, data.Bytes()
			rd.desk.Changed()
		}
	})
}

// findFacts finds the range and the noise of the whole volume, which automatic
// parameters and previews need; that of a volume of a 4-D series as the volumes show it.
func (rd *Reader) findFacts() {
	d := rd.desk.Document
	ctx, doc, v, of := d.Voxels, d.Doc, d.Doc.Series().Volume, d.Volume
	of.Added, _ = doc.Noise()
	var facts denoise.Facts
	rd.desk.Background(func() (err error) {
		facts, err = of.Facts(ctx, v)
		return err
	}, func(err error) {
		if ctx.Err() != nil { // the document has other voxels, or is closed
			return
		}
		if err != nil {
			rd.desk.Failed(err)
			return
		}
		doc.SetFacts(v, facts)
		if rd.desk.Document != d {
			return
		}
		rd.measures.MeasureSlice() // if a run is shown that was restored
		rd.desk.ViewChanged()
	})
}

// changedVoxels follows a change of the voxels on the same grid: the view stays as it is.
func (rd *Reader) changedVoxels(message string) {
	rd.desk.ResetVoxels()
	rd.desk.Clear()
	rd.desk.Tasks.Say(message)
	rd.desk.State.Replace(rd.desk.Doc.Series().Volume)
	rd.findFacts()
}
