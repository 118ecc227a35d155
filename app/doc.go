// Package app is everything that the workbench and the command line do; it has no
// widgets. Panels and commands hold no logic of their own; they call this
// package.
//
//	open, scan*, catalog, folder, archive, gzip   finding and reading series
//	job, do, events                               a piece of work as data, and doing it
//	run, preview, engines, regular                filtering a volume or a slice
//	measures, pictures                            numbers and pictures of a result
//	export*, record, deidentify                   writing a result
//	document, history, settings                   the state of the workbench
//
// Errors are sentences for a person. An InputError is a fault of the input, a
// UsageError one of the request; ExitCode turns any error into the exit code of
// the command line.
//
// The package imports volume, series, denoise and its engines, measure, io/* and
// assets. It never imports Fyne or anything that links a GPU driver.
package app
