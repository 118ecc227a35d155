package session

import "quell/app/workbench"

// Request returns the request for the slice on the screen.
func (s *Session) Request() workbench.PreviewRequest { return s.desk.Request() }
