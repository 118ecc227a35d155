package workbench

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/run"
	"quell/denoise"
	"quell/internal/lockfile"
	"quell/internal/message"
	"quell/io/atomic"
	"quell/series"
	"quell/volume"
)

// SavedSeries is a series that is open in the workbench: enough to open it again.
type SavedSeries struct {
	Path      string          `json:"path,omitempty"`   // of the catalog; "" for the bundled series
	At        string          `json:"at,omitempty"`     // in a project: Path, if it does not lie below the project
	Entry     int             `json:"entry,omitempty"`  // of the catalog
	Images    string          `json:"images,omitempty"` // open.Entry.Identity, by which another entry of the catalog is found
	Voxels    string          `json:"voxels,omitempty"` // run.HashOf the series as it is read; "" if that is not known
	Files     string          `json:"files,omitempty"`  // open.Catalog.Fingerprint
	Name      string          `json:"name,omitempty"`   // for the user
	Dims      [3]int          `json:"dims"`
	Noise     *job.AddedNoise `json:"noise,omitempty"`
	Reference string          `json:"reference,omitempty"` // path

	ReferenceAt string `json:"reference_at,omitempty"` // as At

	Beside SavedBeside `json:"beside,omitzero"` // without a path if there is none that can be opened again

	Recipe  denoise.Recipe  `json:"recipe"`
	View    json.RawMessage `json:"view,omitempty"`    // of the workbench
	Picture []byte          `json:"picture,omitempty"` // a small one, as PNG
	Marks   []Mark          `json:"marks,omitempty"`
	Ground  int             `json:"ground,omitempty"`  // the mark that contrasts are measured against
	Given   *GivenNoise     `json:"given,omitempty"`   // in the place of the estimate
	Mapped  bool            `json:"mapped,omitempty"`  // the filter follows the estimated noise map
	Runs    []SavedRun      `json:"runs,omitempty"`    // the oldest first
	Base    string          `json:"base,omitempty"`    // the file of the run that is side A of comparisons
	Running *denoise.Recipe `json:"running,omitempty"` // of the run in progress
}

// SavedBeside is another series that stands beside a series: enough to open it again.
type SavedBeside struct {
	Path     string `json:"path,omitempty"`     // or pacs:NODE/STUDY-UID/SERIES-UID
	At       string `json:"at,omitempty"`       // as of SavedSeries
	Entry    int    `json:"entry,omitempty"`    // of the catalog
	Images   string `json:"images,omitempty"`   // as of SavedSeries
	Voxels   string `json:"voxels,omitempty"`   // run.HashOf the series as it is read
	Compared bool   `json:"compared,omitempty"` // it is side A of comparisons
	AsIs     bool   `json:"as_is,omitempty"`    // side B is the series itself then, and not its result
}

// Workspace is all that is open in the workbench.
type Workspace struct {
	Open    []SavedSeries   `json:"open"`
	Shown   int             `json:"shown"`             // of Open
	Display json.RawMessage `json:"display,omitempty"` // of the workbench: how it shows all of them
	Orderly bool            `json:"orderly,omitempty"` // the last that a process saved before it ended, as on SIGTERM
}

// runs returns the saved runs of all series.
func (w Workspace) runs() (all []SavedRun) {
	for _, work := range w.Open {
		all = append(all, work.Runs...)
	}
	return all
}

// Unexported counts the results that were not exported, or have lost their exported files. It
// looks at the files.
func (w Workspace) Unexported() (n int) {
	for _, run := range w.runs() {
		if run.Kept() && !slices.ContainsFunc(run.Exports, (*Exported).Stands) {
			n++
		}
	}
	return n
}

// SavedRun is a finished run with its result in a file of the autosave. A run that a project lists has no such file: it
// is made again from its recipe.
type SavedRun struct {
	File     string         `json:"file,omitempty"`   // float32, little endian, x fastest
	Source   string         `json:"source,omitempty"` // hash of the voxels that were filtered
	Recipe   denoise.Recipe `json:"recipe"`
	Resolved denoise.Recipe `json:"resolved"`
	Engine   denoise.Info   `json:"engine"`
	Started  time.Time      `json:"started"`
	Filter   time.Duration  `json:"filter"`
	Exports  []*Exported    `json:"exports,omitempty"` // the last one last
	Given    *GivenNoise    `json:"given,omitempty"`   // that automatic values followed
	Mapped   bool           `json:"mapped,omitempty"`  // the filter followed the estimated noise map of the voxels; one of a 4-D series follows its own
}

// Kept says whether there is a file with the result.
func (r SavedRun) Kept() bool { return r.File != "" }

