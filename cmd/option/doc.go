// Package option has the flags that commands share: their types, which check a value as it is read, and groups of them
// that describe a series, a recipe or an output. Texts about values and suggestions for mistyped words are here too.
package option
