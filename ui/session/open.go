package session

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/series"
)

// Reader opens series, and changes the voxels of the one that is shown.
type Reader struct{ s *Session }

// Open scans a path and shows the series found there. Where there are several,
// the listener chooses.
func (rd *Reader) Open(path string) {
	t := rd.s.Tasks.start(Loading, lang.L("Reading"), lang.L("files"))
	var catalog *app.Catalog
	rd.s.background(func() (err error) {
		catalog, err = rd.s.deps.Scan(t.ctx, path)
		return err
	}, func(err error) {
		if rd.s.Tasks.now != t { // cancelled or replaced during the scan
			closeCatalog(catalog)
			return
		}
		if err != nil {
			rd.s.Tasks.finish(t, err)
			return
		}
		rd.choose(t, catalog)
	})
}

// choose loads the only series of a catalog, of a 4-D series its first volume, or the one
// that the listener picks.
func (rd *Reader) choose(t *task, catalog *app.Catalog) {
	if only := catalog.Only(); only >= 0 {
		rd.load(t, catalog, only)
		return
	}
	pick := func(i int) {
		if rd.s.Tasks.now == t {
			rd.load(t, catalog, i)
		} else {
			closeCatalog(catalog)
		}
	}
	drop := func() {
		closeCatalog(catalog)
		if rd.s.Tasks.now == t {
			rd.s.Tasks.Cancel()
		}
	}
	rd.s.listener.Choose(catalog, pick, drop)
}

// alreadyOpen says that a series that was to be opened is one of the documents.
func alreadyOpen() string {
	return lang.L("The series was open already; close it first to read it again.")
}

// load opens entry i of a catalog, or shows the document that was read from the same files,
// if those have not changed since. If broken files keep it from being read, the listener asks
// whether the rest is opened.
func (rd *Reader) load(t *task, catalog *app.Catalog, i int) {
	if rest, entry := catalog.Rest(i); rest != nil {
		rd.s.listener.Damaged(catalog.Entries[i].Err, rest.Entries[entry].Slices, func() {
			if rd.s.Tasks.now == t {
				rd.load(t, rest, entry)
			} else {
				closeCatalog(rest)
			}
		}, func() {
			closeCatalog(rest)
			if rd.s.Tasks.now == t {
				rd.s.Tasks.Cancel()
			}
		})
		return
	}
	var files string
	rd.s.background(func() error {
		files = catalog.Fingerprint(t.ctx, i)
		return nil
	}, func(err error) {
		if rd.s.Tasks.now != t {
			closeCatalog(catalog)
			return
		}
		if open := rd.readFrom(files); err == nil && open >= 0 {
			closeCatalog(catalog)
			rd.s.Tasks.finish(t, nil)
			rd.showAgain(open)
			return
		}
		rd.loadNew(t, catalog, i, files)
	})
}

// readFrom returns the index of the document with a fingerprint, -1 for none.
func (rd *Reader) readFrom(files string) int {
	return slices.IndexFunc(rd.s.Documents.open, func(d *document) bool { return files != "" && d.files == files })
}

// showAgain shows document i, which was to be opened once more.
func (rd *Reader) showAgain(i int) {
	d := rd.s.Documents.open[i]
	if d.away != nil {
		rd.wake(d, alreadyOpen())
		return
	}
	rd.s.Documents.Show(i)
	rd.s.Tasks.message = alreadyOpen()
	rd.s.listener.Opened(d.path)
	rd.s.listener.Changed()
}

