// Package ui is the workbench: a list of panels, put together. It makes no decision about
// images; session.Session does, and the panels show its state.
//
// The workbench knows no panel by name but in its table, see table.go: each is a package that
// implements the contract in package panel. From below:
//
//	control, language, screen, newest   controls and texts   viewer, session, blind   state, without widgets
//	wording   texts of several panels     command    the table of commands, menus, keys
//	dialogs   questions and forms         panel      the contract    host   what panels share
//	panels/...   one package for each panel           frame    lays them out   autosave
//
// Everything runs on Fyne's UI goroutine. No package here imports fyne.io/fyne/v2/app: only
// main.go needs a driver, so that every test runs without a display and without cgo.
package ui
