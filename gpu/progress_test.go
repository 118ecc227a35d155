package gpu

import (
	"slices"
	"testing"
)

// TestProgressOfPartsAddsUp checks that a part that is tried again counts on, and that
// nothing is reported after the stop.
func TestProgressOfPartsAddsUp(t *testing.T) {
	var reports []int64
	p := newProgress(100, func(done, total int64) { reports = append(reports, done) })
	a, b := p.part(), p.part()
	a(30)
	b(20)
	a(10) // tried again
	a(30)
	a(31)
	p.stop()
	b(50)
	if want := []int64{30, 50, 51}; !slices.Equal(reports, want) {
		t.Errorf("reports %v; want %v", reports, want)
	}
}
