package job

import (
	"quell/denoise"
	"quell/series"
)

// Step is a part of a job that reports progress.
type Step string

// The steps, in the order of a job.
const (
	Retrieving Step = "retrieving" // counts files
	Reading    Step = "reading"    // counts files
	Filtering  Step = "filtering"  // counts voxels
	Writing    Step = "writing"    // counts files
	Sending    Step = "sending"    // counts files
)

// Events receives what happens during a job. Every function may be nil and must
// return quickly; it may be called from any goroutine, but never from two at
// once.
type Events struct {
	Progress func(step Step, done, total int64)
	// Message receives a sentence for a person: which series was taken, the
	// warnings about an input and about an output, a GPU that failed.
	Message func(severity series.Severity, text string)
}

// Say sends a message, if anything receives them.
func (e Events) Say(severity series.Severity, text string) {
	if e.Message != nil {
		e.Message(severity, text)
	}
}

// Track returns the function that receives the progress of a step, or nil.
func (e Events) Track(step Step) denoise.Progress {
	if e.Progress == nil {
		return nil
	}
	return func(done, total int64) { e.Progress(step, done, total) }
}

// Count is progress for a step that counts files.
func (e Events) Count(step Step) func(done, total int) {
	if e.Progress == nil {
		return nil
	}
	return func(done, total int) { e.Progress(step, int64(done), int64(total)) }
}
