package atomic

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Error is an output that cannot be written, in words for a person. Error gives
// one sentence: "PATH: problem; advice".
type Error struct {
	Path    string // the output, as its user named it
	Problem string // what is wrong
	Advice  string // what to do
	Err     error  // the cause, or nil
}

func (e *Error) Error() string {
	s := e.Path + ": " + e.Problem
	if e.Advice != "" {
		s += "; " + e.Advice
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func errRoot(target string) error {
	return &Error{Path: target, Problem: "it is the root of a file system", Advice: "name a folder or file in it"}
}

// errNoLocks is the error of a lock on a file system, or an operating system, without them.
var errNoLocks = errors.New("there are no locks")

// errLost is the cause if another writer took over a stage.
var errLost = errors.New("its lease expired and another export removed it")

// errHeld is the cause if other writers keep the lock on a folder.
var errHeld = errors.New("another export is writing there")

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
		e.Problem, e.Advice = "it cannot be written because the disk is full", "free space, or choose another place"
	case errors.Is(err, syscall.EDQUOT):
		e.Problem, e.Advice = "it cannot be written because your disk quota is used up", "free space, or choose another place"
	case errors.Is(err, syscall.EROFS):
		e.Problem, e.Advice = "it cannot be written because the file system is read-only", "choose another place"
	case errors.Is(err, syscall.ENAMETOOLONG):
		e.Problem, e.Advice = "its name is too long for the file system", "choose a shorter name"
	case errors.Is(err, syscall.EXDEV), errors.Is(err, syscall.EBUSY):
		e.Problem, e.Advice = "it cannot be replaced because it is a mount point", "choose another name, or one inside it"
	case errors.Is(err, syscall.ENOTDIR):
		e.Problem, e.Advice = "a part of its path is a file", "choose another place"
	case errors.Is(err, fs.ErrPermission):
		e.Problem, e.Advice = "it cannot be written because permission is missing", "choose another place, or have the permissions of its folder changed"
	case errors.Is(err, errHeld):
		e.Problem, e.Advice = "another export is writing there", "wait for it, or choose another place"
	case errors.Is(err, errLost):
		e.Problem, e.Advice = "what was made was removed by another export after this one had not run for an hour", "run it again"
	default:
		e.Problem, e.Advice = "it cannot be written ("+cause(err)+")", "choose another place, or check its permissions and free space"
	}
	return e
}

// cause is an error without the path that the file system names in it.
func cause(err error) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err.Error()
	case errors.As(err, &link):
		return link.Err.Error()
	}
	return err.Error()
}
