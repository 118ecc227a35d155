// Package documents opens series, keeps them, and puts them away when memory runs short.
package documents

import (
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/executor"
	"quell/app/job"
	"quell/app/open"
	"quell/app/pacs"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/language"
	"quell/ui/session/desk"
	"quell/ui/session/results"
	"quell/ui/viewer"
	"quell/volume"
)

// Documents are the open series, one of them shown.
type Documents struct {
	Leaving func() // is called before another series is shown

	desk    *desk.Desk
	results *results.Results
	open    []*document             // in the order in which they were opened
	shows   int                     // of documents so far
	wake    func(*document, string) // reads again what was put away, and ends with a message
	spool   *pacs.Spool             // of series from archives; nil before the first
}

// New returns the documents of a desk. Leaving has to be set before the first is open.
func New(d *desk.Desk, rs *results.Results) *Documents {
	ds := &Documents{desk: d, results: rs}
	rs.Room = func() { ds.makeRoom(0) }
	return ds
}

// document is an open series, and what opens it again.
type document struct {
	*desk.Document
	path      string // as it was opened; "" for a series without one
	catalog   *open.Catalog
	entry     int          // of catalog
	files     string       // filesOf when it was read; "" if that is not known
	reference string       // path of the reference; "" for none that was read
	view      viewer.Shown // while another document is shown
	name      string       // open.Catalog.Name; "" for a series without a path
	meta      series.Meta
	dims      [3]int
	small     image.Image            // a picture of the middle slice; nil before it is drawn
	png       []byte                 // small, for the next start
	used      int                    // the higher, the later it was shown
	away      *workbench.SavedSeries // what was put away to free its memory, nil while it is open
	undo      workbench.History      // of the recipes, while it is put away
	standIn   *volume.Volume         // for the one of the document in undo, likewise
	unmade    []workbench.SavedRun   // that a project lists, and that were not made again
	hash      voxelHash
}

// shown returns the document that is shown, an empty one before the first is open.
func (ds *Documents) shown() *document {
	for _, d := range ds.open {
		if d.Document == ds.desk.Document {
			return d
		}
	}
	return &document{Document: ds.desk.Document}
}

// spare says whether a document gives way to the next one: a series without a path, such as the
// bundled one at the start, on which nothing was done.
func (d *document) spare() bool { return d.path == "" && d.Untouched() }

// Example says whether the current series is the bundled one and nothing was done on it.
func (ds *Documents) Example() bool { return ds.shown().spare() }

// End ends the work on all documents.
func (ds *Documents) End() {
	ds.desk.EndVoxels()
	for _, d := range ds.open {
		d.EndVoxels()
	}
}

// Release releases the files of all documents, after the work on them.
func (ds *Documents) Release() {
	for _, d := range ds.open {
		closeCatalog(d.catalog)
	}
	if ds.spool != nil {
		ds.spool.Close()
	}
}

// bytes returns the memory that a document holds in voxels and results.
func (d *document) bytes() (n int64) {
	if d.Doc == nil {
		return 0
	}
	shown := d.Doc.Series()
	n = 4 * int64(shown.Volume.Voxels())
	if ref := d.Doc.Reference(); ref != nil {
		n += 4 * int64(ref.Volume.Voxels())
	}
	if d.Noise.Found != nil {
		n += 4 * int64(shown.Volume.Voxels())
	}
	if d.Volume.Of != nil {
		n += d.Volume.Of.Bytes.Load()
	}
	return n + int64(results.Bytes(d.Results)) + d.Beside.Bytes()
}

// DocumentState says in what state an open series is.
type DocumentState int

// The states of a document.
const (
	Untouched  DocumentState = iota // there is no result
	Running                         // the recipe is being applied to it
	Unexported                      // a result has not been exported
	Exported                        // all results have been exported, and the files stand
)

// Listed describes an open series for the list of them.
type Listed struct {
	Path    string
	Name    string // its name for a person; "" for the bundled series
	Meta    series.Meta
	Dims    [3]int
	Picture image.Image // the middle slice; nil before it is drawn
	State   DocumentState
	Shown   bool
	Away    bool  // its voxels are read again when it is shown
	Bytes   int64 // of memory
}

