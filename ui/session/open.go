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

// Open scans a path and shows the series found there. Where there are several,
// the listener chooses.
func (s *Session) Open(path string) {
	t := s.start(Loading, lang.L("Reading"), lang.L("files"))
	var catalog *app.Catalog
	s.background(func() (err error) {
		catalog, err = s.deps.Scan(t.ctx, path)
		return err
	}, func(err error) {
		if s.task != t { // cancelled or replaced during the scan
			closeCatalog(catalog)
			return
		}
		if err != nil {
			s.finish(t, err)
			return
		}
		s.choose(t, catalog)
	})
}

// choose loads the only series of a catalog, of a 4-D series its first volume, or the one
// that the listener picks.
func (s *Session) choose(t *task, catalog *app.Catalog) {
	if only := catalog.Only(); only >= 0 {
		s.load(t, catalog, only)
		return
	}
	pick := func(i int) {
		if s.task == t {
			s.load(t, catalog, i)
		} else {
			closeCatalog(catalog)
		}
	}
	drop := func() {
		closeCatalog(catalog)
		if s.task == t {
			s.Cancel()
		}
	}
	s.listener.Choose(catalog, pick, drop)
}

// alreadyOpen says that a series that was to be opened is one of the documents.
func alreadyOpen() string {
	return lang.L("The series was open already; close it first to read it again.")
}

// load opens entry i of a catalog, or shows the document that was read from the same files,
// if those have not changed since. If broken files keep it from being read, the listener asks
// whether the rest is opened.
func (s *Session) load(t *task, catalog *app.Catalog, i int) {
	if rest, entry := catalog.Rest(i); rest != nil {
		s.listener.Damaged(catalog.Entries[i].Err, rest.Entries[entry].Slices, func() {
			if s.task == t {
				s.load(t, rest, entry)
			} else {
				closeCatalog(rest)
			}
		}, func() {
			closeCatalog(rest)
			if s.task == t {
				s.Cancel()
			}
		})
		return
	}
	var files string
	s.background(func() error {
		files = catalog.Fingerprint(t.ctx, i)
		return nil
	}, func(err error) {
		if s.task != t {
			closeCatalog(catalog)
			return
		}
		if open := s.readFrom(files); err == nil && open >= 0 {
			closeCatalog(catalog)
			s.finish(t, nil)
			s.showAgain(open)
			return
		}
		s.loadNew(t, catalog, i, files)
	})
}

// readFrom returns the index of the document with a fingerprint, -1 for none.
func (s *Session) readFrom(files string) int {
	return slices.IndexFunc(s.documents, func(d *document) bool { return files != "" && d.files == files })
}

// showAgain shows document i, which was to be opened once more.
func (s *Session) showAgain(i int) {
	d := s.documents[i]
	if d.away != nil {
		s.wake(d, alreadyOpen())
		return
	}
	s.ShowDocument(i)
	s.message = alreadyOpen()
	s.listener.Opened(d.path)
	s.listener.Changed()
}

