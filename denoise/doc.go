// Package denoise says what can be done to a volume and who can do it: the
// filters and their parameters (Filters, Param), a Recipe that reproduces a
// result, the Engine interface that runs recipes, and the noise models and
// estimates that tuning starts from.
//
// A parameter is a value with its domain. The slider that drags it, the flag
// that sets it and the check that refuses it are all made from the same Param,
// so they cannot disagree.
//
// The package imports volume and the standard library. Engines live below it
// (denoise/cpu) or beside it (gpu); one suite, denoise/enginetest, holds them
// to the same answers.
package denoise
