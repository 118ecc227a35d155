package atomic

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"quell/internal/message"
)

// Stage is a hidden folder in which an output is made. Its methods are called
// from one goroutine; the files in it may be written from several.
type Stage struct {
	fsys   fileSystem
	name   string   // the target as it was named
	target string   // the same, absolute
	dir    string   // of the stage
	inside bool     // the target is a folder that stays and is written into
	lock   *os.File // held while the stage is open; nil without locks
	made   []string // folders above the target that Begin made, outermost first

	done      chan struct{} // ends the renewal of the lease
	renewal   sync.WaitGroup
	committed bool
	broken    bool // a commit could not be undone: the stage is kept for recovery
}

// Begin makes a stage next to target, and the folders above it if they are missing;
// in target if that is a folder that is written into, see Inside. It removes stages
// there with an expired lease. The error is an *Error.
func Begin(target string) (*Stage, error) {
	return begin(target, disk{}, time.NewTicker(renewEvery).C)
}

func begin(target string, fsys fileSystem, ticks <-chan time.Time) (*Stage, error) {
	abs, err := filepath.Abs(target)
	if err != nil {
		return nil, WriteError(target, err)
	}
	if filepath.Dir(abs) == abs {
		return nil, errRoot(target)
	}
	inside, err := staysInPlace(abs)
	if err != nil {
		return nil, WriteError(target, err)
	}
	return open(target, abs, inside, fsys, ticks)
}

// open makes the stage of a target that was named so, next to it or inside it.
func open(target, abs string, inside bool, fsys fileSystem, ticks <-chan time.Time) (*Stage, error) {
	parent := filepath.Dir(abs)
	if inside {
		parent = abs
	}
	s := &Stage{fsys: fsys, name: target, target: abs, dir: newStageName(parent), inside: inside, done: make(chan struct{})}
	for dir := parent; !exists(dir); dir = filepath.Dir(dir) {
		s.made = append([]string{dir}, s.made...)
	}
	if err := s.create(parent); err != nil {
		s.Close()
		return nil, WriteError(target, err)
	}
	s.renewal.Go(func() { renew(fsys, s.dir, s.lock != nil, ticks, s.done) })
	if now, err := lastAlive(s.dir); err == nil {
		clearExpired(fsys, parent, now)
	}
	return s, nil
}

// create makes the folders above the stage and the stage.
func (s *Stage) create(parent string) error {
	if err := s.fsys.MkdirAll(parent); err != nil {
		return err
	}
	for _, dir := range s.made {
		if err := s.fsys.Sync(filepath.Dir(dir)); err != nil {
			return err
		}
	}
	if err := s.fsys.Mkdir(s.dir); err != nil {
		return err
	}
	s.lock, _ = tryLock(s.dir) // without locks the age of the lease counts
	if err := s.fsys.Create(filepath.Join(s.dir, leaseName), leaseOf(s.lock != nil)); err != nil {
		return err
	}
	return errors.Join(s.fsys.Mkdir(filepath.Join(s.dir, newName)), s.fsys.Mkdir(filepath.Join(s.dir, oldName)))
}

// Dir returns the folder in which the output and its companions are made, under
// the names that they will have.
func (s *Stage) Dir() string { return filepath.Join(s.dir, newName) }

// Inside reports whether the target is a folder that stays while its entries are exchanged:
// a mount point, or a folder in one that is not writable. Its companions lie in it.
func (s *Stage) Inside() bool { return s.inside }

// Path returns the path at which the target or a companion of that name is made.
func (s *Stage) Path(name string) string { return filepath.Join(s.Dir(), name) }

