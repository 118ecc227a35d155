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

	"quell/internal/parallel"
)

// Commit gives the target and its companions their names. Companions are names
// beside the target; one that was not made in the stage is removed beside the
// target, because it belongs to the earlier output. Whatever had those names goes
// only when everything is in place: after an error, or when ctx ends, it is still
// there. The error is an *Error or the context's.
func (s *Stage) Commit(ctx context.Context, companions ...string) error {
	c := &commit{fsys: s.fsys, parent: filepath.Dir(s.target), stage: s.dir,
		journal: journal{Target: filepath.Base(s.target), Companions: companions}}
	if err := c.prepare(ctx); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return WriteError(s.name, err)
	}
	err := c.run()
	if err == nil {
		s.committed = true
		return nil
	}
	if undo := c.undo(); undo != nil {
		s.broken = true
		return &Error{Path: s.name, Problem: fmt.Sprintf("it cannot be written (%s), and the earlier output could not be put back (%s)", cause(err), cause(undo)),
			Advice: "it is in the hidden folder " + filepath.Base(s.dir) + " beside it", Err: err}
	}
	return WriteError(s.name, err)
}

// commit is one exchange of earlier outputs for new ones.
type commit struct {
	fsys          fileSystem
	parent, stage string
	journal       journal
	undos         []func() error // one for each step done
}

// journal is what recovery has to know of a commit.
type journal struct {
	Target     string // names may be any bytes, which JSON could not hold
	Companions []string
	New        string // fingerprint of the new target
	Old        string // fingerprint of the earlier target, "" for none
}

func (c *commit) final(name string) string  { return filepath.Join(c.parent, name) }
func (c *commit) staged(name string) string { return filepath.Join(c.stage, newName, name) }
func (c *commit) former(name string) string { return filepath.Join(c.stage, oldName, name) }

// prepare does what can fail without touching anything outside the stage.
func (c *commit) prepare(ctx context.Context) error {
	if err := renewOnce(c.fsys, c.stage); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return errLost
		}
		return err
	}
	made, err := os.Lstat(c.staged(c.journal.Target))
	if err != nil {
		return err
	}
	for i, name := range append([]string{c.journal.Target}, c.journal.Companions...) {
		if err := checkKind(c.final(name), made.IsDir() && i == 0); err != nil {
			return err
		}
	}
	if err := syncTree(ctx, c.fsys, filepath.Join(c.stage, newName)); err != nil {
		return err
	}
	if c.journal.New, err = fingerprint(c.staged(c.journal.Target)); err != nil {
		return err
	}
	if c.journal.Old, err = fingerprint(c.final(c.journal.Target)); err != nil && !errors.Is(err, fs.ErrNotExist) {
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

// run takes the steps; undo takes them back.
func (c *commit) run() error {
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

// replace puts the new target in the place of the earlier one, in one step where
// the file system can.
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

func (c *commit) undo() error {
	for i := len(c.undos) - 1; i >= 0; i-- {
		if err := c.undos[i](); err != nil {
			return err
		}
	}
	return nil
}

// recoverCommit completes or undoes the commit that its owner did not finish in a
// stage. It only puts back what is missing, and only beside the target that it
// belongs to: what was written since then stays.
func recoverCommit(fsys fileSystem, stage string) error {
	data, err := os.ReadFile(filepath.Join(stage, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	c := &commit{fsys: fsys, parent: filepath.Dir(stage), stage: stage}
	if err == nil {
		err = gob.NewDecoder(bytes.NewReader(data)).Decode(&c.journal)
	}
	if err != nil {
		return nil // cut short while it was written: nothing was moved
	}
	target := c.journal.Target
	// Between the two renames of a folder there is nothing at the target. If the new
	// one had been there, it was deleted since.
	if !exists(c.final(target)) && exists(c.staged(target)) && exists(c.former(target)) {
		if err := fsys.Rename(c.former(target), c.final(target)); err != nil {
			return err
		}
	}
	var from func(string) string
	switch print, _ := fingerprint(c.final(target)); print {
	case "":
		return nil
	case c.journal.New:
		from = c.staged
	case c.journal.Old:
		from = c.former
	default:
		return nil
	}
	for _, name := range c.journal.Companions {
		if exists(from(name)) && !exists(c.final(name)) {
			if err := fsys.Rename(from(name), c.final(name)); err != nil {
				return err
			}
		}
	}
	return fsys.Sync(c.parent)
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

// fingerprint tells outputs apart by the names, sizes and modification times of
// their files, which a rename keeps. It is "" for one that does not exist.
func fingerprint(path string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(path, name)
		fmt.Fprintf(h, "%q %d %d\n", rel, info.Size(), info.ModTime().UnixNano())
		return err
	})
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
