package session

import "quell/app"

// Request returns what is asked for of the slice on the screen.
func (s *Session) Request() app.PreviewRequest { return s.desk.Request() }