// Commit gives the target and its companions their names. Companions are names next to the target, or in it
// if it is written into; one that was not made in the stage is removed next to the target, because it belongs
// to the earlier output. Whatever had those names goes only when everything is in place: after an error, or
// when ctx ends, it is still there. The error is an *Error, the context's or the error of its fence.
func (s *Stage) Commit(ctx context.Context, companions ...string) error {
	c := &commit{fsys: s.fsys, parent: filepath.Dir(s.dir), stage: s.dir, locked: s.lock != nil,
		journal: journal{Target: filepath.Base(s.target), Companions: companions, Inside: s.inside}}
	defer func() {
		if c.release != nil {
			c.release()
		}
	}()
	if err := c.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return WriteError(s.name, err)
	}
	if fence, ok := ctx.Value(fenceKey{}).(func() error); ok {
		if err := fence(); err != nil {
			return err
		}
	}
	err := c.run()
	if err == nil {
		s.committed = true
		return nil
	}
	if undo := c.undo(); undo != nil {
		s.broken = true
		return &Error{Path: s.name, Problem: message.New(message.OutputUnwritable, "it cannot be written (%s), and the earlier output could not be put back (%s)", cause(err), cause(undo)),
			Advice: message.Text("it is in the hidden folder %s beside it", filepath.Base(s.dir)), Err: err}
	}
	return WriteError(s.name, err)
}

// fenceKey is the key of a fence in a context.
type fenceKey struct{}

// WithFence returns a context in which Commit asks fence when everything is ready, just before it
// changes what others see; after an error nothing is changed. It keeps a writer that was paused,
// and taken for dead, from replacing what its successor wrote.
func WithFence(ctx context.Context, fence func() error) context.Context {
	return context.WithValue(ctx, fenceKey{}, fence)
}

// Close removes what was not committed. It may be called more than once.
func (s *Stage) Close() {
	select {
	case <-s.done:
		return
	default:
	}
	close(s.done)
	s.renewal.Wait()
	if s.broken {
		return // with its lock: recovery begins when this process has ended
	}
	defer s.lock.Close()        // of nil too
	_ = s.fsys.RemoveAll(s.dir) // what stays is removed when its lease has expired
	if s.committed {
		return
	}
	for i := len(s.made) - 1; i >= 0; i-- {
		_ = os.Remove(s.made[i]) // fails if others have put something there
	}
}

// WriteFile replaces the file at path by one with data, or makes it. The mode is
// subject to the umask. The error is an *Error.
func WriteFile(path string, data []byte, mode fs.FileMode) error {
	s, _, err := stageFile(path, data, mode)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Commit(context.Background())
}

// WriteStream is WriteFile with the data that write writes, through a buffer.
func WriteStream(path string, mode fs.FileMode, write func(io.Writer) error) error {
	s, staged, err := stageFile(path, nil, mode)
	if err != nil {
		return err
	}
	defer s.Close()
	file, err := os.OpenFile(staged, os.O_WRONLY, 0)
	if err != nil {
		return WriteError(path, err)
	}
	buffer := bufio.NewWriter(file)
	if err := errors.Join(write(buffer), buffer.Flush(), file.Close()); err != nil {
		return WriteError(path, err)
	}
	return s.Commit(context.Background())
}

// CreateFile makes the file at path. Of several processes that try one succeeds; the
// error of the others wraps fs.ErrExist, and the file that they find is whole.
func CreateFile(path string, data []byte, mode fs.FileMode) error {
	s, staged, err := stageFile(path, data, mode)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.fsys.Sync(staged); err != nil {
		return WriteError(path, err)
	}
	switch err := s.fsys.Link(staged, s.target); {
	case err == nil:
		s.committed = true
		return WriteError(path, s.fsys.Sync(filepath.Dir(s.target)))
	case errors.Is(err, fs.ErrExist):
		return WriteError(path, err)
	}
	// Without hard links, as on FAT, two processes can still collide here.
	if exists(s.target) {
		return WriteError(path, fs.ErrExist)
	}
	return s.Commit(context.Background())
}

// stageFile begins a stage for path and writes the file in it.
func stageFile(path string, data []byte, mode fs.FileMode) (s *Stage, staged string, err error) {
	if s, err = Begin(path); err != nil {
		return nil, "", err
	}
	staged = s.Path(filepath.Base(s.target))
	if err := os.WriteFile(staged, data, mode); err != nil {
		s.Close()
		return nil, "", WriteError(path, err)
	}
	return s, staged, nil
}

// Error is an output that cannot be written, in words for a person. Error gives
// one sentence: "PATH: problem; advice".
type Error struct {
	Path    string          // the output, as its user named it
	Problem message.Message // the fault
	Advice  message.Message // what to do
	Err     error           // the cause, or nil
}

