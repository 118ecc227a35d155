package desk

import (
	"fmt"
	"sync"
	"time"

	"fyne.io/fyne/v2/lang"

	"quell/app/job"
	"quell/denoise"
	"quell/ui/language"
)

// Progress is how far the task in progress is.
type Progress struct {
	Kind     TaskKind
	Fraction float64 // 0 to 1
	Text     string  // "Filtering: 12 of 170 slices, 4 s left"
	Elapsed  time.Duration
	Recipe   denoise.Recipe // of a run
	Hidden   bool           // a run or an export of a series that is not shown
}

// Progress returns the progress of the task; Kind is Idle if there is none.
func (ts *Tasks) Progress() Progress {
	t := ts.now
	if t == nil {
		return Progress{}
	}
	p := Progress{Kind: t.Kind, Text: t.name + " …", Elapsed: ts.desk.Now().Sub(t.started), Recipe: t.Recipe, Hidden: t.Document != nil && t.Document != ts.desk.Document}
	if t.Total > 0 {
		p.Fraction = float64(t.Done) / float64(t.Total)
		p.Text = fmt.Sprintf("%s: %s", t.name, t.amount())
		if left, ok := timeLeft(p.Elapsed, p.Fraction); ok {
			p.Text += ", " + left
		}
	}
	return p
}

// amount says how much is done, of a run in slices.
func (t *Task) amount() string {
	done, total := t.Done, t.Total
	if t.Slices > 0 {
		done, total = done*t.Slices/total, t.Slices
	}
	return fmt.Sprintf(lang.L("%d of %d %s"), done, total, t.Unit)
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
		return fmt.Sprintf(lang.L("%.0f min left"), left.Minutes()), true
	case left >= 10*time.Second:
		return fmt.Sprintf(lang.L("%.0f s left"), left.Seconds()), true
	}
	return language.Sprintf(lang.L("%.1f s left"), left.Seconds()), true
}

// reportEvery bounds how often the UI goroutine is bothered with progress.
const reportEvery = 100 * time.Millisecond

// Reporter returns a function that passes a task's progress to the UI goroutine.
// It may be called from any goroutine; at most one Do is pending at a time.
func (ts *Tasks) Reporter(t *Task) func(done, total int64) {
	var (
		mu          sync.Mutex
		done, total int64
		pending     bool
		last        time.Time
	)
	show := func() {
		mu.Lock()
		pending = false
		t.Done, t.Total = done, total
		mu.Unlock()
		if ts.now == t {
			ts.desk.Changed()
		}
	}
	due := func(d, n int64) bool {
		mu.Lock()
		defer mu.Unlock()
		done, total = d, n
		now := ts.desk.Now()
		if pending || now.Sub(last) < reportEvery && done < total {
			return false
		}
		pending, last = true, now
		return true
	}
	return func(d, n int64) {
		if due(d, n) {
			ts.desk.Do(show)
		}
	}
}

// Events passes the progress of a task's job on.
func (ts *Tasks) Events(t *Task) job.Events {
	report := ts.Reporter(t)
	return job.Events{Progress: func(_ job.Step, done, total int64) { report(done, total) }}
}
