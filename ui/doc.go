// Package ui is the workbench: the panels and how they are put together. It makes
// no decision about images; session.Session does, and the panels show its state.
//
//	workbench.go  the parts, put together     refresh.go    session to panels
//	commands.go, commandtable.go  one table of commands feeds keys, menus, tooltips and the help sheet
//	keys.go       keys, focus and Escape      menu.go       main and context menus
//	gallery.go    every filter side by side
//	open.go       opening and dialogs         close.go      questions before work is lost
//	documents.go, rail.go                     the open series and the list of them
//	arriving.go   a series while it is read   portal.go     the desktop's dialog for files
//	engines.go    the choice of the engine    captions.go   texts around the pictures
//	toolbar.go, slicebar.go, statusbar.go     layout.go, theme.go, widgets.go
//
// Everything runs on Fyne's UI goroutine. The package imports app, volume, denoise,
// the panels below it and Fyne, but never fyne.io/fyne/v2/app: only main.go needs
// a driver, so that every test runs without a display and without cgo.
package ui