// List returns the open series, in the order in which they were opened.
func (ds *Documents) List() []Listed {
	var out []Listed
	for i, d := range ds.open {
		o := Listed{Path: d.path, Name: d.name, Meta: d.meta, Dims: d.dims, Picture: d.small, Shown: d.Document == ds.desk.Document, Away: d.away != nil, Bytes: d.bytes()}
		switch {
		case ds.desk.Tasks.Runs(d.Document):
			o.State = Running
		case len(ds.lost(nil, i)) > 0:
			o.State = Unexported
		case len(d.exports()) > 0:
			o.State = Exported
		}
		out = append(out, o)
	}
	return out
}

// Path returns the path at which the series that is shown was opened; "" for one
// without a path.
func (ds *Documents) Path() string { return ds.shown().path }

// Show shows document i as it was left. One that was put away is read again.
func (ds *Documents) Show(i int) {
	if i < 0 || i >= len(ds.open) || ds.open[i].Document == ds.desk.Document {
		return
	}
	if d := ds.open[i]; d.away != nil {
		ds.wake(d, "")
	} else {
		ds.leave()
		ds.enter(d)
	}
}

// Close closes document i with everything on it.
func (ds *Documents) Close(i int) {
	if i < 0 || i >= len(ds.open) {
		return
	}
	d := ds.open[i]
	if d.Document == ds.desk.Document {
		ds.desk.Tasks.Say("")
	}
	if ds.desk.Tasks.On(d.Document) != nil {
		ds.desk.Tasks.Cancel()
	}
	if d.Document == ds.desk.Document {
		ds.leave()
		ds.desk.Document = desk.NewDocument()
		ds.desk.Recipe = d.Recipe
	}
	ds.open = slices.Delete(ds.open, i, i+1)
	d.release()
	forget(d.path)
	ds.desk.FreeLater()
	if ds.desk.Doc == nil {
		ds.desk.State.Close()
		if open := ds.lastUsed(); open != nil {
			ds.enter(open)
		}
	}
	ds.desk.Collect(false)
	ds.desk.Changed()
}

// release ends the work on a document and gives its memory back.
func (d *document) release() {
	d.ResetVoxels()
	d.EndVoxels()
	closeCatalog(d.catalog)
	d.catalog, d.Doc, d.view, d.Beside, d.Volume = nil, nil, viewer.Shown{}, nil, executor.SeriesVolume{}
}

// lastUsed returns the document shown last among the ones that are not put away, nil for
// none.
func (ds *Documents) lastUsed() (last *document) {
	for _, d := range ds.open {
		if d.away == nil && (last == nil || d.used > last.used) {
			last = d
		}
	}
	return last
}

// leave ends the work for the screen on the document that is shown, and keeps how it is
// shown. A run and an export go on; other tasks are for the series on the screen.
func (ds *Documents) leave() {
	switch ds.desk.Tasks.Kind() {
	case desk.Applying, desk.Exporting, desk.Sending, desk.Loading:
	default:
		ds.desk.Tasks.Cancel()
	}
	ds.shown().view = ds.desk.State.Shown
	ds.Leaving()
	ds.desk.Clear()
	// No picture of one patient stands next to the name of another.
	ds.desk.Framed(nil, [viewer.Roles]viewer.Frame{})
	if ds.desk.PlanesFramed != nil {
		ds.desk.PlanesFramed([3]viewer.Frame{})
	}
}

// enter shows a document that is open as it was left.
func (ds *Documents) enter(d *document) {
	ds.use(d)
	ds.desk.State.Resume(d.view)
	ds.desk.Changed()
}

// use makes a document the one that is shown.
func (ds *Documents) use(d *document) {
	ds.desk.Document = d.Document
	ds.shows++
	d.used = ds.shows
}

// Memory returns the bytes that the open series and their results take, and the limit
// beyond which series that were not shown for the longest time are put away.
func (ds *Documents) Memory() (used, limit int64) {
	for _, d := range ds.open {
		used += d.bytes()
	}
	return used, ds.desk.Memory
}

