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
	// The loop is right with any priority.
	_ = unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), behindNice)
}
