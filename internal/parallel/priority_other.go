//go:build !linux

package parallel

// yieldToOthers does nothing: threads have no priority of their own here, or none that is known to
// serve.
func yieldToOthers() {}
