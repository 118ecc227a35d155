package session

import "quell/app/workbench"

// Request returns what is asked for of the slice on the screen.
func (s *Session) Request() workbench.PreviewRequest { return s.desk.Request() }
