package session

// KeptPreviews returns how many previews are in memory.
func (s *Session) KeptPreviews() int { return len(s.previews) }

// StartReporting starts a task and returns the function that reports its progress.
func (s *Session) StartReporting() func(done, total int64) {
	return s.reporter(s.start(Preparing, "Preparing", "files"))
}

// Amount and TimeLeft are the parts of a progress text.
var (
	Amount   = amount
	TimeLeft = timeLeft
)
