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
func (s *Session) Request() app.PreviewRequest { return s.request() }

// FiltersAhead says whether a slice that is not on the screen is being filtered.
func (s *Session) FiltersAhead() bool { return s.ahead.running != nil }

// HoldsPreview says whether a preview waits for the original of its slice.
func (s *Session) HoldsPreview() bool { return s.held }

// KeptPreviews returns how many previews are in memory.
func (s *Session) KeptPreviews() int { return len(s.previews) }

// StartReporting starts a task and returns the function that reports its progress.
func (s *Session) StartReporting() func(done, total int64) {
	return s.reporter(s.start(Preparing, "Preparing", "files"))
}

// TimeLeft is part of a progress text.
var TimeLeft = timeLeft

// Amount is part of a progress text; slices is 0 for a task that counts in its unit.
func Amount(done, total, slices int64, unit string) string {
	return (&task{done: done, total: total, slices: slices, unit: unit}).amount()
}

// MeasuresSlice and MeasuresVolume say whether numbers of the slice on the screen, and
// of the run, are being computed.
func (s *Session) MeasuresSlice() bool  { return s.slice.runs() }
func (s *Session) MeasuresVolume() bool { return s.volume.runs() }

func (m *measuring) runs() bool { return m.end != nil && !m.answered && !m.stopped() }

// SlowCheck is how long a check of exported files may take.
const SlowCheck = slowCheck
