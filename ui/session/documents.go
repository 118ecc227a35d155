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

// Documents returns the open series, in the order in which they were opened.
func (s *Session) Documents() []Opened {
	var out []Opened
	for _, d := range s.documents {
		o := Opened{Path: d.path, Name: d.name, Meta: d.meta, Dims: d.dims, Picture: d.small, Shown: d == s.document, Away: d.away != nil, Bytes: d.bytes()}
		switch {
		case s.running(d):
			o.State = Running
		case s.lossOfResults(d) != NoLoss:
			o.State = Unexported
		case len(d.results) > 0 || d.away != nil && len(d.away.Runs) > 0:
			o.State = Exported
		}
		out = append(out, o)
	}
	return out
}

// running says whether a run on a document is in progress.
func (s *Session) running(d *document) bool {
	return s.task != nil && s.task.kind == Applying && s.task.document == d
}

// Path returns where the series that is shown was opened; "" for one without a path.
func (s *Session) Path() string { return s.path }

// ShowDocument shows document i as it was left. One that was put away is read again.
func (s *Session) ShowDocument(i int) {
	if i < 0 || i >= len(s.documents) || s.documents[i] == s.document {
		return
	}
	if d := s.documents[i]; d.away != nil {
		s.wake(d, "")
	} else {
		s.leave()
		s.enter(d)
	}
}

// CloseDocument closes document i with everything on it.
func (s *Session) CloseDocument(i int) {
	if i < 0 || i >= len(s.documents) {
		return
	}
	d := s.documents[i]
	if d == s.document {
		s.message = ""
	}
	if s.task != nil && s.task.document == d {
		s.Cancel()
	}
	if d == s.document {
		s.leave()
		s.document = newDocument()
		s.document.recipe = d.recipe
	}
	s.documents = slices.Delete(s.documents, i, i+1)
	d.release()
	s.freeMemory()
	if s.doc == nil {
		s.state.Close()
		if open := s.lastUsed(); open != nil {
			s.enter(open)
		}
	}
	s.collect(false)
	s.listener.Changed()
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
func (s *Session) freeMemory() { s.garbage = 2 }

// collect returns memory after freeMemory, as soon as it can; measured says that a slice
// was measured.
func (s *Session) collect(measured bool) {
	if s.garbage == 0 || s.inFlight > 0 || s.doc != nil && s.picture == nil || s.garbage == 1 && !measured {
		return
	}
	s.garbage--
	s.deps.Go(func() {
		s.deps.FreeMemory()
		s.deps.Do(s.listener.Changed) // the memory that is shown is less now
	})
}

// lastUsed returns the document shown last among those that are not put away, nil for none.
func (s *Session) lastUsed() (last *document) {
	for _, d := range s.documents {
		if d.away == nil && (last == nil || d.used > last.used) {
			last = d
		}
	}
	return last
}

// leave ends the work for the screen on the document that is shown, and keeps how it is
// shown. A run and an export go on; other tasks are for what is on the screen.
func (s *Session) leave() {
	if s.task != nil && s.task.kind != Applying && s.task.kind != Exporting && s.task.kind != Sending && s.task.kind != Loading {
		s.Cancel()
	}
	s.document.view = s.state
	s.marking.drag = nil
	s.clearScreen()
	// No picture of one patient stands beside the name of another.
	s.listener.Framed(nil, [viewer.Roles]viewer.Frame{})
	if s.listener.PlanesFramed != nil {
		s.listener.PlanesFramed([3]viewer.Frame{})
	}
}

// enter shows a document that is open as it was left.
func (s *Session) enter(d *document) {
	s.use(d)
	s.state.Resume(d.view)
	s.listener.Changed()
}

// use makes a document the one that is shown.
func (s *Session) use(d *document) {
	s.document = d
	s.shows++
	d.used = s.shows
}

// clearScreen ends the work on what is on the screen, and drops it.
func (s *Session) clearScreen() {
	s.previewer.Cancel()
	s.coarse, s.asked, s.failed = nil, nil, nil
	s.held, s.ahead = false, ahead{}
	s.kept, s.picture, s.last, s.settled, s.retry = nil, nil, nil, nil, nil
	s.sliceNumbers = measured{}
	s.relativeOf, s.relative = nil, nil
	s.neighbourhoods = neighbourhoods{}
	s.gallery, s.growing = nil, nil
	s.foreseen = foreseen{}
	s.slice.forget()
	s.volume.forget()
}

// Memory returns the bytes that the open series and their results take, and the limit
// beyond which those that were not shown for the longest time are put away.
func (s *Session) Memory() (used, limit int64) {
	for _, d := range s.documents {
		used += d.bytes()
	}
	return used, s.deps.Memory
}

// storable says whether a document can be put away without a loss: what is on it can be
// read again.
func (s *Session) storable(d *document) bool {
	lost := func(r *result) bool { return !s.resultExported(r) && r.saved == nil }
	busy := s.task != nil && s.task.document == d
	return d.doc != nil && !busy && !d.steering.on() && !slices.ContainsFunc(d.results, lost)
}

// makeRoom puts documents away until another need bytes stay within the limit, those first
// that were not shown for the longest time. It returns false where that does not suffice.
func (s *Session) makeRoom(need int64) bool {
	for {
		used, limit := s.Memory()
		if used == 0 || used+need <= limit {
			return true
		}
		var oldest *document
		for _, d := range s.documents {
			if d != s.document && s.storable(d) && (oldest == nil || d.used < oldest.used) {
				oldest = d
			}
		}
		if oldest == nil {
			return false
		}
		s.putAway(oldest)
	}
}

// room makes room for a series of a size, or returns why there is none. The series that is
// shown gives way later, when the other one takes its place.
func (s *Session) room(need int64) error {
	if s.makeRoom(need) || s.storable(s.document) {
		return nil
	}
	used, limit := s.Memory()
	return fmt.Errorf(lang.L("the open series take %s of the %s of memory kept for them, with results that are nowhere else; export the results or close a series first"),
		language.Number(app.Bytes(used)), language.Number(app.Bytes(limit)))
}

// putAway closes a document but for what opens it again.
func (s *Session) putAway(d *document) {
	work := d.work(d.view)
	d.away, d.undo, d.standIn = &work, *d.doc.Edits(), &volume.Volume{}
	d.undo.Rebind(d.doc.Series().Volume, d.standIn)
	d.release()
	s.freeMemory()
	s.listener.Changed()
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
