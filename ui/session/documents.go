package session

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app"
	"quell/denoise"
	"quell/series"
	"quell/ui/language"
	"quell/ui/viewer"
	"quell/volume"
)

// Documents are the open series, of which one is shown.
type Documents struct {
	s       *Session
	open    []*document // in the order in which they were opened
	shows   int         // of documents so far
	garbage int         // how often memory is to be returned to the system
}

// document is an open series and the work on it. One of them is shown; the others keep
// what is here.
type document struct {
	path      string // as it was opened; "" for a series without one
	catalog   *app.Catalog
	entry     int           // of catalog
	files     string        // app.Catalog.Fingerprint when it was read; "" where that is not known
	reference string        // path of the reference; "" for none that was read
	doc       *app.Document // nil before a series is open, and while it is put away
	recipe    denoise.Recipe
	settings  map[string]denoise.Recipe // of the filters that were left for another one, by name
	carried   denoise.Recipe            // what the series started the filter with
	results   []*result                 // finished runs of the voxels that are shown, the oldest first
	base      *result                   // of results: side A of comparisons; nil for the original
	voxels    context.Context           // ends when the document has other voxels
	endVoxels context.CancelFunc        // ends voxels

	previews previews
	noise    noiseMap  // of the current voxels
	steering steering  // of the filter, by maps of the current voxels
	searched *searched // the last search for the best strength; nil before
	marking  marking   // of the marks of doc
	strip    strip     // of the current voxels

	view    viewer.State // while another document is shown
	name    string       // app.Catalog.Name; "" for a series without a path
	meta    series.Meta
	dims    [3]int
	small   image.Image    // a picture of the middle slice; nil before it is drawn
	png     []byte         // small, for the next start
	used    int            // the higher, the later it was shown
	away    *app.Work      // what was put away to free its memory, nil while it is open
	undo    app.History    // of the recipes, while it is put away
	standIn *volume.Volume // for that of doc in undo, likewise
}

func newDocument() *document {
	d := &document{settings: map[string]denoise.Recipe{}}
	d.voxels, d.endVoxels = context.WithCancel(context.Background())
	return d
}

// resetVoxels cancels the work on the present voxels and drops its results.
func (d *document) resetVoxels() {
	d.endVoxels()
	d.voxels, d.endVoxels = context.WithCancel(context.Background())
	d.previews, d.results, d.base = nil, nil, nil
	d.noise, d.steering, d.searched, d.strip = noiseMap{}, steering{}, nil, strip{}
}

// spare says whether a document gives way to the next one: a series without a path, such
// as the bundled one at the start, on which nothing was done.
func (d *document) spare() bool { return d.path == "" && d.untouched() }

// untouched says that nothing was done on an open series.
func (d *document) untouched() bool {
	return d.doc != nil && len(d.results) == 0 && d.doc.Reference() == nil && !d.doc.Edits().Worked()
}

