package atomic

import (
	"fmt"
	"path/filepath"

	"quell/internal/message"
)

// CheckSpace reports that an output of that many bytes does not fit at target. An
// output that it replaces stays until the new one is whole, so its space does not
// count. If the system does not state the free space, the error is nil.
func CheckSpace(target string, bytes int64) error {
	abs, err := filepath.Abs(target)
	if err != nil {
		return WriteError(target, err)
	}
	dir := abs // a folder that is a mount point has the space of its own file system
	for !exists(dir) {
		dir = filepath.Dir(dir)
	}
	free, ok := FreeSpace(dir)
	if !ok || free >= bytes {
		return nil
	}
	return &Error{Path: target, Problem: message.New(message.OutputFull, "it needs %s and %s are free on its disk", size(bytes), size(free)),
		Advice: message.Text("free space, or choose another place")}
}

// size words a number of bytes.
func size(bytes int64) message.Figure {
	switch {
	case bytes >= 1e9:
		return message.Figure(fmt.Sprintf("%.1f GB", float64(bytes)/1e9))
	case bytes >= 1e6:
		return message.Figure(fmt.Sprintf("%.1f MB", float64(bytes)/1e6))
	}
	return message.Figure(fmt.Sprintf("%.1f kB", float64(bytes)/1e3))
}
