package atomic

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"quell/internal/message"
)

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