// loadNew opens entry i of a catalog as a document of its own.
func (s *Session) loadNew(t *task, catalog *app.Catalog, i int, files string) {
	if err := s.room(4 * int64(catalog.Entries[i].Geometry.Voxels())); err != nil {
		closeCatalog(catalog)
		s.finish(t, err)
		return
	}
	var loaded *series.Series
	s.background(func() (err error) {
		loaded, err = s.read(t, catalog, i)
		return err
	}, func(err error) {
		if !s.finish(t, err) {
			closeCatalog(catalog)
			return
		}
		s.show(loaded, catalog, i, files)
		s.listener.Opened(catalog.Path)
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
func (s *Session) read(t *task, catalog *app.Catalog, i int) (*series.Series, error) {
	e := catalog.Entries[i]
	report := s.reporter(t)
	s.deps.Do(func() {
		if s.task == t {
			if t.unit = lang.L("files"); !app.FormatNamed(e.Format).Folder() {
				t.unit = lang.L("slices")
			}
			t.arriving = &Arriving{Path: catalog.Path, Name: catalog.Name(i), Meta: e.Meta, Dims: e.Geometry.Dims}
			s.drawFirst(t, catalog, i)
		}
	})
	return catalog.LoadShowing(t.ctx, i, func(done, total int) { report(int64(done), int64(total)) }, firstSide,
		func(done, total int, m *image.Gray) {
			s.deps.Do(func() { s.arrived(t, m) })
			report(int64(done), int64(total))
		})
}

// drawFirst shows the middle slice of entry i while the rest is read.
func (s *Session) drawFirst(t *task, catalog *app.Catalog, i int) {
	var first *image.Gray
	s.background(func() error {
		first = catalog.Thumbnail(t.ctx, i, firstSide)
		return nil
	}, func(err error) {
		if err == nil && first != nil {
			s.arrived(t, first)
		}
	})
}

// arrived shows a slice of the series that is read by a task, unless that has ended.
func (s *Session) arrived(t *task, slice image.Image) {
	if s.task == t && t.arriving != nil {
		t.arriving.Slice = slice
		s.listener.Changed()
	}
}

// Arriving returns the series that is being read; nil for none.
func (s *Session) Arriving() *Arriving {
	if s.task == nil {
		return nil
	}
	return s.task.arriving
}

// closeCatalog releases the files of a catalog, which were only read; nil is
// allowed.
func closeCatalog(c *app.Catalog) {
	if c != nil {
		c.Close()
	}
}

// OpenWith shows the series that load returns, such as the bundled one.
func (s *Session) OpenWith(load func(ctx context.Context) (*series.Series, error)) {
	t := s.start(Loading, lang.L("Reading"), lang.L("files"))
	var loaded *series.Series
	s.background(func() (err error) {
		loaded, err = load(t.ctx)
		return err
	}, func(err error) {
		if s.finish(t, err) {
			s.show(loaded, nil, 0, "")
			s.listener.Opened("")
		}
	})
}

// show opens a series as a document of its own and shows it.
func (s *Session) show(series *series.Series, catalog *app.Catalog, entry int, files string) {
	d := newDocument()
	d.files = files
	if catalog != nil {
		d.path = catalog.Path
	}
	s.begin(d, series, catalog, entry)
}

// begin shows a series as it was read, as the document d.
func (s *Session) begin(d *document, series *series.Series, catalog *app.Catalog, entry int) {
	filter := s.recipe.Filter
	s.leave()
	s.documents = slices.DeleteFunc(s.documents, func(old *document) bool {
		if old == d || !old.spare() {
			return false
		}
		old.release()
		return true
	})
	if !slices.Contains(s.documents, d) {
		s.documents = append(s.documents, d)
	}
	s.use(d)
	d.catalog, d.entry, d.meta, d.dims = catalog, entry, series.Meta, series.Volume.Dims
	if catalog != nil {
		d.name = catalog.Name(entry)
	}
	d.doc = app.NewDocument(series)
	d.recipe = s.propose(filter)
	s.message = ""
	s.state.Open(series.Volume, s.OwnWindow())
	d.doc.Edits().Push(s.withView(app.Edit{Recipe: d.recipe}))
	s.findFacts()
	s.drawPicture()
	s.makeRoom(0)
	s.freeMemory() // of what was read, and of what gave way
}

// pictureSide is the size of the pictures of the documents, in pixels.
const pictureSide = 128

// drawPicture draws the picture of the document that is shown, in the background.
func (s *Session) drawPicture() {
	d, shown := s.document, s.doc.Series()
	var picture image.Image
	var data bytes.Buffer
	s.background(func() error {
		picture = app.Thumbnail(shown, pictureSide)
		return png.Encode(&data, picture)
	}, func(err error) {
		if err == nil {
			d.small, d.png = picture, data.Bytes()
			s.listener.Changed()
		}
	})
}

// findFacts finds the range and the noise of the whole volume, which automatic
// parameters and previews need.
func (s *Session) findFacts() {
	d := s.document
	ctx, doc, v := d.voxels, d.doc, d.doc.Series().Volume
	var facts denoise.Facts
	s.background(func() (err error) {
		facts, err = denoise.FactsOf(ctx, v)
		return err
	}, func(err error) {
		if ctx.Err() != nil { // the document has other voxels, or is closed
			return
		}
		if err != nil {
			s.listener.Failed(err)
			return
		}
		doc.SetFacts(v, facts)
		if s.document != d {
			return
		}
		s.measureSlice() // where a run is shown that was restored
		s.viewChanged()
	})
}

// SetReference compares results with the series at a path. It does nothing while
// a task is in progress.
func (s *Session) SetReference(path string) {
	if s.doc == nil || s.Busy() {
		return
	}
	doc := s.doc
	t := s.start(Preparing, lang.L("Reading the reference"), lang.L("files"))
	report := s.reporter(t)
	var reference *series.Series
	s.background(func() error {
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
		if err == nil && s.task == t {
			err = doc.SetReference(reference)
		}
		if !s.finish(t, err) {
			return
		}
		s.reference = path
		s.message = lang.L("Results are compared with the reference.")
		s.measureAgain()
	})
}

// ClearReference removes the reference, and noise that was added. It does
// nothing while a task is in progress.
func (s *Session) ClearReference() {
	if s.doc == nil || s.Busy() {
		return
	}
	if _, noisy := s.doc.Noise(); noisy {
		s.doc.RemoveNoise()
		s.reference = ""
		s.changedVoxels(lang.L("The added noise is removed."))
		return
	}
	if err := s.doc.SetReference(nil); err != nil {
		s.listener.Failed(err)
		return
	}
	s.reference = ""
	s.measureAgain()
}

// AddNoise shows the series with noise added; the clean original becomes the
// reference. It does nothing while a task is in progress.
func (s *Session) AddNoise(n app.Noise) {
	if s.doc == nil || s.Busy() {
		return
	}
	doc, clean := s.doc, s.doc.Clean()
	t := s.start(Preparing, lang.L("Adding noise"), "")
	var noisy *series.Series
	s.background(func() (err error) {
		noisy, err = app.AddNoise(t.ctx, clean, n)
		return err
	}, func(err error) {
		if !s.finish(t, err) {
			return
		}
		doc.SetNoisy(noisy, n)
		s.reference = ""
		s.changedVoxels(fmt.Sprintf(lang.L("Added %s; the original is the reference."), n))
	})
}

// changedVoxels follows a change of the voxels on the same grid: the view stays
// as it is.
func (s *Session) changedVoxels(message string) {
	s.document.resetVoxels()
	s.clearScreen()
	s.message = message
	s.state.Replace(s.doc.Series().Volume)
	s.findFacts()
}
