package gpu

import (
	"sync"

	"quell/denoise"
)

// counter adds up the voxels that several parts have done.
type counter struct {
	mu     sync.Mutex
	done   int64
	total  int64
	report denoise.Progress // nil once nobody listens
}

// add returns the progress function of one part. A part that is tried again
// counts anew, and is reported from where it has not been before.
func (c *counter) add() func(done int64) {
	var most int64
	return func(done int64) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if done <= most {
			return
		}
		c.done += done - most
		most = done
		if c.report != nil {
			c.report(c.done, c.total)
		}
	}
}

func (c *counter) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.report = nil
}
