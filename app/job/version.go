package job

import "quell/internal/version"

// Version returns Quell's version, which no program that may compute differently has: see package
// internal/version.
func Version() string { return version.String() }
