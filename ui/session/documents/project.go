package documents

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"fyne.io/fyne/v2/lang"

	"quell/app/pacs"
	"quell/app/run"
	"quell/app/workbench"
	"quell/series"
	"quell/ui/session/desk"
	"quell/volume"
)

// voxelHash is the hash of a volume, found when it is needed.
type voxelHash struct {
	v    *volume.Volume
	hash string
}

// of returns the hash of v; "" if that is not known.
func (h voxelHash) of(v *volume.Volume) string {
	if h.v != v {
		return ""
	}
	return h.hash
}

// hashAway finds the hash of the voxels of a document that was put away.
func (ds *Documents) hashAway(d *document, v *volume.Volume) {
	work := d.away
	if work.Voxels != "" {
		return
	}
	var hash string
	ds.desk.Background(func() error {
		hash = run.HashOf(v)
		return nil
	}, func(error) { work.Voxels = hash })
}

// remaining returns the runs that a project lists and that no result repeats.
func (d *document) remaining() []workbench.SavedRun {
	return slices.DeleteFunc(slices.Clone(d.unmade), func(r workbench.SavedRun) bool {
		return slices.ContainsFunc(d.Results, func(made *desk.Result) bool {
			return made.Run.Resolved.Equal(r.Resolved) && (made.Maps.Noise != nil) == r.Mapped
		})
	})
}

// Unmade returns the runs that a project lists for the series that is shown and that were not made again.
func (ds *Documents) Unmade() []workbench.SavedRun { return ds.shown().remaining() }

// ProjectWork describes the open series for a project, without the hashes of the voxels; false if nothing is open.
func (ds *Documents) ProjectWork() (w workbench.Workspace, ok bool) {
	for i, d := range ds.open {
		if d.away != nil {
			w.Open = append(w.Open, *d.away)
			continue
		}
		view := d.view
		if d.Document == ds.desk.Document {
			w.Shown, view = i, ds.desk.State.Shown
		}
		work := d.work(view)
		work.Runs = nil
		for _, r := range d.Results {
			record := workbench.RecordOf(r.Run)
			record.Given = r.Given
			work.Runs = append(work.Runs, record)
		}
		work.Runs = append(work.Runs, d.remaining()...)
		w.Open = append(w.Open, work)
	}
	return w, len(w.Open) > 0
}

// Project passes the open series for a project to write on another goroutine, when the hashes of the voxels are known, and
// what came of it to done. It is a task.
func (ds *Documents) Project(display []byte, write func(workbench.Workspace, []*series.Series) error, done func(workbench.Workspace)) {
	w, ok := ds.ProjectWork()
	if !ok || ds.desk.Tasks.Busy() {
		return
	}
	w.Display = display
	volumes := make([]*volume.Volume, len(ds.open))
	var sources []*series.Series
	for i, d := range ds.open {
		if d.Doc != nil {
			volumes[i], sources = d.Doc.Clean().Volume, append(sources, d.Doc.Clean(), d.Doc.Reference())
		}
	}
	saved := slices.Clone(w.Open)
	t := ds.desk.Tasks.Start(desk.Preparing, lang.L("Saving the project"), "")
	ds.desk.Tasks.Do(t, func() error {
		for i, v := range volumes {
			if v != nil && saved[i].Voxels == "" {
				saved[i].Voxels = run.HashOf(v)
			}
			if err := t.Ctx.Err(); err != nil {
				return err
			}
		}
		with := w
		with.Open = saved
		return write(with, sources)
	}, func() {
		for i, v := range volumes {
			for _, d := range ds.open {
				if v != nil && d.Doc != nil && d.Doc.Clean().Volume == v {
					d.hash = voxelHash{v, saved[i].Voxels}
				}
			}
		}
		ds.desk.Tasks.Say(lang.L("The project is saved."))
		done(w)
	})
}

// Passing says whether a series is open of which nothing stays on this machine.
func (ds *Documents) Passing() bool {
	return slices.ContainsFunc(ds.open, func(d *document) bool { return pacs.IsSpooled(d.path) })
}

// OpenProject closes the series that are open and lists those of a project, and shows the one that was shown. Sources that
// are not there stay listed: when they are shown, Altered is called.
func (rd *Reader) OpenProject(w workbench.Workspace) {
	rd.desk.Tasks.Cancel()
	for i := len(rd.documents.open) - 1; i >= 0; i-- { // the one that is shown last: else each of them would be shown once
		if rd.documents.open[i].Document != rd.desk.Document {
			rd.documents.Close(i)
		}
	}
	rd.documents.Close(0)
	var listed []*document
	for _, work := range w.Open {
		listed = append(listed, rd.list(work))
	}
	shown := min(max(w.Shown, 0), len(listed)-1)
	rd.wake(listed[shown], lang.L("The project is open."))
	rd.describe(slices.Concat(listed[:shown], listed[shown+1:]), nil)
}

// changed is a source of a project that holds other voxels than it did.
type changed struct{ path string }

func (e *changed) Error() string {
	return fmt.Sprintf(lang.L("%s contains other voxels than when the project was saved"), e.path)
}

// altered asks what to do about a source of a project that is not there, cannot be read, or holds other voxels, and says
// that it asks. The series stays listed meanwhile.
func (rd *Reader) altered(t *desk.Task, d *document, err error, found restored) bool {
	if err == nil || d.away.Voxels == "" || rd.Altered == nil || errors.Is(err, context.Canceled) || !rd.desk.Tasks.Goes(t) {
		return false
	}
	rd.desk.Tasks.Cancel()
	closeCatalog(found.catalog)
	again := func() {
		if slices.Contains(rd.documents.open, d) && d.away != nil {
			rd.wake(d, lang.L("The project is open."))
		}
	}
	q := Altered{Err: err, Path: d.path, Locate: func(path string) {
		d.path, d.away.Path = path, path
		again()
	}}
	var other *changed
	if errors.As(err, &other) {
		q.Use = func() {
			d.away.Voxels = ""
			again()
		}
	}
	rd.Altered(q)
	return true
}

// Altered is a source of a project that is not what it was.
type Altered struct {
	Path   string
	Err    error
	Locate func(path string) // reads another file or folder in its place
	Use    func()            // takes it as it is; nil if it cannot be read
}
