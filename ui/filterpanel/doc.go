// Package filterpanel is the column in which a filter is chosen, tuned,
// previewed and applied.
//
// It knows no filter by name: rows, ranges, units, help and checks all come
// from denoise.Filters. The panel holds no truth either. Display gives it a
// Snapshot to display, and what the user does leaves through Hooks as a new
// recipe; the owner decides and calls Display again.
//
// It imports denoise and Fyne. Everything is for the UI goroutine.
package filterpanel
