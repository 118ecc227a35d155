// Package filterpanel is the column in which a filter is chosen, tuned,
// previewed and applied.
//
// It knows no filter by name: rows, ranges, units, help and checks all come
// from denoise.Filters. The panel keeps no state of its own: Display shows a
// Snapshot, and Hooks receive what the user does as a new recipe; the owner
// decides and calls Display again.
//
// The widgets import denoise, ui/control, ui/language and Fyne; panel.go and quick.go place them in the
// workbench, with the commands on filters. Everything is for the UI goroutine.
package filterpanel
