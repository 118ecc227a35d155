// Package crash writes a crash log that holds no data of patients: the stacks of
// the goroutines and the runtime's own messages, but never the text of a panic,
// which may quote a name or a path.
//
// A fatal crash leaves the program no time to write anything but Go's own report.
// Watch therefore starts a second process of the same executable, which reads
// that report from a pipe, filters it and appends it to the log (see
// runtime/debug.SetCrashOutput). The package imports the standard library and
// internal/parallel.
package crash

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"quell/internal/parallel"
)

// monitorVariable is set in the environment of the monitor, to the log's path.
const monitorVariable = "QUELL_CRASH_MONITOR"

// maxSize bounds the log: a larger one is started anew.
const maxSize = 1 << 20

// Log is a crash log at a path. Its methods are safe for concurrent use.
type Log struct {
	path    string
	version string
	mu      sync.Mutex
}

// New returns the log at a path; version is the program's, for the entries.
// Nothing is written before the first crash.
func New(path, version string) *Log { return &Log{path: path, version: version} }

// Monitor runs the process as the monitor of another, if Watch started it so, and
// then returns true: main must return. It must be called first in main.
func Monitor(version string) bool {
	path := os.Getenv(monitorVariable)
	if path == "" {
		return false
	}
	// The signals that end the program reach its whole process group.
	signal.Ignore(os.Interrupt, syscall.SIGTERM)
	if report, err := io.ReadAll(os.Stdin); err == nil && len(report) > 0 {
		_ = New(path, version).write(report) // the process ends; there is no one to report to
	}
	return true
}

// Watch starts the monitor of this process, which ends together with it.
func (l *Log) Watch() error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	monitor := exec.Command(executable)
	monitor.Env = append(os.Environ(), monitorVariable+"="+l.path)
	monitor.Stderr = os.Stderr
	report, err := monitor.StdinPipe()
	if err != nil {
		return err
	}
	if err := debug.SetCrashOutput(report.(*os.File), debug.CrashOptions{}); err != nil {
		return err
	}
	return monitor.Start()
}

// Panicked writes a panic that was recovered, and returns the path of the log; ""
// if it could not be written.
func (l *Log) Panicked(p *parallel.Panic) string {
	text := fmt.Sprintf("panic: (%T)\n", p.Value)
	if err, ok := p.Value.(runtime.Error); ok {
		text = "panic: " + err.Error() + "\n"
	}
	if err := l.write(append([]byte(text), p.Stack...)); err != nil {
		return ""
	}
	return l.path
}

// write appends a filtered report.
func (l *Log) write(report []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	mode := os.O_CREATE | os.O_WRONLY | os.O_APPEND
	if info, err := os.Stat(l.path); err == nil && info.Size() > maxSize {
		mode = os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	}
	f, err := os.OpenFile(l.path, mode, 0o600)
	if err != nil {
		return err
	}
	var entry bytes.Buffer
	fmt.Fprintf(&entry, "%s  Quell %s  %s %s/%s\n", time.Now().UTC().Format(time.RFC3339), l.version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	entry.Write(filter(report))
	entry.WriteByte('\n')
	_, err = f.Write(entry.Bytes())
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
