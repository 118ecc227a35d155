// Package bench reproduces the experiments of the five papers behind Quell's
// filters: their variants, sizes and sweeps, with their figures next to the ones
// measured here.
//
//	experiment, papers            what an experiment is, and which papers there are
//	zheng, upadhya, bethel, ...   the experiments of each paper
//	input                         phantoms of the papers' sizes, or the user's volume
//	measure, check                one row: checked against the reference, then timed
//	run, checkpoint               all rows: progress, cancel, resume
//	turns                         times in turns, and what became of a finding
//	scalar                        the straightforward programs of a CPU
//	report, table, html, charts   what comes out
//	document, sources             docs/benchmarks/papers.md, and what it was made of
//
// A row times the filter alone, as the papers do: from a volume in memory to a
// result in memory on the CPU, the kernels on a GPU. It therefore calls the engine
// itself and not app.Do.
//
// The package imports app and packages below it; only quell bench (cmd/commands/laboratory) imports it.
package bench
