package atomic

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"quell/internal/message"
)

// keptName is the folder that a file system keeps in its root for fsck. It is no part of
// an output.
const keptName = "lost+found"

// lockTries makes a commit wait ten seconds for others, which take a fraction of one.
const lockTries = 1000

// Kept reports whether an entry of a folder stays if the folder is written into: stages,
// and what belongs to the file system.
func Kept(name string) bool { return IsStage(name) || name == keptName }

// staysInPlace reports whether target is a folder that cannot be exchanged for another, and
// so is written into: a mount point, or one with a parent folder that is not writable. The
// error is one of the system: neither can be done.
func staysInPlace(target string) (bool, error) {
	if info, err := os.Lstat(target); err != nil || !info.IsDir() {
		return false, nil //nolint:nilerr // nothing is there to stay
	}
	// A folder, so that one left by a kill is removed as a stage without a lease.
	temp, err := os.MkdirTemp(filepath.Dir(target), prefix)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { os.RemoveAll(temp) }()
	// Folders cannot be moved across a mount point.
	moved := filepath.Join(target, filepath.Base(temp))
	err = os.Rename(temp, moved)
	if errors.Is(err, syscall.EXDEV) || errors.Is(err, syscall.EBUSY) {
		return true, nil
	}
	if err == nil {
		temp = moved
	}
	return false, err
}

// probe tries to make a folder in dir.
func probe(dir string) error {
	temp, err := os.MkdirTemp(dir, prefix)
	os.RemoveAll(temp)
	return err
}

// list fills in the entries of the folder that is written into, earlier and new ones.
func (j *journal) list(c *commit) (err error) {
	if j.Former, err = entries(c.parent); err != nil {
		return err
	}
	if j.Entries, err = entries(filepath.Join(c.stage, newName, j.Target)); err != nil {
		return err
	}
	for _, name := range j.Companions {
		sum, err := fingerprint(c.staged(name))
		switch {
		case err == nil:
			j.Entries[name] = sum
		case !errors.Is(err, fs.ErrNotExist):
			return err
		}
	}
	return nil
}

// entries returns the fingerprints of the entries of a folder, by name.
func entries(dir string) (map[string]string, error) {
	all, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	sums := map[string]string{}
	for _, e := range all {
		if Kept(e.Name()) {
			continue
		}
		if sums[e.Name()], err = fingerprint(filepath.Join(dir, e.Name())); err != nil {
			return nil, err
		}
	}
	return sums, nil
}

// ordered returns names with the companions at the end, so that a companion is in the
// folder only together with all of its target.
func (j *journal) ordered(sums map[string]string) []string {
	names := slices.Sorted(maps.Keys(sums))
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(j.Companions, name) }),
		slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(j.Companions, name) }))
}

// runInside moves the earlier entries out of the folder, companions first, and then the new
// ones into it, companions last, so that entries of both never lie together.
func (c *commit) runInside() error {
	out := c.journal.ordered(c.journal.Former)
	slices.Reverse(out)
	for _, name := range out {
		if err := c.move(c.final(name), c.former(name)); err != nil {
			return err
		}
	}
	for _, name := range c.journal.ordered(c.journal.Entries) {
		if err := c.move(c.staged(name), c.final(name)); err != nil {
			return err
		}
	}
	return c.fsys.Sync(c.parent)
}

// recoverInside completes a commit to a folder that was written into. It does nothing if
// any of the entries was changed or removed since.
func (c *commit) recoverInside() error {
	release, err := lockFolder(c.parent, lockTries)
	if err != nil {
		return err
	}
	defer release()
	j := &c.journal
	for _, name := range slices.Concat(slices.Collect(maps.Keys(j.Former)), slices.Collect(maps.Keys(j.Entries))) {
		sum, _ := fingerprint(c.final(name))
		earlier, isFormer := j.Former[name]
		now, isNew := j.Entries[name]
		gone := isFormer && !exists(c.former(name)) && !(sum != "" && sum == earlier) ||
			isNew && !exists(c.staged(name)) && !(sum != "" && sum == now)
		if gone || sum != "" && sum != earlier && sum != now {
			return nil
		}
	}
	for name, sum := range j.Former {
		if there, _ := fingerprint(c.final(name)); there == sum {
			if err := c.fsys.Rename(c.final(name), c.former(name)); err != nil {
				return err
			}
		}
	}
	for _, name := range j.ordered(j.Entries) {
		if exists(c.staged(name)) {
			if err := c.fsys.Rename(c.staged(name), c.final(name)); err != nil {
				return err
			}
		}
	}
	return c.fsys.Sync(c.parent)
}

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
