package batch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"quell/app"
	"quell/internal/lockfile"
	"quell/io/atomic"
)

// lockName is the file that a process holds while it runs a shard.
func lockName(shard, shards int) string { return fmt.Sprintf("lock-%d-of-%d", shard+1, shards) }

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
	held, err := lockfile.Take(filepath.Join(s.dir(), own))
	if errors.Is(err, lockfile.ErrHeld) {
		return nil, app.Usagef("%s: another batch is writing there; wait for it, or choose another output", s.out)
	}
	if err != nil {
		return nil, atomic.WriteError(s.out, err)
	}
	release = func() { _ = held.Release() }
	entries, err := os.ReadDir(s.dir())
	if err != nil {
		release()
		return nil, atomic.WriteError(s.out, err)
	}
	for _, e := range entries {
		_, others, ok := strings.Cut(e.Name(), "-of-")
		if !ok || others == fmt.Sprint(shards) {
			continue
		}
		other, err := lockfile.Take(filepath.Join(s.dir(), e.Name()))
		if errors.Is(err, lockfile.ErrHeld) {
			release()
			return nil, app.Usagef("%s: a batch of %s shards is writing there; give the same --shard I/N to all, or wait for it", s.out, others)
		}
		if err == nil {
			_ = other.Release()
		}
	}
	return release, nil
}
