package session

import (
	"quell/app"
	"quell/volume"
)

// The limits of kept results.
const (
	MaxResults  = maxResults
	ResultBytes = resultBytes
)

// Kept returns the volumes of results that stay within the limits.
func Kept(volumes []*volume.Volume) (stay []*volume.Volume) {
	var all []*result
	for _, v := range volumes {
		all = append(all, &result{run: &app.Run{Result: v}})
	}
	all, _ = kept(all, func(*result) bool { return false })
	for _, r := range all {
		stay = append(stay, r.run.Result)
	}
	return stay
}

// Request returns what is asked for of the slice on the screen.
func (tu *Tuning) Request() app.PreviewRequest { return tu.request() }

// FiltersAhead says whether a slice that is not on the screen is being filtered.
func (pv *Preview) FiltersAhead() bool { return pv.ahead.running != nil }

// Holds says whether a preview waits for the original of its slice.
func (pv *Preview) Holds() bool { return pv.held }

// KeptPreviews returns how many previews are in memory.
func (pv *Preview) KeptPreviews() int { return len(pv.s.previews) }

// StartReporting starts a task and returns the function that reports its progress.
func (ts *Tasks) StartReporting() func(done, total int64) {
	return ts.reporter(ts.start(Preparing, "Preparing", "files"))
}

// TimeLeft is part of a progress text.
var TimeLeft = timeLeft

// Amount is part of a progress text; slices is 0 for a task that counts in its unit.
func Amount(done, total, slices int64, unit string) string {
	return (&task{done: done, total: total, slices: slices, unit: unit}).amount()
}

// MeasuresSlice and MeasuresVolume say whether numbers of the slice on the screen, and
// of the run, are being computed.
func (ms *Measures) MeasuresSlice() bool  { return ms.slice.runs() }
func (ms *Measures) MeasuresVolume() bool { return ms.volume.runs() }

func (m *measuring) runs() bool { return m.end != nil && !m.answered && !m.stopped() }

// SlowCheck is how long a check of exported files may take.
const SlowCheck = slowCheck