// AsMessage returns the sentence.
func (e *Error) AsMessage() message.Message { return message.About(e.Path, e.Problem, e.Advice) }

func (e *Error) Error() string { return e.AsMessage().String() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func errRoot(target string) error {
	return &Error{Path: target, Problem: message.New(message.OutputName, "it is the root of a file system"), Advice: message.Text("name a folder or file in it")}
}

// errNoLocks is the error of a lock on a file system, or an operating system, without them.
var errNoLocks = errors.New("there are no locks")

// errLost is the cause if another writer took over a stage.
var errLost = message.Errorf(message.OutputBusy, "its lease expired and another export removed it")

// errHeld is the cause if other writers keep the lock on a folder.
var errHeld = message.Errorf(message.OutputBusy, "another export is writing there")

// WriteError says in words why target cannot be written; err is an error of the
// system. Paths in err are inside the stage and are left out. An *Error stays as it
// is.
func WriteError(target string, err error) error {
	var worded *Error
	if err == nil || errors.As(err, &worded) {
		return err
	}
	e := &Error{Path: target, Err: err}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		e.Problem, e.Advice = message.New(message.OutputFull, "it cannot be written because the disk is full"), message.Text("free space, or choose another place")
	case errors.Is(err, syscall.EDQUOT):
		e.Problem, e.Advice = message.New(message.OutputFull, "it cannot be written because your disk quota is used up"), message.Text("free space, or choose another place")
	case errors.Is(err, syscall.EROFS):
		e.Problem, e.Advice = message.New(message.OutputUnwritable, "it cannot be written because the file system is read-only"), message.Text("choose another place")
	case errors.Is(err, syscall.ENAMETOOLONG):
		e.Problem, e.Advice = message.New(message.OutputName, "its name is too long for the file system"), message.Text("choose a shorter name")
	case errors.Is(err, syscall.EXDEV), errors.Is(err, syscall.EBUSY):
		e.Problem, e.Advice = message.New(message.OutputName, "it cannot be replaced because it is a mount point"), message.Text("choose another name, or one inside it")
	case errors.Is(err, syscall.ENOTDIR):
		e.Problem, e.Advice = message.New(message.OutputName, "a part of its path is a file"), message.Text("choose another place")
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Advice = message.New(message.OutputUnwritable, "it cannot be written because permission is missing"), message.Text("choose another place, or have the permissions of its folder changed")
	case errors.Is(err, errHeld):
		e.Problem, e.Advice = message.New(message.OutputBusy, "another export is writing there"), message.Text("wait for it, or choose another place")
	case errors.Is(err, errLost):
		e.Problem, e.Advice = message.New(message.OutputBusy, "what was made was removed by another export after this one had not run for an hour"), message.Text("run it again")
	default:
		e.Problem, e.Advice = message.New(message.OutputUnwritable, "it cannot be written (%s)", cause(err)), message.Text("choose another place, or check its permissions and free space")
	}
	return e
}

// cause is an error without the path that the file system names in it.
func cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}

// CheckSpace reports that an output of that many bytes does not fit at target. An
// output that it replaces stays until the new one is whole, so its space does not
// count. If the system does not state the free space, the error is nil.
func CheckSpace(target string, bytes int64) error {
	abs, err := filepath.Abs(target)
	if err != nil {
		return WriteError(target, err)
	}
	dir := abs // a folder that is a mount point has the space of its own file system
	for !exists(dir) {
		dir = filepath.Dir(dir)
	}
	free, ok := FreeSpace(dir)
	if !ok || free >= bytes {
		return nil
	}
	return &Error{Path: target, Problem: message.New(message.OutputFull, "it needs %s and %s are free on its disk", size(bytes), size(free)),
		Advice: message.Text("free space, or choose another place")}
}

// size words a number of bytes.
func size(bytes int64) message.Figure {
	switch {
	case bytes >= 1e9:
		return message.Figure(fmt.Sprintf("%.1f GB", float64(bytes)/1e9))
	case bytes >= 1e6:
		return message.Figure(fmt.Sprintf("%.1f MB", float64(bytes)/1e6))
	}
	return message.Figure(fmt.Sprintf("%.1f kB", float64(bytes)/1e3))
}
