// Package iotest is the conformance suite for readers and writers of a format: a volume
// that is written and read back is the same, and a damaged file gives an error or a
// valid volume, without a panic, an endless loop or memory out of proportion.
//
// The test of a format puts its functions into a Format and calls Run. The package
// imports volume, series and the standard library with testing, so only tests may
// import it.
package iotest
