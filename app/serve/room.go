package serve

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"quell/app/job"
	"quell/internal/message"
	"quell/io/atomic"
)

// The journal is written when the disk is full: its bytes are those of the file reserve, which is removed then. While
// it is missing nothing is received or filtered.
const (
	reserved = 1 << 20
	margin   = 1 << 18 // that stays free beside it, and the results of what was received
)

func (n *Node) reserve() string { return filepath.Join(n.s.Folder, "reserve") }

// isFull reports whether the disk had no room.
func isFull(err error) bool {
	return message.KindOf(err) == message.OutputFull || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// write writes a file of the journal, from what is reserved if it has to.
func (n *Node) write(path string, data []byte) error {
	err := n.writeFile(path, data, 0o600)
	if isFull(err) && os.Remove(n.reserve()) == nil {
		n.pause(err)
		err = n.writeFile(path, data, 0o600)
	}
	return err
}

// pause lets nothing be received or filtered until the journal can be written, see survey.
func (n *Node) pause(err error) {
	kind := kindOf(err)
	n.mu.Lock()
	begins := n.paused == ""
	n.paused = kind
	n.mu.Unlock()
	if begins {
		job.Log("the node pauses", "problem", string(kind))
		n.audit.write(entry{Event: "paused", Problem: string(kind)})
	}
}

// survey counts what is to be filtered, reserves the bytes of the journal, writes what it lacks, and ends a pause.
func (n *Node) survey() error {
	n.mu.Lock()
	n.owed = 0
	for _, s := range n.pending {
		n.owed += sizeOf(s.files)
	}
	var lacks []*task
	for _, t := range n.list {
		if !t.State.ended() && (t.Parts == nil || t.outcome() == Waiting) {
			n.owed += sizeOf(t.Files)
		}
		if t.unsaved {
			lacks = append(lacks, t)
		}
	}
	n.mu.Unlock()
	if err := n.reserveBytes(); err != nil {
		return err
	}
	for _, t := range lacks {
		if err := n.save(t); err != nil {
			return err
		}
	}
	n.mu.Lock()
	ends := n.paused != ""
	n.paused = ""
	n.mu.Unlock()
	if ends {
		job.Log("the node goes on")
		n.audit.write(entry{Event: "goes on"})
		n.rouse()
	}
	return nil
}

func sizeOf(files []file) (sum int64) {
	for _, f := range files {
		sum += f.Size
	}
	return sum
}

// reserveBytes makes the file whose bytes are the journal's.
func (n *Node) reserveBytes() error {
	if info, err := os.Stat(n.reserve()); err == nil && info.Size() == reserved {
		return nil
	}
	if free, known := n.free(); known && free < reserved+margin {
		return atomic.WriteError(n.reserve(), syscall.ENOSPC)
	}
	data := make([]byte, reserved) // no file system makes them fewer
	_, _ = rand.Read(data)         // never fails
	return n.writeFile(n.reserve(), data, 0o600)
}

// refusing reports whether instances are refused until there is room. The node is locked.
func (n *Node) refusing() bool { return n.paused != "" || n.waiting >= maxWaiting || n.short() }

// short reports whether the disk or the quota is full. The node is locked.
func (n *Node) short() bool {
	free, known := n.free()
	return n.paused == message.OutputFull || n.folder.Used() >= int64(n.s.QuotaGB*1e9) || known && free < n.owed+margin
}
