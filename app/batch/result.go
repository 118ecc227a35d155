package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quell/app/files"
	"quell/app/job"
	"quell/app/journal"
	"quell/denoise"
	"quell/denoise/tune"
	"quell/denoise/verdict"
	"quell/io/atomic"
	"quell/series"
)

// SeriesState is how a series ended.
type SeriesState string

// The states.
const (
	Done      SeriesState = "done"      // its output is verified and in place
	Failed    SeriesState = "failed"    // Problem says why there is no output
	Duplicate SeriesState = "duplicate" // the same images as another series; the output of that serves
)

// SeriesResult is how one series ended. It is a JSON value, in a file of its own.
type SeriesResult struct {
	ID       string      `json:"id"`       // of the series: its unit and what distinguishes it there
	Key      string      `json:"key"`      // of recipe, options, program version and voxels: equal keys give equal outputs
	Settings string      `json:"settings"` // of recipe, options, program version and selection
	Made     string      `json:"made"`     // of recipe, options and program version
	Unit     string      `json:"unit"`     // Unit.Name
	Series   string      `json:"series"`   // describes it within the unit; "" if the unit is one series
	State    SeriesState `json:"state"`

	Format   string `json:"format,omitempty"`
	Modality string `json:"modality,omitempty"`
	Dims     [3]int `json:"dims,omitzero"`
	Volumes  int    `json:"volumes,omitempty"` // of a 4-D series
	Stamp    string `json:"stamp,omitempty"`   // size and time of a file with a known digest
	Digest   string `json:"digest,omitempty"`  // of the file, or of the UIDs

	Output  string `json:"output,omitempty"` // relative to the batch's, with slashes
	Files   int    `json:"files,omitempty"`
	Bytes   int64  `json:"bytes,omitempty"`   // of these files
	Listing string `json:"listing,omitempty"` // hash of their names and sizes
	Content string `json:"content,omitempty"` // hash of their bytes

	Problem string `json:"problem,omitempty"` // one sentence
	Code    int    `json:"code,omitempty"`    // exit code of the failure
	SameAs  string `json:"same_as,omitempty"` // of a duplicate: the input that is filtered

	Outcome          string           `json:"outcome,omitempty"` // "denoised" or "unchanged"
	Sigma            float64          `json:"sigma"`
	SigmaConfidence  string           `json:"sigma_confidence,omitempty"`
	Judgement        string           `json:"judgement,omitempty"` // see verdict.Word; of a 4-D series that of the worst volume
	Why              string           `json:"why,omitempty"`
	Places           []tune.Finding   `json:"places,omitempty"` // at which something was removed or added
	*verdict.Figures                  // of that volume; nil if it was not judged
	Engine           string           `json:"engine,omitempty"`
	Device           string           `json:"device,omitempty"`
	Recipe           *denoise.Recipe  `json:"recipe,omitempty"`    // as run; of a 4-D series as asked for
	NoiseMap         string           `json:"noise_map,omitempty"` // run.MapRecord.From of a volume that was filtered by a map
	Seconds          job.Seconds      `json:"seconds"`
	Warnings         []string         `json:"warnings,omitempty"`
	LeftOut          []series.LeftOut `json:"left_out,omitempty"` // images of the series that were not filtered
	Finished         time.Time        `json:"finished,omitzero"`
	Quell            string           `json:"quell"`
	Picture          []byte           `json:"picture,omitempty"`  // JPEG: before, after, residual
	Pictured         string           `json:"pictured,omitempty"` // of a 4-D series the volume on it: the one that the verdict is of

	Devices []denoise.DeviceUse `json:"devices,omitempty"` // what each GPU did

	Reused bool `json:"-"` // it was there before this run
}

// Input names the series for a person.
func (r SeriesResult) Input() string {
	if r.Series == "" {
		return r.Unit
	}
	return r.Unit + ": " + r.Series
}

// voxels returns how many voxels were filtered.
func (r SeriesResult) voxels() int {
	if r.State != Done {
		return 0
	}
	return r.Dims[0] * r.Dims[1] * r.Dims[2] * max(r.Volumes, 1)
}

