package atomic

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"quell/internal/message"
)

// Check reports why a commit to target, a folder or a file, with these companions
// would fail, as far as that can be found out quickly and without leaving a trace:
// names, existing files of another kind, permissions, mount points. The error is an
// *Error.
func Check(target string, folder bool, companions ...string) error {
	abs, err := filepath.Abs(target)
	if err != nil {
		return WriteError(target, err)
	}
	if filepath.Dir(abs) == abs {
		return errRoot(target)
	}
	inside := false
	if folder {
		if inside, err = staysInPlace(abs); err != nil {
			return WriteError(target, err)
		}
	}
	if inside {
		return WriteError(target, probe(abs))
	}
	for i, name := range append([]string{filepath.Base(abs)}, companions...) {
		if err := checkKind(filepath.Join(filepath.Dir(abs), name), folder && i == 0); err != nil {
			return WriteError(target, err)
		}
	}
	// Begin makes the folders below the nearest one that exists.
	dir := filepath.Dir(abs)
	for !exists(dir) {
		dir = filepath.Dir(dir)
	}
	if err := probe(dir); err != nil || folder {
		return WriteError(target, err)
	}
	return WriteError(target, probeFile(abs, dir))
}

// probeFile reports a file that is a mount point, which cannot be replaced: links cannot
// lead across it.
func probeFile(target, dir string) error {
	if !exists(target) {
		return nil
	}
	temp, err := os.MkdirTemp(dir, prefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := os.Link(target, filepath.Join(temp, "link")); errors.Is(err, syscall.EXDEV) {
		return err
	}
	return nil
}

// checkKind refuses to put a file in the place of a folder, and the reverse.
func checkKind(path string, folder bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	link := info.Mode()&fs.ModeSymlink != 0 // a file replaces the link, not what it points to
	switch {
	case folder && link:
		return &Error{Path: path, Problem: message.New(message.OutputName, "it is a symbolic link"), Advice: message.Text("name the folder that it points to")}
	case folder && !info.IsDir():
		return &Error{Path: path, Problem: message.New(message.OutputName, "it is a file, and a folder is to be written"), Advice: message.Text("choose another name")}
	case !folder && info.IsDir():
		return &Error{Path: path, Problem: message.New(message.OutputName, "it is a folder, and a file is to be written"), Advice: message.Text("remove it, or choose another name")}
	case !folder && !link && !info.Mode().IsRegular():
		return &Error{Path: path, Problem: message.New(message.OutputName, "it is a device or a pipe"), Advice: message.Text("choose another name")}
	}
	return nil
}
