// Package denoise is the contract between filters, engines and the program.
//
// A [Filter] describes a filter: parameters, passes, float64 reference, CPU form,
// cost and conformance cases; package denoise/filter holds the table of them. A
// [Recipe] is a filter and its parameters, which reproduces a result. An [Engine]
// runs recipes on an [Input]. Automatic parameters are computed from the [Facts] of a
// volume.
//
// A recipe becomes a result in three steps. [Recipe.Resolve] replaces automatic
// values, multiples of sigma and percentages by numbers. [Recipe.Bind] makes a [Program] of it: typed
// parameters and passes. The engine runs the passes.
//
// A [Param] is a value with its domain. The slider that moves it, the flag that
// sets it and the check that refuses it are made from the same Param, so they
// cannot disagree.
//
// The package imports volume and denoise/noise. Filters and the CPU engine are
// below it, the CUDA engine is package gpu; one suite, denoise/enginetest, checks
// that all engines give the same answers.
package denoise