// Unmade returns the runs without a file of their result.
func (s SavedSeries) Unmade() []SavedRun {
	return slices.DeleteFunc(slices.Clone(s.Runs), SavedRun.Kept)
}

// RecordOf describes a run for which no file is kept.
func RecordOf(r *run.Run) SavedRun {
	return SavedRun{Recipe: r.Recipe, Resolved: r.Resolved, Engine: r.Engine, Started: r.Started, Filter: r.Filter, Mapped: r.Maps.Noise != nil && r.Recipe.SeriesFilter() == nil}
}

// maxAutosave bounds the results that one autosave holds, in bytes; others are lost
// with the process.
const maxAutosave = 2 << 30

// Names in the folder of an autosave.
const (
	workName   = "work.json"
	lockName   = "lock"
	autoPrefix = "work-"
)

// Autosave keeps the work of one process in a folder of its own, for the next start
// after a crash or a signal. The folder is readable by the user alone. Methods are safe for
// concurrent use.
type Autosave struct {
	dir  string
	lock *lockfile.File

	mu    sync.Mutex
	ended bool       // nothing is written any more
	runs  int        // number of the last file of a run
	named []SavedRun // by the work that was saved last
}

// NewAutosave makes a folder below root, the same for all processes.
func NewAutosave(root string) (*Autosave, error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(root, autoPrefix)
	if err != nil {
		return nil, err
	}
	lock, err := lockfile.Take(filepath.Join(dir, lockName))
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	return &Autosave{dir: dir, lock: lock}, nil
}

// keepAbandoned is how long unrestored work is kept.
const keepAbandoned = 14 * 24 * time.Hour

// Abandoned returns the newest work below root whose process has ended without
// removing it, nil if there is none. Folders without work, or with work that is
// older than two weeks, are removed.
func Abandoned(root string, now time.Time) (*Autosave, Workspace) {
	return newestWork(workFolders(root), now)
}

func workFolders(root string) []string {
	folders, _ := filepath.Glob(filepath.Join(root, autoPrefix+"*"))
	return folders
}

// Running returns the folders below root whose process has saved work and still runs.
func Running(root string) []string {
	return slices.DeleteFunc(workFolders(root), func(dir string) bool {
		if !files.Exists(filepath.Join(dir, workName)) {
			return true
		}
		lock, err := lockfile.Take(filepath.Join(dir, lockName))
		if err == nil {
			_ = lock.Release()
		}
		return !errors.Is(err, lockfile.ErrHeld)
	})
}

// Await is Abandoned for folders of Running, once a process of them has ended; nil if
// ctx ends before. The system takes back the memory of a process that was killed before it frees
// its locks, about a second for 4 GiB, so that a start at once finds them held.
func Await(ctx context.Context, folders []string, now func() time.Time) (*Autosave, Workspace) {
	const every = 100 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for len(folders) > 0 {
		select {
		case <-ctx.Done():
			return nil, Workspace{}
		case <-tick.C:
		}
		if kept, work := newestWork(folders, now()); kept != nil {
			return kept, work
		}
		folders = slices.DeleteFunc(folders, func(dir string) bool { return !files.Exists(dir) }) // its user quit it
	}
	return nil, Workspace{}
}

// newestWork returns the newest work in folders of processes that have ended, and removes
// those without work.
func newestWork(folders []string, now time.Time) (*Autosave, Workspace) {
	var newest *Autosave
	var found Workspace
	var latest time.Time
	for _, dir := range folders {
		lock, err := lockfile.Take(filepath.Join(dir, lockName))
		if err != nil {
			continue // its process runs
		}
		a := &Autosave{dir: dir, lock: lock}
		work, saved, err := a.read()
		switch {
		case err != nil || now.Sub(saved) > keepAbandoned:
			_ = a.Remove()
		case newest != nil && !saved.After(latest):
			a.Release()
		default:
			if newest != nil {
				newest.Release()
			}
			newest, found, latest = a, work, saved
		}
	}
	return newest, found
}

// read returns the work and when it was saved.
func (a *Autosave) read() (w Workspace, saved time.Time, err error) {
	path := filepath.Join(a.dir, workName)
	info, err := os.Stat(path)
	if err != nil {
		return w, saved, err
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &w)
	}
	if err == nil {
		err = w.check()
	}
	for _, run := range w.runs() {
		var number int
		if _, err := fmt.Sscanf(run.File, runFile, &number); err == nil {
			a.runs = max(a.runs, number)
		}
	}
	a.named = w.runs()
	return w, info.ModTime(), err
}

