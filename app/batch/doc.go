// Package batch filters many series by one recipe.
//
//	list, select    the inputs: units of files, and the series in them
//	batch, lane     reading, filtering and writing at once, within a memory
//	result, lock    what was reached, in a journal next to the output
//	report          report.csv and report.html
//
// The truth is in the results: one file per series, written when the output of the series is
// verified and in place, or when it has failed. A process that is killed loses the series in
// work; the next run finds the results, checks the outputs and does the missing series.
package batch
