//go:build !linux

package atomic

import "os"

// Reserve would allocate the space of a file.
func Reserve(*os.File, int64) {}

// StartWriteback would begin to put bytes of a file in a stage on disk.
func StartWriteback(*os.File, int64, int64) {}
