package documents

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/app/open"
	"quell/app/pacs"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session/desk"
)

// OpenBeside puts the series at a path beside the one on the screen: at its voxels, by the positions in
// the patient, as side A of comparisons. If there are several, the listener chooses. It does nothing while
// a task is in progress, or without a series.
func (rd *Reader) OpenBeside(path string) {
	if t := rd.beginBeside(lang.L("Reading the other series")); t != nil {
		rd.find(t, func() (*open.Catalog, error) { return rd.desk.Scan(t.Ctx, path) }, rd.loadBeside)
	}
}

// OpenArchiveBeside retrieves a series and puts it beside the one on the screen, as OpenBeside does. What was
// retrieved is removed as soon as it is read.
func (rd *Reader) OpenArchiveBeside(place pacs.Place, row pacs.Row) {
	if rd.desk.Doc == nil || rd.desk.Tasks.Busy() {
		return
	}
	dir, err := rd.spoolFolder()
	if err != nil {
		rd.desk.Failed(err)
		return
	}
	t := rd.beginBeside(lang.L("Retrieving"))
	rd.find(t, rd.retrieve(t, place, row, dir), func(t *desk.Task, catalog *open.Catalog, i int) {
		rd.placeEntry(t, catalog, i, workbench.SavedBeside{Path: row.Reference(place), Entry: i, Images: catalog.Entries[i].Identity()})
	})
}

// ShowBeside puts open document i beside the one on the screen, as OpenBeside does. One that was put away is
// read again.
func (rd *Reader) ShowBeside(i int) {
	if i < 0 || i >= len(rd.documents.open) || rd.documents.open[i].Document == rd.desk.Document {
		return
	}
	d := rd.documents.open[i]
	if d.Doc == nil {
		rd.OpenBeside(d.path)
		return
	}
	if t := rd.beginBeside(lang.L("Placing the other series")); t != nil {
		rd.place(t, besideOf(d.catalog, d.entry), func() (*series.Series, error) { return d.Doc.Clean(), nil })
	}
}

// beginBeside begins a task on the document on the screen; nil if there is none, or another task.
func (rd *Reader) beginBeside(name string) *desk.Task {
	if rd.desk.Doc == nil || rd.desk.Tasks.Busy() {
		return nil
	}
	return rd.desk.Tasks.Start(desk.Preparing, name, lang.L("files"))
}

// loadBeside puts entry i of a catalog beside the series on the screen.
func (rd *Reader) loadBeside(t *desk.Task, catalog *open.Catalog, i int) {
	rd.placeEntry(t, catalog, i, besideOf(catalog, i))
}

// placeEntry puts entry i of a catalog beside the series on the screen; opened is what opens it again.
func (rd *Reader) placeEntry(t *desk.Task, catalog *open.Catalog, i int, opened workbench.SavedBeside) {
	g := rd.desk.Doc.Series().Volume.Geometry
	err := workbench.CheckBeside(g, catalog.Entries[i].Geometry)
	if catalog.Entries[i].Err != nil {
		err = catalog.Entries[i].Err
	}
	if err == nil {
		err = rd.besideRoom(4*int64(catalog.Entries[i].Geometry.Voxels()) + workbench.BesideBytes(g))
	}
	if err != nil {
		discard(catalog)
		rd.desk.Tasks.Finish(t, err)
		return
	}
	report := rd.desk.Tasks.Reporter(t)
	rd.place(t, opened, func() (*series.Series, error) {
		defer discard(catalog)
		return catalog.Load(t.Ctx, i, func(done, total int) { report(int64(done), int64(total)) })
	})
}

// besideRoom returns why there is no room for another series beside the one on the screen, which does not
// give way.
func (rd *Reader) besideRoom(need int64) error {
	used, limit := rd.documents.Memory()
	if free := rd.desk.Available(); free > 0 && need > free {
		return noBesideMemory(need, free)
	}
	if rd.documents.makeRoom(need) {
		return nil
	}
	return fmt.Errorf(lang.L("a series beside this one takes %s of memory, and the open series take %s of the %s kept for them; close a series first"),
		language.Number(job.Bytes(need)), language.Number(job.Bytes(used)), language.Number(job.Bytes(limit)))
}

// besideOf returns what opens entry i of a catalog again; nothing does what was retrieved from a PACS for an open series,
// and what was in no file.
func besideOf(catalog *open.Catalog, i int) (b workbench.SavedBeside) {
	if catalog == nil || pacs.IsSpooled(catalog.Path) {
		return b
	}
	path, err := filepath.Abs(catalog.Path)
	if err != nil {
		path = catalog.Path
	}
	return workbench.SavedBeside{Path: path, Entry: i, Images: catalog.Entries[i].Identity()}
}

