package atomic

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"quell/internal/parallel"
)

// commit is one exchange of earlier outputs for new ones.
type commit struct {
	fsys          fileSystem
	parent, stage string
	locked        bool // the stage, by this process
	journal       journal
	undos         []func() error // one for each step done
	release       func()         // gives back the lock on a folder that is written into; nil without one
}

// journal is what recovery has to know of a commit.
type journal struct {
	Target     string // a name, of any bytes: encoded as gob, since JSON holds UTF-8 alone
	Companions []string
	New        string // fingerprint of the new target
	Old        string // fingerprint of the earlier target, "" for none
	// Inside says that the target is a folder that stays: parent is the target, and its
	// members are its entries. Former and Entries are the fingerprints of the earlier and the
	// new ones, by name.
	Inside          bool
	Former, Entries map[string]string
}

// The paths of a member: its own, the one at which it is made, and the one at which
// the earlier one is kept until the commit is done.
func (c *commit) final(name string) string { return filepath.Join(c.parent, name) }
func (c *commit) staged(name string) string {
	if c.journal.Inside && !slices.Contains(c.journal.Companions, name) {
		return filepath.Join(c.stage, newName, c.journal.Target, name)
	}
	return filepath.Join(c.stage, newName, name)
}
func (c *commit) former(name string) string { return filepath.Join(c.stage, oldName, name) }

// prepare does everything that changes nothing outside the stage: it checks the
// targets, puts the new files on disk and writes the journal.
func (c *commit) prepare(ctx context.Context) error {
	if err := renewOnce(c.fsys, c.stage, c.locked); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return errLost
		}
		return err
	}
	made, err := os.Lstat(filepath.Join(c.stage, newName, c.journal.Target))
	if err != nil {
		return err
	}
	if c.journal.Inside {
		err = checkKind(c.parent, made.IsDir())
	} else {
		err = c.checkKinds(made.IsDir())
	}
	if err != nil {
		return err
	}
	if err := syncTree(ctx, c.fsys, filepath.Join(c.stage, newName)); err != nil {
		return err
	}
	if c.journal.Inside {
		if c.release, err = lockFolder(c.parent, lockTries); err != nil {
			return err
		}
		err = c.journal.list(c)
	} else {
		err = c.identify()
	}
	if err != nil {
		return err
	}
	var data bytes.Buffer
	if err := gob.NewEncoder(&data).Encode(c.journal); err != nil {
		return err
	}
	if err := c.fsys.Create(filepath.Join(c.stage, journalName), data.Bytes()); err != nil {
		return err
	}
	if err := c.fsys.Sync(c.stage); err != nil {
		return err
	}
	return ctx.Err()
}

// checkKinds refuses members that would take the place of another kind.
func (c *commit) checkKinds(folder bool) error {
	for i, name := range append([]string{c.journal.Target}, c.journal.Companions...) {
		if err := checkKind(c.final(name), folder && i == 0); err != nil {
			return err
		}
	}
	return nil
}

// identify fills in the fingerprints of the new and the earlier target.
func (c *commit) identify() (err error) {
	if c.journal.New, err = fingerprint(c.staged(c.journal.Target)); err != nil {
		return err
	}
	if c.journal.Old, err = fingerprint(c.final(c.journal.Target)); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// run takes the steps that others see, in the order that the package describes.
func (c *commit) run() error {
	if c.journal.Inside {
		return c.runInside()
	}
	for _, name := range c.journal.Companions {
		if exists(c.final(name)) {
			if err := c.move(c.final(name), c.former(name)); err != nil {
				return err
			}
		}
	}
	if err := c.replace(c.journal.Target); err != nil {
		return err
	}
	for _, name := range c.journal.Companions {
		if exists(c.staged(name)) {
			if err := c.move(c.staged(name), c.final(name)); err != nil {
				return err
			}
		}
	}
	return c.fsys.Sync(c.parent)
}

// replace puts the new target in the place of the earlier one, in one step if the
// file system can.
func (c *commit) replace(name string) error {
	from, to, old := c.staged(name), c.final(name), c.former(name)
	if c.journal.Old == "" {
		return c.move(from, to)
	}
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if info.IsDir() {
		if c.fsys.Exchange(from, to) == nil {
			c.undos = append(c.undos, func() error { return c.fsys.Exchange(from, to) })
			return nil
		}
	} else if c.fsys.Link(to, old) == nil {
		if err := c.fsys.Rename(from, to); err != nil {
			return err
		}
		c.undos = append(c.undos, func() error { return c.fsys.Rename(old, to) })
		return nil
	}
	if err := c.move(to, old); err != nil {
		return err
	}
	return c.move(from, to)
}

// move renames and remembers how to take that back.
func (c *commit) move(from, to string) error {
	if err := c.fsys.Rename(from, to); err != nil {
		return err
	}
	c.undos = append(c.undos, func() error { return c.fsys.Rename(to, from) })
	return nil
}

// undo takes back the steps that run took, the last first.
func (c *commit) undo() error {
	for i := len(c.undos) - 1; i >= 0; i-- {
		if err := c.undos[i](); err != nil {
			return err
		}
	}
	return nil
}

// syncTree puts everything below dir on disk.
func syncTree(ctx context.Context, fsys fileSystem, dir string) error {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.IsDir() || d.Type().IsRegular()) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	return parallel.For(ctx, len(paths), func(i int) error { return fsys.Sync(paths[i]) })
}

// fingerprint identifies an output by the names, sizes and modification times of its
// files, which a rename keeps. It is "" if nothing exists.
func fingerprint(path string) (string, error) {
	h := sha256.New()
	err := EachFile(path, func(name string, info fs.FileInfo) {
		fmt.Fprintf(h, "%q %d %d\n", name, info.Size(), info.ModTime().UnixNano())
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// EachFile calls visit for every file of an output, a folder or a file, with its path in the
// folder, with slashes, or "." for the file; in the order of the names.
func EachFile(path string, visit func(name string, info fs.FileInfo)) error {
	return filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, name)
		visit(filepath.ToSlash(rel), info)
		return err
	})
}
