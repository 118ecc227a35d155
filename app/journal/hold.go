package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// ErrTaken stops a process that was taken for dead and has come back, such as one that was paused.
var ErrTaken = errors.New("another process has taken over this series")

// Hold is the right of a process to do a unit. Its file, in a folder that all workers share, says
// who has that right and how many processes ended at the unit before. The file counts this process
// too while it scans the unit or has a series of it in work, so that one that is killed is counted,
// and a unit that waits, or that is given back, is not. The process that takes the unit last holds it.
// The methods may be called from several goroutines. A nil hold does nothing.
type Hold struct {
	path   string
	id     string // of this hold
	Before int    // processes that ended at the unit
	made   bool   // the file is there: without one, as on a full disk, nothing is counted or fenced

	mu     sync.Mutex
	active int // scans and series in work
}

// Ended returns how many processes ended at a unit before it was finished.
func Ended(path string) int {
	n, _ := readHold(path)
	return n
}

// Take makes this process the holder of a unit, by a file. The hold is good with an error too: nothing is counted or fenced
// then.
func Take(path string) (*Hold, error) {
	h := &Hold{path: path, id: rand.Text()}
	h.Before, _ = readHold(path)
	err := os.MkdirAll(filepath.Dir(path), 0o777)
	if err == nil {
		err = h.write()
	}
	h.made = err == nil
	return h, err
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
func (h *Hold) write() error {
	f, err := os.OpenFile(h.path, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	text := fmt.Appendf(nil, "%d %s\n", h.Before+min(h.active, 1), h.id)
	_, err = f.WriteAt(text, 0)
	if err == nil {
		err = f.Truncate(int64(len(text))) // of a longer number
	}
	return errors.Join(err, f.Close())
}

// Check returns ErrTaken if another process holds the unit, or has finished it.
func (h *Hold) Check() error {
	if h == nil || !h.made {
		return nil
	}
	if _, holder := readHold(h.path); holder != h.id {
		return ErrTaken
	}
	return nil
}

// Enter begins a part of the work that may end the process.
func (h *Hold) Enter() { h.count(1) }

// Leave ends that part.
func (h *Hold) Leave() { h.count(-1) }

func (h *Hold) count(n int) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.active
	h.active += n
	if (was == 0) != (h.active == 0) && h.made && h.Check() == nil {
		_ = h.write() // on a full disk the file stays as it was
	}
}

// Release gives a unit back, or up when it is finished. It returns false if another process
// has it.
func (h *Hold) Release(finished bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.Check() != nil:
		return false
	case finished || h.Before == 0:
		_ = os.Remove(h.path)
	default:
		h.active = 0
		_ = h.write()
	}
	return true
}
