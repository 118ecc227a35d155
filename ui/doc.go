// Package ui is the workbench's window: the panels and how they are put
// together. It decides nothing about images; session.Session does, and the
// window shows what it says.
//
//	commands.go   one table of commands feeds keys, menus and the help sheet
//	window.go     the parts put together  refresh.go   session to panels
//	menu.go       main and context menus  captions.go  texts around the pictures
//	open.go       dialogs and drops       bars.go      toolbar, slice slider, status
//	layout.go     who gets which room     theme.go     colours and sizes
//
// All of it runs on Fyne's UI goroutine. The package imports app, volume,
// denoise, the panels below it and Fyne, but never fyne.io/fyne/v2/app: only
// main.go needs a driver, so every test runs without a display and without cgo.
package ui
