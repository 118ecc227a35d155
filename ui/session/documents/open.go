package documents

import (
	"context"

	"fyne.io/fyne/v2/lang"

	"quell/app/open"
	"quell/app/pacs"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/measures"
	"quell/ui/session/results"
	"quell/ui/session/screen"
	"quell/ui/session/tuning"
)

// Open scans a path and shows the series found there. If there are several, the
// listener chooses.
func (rd *Reader) Open(path string) {
	t := rd.desk.Tasks.Start(desk.Loading, lang.L("Reading"), lang.L("files"))
	rd.find(t, func() (*open.Catalog, error) { return rd.desk.Scan(t.Ctx, path) }, rd.load)
}

// use does with entry i of a catalog what a task is for. It has the catalog from then on.
type use func(t *desk.Task, catalog *open.Catalog, i int)

// find uses a series that scan finds.
func (rd *Reader) find(t *desk.Task, scan func() (*open.Catalog, error), use use) {
	var catalog *open.Catalog
	rd.desk.Background(func() (err error) {
		catalog, err = scan()
		return err
	}, func(err error) {
		if !rd.desk.Tasks.Goes(t) { // cancelled or replaced during the scan
			discard(catalog)
			return
		}
		if err != nil {
			rd.desk.Tasks.Finish(t, err)
			return
		}
		rd.choose(t, catalog, use)
	})
}

// choose uses the only series of a catalog, of a 4-D series its first volume, or the one
// that the listener picks.
func (rd *Reader) choose(t *desk.Task, catalog *open.Catalog, use use) {
	if only := catalog.Only(); only >= 0 {
		rd.whole(t, catalog, only, use)
		return
	}
	pick := func(i int) {
		if rd.desk.Tasks.Goes(t) {
			rd.whole(t, catalog, i, use)
		} else {
			discard(catalog)
		}
	}
	drop := func() {
		discard(catalog)
		if rd.desk.Tasks.Goes(t) {
			rd.desk.Tasks.Cancel()
		}
	}
	rd.desk.Choose(catalog, pick, drop)
}

// alreadyOpen says that a series that was to be opened is one of the documents.
func alreadyOpen() string {
	return lang.L("The series was open already; close it first to read it again.")
}

// whole uses entry i of a catalog. If broken files keep it from being read, the listener asks whether the
// rest is used.
func (rd *Reader) whole(t *desk.Task, catalog *open.Catalog, i int, use use) {
	rest, entry := catalog.Rest(i)
	if rest == nil {
		use(t, catalog, i)
		return
	}
	rd.desk.Damaged(catalog.Entries[i].Err, rest.Entries[entry].Slices, func() {
		if rd.desk.Tasks.Goes(t) {
			use(t, rest, entry)
		} else {
			discard(rest)
		}
	}, func() {
		discard(rest)
		if rd.desk.Tasks.Goes(t) {
			rd.desk.Tasks.Cancel()
		}
	})
}

// filesOf identifies what entry i of a catalog is read from: its files as they are now, or what is in them if they were
// retrieved from an archive, to a folder of their own each time.
func filesOf(ctx context.Context, catalog *open.Catalog, i int) string {
	if pacs.IsSpooled(catalog.Path) {
		if id := catalog.Identity(i); id != "" {
			return id
		}
	}
	return catalog.Fingerprint(ctx, i)
}

// load opens entry i of a catalog, or shows the document that was read from the same files,
// if those have not changed since.
func (rd *Reader) load(t *desk.Task, catalog *open.Catalog, i int) {
	var files string
	rd.desk.Background(func() error {
		files = filesOf(t.Ctx, catalog, i)
		return nil
	}, func(err error) {
		if !rd.desk.Tasks.Goes(t) {
			discard(catalog)
			return
		}
		if open := rd.documents.readFrom(files); err == nil && open >= 0 {
			discard(catalog)
			rd.desk.Tasks.Finish(t, nil)
			rd.showAgain(open)
			return
		}
		rd.loadNew(t, catalog, i, files)
	})
}

// showAgain shows document i, which was to be opened once more.
func (rd *Reader) showAgain(i int) {
	d := rd.documents.open[i]
	if d.away != nil {
		rd.wake(d, alreadyOpen())
		return
	}
	rd.documents.Show(i)
	rd.desk.Tasks.Say(alreadyOpen())
	rd.desk.Opened(d.path)
	rd.desk.Changed()
}

// loadNew opens entry i of a catalog as a document of its own.
func (rd *Reader) loadNew(t *desk.Task, catalog *open.Catalog, i int, files string) {
	if err := rd.documents.room(4 * int64(catalog.Entries[i].Geometry.Voxels())); err != nil {
		discard(catalog)
		rd.desk.Tasks.Finish(t, err)
		return
	}
	var loaded *series.Series
	rd.desk.Background(func() (err error) {
		loaded, err = rd.read(t, catalog, i)
		return err
	}, func(err error) {
		if !rd.desk.Tasks.Finish(t, err) {
			discard(catalog)
			return
		}
		rd.show(loaded, catalog, i, files)
		rd.desk.Opened(catalog.Path)
	})
}

// OpenWith shows the series that load returns, such as the bundled one.
func (rd *Reader) OpenWith(load func(ctx context.Context) (*series.Series, error)) {
	t := rd.desk.Tasks.Start(desk.Loading, lang.L("Reading"), lang.L("files"))
	var loaded *series.Series
	rd.desk.Tasks.Do(t, func() (err error) {
		loaded, err = load(t.Ctx)
		return err
	}, func() {
		rd.show(loaded, nil, 0, "")
		rd.desk.Opened("")
	})
}

// show opens a series as a document of its own and shows it.
func (rd *Reader) show(series *series.Series, catalog *open.Catalog, entry int, files string) {
	d := &document{Document: desk.NewDocument()}
	d.files = files
	if catalog != nil {
		d.path = catalog.Path
	}
	rd.begin(d, series, catalog, entry)
}

// NewReader returns the reader of some documents.
func NewReader(d *desk.Desk, ds *Documents, t *tuning.Tuning, ms *measures.Measures, sc *screen.Screen, rs *results.Results) *Reader {
	rd := &Reader{desk: d, documents: ds, tuning: t, measures: ms, screen: sc, results: rs}
	ds.wake = rd.wake
	return rd
}
