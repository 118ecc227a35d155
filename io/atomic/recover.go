package atomic

import (
	"bytes"
	"crypto/rand"
	"encoding/gob"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
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

const (
	// prefix begins the names of stages. Readers skip folders of such names.
	prefix = ".quell-export-"

	// renewEvery is the time between two renewals of a lease.
	renewEvery = time.Minute
	// leaseExpiry is the age at which a lease has expired. It is 60 renewals, so
	// that neither a file server that hangs for minutes nor a machine under heavy
	// load loses its work. A machine that was suspended for longer renews within
	// a minute of its return; should another writer take over its stage before
	// that, its commit fails and the earlier output stays.
	leaseExpiry = time.Hour
)

// The files and folders of a stage.
const (
	leaseName   = "lease"   // its modification time says when the owner was last alive
	newName     = "new"     // folder of outputs in the making
	oldName     = "old"     // folder of outputs that a commit takes away
	journalName = "journal" // exists from the start of a commit
)

const leaseText = "Quell is writing an output. This folder is removed when it is done,\n" +
	"or by a later export: at once on the same machine, else an hour after Quell\n" +
	"has ended.\n"

// lockedHere is in the lease of a stage if its owner holds a lock on it, with the boot of its
// machine.
const lockedHere = "locked in boot "

// boot identifies the running kernel, "" if that is not known. Processes of one kernel see each
// other's locks, in whatever containers they are; processes of two kernels may not.
var boot = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id") // of Linux
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
})

// leaseOf returns the text of a lease.
func leaseOf(locked bool) []byte {
	if !locked || boot() == "" {
		return []byte(leaseText)
	}
	return []byte(leaseText + lockedHere + boot() + "\n")
}

// takeDead locks a stage if its owner held a lock on it in the running kernel and has none any
// more: it has ended. held is nil if the owner lives, or if that cannot be known.
func takeDead(stage string) (held *os.File) {
	text, err := os.ReadFile(filepath.Join(stage, leaseName))
	if err != nil || boot() == "" || !strings.Contains(string(text), lockedHere+boot()+"\n") {
		return nil
	}
	if held, err = tryLock(stage); err != nil {
		return nil
	}
	return held
}

// IsStage reports whether name is the name of a folder in which an output is being
// made, so that readers skip it.
func IsStage(name string) bool { return strings.HasPrefix(name, prefix) }

// newStageName returns a free name for a stage in parent.
func newStageName(parent string) string {
	return filepath.Join(parent, prefix+strings.ToLower(rand.Text()[:12]))
}

// renew rewrites the lease of a stage until done is closed or the stage is gone.
func renew(fsys fileSystem, stage string, locked bool, ticks <-chan time.Time, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-ticks:
		}
		if err := renewOnce(fsys, stage, locked); errors.Is(err, fs.ErrNotExist) {
			return // another writer removed it; Commit reports that
		}
	}
}

// renewOnce writes to the lease, so that the file system dates it with its own
// clock. An explicit time would be by the clock of this machine.
func renewOnce(fsys fileSystem, stage string, locked bool) error {
	return fsys.Rewrite(filepath.Join(stage, leaseName), leaseOf(locked))
}

// lastAlive returns when the owner of a stage was last alive, by the clock of the
// file system. A stage without a lease was just begun, or cut short as it began.
func lastAlive(stage string) (time.Time, error) {
	info, err := os.Stat(filepath.Join(stage, leaseName))
	if err != nil {
		info, err = os.Lstat(stage)
	}
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
