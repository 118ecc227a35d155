// Package session is the workbench's state and background work, without
// widgets: the open series, the slice on display, the recipe being tuned, and
// loading, previews, applying, measuring and exporting.
//
// A Session belongs to the UI goroutine. Background work runs in functions
// passed to Deps.Go, and every result returns through Deps.Do; tests pass
// queues and decide the order of events. The package imports app, denoise,
// volume, ui/newest and ui/viewer, and no GUI toolkit.
//
//	session.go   the Session, its parts and dependencies
//	task.go      the one task that can be cancelled   progress.go  how far it is
//	documents.go the open series, and their memory    autosave.go  for the next start
//	open.go      loading, reference, added noise      apply.go     run and export
//	tune.go      the recipe and its history           preview.go   filtered slices
//	measures.go  the numbers of slice and volume      noisemap.go  noise per voxel
//	strength.go  the search for the best strength     structure.go  in the residual
package session
