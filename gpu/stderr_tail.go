package gpu

import (
	"strings"
	"sync"
)

// tailBytes is how much of a worker's output is kept.
const tailBytes = 8 << 10

// outputTail is a writer that keeps the end of its input. It is
// safe for concurrent use.
type outputTail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *outputTail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailBytes; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
	}
	return len(b), nil
}

func (t *outputTail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.buf))
}