// storable says whether a document can be put away without a loss: its voxels can be read again.
func (ds *Documents) storable(d *document) bool {
	lost := func(r *desk.Result) bool { return !ds.results.Exported(r) && r.Saved == nil }
	busy := ds.desk.Tasks.On(d.Document) != nil
	return d.Doc != nil && !busy && !slices.ContainsFunc(d.Results, lost)
}

// makeRoom puts documents away until another need bytes stay within the limit, those first
// that were not shown for the longest time. It returns false if that does not suffice.
func (ds *Documents) makeRoom(need int64) bool {
	for {
		used, limit := ds.Memory()
		if used == 0 || used+need <= limit {
			return true
		}
		var oldest *document
		for _, d := range ds.open {
			if d.Document != ds.desk.Document && ds.storable(d) && (oldest == nil || d.used < oldest.used) {
				oldest = d
			}
		}
		if oldest == nil {
			return false
		}
		ds.putAway(oldest)
	}
}

// room makes room for a series of a size, or returns why there is none. The series that is
// shown gives way later, when the other one takes its place.
func (ds *Documents) room(need int64) error {
	if ds.makeRoom(need) || ds.storable(ds.shown()) {
		return nil
	}
	used, limit := ds.Memory()
	return fmt.Errorf(lang.L("the open series take %s of the %s of memory kept for them, with results that are nowhere else; export the results or close a series first"),
		language.Number(job.Bytes(used)), language.Number(job.Bytes(limit)))
}

// putAway closes a document but for what opens it again.
func (ds *Documents) putAway(d *document) {
	work := d.work(d.view)
	d.away, d.undo, d.standIn = &work, *d.Doc.Edits(), &volume.Volume{}
	d.undo.Rebind(d.Doc.Series().Volume, d.standIn)
	ds.hashAway(d, d.Doc.Clean().Volume)
	d.release()
	ds.desk.FreeLater()
	ds.desk.Changed()
}

// work describes a document that is open, shown as in view, for a later start.
func (d *document) work(view viewer.Shown) workbench.SavedSeries {
	w := workbench.SavedSeries{Path: d.path, Entry: d.entry, Files: d.files, Name: d.name, Dims: d.dims, Recipe: d.Recipe, Reference: d.reference}
	if w.Path != "" {
		if abs, err := filepath.Abs(w.Path); err == nil {
			w.Path = abs
		}
	}
	if n, noisy := d.Doc.Noise(); noisy {
		w.Noise, w.Reference = &n, ""
	}
	w.View, _ = json.Marshal(view.Look())
	if e, ok := d.Doc.Edits().Present(); ok {
		w.Marks, w.Ground, w.Given = e.Marks, e.Ground, d.Doc.GivenNoise()
	}
	w.Picture, w.Mapped, w.Beside = d.png, d.Follows(), d.savedBeside()
	for _, r := range d.Results {
		if r.Saved != nil {
			saved := *r.Saved
			saved.Exports, saved.Given = slices.Clone(r.Exports), r.Given
			w.Runs = append(w.Runs, saved)
			if r == d.Base {
				w.Base = saved.File
			}
		}
	}
	w.Runs = append(w.Runs, d.remaining()...)
	if w.Voxels = d.hash.of(d.Doc.Clean().Volume); d.catalog != nil {
		w.Images = d.catalog.Entries[d.entry].Identity()
	}
	return w
}

// Group returns the 4-D series that the series on the screen is a volume of, and the index
// of that volume; nil if there is none.
func (ds *Documents) Group() (g *series.Group, index int) {
	d := ds.shown()
	if d.Doc == nil || d.catalog == nil {
		return nil, 0
	}
	e := d.catalog.Entries[d.entry]
	return e.Group, e.GroupIndex
}

// Catalog returns the catalog of the series on the screen, nil if there is none, and its entry
// there.
func (ds *Documents) Catalog() (*open.Catalog, int) {
	d := ds.shown()
	return d.catalog, d.entry
}

// closeCatalog releases the files of a catalog, which were only read; nil is allowed.
func closeCatalog(c *open.Catalog) {
	if c != nil {
		c.Close()
	}
}

// readFrom returns the index of the document that was read from files, see filesOf; -1 for none.
func (ds *Documents) readFrom(files string) int {
	return slices.IndexFunc(ds.open, func(d *document) bool { return files != "" && d.files == files })
}
