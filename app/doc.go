// Package app is what the workbench and the command line do, without a window:
// it opens series, picks engines, runs recipes and previews, measures, exports,
// and keeps history and settings. Panels and commands hold no logic of their
// own; they call this package.
//
// Errors are sentences for a person. InputError and UsageError say whose fault
// they are and ExitCode turns any error into the exit code of the command line.
//
// The package imports volume, denoise and its engines, measure, io/* and
// assets. It never imports Fyne or anything that links a GPU driver.
package app
