package session

// KeptPreviews returns how many previews are in memory.
func (s *Session) KeptPreviews() int { return len(s.previews) }
