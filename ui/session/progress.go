package session

import (
	"fmt"
	"sync"
	"time"
)

// Progress is how far the errand is.
type Progress struct {
	Kind     ErrandKind
	Fraction float64 // 0 to 1
	Text     string  // "Filtering: 1.2 of 6.8 Mvoxels, 4 s left"
}

// Progress returns what runs now; Kind is Idle where nothing does.
func (s *Session) Progress() Progress {
	e := s.errand
	if e == nil {
		return Progress{}
	}
	p := Progress{Kind: e.kind, Text: e.what + " …"}
	if e.total > 0 {
		p.Fraction = float64(e.done) / float64(e.total)
		p.Text = fmt.Sprintf("%s: %s", e.what, amount(e.done, e.total, e.unit))
		if left, ok := timeLeft(s.deps.Now().Sub(e.started), p.Fraction); ok {
			p.Text += ", " + left
		}
	}
	return p
}

// Message is how the last errand ended, for the status line.
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

// timeLeft says how long the rest takes when it goes on as it went; not before
// there is something to judge by.
func timeLeft(elapsed time.Duration, fraction float64) (string, bool) {
	const settled = 500 * time.Millisecond
	if elapsed < settled || !(fraction > 0.01) || fraction >= 1 {
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

// reporter brings progress to the UI goroutine: from any goroutine, at most one
// Do pending, at most ten a second.
type reporter struct {
	s *Session
	e *errand

	mu          sync.Mutex
	done, total int64
	pending     bool
	last        time.Time
}

const reportEvery = 100 * time.Millisecond

func (r *reporter) report(done, total int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done, r.total = done, total
	now := r.s.deps.Now()
	if r.pending || now.Sub(r.last) < reportEvery && done < total {
		return
	}
	r.pending, r.last = true, now
	r.s.deps.Do(r.show)
}

func (r *reporter) show() {
	r.mu.Lock()
	r.pending = false
	r.e.done, r.e.total = r.done, r.total
	r.mu.Unlock()
	if r.s.errand == r.e {
		r.s.tell.Changed()
	}
}
