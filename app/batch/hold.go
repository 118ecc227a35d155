package batch

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// maxAttempts is how often a unit may end its process before it is a failure.
const maxAttempts = 3

// errEnded is the failure of what had maxAttempts.
var errEnded = fmt.Errorf("processes ended %d times while they worked on this: each was killed, by somebody or for lack of memory, or gave no sign of life; the same command tries it again", maxAttempts)

// errTaken stops a process that was taken for dead and has come back, such as one that was paused.
var errTaken = errors.New("another process has taken over this series")

// hold is the right of a process to do a unit. Its file, in a folder that all workers share, says
// who has that right and how many processes ended at the unit before. The file counts this process
// too while it scans the unit or has a series of it in work, so that one that is killed is counted,
// and a unit that waits, or that is given back, is not. The process that takes the unit last holds it.
// The methods may be called from several goroutines. A nil hold does nothing.
type hold struct {
	path   string
	id     string // of this hold
	before int    // processes that ended at the unit
	made   bool   // the file is there: without one, as on a full disk, nothing is counted or fenced

	mu     sync.Mutex
	active int // scans and series in work
}

func (s store) holdPath(u Unit) string { return filepath.Join(s.dir(), "attempts", identify(u.Name)) }

// ended returns how many processes ended at a unit before it was finished.
func (s store) ended(u Unit) int {
	n, _ := readHold(s.holdPath(u))
	return n
}

// take makes this process the holder of a unit.
func (s store) take(u Unit) *hold {
	h := &hold{path: s.holdPath(u), id: rand.Text()}
	h.before, _ = readHold(h.path)
	_ = os.MkdirAll(filepath.Dir(h.path), 0o777)
	h.made = h.write() == nil
	return h
}

// readHold returns what the file of a hold says; zero values if it is missing or cut short.
func readHold(path string) (ended int, holder string) {
	data, err := os.ReadFile(path)
	if err == nil {
		_, _ = fmt.Sscanf(string(data), "%d %s", &ended, &holder)
	}
	return ended, holder
}

// write never leaves the file empty or half written for a reader: a check between would take the
// unit for another process's, and drop the result of a series.
func (h *hold) write() error {
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "%d %s\n", h.before+min(h.active, 1), h.id)
	_, err = f.WriteAt(text, 0)
	if err == nil {
		err = f.Truncate(int64(len(text))) // of a longer number
	}
	return errors.Join(err, f.Close())
}

// check returns errTaken if another process holds the unit, or has finished it.
func (h *hold) check() error {
	if h == nil || !h.made {
		return nil
	}
	if _, holder := readHold(h.path); holder != h.id {
		return errTaken
	}
	return nil
}

// enter begins a part of the work that may end the process, and leave ends it.
func (h *hold) enter() { h.count(1) }
func (h *hold) leave() { h.count(-1) }

func (h *hold) count(n int) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.active
	h.active += n
	if (was == 0) != (h.active == 0) && h.made && h.check() == nil {
		_ = h.write() // on a full disk the file stays as it was
	}
}

// release gives a unit back, or up when it is finished. It returns false if another process
// has it.
func (h *hold) release(finished bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.check() != nil:
		return false
	case finished || h.before == 0:
		_ = os.Remove(h.path)
	default:
		h.active = 0
		_ = h.write()
	}
	return true
}