// identify returns a hash of texts in short form.
func identify(texts ...string) string {
	h := sha256.New()
	for _, t := range texts {
		fmt.Fprintf(h, "%q\n", t)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// StateFolder holds everything of a batch that is no output.
const StateFolder = ".quell-batch"

// store is the state of a batch next to its output. Its methods may be called from
// several goroutines and processes.
type store struct{ out string }

func (s store) dir() string                  { return filepath.Join(s.out, StateFolder) }
func (s store) ownerPath(key string) string  { return filepath.Join(s.dir(), "keys", key) }
func (s store) outputPath(rel string) string { return filepath.Join(s.out, filepath.FromSlash(rel)) }

// results is the journal of the series.
func (s store) results() journal.Journal[SeriesResult] {
	return journal.Journal[SeriesResult]{Folder: filepath.Join(s.dir(), "results"), Sound: func(id string, r *SeriesResult) bool { return r.ID == id }}
}

// all calls visit with every result, in no order.
func (s store) all(visit func(SeriesResult)) error { return s.changed(nil, visit) }

// changed calls visit with the results that were written since the call before with the same
// stamps, in no order.
func (s store) changed(stamps map[string]time.Time, visit func(SeriesResult)) error {
	_, err := s.results().Each(stamps, func(r *SeriesResult) { visit(*r) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// attempts is the file of the hold on a unit.
func (s store) attempts(u Unit) string { return filepath.Join(s.dir(), "attempts", identify(u.Name)) }

// take makes this process the holder of a unit. Without a hold, as on a full disk, the unit is done all the same.
func (s store) take(u Unit) *journal.Hold {
	h, _ := journal.Take(s.attempts(u))
	return h
}

// maxAttempts is how often a unit may end its process before it is a failure.
const maxAttempts = 3

// errEnded is the failure of what had maxAttempts.
var errEnded = fmt.Errorf("processes ended %d times while they worked on this: each was killed, by somebody or for lack of memory, or gave no sign of life; the same command tries it again", maxAttempts)

// describe adds the facts of an output in place: its files, their size and a hash of their names
// and sizes.
func (s store) describe(r *SeriesResult) error {
	path := s.outputPath(r.Output)
	h := sha256.New()
	r.Files, r.Bytes = 0, 0
	count := func(name string, info fs.FileInfo) {
		r.Files, r.Bytes = r.Files+1, r.Bytes+info.Size()
		fmt.Fprintf(h, "%q %d\n", name, info.Size())
	}
	if err := atomic.EachFile(path, count); err != nil {
		return err
	}
	if header, ok := strings.CutSuffix(path, ".hdr"); ok {
		image, err := os.Stat(header + ".img")
		if err != nil {
			return err
		}
		count("img", image)
	}
	r.Listing = hex.EncodeToString(h.Sum(nil))
	return nil
}

// discard removes the output of a result, with its record.
func (s store) discard(r *SeriesResult) error {
	gone := append(s.files(r.Output), files.RecordPath(s.outputPath(r.Output)))
	r.Output = ""
	for _, path := range gone {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// files returns the paths of the files of an output, in order; none if it is not there.
func (s store) files(output string) (paths []string) {
	path := s.outputPath(output)
	_ = atomic.EachFile(path, func(name string, _ fs.FileInfo) { // a missing file fails when it is opened
		paths = append(paths, filepath.Join(path, filepath.FromSlash(name)))
	})
	if header, ok := strings.CutSuffix(path, ".hdr"); ok {
		paths = append(paths, header+".img")
	}
	return paths
}

// content returns a hash of the bytes of the files of an output, in their order. Their names and
// sizes are in the listing.
func (s store) content(output string) (string, error) {
	h := sha256.New()
	for _, path := range s.files(output) {
		if err := files.AddFile(h, path); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// tidy removes what killed processes left next to outputs and results, once it is known that
// they ended: if nothing is written again, nothing else removes it.
func (s store) tidy() {
	outputs := map[string]string{} // of each folder one
	for _, path := range []string{s.results().Path("-"), s.ownerPath("-"), filepath.Join(s.dir(), "-"), filepath.Join(s.out, "-")} {
		outputs[filepath.Dir(path)] = path
	}
	_ = s.all(func(r SeriesResult) { // the run reports the faults of results
		if r.Output != "" {
			path := s.outputPath(r.Output)
			outputs[filepath.Dir(path)] = path
		}
	})
	for dir, path := range outputs {
		entries, _ := os.ReadDir(dir)
		if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return atomic.IsStage(e.Name()) }) {
			if stage, err := atomic.Begin(path); err == nil {
				stage.Close()
			}
		}
	}
}

// holds reports whether the output of a result is in place, by the names and sizes of its
// files, which were compared with the voxels when they were written; and by their bytes, if verify
// asks for that or if a file was changed after the result was saved.
func (s store) holds(r SeriesResult, verify bool) bool {
	now := SeriesResult{Output: r.Output}
	if s.describe(&now) != nil || now.Listing != r.Listing {
		return false
	}
	if !verify {
		saved, err := os.Stat(s.results().Path(r.ID))
		if err != nil {
			return false
		}
		if !s.changedSince(r.Output, saved.ModTime()) {
			return true
		}
	}
	sum, err := s.content(r.Output)
	return err == nil && sum == r.Content
}

// changedSince reports whether a file of an output is younger than a time of its file system.
func (s store) changedSince(output string, at time.Time) (changed bool) {
	for _, name := range s.files(output) {
		info, err := os.Stat(name)
		changed = changed || err != nil || info.ModTime().After(at)
	}
	return changed
}

// owner says which series has a key.
type owner struct{ ID, Input, Path string }

// claim makes a series the owner of a key, unless another one is, with a path that is there
// still.
func (s store) claim(key string, me owner, isThere func(path string) bool) (owner, error) {
	data, err := json.Marshal(me)
	if err != nil {
		return me, err
	}
	path := s.ownerPath(key)
	err = atomic.CreateFile(path, data, 0o666)
	if !errors.Is(err, fs.ErrExist) {
		return me, err
	}
	var other owner
	if data, err := os.ReadFile(path); err == nil && json.Unmarshal(data, &other) == nil && isThere(other.Path) {
		return other, nil
	}
	return me, atomic.WriteFile(path, data, 0o666)
}

// stampOf returns size and modification time of a file and of the voxels next to a
// header.
func stampOf(path string) string {
	var b strings.Builder
	for _, name := range withImage(path) {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprintf(&b, "%d %d ", info.Size(), info.ModTime().UnixNano())
		}
	}
	return strings.TrimSpace(b.String())
}

// digestOf returns a hash over the bytes of a file and of the voxels next to a
// header.
func digestOf(path string) (string, error) {
	h := sha256.New()
	for _, name := range withImage(path) {
		err := files.AddFile(h, name)
		if errors.Is(err, fs.ErrNotExist) && name != path {
			continue // the scan reports it
		}
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// withImage returns a path, and of an Analyze or NIfTI header also the path at which its
// voxels may be.
func withImage(path string) []string {
	for _, ext := range []string{".hdr", ".hdr.gz"} {
		if base, ok := strings.CutSuffix(path, ext); ok {
			return []string{path, base + ".img", base + ".img.gz"}
		}
	}
	return []string{path}
}