// savedBeside describes the series beside a document for a later start; without a path if there is none that can be
// opened again.
func (d *document) savedBeside() (b workbench.SavedBeside) {
	if d.Beside == nil || d.Beside.Opened.Path == "" {
		return b
	}
	b = d.Beside.Opened
	b.Compared, b.AsIs = d.Other(), d.AsIs
	return b
}

// readBeside reads the series again that stood beside another one, on another goroutine. Other voxels than it had are an
// error.
func (rd *Reader) readBeside(ctx context.Context, saved workbench.SavedBeside, of *series.Series) (*workbench.Beside, error) {
	catalog, done, err := rd.scanSaved(ctx, saved.Path)
	if err != nil {
		return nil, err
	}
	defer done()
	i := slices.IndexFunc(catalog.Entries, func(e open.Entry) bool { return saved.Images != "" && e.Identity() == saved.Images })
	if i < 0 {
		i = saved.Entry
	}
	if i < 0 || i >= len(catalog.Entries) {
		return nil, &changed{saved.Path}
	}
	if rest, entry := catalog.Rest(i); rest != nil { // as the user chose when it was opened
		catalog, i = rest, entry
	}
	need := 4*int64(catalog.Entries[i].Geometry.Voxels()) + workbench.BesideBytes(of.Volume.Geometry)
	if free := rd.desk.Available(); free > 0 && need > free {
		return nil, noBesideMemory(need, free)
	}
	other, err := catalog.Load(ctx, i, nil)
	if err != nil {
		return nil, err
	}
	beside, err := workbench.PlaceBeside(ctx, of, other)
	if err != nil {
		return nil, err
	}
	if saved.Voxels != "" && saved.Voxels != beside.Opened.Voxels {
		return nil, &changed{saved.Path}
	}
	saved.Voxels, saved.Entry = beside.Opened.Voxels, i
	beside.Opened = saved
	return beside, nil
}

// scanSaved scans a path, or what it retrieves from a PACS that is kept under the same name as when it was saved, on
// another goroutine. done closes the catalog and removes what was retrieved.
func (rd *Reader) scanSaved(ctx context.Context, path string) (catalog *open.Catalog, done func(), err error) {
	if !pacs.IsReference(path) {
		catalog, err = rd.desk.Scan(ctx, path)
		return catalog, func() { closeCatalog(catalog) }, err
	}
	archive, row, err := pacs.OpenReference(path)
	if err != nil {
		return nil, nil, err
	}
	defer archive.Close()
	spool, err := pacs.NewSpool() // that of the session is for the UI goroutine
	if err != nil {
		return nil, nil, err
	}
	dir, err := spool.Folder()
	if err == nil {
		_, err = archive.Fetch(ctx, row, dir, nil)
	}
	if err == nil {
		catalog, err = rd.desk.Scan(ctx, dir)
	}
	if err != nil {
		spool.Close()
		return nil, nil, err
	}
	return catalog, func() {
		closeCatalog(catalog)
		spool.Close()
	}, nil
}

func noBesideMemory(need, free int64) error {
	return fmt.Errorf(lang.L("a series beside this one takes %s of memory and %s is free; close a series first"), language.Number(job.Bytes(need)), language.Number(job.Bytes(free)))
}

// place puts the series that load returns beside the series on the screen.
func (rd *Reader) place(t *desk.Task, opened workbench.SavedBeside, load func() (*series.Series, error)) {
	of := rd.desk.Doc.Series()
	var beside *workbench.Beside
	rd.desk.Tasks.Do(t, func() error {
		other, err := load()
		if err == nil {
			beside, err = workbench.PlaceBeside(t.Ctx, of, other)
		}
		return err
	}, func() {
		opened.Voxels = beside.Opened.Voxels
		beside.Opened = opened
		rd.results.CloseOther()
		rd.desk.Beside = beside
		var notes []string
		for _, note := range beside.Notes {
			notes = append(notes, language.Of(note))
		}
		if beside.Share < 1 {
			notes = append(notes, fmt.Sprintf(lang.L("%.0f %% of the open series lie within the other one."), min(max(100*beside.Share, 1), 99)))
		}
		rd.results.CompareWithOther()
		rd.desk.Tasks.Show(strings.Join(slices.Insert(notes, 0, lang.L("The other series stands beside this one, by position in the patient.")), " "))
		rd.desk.FreeLater()
	})
}
