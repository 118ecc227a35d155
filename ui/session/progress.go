package session

import (
	"fmt"
	"sync"
	"time"
)

// Progress is how far the task in progress is.
type Progress struct {
	Kind     TaskKind
	Fraction float64 // 0 to 1
	Text     string  // "Filtering: 1.2 of 6.8 million voxels, 4 s left"
	Elapsed  time.Duration
}

// Progress returns the progress of the task; Kind is Idle where there is none.
func (s *Session) Progress() Progress {
	t := s.task
	if t == nil {
		return Progress{}
	}
	p := Progress{Kind: t.kind, Text: t.name + " …", Elapsed: s.deps.Now().Sub(t.started)}
	if t.total > 0 {
		p.Fraction = float64(t.done) / float64(t.total)
		p.Text = fmt.Sprintf("%s: %s", t.name, amount(t.done, t.total, t.unit))
		if left, ok := timeLeft(p.Elapsed, p.Fraction); ok {
			p.Text += ", " + left
		}
	}
	return p
}

// Message says how the last task ended, for the status bar.
func (s *Session) Message() string { return s.message }

func amount(done, total int64, unit string) string {
	if unit != "voxels" {
		return fmt.Sprintf("%d of %d %s", done, total, unit)
	}
	if total < 1e6 {
		return fmt.Sprintf("%d of %d thousand voxels", done/1000, total/1000)
	}
	return fmt.Sprintf("%.1f of %.1f million voxels", float64(done)/1e6, float64(total)/1e6)
}

// timeLeft extrapolates the time that the rest takes; false until there is
// enough progress to judge by.
func timeLeft(elapsed time.Duration, fraction float64) (string, bool) {
	const enough = 500 * time.Millisecond
	if elapsed < enough || !(fraction > 0.01) || fraction >= 1 {
		return "", false
	}
	left := time.Duration(float64(elapsed) * (1 - fraction) / fraction)
	switch {
	case left >= 90*time.Second:
		return fmt.Sprintf("%.0f min left", left.Minutes()), true
	case left >= 10*time.Second:
		return fmt.Sprintf("%.0f s left", left.Seconds()), true
	}
	return fmt.Sprintf("%.1f s left", left.Seconds()), true
}

// reportEvery bounds how often the UI goroutine is bothered with progress.
const reportEvery = 100 * time.Millisecond

// reporter returns a function that passes a task's progress to the UI goroutine.
// It may be called from any goroutine; at most one Do is pending at a time.
func (s *Session) reporter(t *task) func(done, total int64) {
	var (
		mu          sync.Mutex
		done, total int64
		pending     bool
		last        time.Time
	)
	show := func() {
		mu.Lock()
		pending = false
		t.done, t.total = done, total
		mu.Unlock()
		if s.task == t {
			s.listener.Changed()
		}
	}
	due := func(d, n int64) bool {
		mu.Lock()
		defer mu.Unlock()
		done, total = d, n
		now := s.deps.Now()
		if pending || now.Sub(last) < reportEvery && done < total {
			return false
		}
		pending, last = true, now
		return true
	}
	return func(d, n int64) {
		if due(d, n) {
			s.deps.Do(show)
		}
	}
}
