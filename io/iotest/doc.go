// Package iotest is the conformance suite for readers and writers: what goes
// out through a format comes back the same, and a damaged file gives an error
// or a sound volume, never a panic, a hang or a flood of memory.
//
// A format's test wraps its functions in a Format and calls Run. The package
// imports volume and the standard library, testing among it, so only tests may
// import it.
package iotest