// loadNew opens entry i of a catalog as a document of its own.
func (rd *Reader) loadNew(t *task, catalog *app.Catalog, i int, files string) {
	if err := rd.s.Documents.room(4 * int64(catalog.Entries[i].Geometry.Voxels())); err != nil {
		closeCatalog(catalog)
		rd.s.Tasks.finish(t, err)
		return
	}
	var loaded *series.Series
	rd.s.background(func() (err error) {
		loaded, err = rd.read(t, catalog, i)
		return err
	}, func(err error) {
		if !rd.s.Tasks.finish(t, err) {
			closeCatalog(catalog)
			return
		}
		rd.show(loaded, catalog, i, files)
		rd.s.listener.Opened(catalog.Path)
	})
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

// read loads entry i on another goroutine. Meanwhile its middle slice is shown, or where that
// cannot be read alone some slices as they come.
func (rd *Reader) read(t *task, catalog *app.Catalog, i int) (*series.Series, error) {
	e := catalog.Entries[i]
	report := rd.s.Tasks.reporter(t)
	rd.s.deps.Do(func() {
		if rd.s.Tasks.now == t {
			if t.unit = lang.L("files"); !app.FormatNamed(e.Format).Folder() {
				t.unit = lang.L("slices")
			}
			t.arriving = &Arriving{Path: catalog.Path, Name: catalog.Name(i), Meta: e.Meta, Dims: e.Geometry.Dims}
			rd.drawFirst(t, catalog, i)
		}
	})
	return catalog.LoadShowing(t.ctx, i, func(done, total int) { report(int64(done), int64(total)) }, firstSide,
		func(done, total int, m *image.Gray) {
			rd.s.deps.Do(func() { rd.arrived(t, m) })
			report(int64(done), int64(total))
		})
}

// drawFirst shows the middle slice of entry i while the rest is read.
func (rd *Reader) drawFirst(t *task, catalog *app.Catalog, i int) {
	var first *image.Gray
	rd.s.background(func() error {
		first = catalog.Thumbnail(t.ctx, i, firstSide)
		return nil
	}, func(err error) {
		if err == nil && first != nil {
			rd.arrived(t, first)
		}
	})
}

// arrived shows a slice of the series that is read by a task, unless that has ended.
func (rd *Reader) arrived(t *task, slice image.Image) {
	if rd.s.Tasks.now == t && t.arriving != nil {
		t.arriving.Slice = slice
		rd.s.listener.Changed()
	}
}

// Arriving returns the series that is being read; nil for none.
func (rd *Reader) Arriving() *Arriving {
	if rd.s.Tasks.now == nil {
		return nil
	}
	return rd.s.Tasks.now.arriving
}

// closeCatalog releases the files of a catalog, which were only read; nil is
// allowed.
func closeCatalog(c *app.Catalog) {
	if c != nil {
		c.Close()
	}
}

// OpenWith shows the series that load returns, such as the bundled one.
func (rd *Reader) OpenWith(load func(ctx context.Context) (*series.Series, error)) {
	t := rd.s.Tasks.start(Loading, lang.L("Reading"), lang.L("files"))
	var loaded *series.Series
	rd.s.background(func() (err error) {
		loaded, err = load(t.ctx)
		return err
	}, func(err error) {
		if rd.s.Tasks.finish(t, err) {
			rd.show(loaded, nil, 0, "")
			rd.s.listener.Opened("")
		}
	})
}

// show opens a series as a document of its own and shows it.
func (rd *Reader) show(series *series.Series, catalog *app.Catalog, entry int, files string) {
	d := newDocument()
	d.files = files
	if catalog != nil {
		d.path = catalog.Path
	}
	rd.begin(d, series, catalog, entry)
}

// begin shows a series as it was read, as the document d.
func (rd *Reader) begin(d *document, series *series.Series, catalog *app.Catalog, entry int) {
	filter := rd.s.recipe.Filter
	rd.s.Documents.leave()
	rd.s.Documents.open = slices.DeleteFunc(rd.s.Documents.open, func(old *document) bool {
		if old == d || !old.spare() {
			return false
		}
		old.release()
		return true
	})
	if !slices.Contains(rd.s.Documents.open, d) {
		rd.s.Documents.open = append(rd.s.Documents.open, d)
	}
	rd.s.Documents.use(d)
	d.catalog, d.entry, d.meta, d.dims = catalog, entry, series.Meta, series.Volume.Dims
	if catalog != nil {
		d.name = catalog.Name(entry)
	}
	d.doc = app.NewDocument(series)
	d.recipe = rd.s.Tuning.propose(filter)
	rd.s.Tasks.message = ""
	rd.s.state.Open(series.Volume, rd.s.Screen.OwnWindow())
	d.doc.Edits().Push(rd.s.History.withView(app.Edit{Recipe: d.recipe}))
	rd.findFacts()
	rd.drawPicture()
	rd.s.Documents.makeRoom(0)
	rd.s.Documents.freeMemory() // of what was read, and of what gave way
}

// pictureSide is the size of the pictures of the documents, in pixels.
const pictureSide = 128

// drawPicture draws the picture of the document that is shown, in the background.
func (rd *Reader) drawPicture() {
	d, shown := rd.s.document, rd.s.doc.Series()
	var picture image.Image
	var data bytes.Buffer
	rd.s.background(func() error {
		picture = app.Thumbnail(shown, pictureSide)
		return png.Encode(&data, picture)
	}, func(err error) {
		if err == nil {
			d.small, d.png = picture, data.Bytes()
			rd.s.listener.Changed()
		}
	})
}

// findFacts finds the range and the noise of the whole volume, which automatic
// parameters and previews need.
func (rd *Reader) findFacts() {
	d := rd.s.document
	ctx, doc, v := d.voxels, d.doc, d.doc.Series().Volume
	var facts denoise.Facts
	rd.s.background(func() (err error) {
		facts, err = denoise.FactsOf(ctx, v)
		return err
	}, func(err error) {
		if ctx.Err() != nil { // the document has other voxels, or is closed
			return
		}
		if err != nil {
			rd.s.listener.Failed(err)
			return
		}
		doc.SetFacts(v, facts)
		if rd.s.document != d {
			return
		}
		rd.s.Measures.measureSlice() // where a run is shown that was restored
		rd.s.viewChanged()
	})
}

// SetReference compares results with the series at a path. It does nothing while
// a task is in progress.
func (rd *Reader) SetReference(path string) {
	if rd.s.doc == nil || rd.s.Tasks.Busy() {
		return
	}
	doc := rd.s.doc
	t := rd.s.Tasks.start(Preparing, lang.L("Reading the reference"), lang.L("files"))
	report := rd.s.Tasks.reporter(t)
	var reference *series.Series
	rd.s.background(func() error {
		in, err := app.Open(t.ctx, app.Input{Path: path}, app.Events{
			Progress: func(_ app.Step, done, total int64) { report(done, total) },
		})
		if err != nil {
			return err
		}
		closeCatalog(in.Catalog)
		reference = in.Series
		return nil
	}, func(err error) {
		if err == nil && rd.s.Tasks.now == t {
			err = doc.SetReference(reference)
		}
		if !rd.s.Tasks.finish(t, err) {
			return
		}
		rd.s.reference = path
		rd.s.Tasks.message = lang.L("Results are compared with the reference.")
		rd.s.Measures.again()
	})
}

// ClearReference removes the reference, and noise that was added. It does
// nothing while a task is in progress.
func (rd *Reader) ClearReference() {
	if rd.s.doc == nil || rd.s.Tasks.Busy() {
		return
	}
	if _, noisy := rd.s.doc.Noise(); noisy {
		rd.s.doc.RemoveNoise()
		rd.s.reference = ""
		rd.changedVoxels(lang.L("The added noise is removed."))
		return
	}
	if err := rd.s.doc.SetReference(nil); err != nil {
		rd.s.listener.Failed(err)
		return
	}
	rd.s.reference = ""
	rd.s.Measures.again()
}

// AddNoise shows the series with noise added; the clean original becomes the
// reference. It does nothing while a task is in progress.
func (rd *Reader) AddNoise(n app.Noise) {
	if rd.s.doc == nil || rd.s.Tasks.Busy() {
		return
	}
	doc, clean := rd.s.doc, rd.s.doc.Clean()
	t := rd.s.Tasks.start(Preparing, lang.L("Adding noise"), "")
	var noisy *series.Series
	rd.s.background(func() (err error) {
		noisy, err = app.AddNoise(t.ctx, clean, n)
		return err
	}, func(err error) {
		if !rd.s.Tasks.finish(t, err) {
			return
		}
		doc.SetNoisy(noisy, n)
		rd.s.reference = ""
		rd.changedVoxels(fmt.Sprintf(lang.L("Added %s; the original is the reference."), n))
	})
}

// changedVoxels follows a change of the voxels on the same grid: the view stays
// as it is.
func (rd *Reader) changedVoxels(message string) {
	rd.s.document.resetVoxels()
	rd.s.Documents.clearScreen()
	rd.s.Tasks.message = message
	rd.s.state.Replace(rd.s.doc.Series().Volume)
	rd.findFacts()
}
