package dicom

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"quell/series"
)

// stagePrefix begins the names of folders in which an export is made. Behind
// it stand a hash of the machine's name and the process id, so that what a
// killed process left can be told from what another is writing.
const stagePrefix = ".quell-export-"

// stage is a folder beside the target in which an export is made. Nothing
// appears under the target's name before commit.
type stage struct {
	dir    string
	target string
}

// activeStages are the stages of this process.
var activeStages = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// newStage makes a stage for target, whose folder is made where it is missing,
// and clears away what killed exports left there.
func newStage(target string) (*stage, error) {
	target, err := filepath.Abs(target)
	if err != nil {
		return nil, err
	}
	if err := checkTarget(target); err != nil {
		return nil, err
	}
	parent := filepath.Dir(target)
	if err := os.MkdirAll(parent, 0o777); err != nil {
		return nil, targetError(parent, err)
	}
	clearStale(parent)
	activeStages.Lock()
	defer activeStages.Unlock()
	dir, err := os.MkdirTemp(parent, fmt.Sprintf("%s%s-%d-", stagePrefix, machine(), os.Getpid()))
	if err != nil {
		return nil, targetError(parent, err)
	}
	// MkdirTemp makes private folders; an export is as open as any other.
	if err := os.Chmod(dir, 0o755); err != nil {
		os.Remove(dir)
		return nil, targetError(parent, err)
	}
	activeStages.names[filepath.Base(dir)] = true
	return &stage{dir: dir, target: target}, nil
}

// targetError words a failure to write.
func targetError(name string, err error) *Error {
	return fileError(name, "choose another place, or check its rights and free space", err, "it cannot be written (%s)", cause(err))
}

// checkTarget refuses to write over anything but an empty folder or an earlier
// export.
func checkTarget(target string) error {
	info, err := os.Lstat(target)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return targetError(target, err)
	}
	const choose = "choose a new folder for the export"
	if !info.IsDir() {
		return fileError(target, choose, nil, "it is a file, and DICOM is written as a folder")
	}
	entries, err := os.ReadDir(target)
	if err != nil {
		return targetError(target, err)
	}
	if len(entries) > 0 && !IsExport(target) {
		return fileError(target, choose, nil, "the folder is not empty")
	}
	return nil
}

// checkApart refuses a target that is a folder with source files in it, or
// above it: an original is never written to.
func checkApart(target string, sources []series.Source) error {
	info, err := os.Stat(target)
	if err != nil {
		return nil // does not exist, so it holds nothing
	}
	seen := map[string]bool{}
	for _, s := range sources {
		for dir := path.Dir(s.Name); !seen[dir]; dir = path.Dir(dir) {
			seen[dir] = true
			if source, err := fs.Stat(s.FS, dir); err == nil && os.SameFile(info, source) {
				return fileError(target, "choose a new folder for the export", nil, "the folder holds the source series, which is never written to")
			}
		}
	}
	return nil
}

// write puts one file into the stage and makes sure that it is on the disk.
func (s *stage) write(name string, data []byte) error {
	f, err := os.OpenFile(filepath.Join(s.dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return targetError(s.target, err)
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return targetError(s.target, err)
	}
	return nil
}

// commit gives the stage the target's name. An earlier export there goes only
// when the new one is complete.
func (s *stage) commit() error {
	if err := checkTarget(s.target); err != nil {
		return err // it changed while we wrote
	}
	syncDir(s.dir)
	if exchange(s.dir, s.target) {
		syncDir(filepath.Dir(s.target))
		return nil // close removes the earlier export, which now has the stage's name
	}
	old := s.dir + "-old"
	err := os.Rename(s.target, old)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return targetError(s.target, err)
	}
	replaced := err == nil
	if err := os.Rename(s.dir, s.target); err != nil {
		if replaced {
			_ = os.Rename(old, s.target) // what went wrong first is what is told
		}
		return targetError(s.target, err)
	}
	syncDir(filepath.Dir(s.target))
	if replaced {
		os.RemoveAll(old)
	}
	return nil
}

// close removes what was not committed.
func (s *stage) close() {
	os.RemoveAll(s.dir)
	activeStages.Lock()
	delete(activeStages.names, filepath.Base(s.dir))
	activeStages.Unlock()
}

// syncDir makes a folder's entries durable where the system can.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync() // not every system syncs folders
		d.Close()
	}
}

// clearStale removes the stages of processes of this machine that are gone,
// and those of any machine that are a day old.
func clearStale(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), stagePrefix)
		if !ok || !e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour || abandoned(e.Name(), rest) {
			os.RemoveAll(filepath.Join(parent, e.Name()))
		}
	}
}

// abandoned says whether a stage's process is known to be gone. A stage with
// our own process id that we did not make is of an earlier process.
func abandoned(name, rest string) bool {
	host, rest, _ := strings.Cut(rest, "-")
	id, _, _ := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(id)
	if err != nil || host != machine() {
		return false
	}
	if pid == os.Getpid() {
		activeStages.Lock()
		defer activeStages.Unlock()
		return !activeStages.names[strings.TrimSuffix(name, "-old")]
	}
	return !processAlive(pid)
}

// machine is a short hash of this machine's name: file systems are shared, and
// process ids are not.
func machine() string {
	name, _ := os.Hostname()
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%08x", h.Sum32())
}

// sliceName names the file of slice z, counted from 0 along the slice normal.
func sliceName(z int) string { return fmt.Sprintf("IM%05d.dcm", z+1) }

var slicePattern = regexp.MustCompile(`^IM\d{5,}\.dcm$`)

// IsExport says whether the folder dir holds nothing but a series that Write or
// WriteNew made, so that a new export may replace it.
func IsExport(dir string) bool {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) == 0 {
		return false
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || !slicePattern.MatchString(e.Name()) || !madeHere(filepath.Join(dir, e.Name())) {
			return false
		}
	}
	return true
}

// madeHere says whether a file's meta header names this writer.
func madeHere(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	w := newWindow(f, info.Size())
	defer w.release()
	t := &tokenizer{w: w, file: newPart10()}
	head, err := w.at(0, 132)
	if err != nil || !hasPreamble(head) {
		return false
	}
	if _, _, err := t.readMeta(132); err != nil {
		return false
	}
	for _, e := range t.file.meta {
		if e.tag != tagImplementationClassUID {
			continue
		}
		b := make([]byte, min(e.length, 64))
		_, err := f.ReadAt(b, e.value)
		return err == nil && strings.TrimRight(string(b), valuePadding) == implementationClassUID
	}
	return false
}
