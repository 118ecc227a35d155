// Package session is the workbench's state and background work, without widgets, in parts. Each part
// is a type with its own state; it knows the parts below it, and hears of those above it through
// functions that New sets.
//
// A Session belongs to the UI goroutine. Background work runs in functions passed to Deps.Go, and
// every result returns through Deps.Do; tests pass queues and decide the order of events. The
// packages import app, denoise, volume, ui/newest and ui/viewer, and no GUI toolkit.
//
//	session    wires the parts; undo and redo
//	exports    files that are written and sent      documents  the open series: read, kept, put away, restored
//	marks      drawn, moved and measured            screen     the pictures of the panes and planes
//	measures   numbers and verdicts of slices, runs  preview    filtered slices
//	proposals  the filter that is expected to gain most   physics   spectrum, resolution, d' of the slice
//	lesions    what the recipe leaves of virtual lesions
//	results    runs over the volume                 tuning     recipe, noise it follows, best strength, gallery
//	desk       shared by all parts: the shown document, the task in progress, background work
package session
