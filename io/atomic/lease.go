package atomic

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

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
	newName     = "new"     // folder of what is being made
	oldName     = "old"     // folder of what a commit takes away
	journalName = "journal" // exists from the start of a commit
)

const leaseText = "Quell is writing an output. This folder is removed when it is done,\n" +
	"or by a later export an hour after Quell has ended.\n"

// IsStage reports whether name is that of a folder in which an output is being
// made, so that readers skip it.
func IsStage(name string) bool { return strings.HasPrefix(name, prefix) }

// newStageName returns a free name for a stage in parent.
func newStageName(parent string) string {
	return filepath.Join(parent, prefix+strings.ToLower(rand.Text()[:12]))
}

// renew rewrites the lease of a stage until done is closed or the stage is gone.
func renew(fsys fileSystem, stage string, ticks <-chan time.Time, done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		case <-ticks:
		}
		if err := renewOnce(fsys, stage); errors.Is(err, fs.ErrNotExist) {
			return // another writer removed it; Commit reports that
		}
	}
}

// renewOnce writes to the lease, so that the file system dates it with its own
// clock. An explicit time would be that of this machine.
func renewOnce(fsys fileSystem, stage string) error {
	return fsys.Rewrite(filepath.Join(stage, leaseName), []byte(leaseText))
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
