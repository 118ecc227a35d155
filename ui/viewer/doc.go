// Package viewer holds what the linked panes share and how their pictures are
// drawn, without a single widget: State (plane, slice, zoom, pan, window),
// Transform (picture to screen and back) and Renderer (values to RGBA, on a
// worker, two buffers for each pane).
//
// It imports volume and the standard library. Everything in it is exercised by
// tests that need neither a display nor a GUI toolkit.
package viewer
