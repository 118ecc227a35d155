package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"quell/app/job"
	"quell/internal/lockfile"
	"quell/io/atomic"
)

// lockPrefix begins the names of lock files.
const lockPrefix = "lock-"

// lockName is the file that a process holds while it runs a shard.
func lockName(shard, shards int) string {
	return fmt.Sprintf("%s%d-of-%d", lockPrefix, shard+1, shards)
}

// takeLock takes a lock; again and again for a moment, as another shard that asks whether it is
// held holds it for that long.
func takeLock(path string) (held *lockfile.File, err error) {
	for range 5 {
		if held, err = lockfile.Take(path); !errors.Is(err, lockfile.ErrHeld) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	return held, err
}

// lock makes the state folder and takes the lock of a shard. Batches that divide the series
// otherwise would do the same series twice, so they are refused too. The system gives the lock
// back when the process ends, however it ends.
func (s store) lock(shard, shards int) (release func(), err error) {
	for _, dir := range []string{filepath.Join(s.dir(), "results"), filepath.Join(s.dir(), "keys")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, atomic.WriteError(s.out, err)
		}
	}
	own := lockName(shard, shards)
	held, err := takeLock(filepath.Join(s.dir(), own))
	if errors.Is(err, lockfile.ErrHeld) {
		return nil, job.Usagef("%s: another batch is writing there; wait for it, or choose another output", s.out)
	}
	if err != nil {
		return nil, atomic.WriteError(s.out, err)
	}
	release = func() {
		_ = os.Remove(s.notePath(shard, shards))
		_ = held.Release()
	}
	entries, err := os.ReadDir(s.dir())
	if err != nil {
		release()
		return nil, atomic.WriteError(s.out, err)
	}
	for _, e := range entries {
		_, others, ok := strings.Cut(e.Name(), "-of-")
		if !ok || !strings.HasPrefix(e.Name(), lockPrefix) || others == fmt.Sprint(shards) {
			continue
		}
		other, err := lockfile.Take(filepath.Join(s.dir(), e.Name()))
		if errors.Is(err, lockfile.ErrHeld) {
			release()
			return nil, job.Usagef("%s: a batch of %s shards is writing there; give the same --shard I/N to all, or wait for it", s.out, others)
		}
		if err == nil {
			_ = other.Release()
		}
	}
	return release, nil
}