// bytes returns the memory that a document holds in voxels and results.
func (d *document) bytes() (n int64) {
	if d.doc == nil {
		return 0
	}
	shown := d.doc.Series()
	n = 4 * int64(shown.Volume.Voxels())
	if ref := d.doc.Reference(); ref != nil {
		n += 4 * int64(ref.Volume.Voxels())
	}
	if d.noise.found != nil {
		n += 4 * int64(shown.Volume.Voxels())
	}
	return n + int64(bytesOf(d.results))
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

// Opened describes an open series for the list of them.
type Opened struct {
	Path    string
	Name    string // what a person knows it by; "" for the bundled series
	Meta    series.Meta
	Dims    [3]int
	Picture image.Image // the middle slice; nil before it is drawn
	State   DocumentState
	Shown   bool
	Away    bool  // its voxels are read again when it is shown
	Bytes   int64 // of memory
}

// List returns the open series, in the order in which they were opened.
func (ds *Documents) List() []Opened {
	var out []Opened
	for _, d := range ds.open {
		o := Opened{Path: d.path, Name: d.name, Meta: d.meta, Dims: d.dims, Picture: d.small, Shown: d == ds.s.document, Away: d.away != nil, Bytes: d.bytes()}
		switch {
		case ds.running(d):
			o.State = Running
		case ds.lossOfResults(d) != NoLoss:
			o.State = Unexported
		case len(d.results) > 0 || d.away != nil && len(d.away.Runs) > 0:
			o.State = Exported
		}
		out = append(out, o)
	}
	return out
}

// running says whether a run on a document is in progress.
func (ds *Documents) running(d *document) bool {
	return ds.s.Tasks.now != nil && ds.s.Tasks.now.kind == Applying && ds.s.Tasks.now.document == d
}

// Path returns where the series that is shown was opened; "" for one without a path.
func (ds *Documents) Path() string { return ds.s.path }

// Show shows document i as it was left. One that was put away is read again.
func (ds *Documents) Show(i int) {
	if i < 0 || i >= len(ds.open) || ds.open[i] == ds.s.document {
		return
	}
	if d := ds.open[i]; d.away != nil {
		ds.s.Reader.wake(d, "")
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
	if d == ds.s.document {
		ds.s.Tasks.message = ""
	}
	if ds.s.Tasks.now != nil && ds.s.Tasks.now.document == d {
		ds.s.Tasks.Cancel()
	}
	if d == ds.s.document {
		ds.leave()
		ds.s.document = newDocument()
		ds.s.document.recipe = d.recipe
	}
	ds.open = slices.Delete(ds.open, i, i+1)
	d.release()
	ds.freeMemory()
	if ds.s.doc == nil {
		ds.s.state.Close()
		if open := ds.lastUsed(); open != nil {
			ds.enter(open)
		}
	}
	ds.collect(false)
	ds.s.listener.Changed()
}

// release ends the work on a document and gives its memory back.
func (d *document) release() {
	d.resetVoxels()
	d.endVoxels()
	closeCatalog(d.catalog)
	d.catalog, d.doc, d.view = nil, nil, viewer.State{}
}

// freeMemory returns memory that is no longer used to the system, which the runtime does
// only when it needs more: once when nothing that was begun for another document is left
// and a new picture is drawn, and once more after the next measures, as those of the
// document that gave way may take a while to end.
func (ds *Documents) freeMemory() { ds.garbage = 2 }

// collect returns memory after freeMemory, as soon as it can; measured says that a slice
// was measured.
func (ds *Documents) collect(measured bool) {
	if ds.garbage == 0 || ds.s.inFlight > 0 || ds.s.doc != nil && ds.s.Screen.picture == nil || ds.garbage == 1 && !measured {
		return
	}
	ds.garbage--
	ds.s.deps.Go(func() {
		ds.s.deps.FreeMemory()
		ds.s.deps.Do(ds.s.listener.Changed) // the memory that is shown is less now
	})
}

// lastUsed returns the document shown last among those that are not put away, nil for none.
func (ds *Documents) lastUsed() (last *document) {
	for _, d := range ds.open {
		if d.away == nil && (last == nil || d.used > last.used) {
			last = d
		}
	}
	return last
}

// leave ends the work for the screen on the document that is shown, and keeps how it is
// shown. A run and an export go on; other tasks are for what is on the screen.
func (ds *Documents) leave() {
	if ds.s.Tasks.now != nil && ds.s.Tasks.now.kind != Applying && ds.s.Tasks.now.kind != Exporting && ds.s.Tasks.now.kind != Sending && ds.s.Tasks.now.kind != Loading {
		ds.s.Tasks.Cancel()
	}
	ds.s.document.view = ds.s.state
	ds.s.marking.drag = nil
	ds.clearScreen()
	// No picture of one patient stands beside the name of another.
	ds.s.listener.Framed(nil, [viewer.Roles]viewer.Frame{})
	if ds.s.listener.PlanesFramed != nil {
		ds.s.listener.PlanesFramed([3]viewer.Frame{})
	}
}

// enter shows a document that is open as it was left.
func (ds *Documents) enter(d *document) {
	ds.use(d)
	ds.s.state.Resume(d.view)
	ds.s.listener.Changed()
}

// use makes a document the one that is shown.
func (ds *Documents) use(d *document) {
	ds.s.document = d
	ds.shows++
	d.used = ds.shows
}

// clearScreen ends the work on what is on the screen, and drops it.
func (ds *Documents) clearScreen() {
	ds.s.Preview.previewer.Cancel()
	ds.s.Preview.coarse, ds.s.Preview.asked, ds.s.Preview.failed = nil, nil, nil
	ds.s.Preview.held, ds.s.Preview.ahead = false, ahead{}
	ds.s.Screen.kept, ds.s.Screen.picture, ds.s.Screen.last, ds.s.Screen.settled, ds.s.retry = nil, nil, nil, nil, nil
	ds.s.Measures.sliceNumbers = measured{}
	ds.s.Screen.relativeOf, ds.s.Screen.relative = nil, nil
	ds.s.Neighbourhoods.last = neighbourhoods{}
	ds.s.Galleries.last, ds.s.Strength.growing = nil, nil
	ds.s.Results.foreseen = foreseen{}
	ds.s.Measures.slice.forget()
	ds.s.Measures.volume.forget()
}

// Memory returns the bytes that the open series and their results take, and the limit
// beyond which those that were not shown for the longest time are put away.
func (ds *Documents) Memory() (used, limit int64) {
	for _, d := range ds.open {
		used += d.bytes()
	}
	return used, ds.s.deps.Memory
}

// storable says whether a document can be put away without a loss: what is on it can be
// read again.
func (ds *Documents) storable(d *document) bool {
	lost := func(r *result) bool { return !ds.s.Exports.resultExported(r) && r.saved == nil }
	busy := ds.s.Tasks.now != nil && ds.s.Tasks.now.document == d
	return d.doc != nil && !busy && !d.steering.on() && !slices.ContainsFunc(d.results, lost)
}

// makeRoom puts documents away until another need bytes stay within the limit, those first
// that were not shown for the longest time. It returns false where that does not suffice.
func (ds *Documents) makeRoom(need int64) bool {
	for {
		used, limit := ds.Memory()
		if used == 0 || used+need <= limit {
			return true
		}
		var oldest *document
		for _, d := range ds.open {
			if d != ds.s.document && ds.storable(d) && (oldest == nil || d.used < oldest.used) {
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
	if ds.makeRoom(need) || ds.storable(ds.s.document) {
		return nil
	}
	used, limit := ds.Memory()
	return fmt.Errorf(lang.L("the open series take %s of the %s of memory kept for them, with results that are nowhere else; export the results or close a series first"),
		language.Number(app.Bytes(used)), language.Number(app.Bytes(limit)))
}

// putAway closes a document but for what opens it again.
func (ds *Documents) putAway(d *document) {
	work := d.work(d.view)
	d.away, d.undo, d.standIn = &work, *d.doc.Edits(), &volume.Volume{}
	d.undo.Rebind(d.doc.Series().Volume, d.standIn)
	d.release()
	ds.freeMemory()
	ds.s.listener.Changed()
}

// work describes a document that is open, shown as in view, for a later start.
func (d *document) work(view viewer.State) app.Work {
	w := app.Work{Path: d.path, Entry: d.entry, Files: d.files, Name: d.name, Dims: d.dims, Recipe: d.recipe, Reference: d.reference}
	if w.Path != "" {
		if abs, err := filepath.Abs(w.Path); err == nil {
			w.Path = abs
		}
	}
	if n, noisy := d.doc.Noise(); noisy {
		w.Noise, w.Reference = &n, ""
	}
	w.View, _ = json.Marshal(view.Look())
	if e, ok := d.doc.Edits().Present(); ok {
		w.Marks, w.Ground, w.Given = e.Marks, e.Ground, d.doc.GivenNoise()
	}
	w.Picture = d.png
	for _, r := range d.results {
		if r.saved != nil {
			saved := *r.saved
			saved.Exports, saved.Given = slices.Clone(r.exports), r.given
			w.Runs = append(w.Runs, saved)
			if r == d.base {
				w.Base = saved.File
			}
		}
	}
	return w
}
