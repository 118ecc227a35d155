package tune_test

import (
	"cmp"
	"slices"
	"sync"
	"testing"

	"quell/measure/readers"
)

// tally counts cases.
type tally struct{ right, total int }

// share reports whether at least percent of the cases are right.
func (c tally) share(percent int) bool { return 100*c.right >= percent*c.total }

// scores are the tallies of a table by name. Any goroutine may count.
type scores struct {
	mu  sync.Mutex
	all map[string]tally
}

// count adds a case to the tallies of the given names.
func (s *scores) count(right bool, names ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]tally{}
	}
	for _, name := range names {
		c := s.all[name]
		if c.total++; right {
			c.right++
		}
		s.all[name] = c
	}
}

// log prints the table, with intervals of 95 %.
func (s *scores) log(t *testing.T) {
	t.Helper()
	for _, name := range slices.SortedFunc(keys(s.all), cmp.Compare[string]) {
		c := s.all[name]
		share := readers.ShareOf(c.right, c.total)
		t.Logf("%-60s %3d of %3d, %3.0f %% (%.1f to %.1f)", name, c.right, c.total, 100*share.Value, 100*share.Lo, 100*share.Hi)
	}
}
