// Package app is the door that the command line, the batch and the workbench share: Do opens an
// input, chooses the sinks of its outputs and has the job done. Commands and panels hold no logic of
// their own.
//
// The rooms below it import each other in one direction, from the bottom:
//
//	job        a piece of work as data, events, errors
//	engines    the engines of this machine
//	files      formats, kinds of outputs, the gate
//	open       from a path to series
//	run        filtering a series
//	judge      verdicts and measures
//	executor   doing a job: sources, slabs, sinks
//	output     the outputs of a job
//	app        the doors
//	workbench  what the window keeps; app/batch and its like lie beside it
//
// None imports Fyne or anything that links a GPU driver.
package app
