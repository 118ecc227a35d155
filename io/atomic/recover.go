package atomic

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// clearExpired recovers and removes the stages in parent with owners that are known to have
// ended, or with leases that have expired at now, which is a time of the same file system. Errors
// are not reported: what cannot be removed now is left to a later writer.
func clearExpired(fsys fileSystem, parent string, now time.Time) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	expired := func(stage string) bool {
		alive, err := lastAlive(stage)
		return err == nil && now.Sub(alive) > leaseExpiry
	}
	for _, e := range entries {
		stage := filepath.Join(parent, e.Name())
		if !IsStage(e.Name()) || !e.IsDir() {
			continue
		}
		held := takeDead(stage)
		if held != nil || expired(stage) {
			takeOver(fsys, parent, stage, held, expired)
		}
	}
}

// takeOver recovers and removes a stage if its owner has ended, with its lock in held, or if its
// lease has expired.
func takeOver(fsys fileSystem, parent, stage string, held *os.File, expired func(stage string) bool) {
	defer held.Close() // of nil too
	// The rename makes the stage ours: of several writers that try, one succeeds. The owner of an
	// expired lease may have come back just before it.
	taken := newStageName(parent)
	if fsys.Rename(stage, taken) != nil {
		return
	}
	if held == nil && !expired(taken) {
		_ = fsys.Rename(taken, stage)
		return
	}
	_ = renewOnce(fsys, taken, held != nil) // others leave it to us
	if recoverCommit(fsys, taken) == nil {
		_ = fsys.RemoveAll(taken)
	}
}

// recoverCommit completes or undoes the commit that its owner did not finish in a
// stage. It only puts back missing files, and only next to the target that it
// belongs to: what was written since then stays.
func recoverCommit(fsys fileSystem, stage string) error {
	data, err := os.ReadFile(filepath.Join(stage, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	c := &commit{fsys: fsys, parent: filepath.Dir(stage), stage: stage}
	if gob.NewDecoder(bytes.NewReader(data)).Decode(&c.journal) != nil {
		return nil //nolint:nilerr // cut short while it was written: nothing was moved
	}
	if c.journal.Inside {
		return c.recoverInside()
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
	switch sum, _ := fingerprint(c.final(target)); sum {
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
