// Package session is the workbench without its window: one open series, what is
// shown of it, the recipe being tuned, and everything that runs beside the
// window - loading, previews, applying, measuring, exporting.
//
// A Session belongs to the UI goroutine. Work runs in functions handed to
// Deps.Go, and every result comes back through Deps.Do; tests hand in queues
// and decide the order of events. The package imports app, denoise, volume,
// ui/newest and ui/viewer, and no GUI toolkit.
package session
