// Package viewer holds the state that the linked panes share and draws their
// pictures, without widgets: State, its Windows and Cuts (plane, slice, zoom, pan), Transform
// (picture to screen and back) and Renderer (values to RGBA, on a worker, two
// buffers for each pane).
//
// It imports volume and the standard library; its tests need neither a display
// nor a GUI toolkit.
package viewer
