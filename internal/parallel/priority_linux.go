package parallel

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// behindNice is the niceness of loops that spare others. A thread of the usual niceness that
// wakes takes the core of such a one at once and has ten times its share of it, which still
// lets a loop end that the rest of the program waits for, such as the garbage collector's.
const behindNice = 10

// yieldToOthers lowers the priority of the goroutine that calls it until the goroutine ends.
// It has a thread of its own from then on, which ends with it: a thread cannot raise its
// priority again.
func yieldToOthers() {
	runtime.LockOSThread()
	// A lower priority is kept, which a privileged process would raise. Errors do not matter: the
	// loop is right with any priority.
	if p, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil && p > 20-behindNice { // 20 - niceness
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, behindNice)
	}
}