// Save keeps w in the place of what was saved before. Results that w names no more
// are removed.
func (a *Autosave) Save(w Workspace) error {
	data, err := json.MarshalIndent(w, "", " ")
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ended {
		return nil
	}
	// A rename suffices: this is for the end of the process, not of the power.
	path := filepath.Join(a.dir, workName)
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	runs := w.runs()
	for _, old := range a.named {
		if old.Kept() && !slices.ContainsFunc(runs, func(r SavedRun) bool { return r.File == old.File }) {
			_ = os.Remove(filepath.Join(a.dir, old.File))
		}
	}
	a.named = runs
	return nil
}

const runFile = "run-%d.f32"

// SaveRun writes the result of a run, which Save keeps from then on if its work
// names it. It does nothing, and returns false, if the run was steered by maps other than the estimate of its noise, which
// are not kept, and if the results would take too much room.
func (a *Autosave) SaveRun(ctx context.Context, r *run.Run) (SavedRun, bool, error) {
	if r.Maps.Noise != nil && !r.Maps.Estimated || r.Maps.Mask != nil || !r.Whole() {
		return SavedRun{}, false, nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	size := int64(4 * r.Result.Voxels())
	if a.ended || a.size()+size > maxAutosave {
		return SavedRun{}, false, nil
	}
	a.runs++
	saved := RecordOf(r)
	saved.File, saved.Source = fmt.Sprintf(runFile, a.runs), run.HashOf(r.Source.Volume)
	path := filepath.Join(a.dir, saved.File)
	if err := atomic.CheckSpace(path, size); err != nil {
		return SavedRun{}, false, err
	}
	if err := writeVoxels(ctx, path, r.Result.Data); err != nil {
		return SavedRun{}, false, errors.Join(err, os.Remove(path))
	}
	return saved, true, nil
}

// size returns the bytes of the results in the folder.
func (a *Autosave) size() (n int64) {
	files, _ := filepath.Glob(filepath.Join(a.dir, "run-*"))
	for _, f := range files {
		if info, err := os.Stat(f); err == nil {
			n += info.Size()
		}
	}
	return n
}

// voxelsAtOnce is how many voxels are written or read between looks at the context.
const voxelsAtOnce = 1 << 20

func writeVoxels(ctx context.Context, path string, voxels []float32) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	buf := make([]byte, 0, 4*min(voxelsAtOnce, len(voxels)))
	for part := range slices.Chunk(voxels, voxelsAtOnce) {
		if err := ctx.Err(); err != nil {
			return errors.Join(err, f.Close())
		}
		buf = buf[:0]
		for _, x := range part {
			buf = binary.LittleEndian.AppendUint32(buf, math.Float32bits(x))
		}
		if _, err := f.Write(buf); err != nil {
			return errors.Join(err, f.Close())
		}
	}
	return f.Close()
}

// LoadRun returns a saved run of s, without the noise map that it may have followed. A file that is not whole and a run of other voxels
// are errors.
func (a *Autosave) LoadRun(ctx context.Context, saved SavedRun, s *series.Series) (*run.Run, error) {
	if filepath.Base(saved.File) != saved.File {
		return nil, message.Errorf(message.InputDamaged, "%s is no file of an autosave", saved.File)
	}
	if saved.Source != run.HashOf(s.Volume) {
		return nil, message.Errorf(message.GridDiffers, "the result is of other voxels")
	}
	data, err := os.ReadFile(filepath.Join(a.dir, saved.File))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(ctx.Err(), saved.Recipe.Validate(), saved.Resolved.Validate()); err != nil {
		return nil, err
	}
	if len(data) != 4*s.Volume.Voxels() {
		return nil, message.Errorf(message.InputDamaged, "the result has %d bytes: %w", len(data), fs.ErrInvalid)
	}
	out := volume.New(s.Volume.Geometry)
	out.Mask, out.Unit, out.Modality = s.Volume.Mask, s.Volume.Unit, s.Volume.Modality
	for i := range out.Data {
		out.Data[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
	}
	return &run.Run{
		Recipe: saved.Recipe, Resolved: saved.Resolved, Engine: saved.Engine, Source: s, Region: s.Volume.Bounds(),
		Result: out, Started: saved.Started, Filter: saved.Filter,
	}, nil
}

// Release ends the autosave and leaves the work for the next start.
func (a *Autosave) Release() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.ended {
		a.ended = true
		_ = a.lock.Release()
	}
}

// Remove ends the autosave and removes the work.
func (a *Autosave) Remove() error {
	a.Release()
	return os.RemoveAll(a.dir)
}
