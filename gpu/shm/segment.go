package shm

import (
	"fmt"
	"os"
)

// Segment is mapped shared memory. Its bytes begin at a page boundary and are
// zero when created. It has no locks: the protocol of its users decides which
// process may write what at which time.
type Segment struct {
	Bytes []byte // page-aligned; invalid after Close

	file *os.File
	path string // of the file if the child opens it by name, else empty
}

// Create returns a new segment of size bytes, a multiple of the page size.
// Its pages are allocated at the first access.
func Create(size int) (*Segment, error) {
	f, path, err := createFile()
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	if err := f.Truncate(int64(size)); err != nil {
		discard(f, path)
		return nil, fmt.Errorf("shared memory of %d MB: %w", size>>20, err)
	}
	b, err := mapFile(f, size)
	if err != nil {
		discard(f, path)
		return nil, fmt.Errorf("shared memory of %d MB: %w", size>>20, err)
	}
	return &Segment{Bytes: b, file: f, path: path}, nil
}

const (
	inherited    = 3           // the file descriptor of the first of Cmd.ExtraFiles
	byDescriptor = "inherited" // the Arg of a segment with that descriptor
)

// Arg returns the argument by which the child opens the segment.
func (s *Segment) Arg() string {
	if s.path != "" {
		return s.path
	}
	return byDescriptor
}

// Files returns the files that the child inherits as exec.Cmd.ExtraFiles.
func (s *Segment) Files() []*os.File {
	if s.path != "" {
		return nil
	}
	return []*os.File{s.file}
}

// Open maps the segment with the argument arg in the child.
func Open(arg string) (*Segment, error) {
	var f *os.File // not made of the descriptor in vain: its finalizer would close it
	if arg == byDescriptor {
		f = os.NewFile(inherited, "segment")
	} else {
		var err error
		if f, err = os.OpenFile(arg, os.O_RDWR, 0); err != nil {
			return nil, fmt.Errorf("shared memory: %w", err)
		}
	}
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	b, err := mapFile(f, int(info.Size()))
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("shared memory: %w", err)
	}
	return &Segment{Bytes: b, file: f}, nil
}

// Close unmaps the segment in this process.
func (s *Segment) Close() error {
	if s.Bytes == nil {
		return nil
	}
	err := unmap(s.Bytes)
	s.Bytes = nil
	discard(s.file, s.path)
	return err
}

func discard(f *os.File, path string) {
	f.Close()
	if path != "" {
		os.Remove(path)
	}
}
