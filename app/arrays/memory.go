package arrays

import (
	"unsafe"

	"quell/app/job"
	"quell/gpu/shm"
	"quell/internal/message"
	"quell/volume"
)

// available returns the bytes of memory that are free, 0 if that is not known; for tests.
var available = job.AvailableMemory

// room refuses a request for so many bytes of memory if they are not free. The client asks before it maps arrays, which are
// its memory, and a request before it filters: one budget for both.
func room(bytes int64) error {
	if free := available(); free > 0 && bytes > free {
		return message.Errorf(message.MemoryShort, "this needs %s of memory and %s is free; work on parts of the array, or close other programs", message.Figure(job.Bytes(bytes)), message.Figure(job.Bytes(free)))
	}
	return nil
}

// memory is the files that are mapped, by their numbers.
type memory struct {
	segments map[int]*shm.Segment
	last     int
}

// open maps a file and returns its number.
func (m *memory) open(path string) (number int, err error) {
	if path == "" {
		return 0, job.Usagef("which file is to be mapped?")
	}
	if len(m.segments) >= MaxMapped {
		return 0, job.Usagef("%d files are mapped, which is the limit; unmap one", len(m.segments))
	}
	s, err := shm.Open(path)
	if err != nil {
		return 0, job.Usage(err)
	}
	if m.segments == nil {
		m.segments = map[int]*shm.Segment{}
	}
	m.last++
	m.segments[m.last] = s
	return m.last, nil
}

// close unmaps a file; what was made of its arrays is not valid any more.
func (m *memory) close(number int) error {
	s, ok := m.segments[number]
	if !ok {
		return job.Usagef("no file is mapped as number %d", number)
	}
	delete(m.segments, number)
	return s.Close()
}

// closeAll unmaps all files.
func (m *memory) closeAll() {
	for number := range m.segments {
		_ = m.close(number) // at the end of the program
	}
}

// bytes returns the memory of an array of elements of a size.
func (m *memory) bytes(what string, a Array, size int) ([]byte, error) {
	s, ok := m.segments[a.Memory]
	if !ok {
		return nil, job.Usagef("the %s lies in a file that is not mapped, number %d", what, a.Memory)
	}
	if err := volume.NewGeometry(a.Dims, [3]float64{1, 1, 1}).Validate(); err != nil {
		return nil, job.Usagef("the %s: %w", what, err)
	}
	n := a.voxels() * max(a.Volumes, 1) * size // MaxVoxels is 2^36
	switch {
	case a.Volumes < 0 || a.Volumes > mostVolumes:
		return nil, job.Usagef("the %s has %d volumes; give 1 to %d", what, a.Volumes, mostVolumes)
	case a.Offset < 0 || a.Offset%4 != 0:
		return nil, job.Usagef("the %s begins at byte %d, which is no multiple of 4", what, a.Offset)
	case n > len(s.Bytes) || a.Offset > len(s.Bytes)-n:
		return nil, job.Usagef("the %s takes %d bytes from byte %d on, and its file has %d", what, n, a.Offset, len(s.Bytes))
	}
	return s.Bytes[a.Offset : a.Offset+n : a.Offset+n], nil
}

// floats returns the voxels of an array.
func (m *memory) floats(what string, a Array) ([]float32, error) {
	b, err := m.bytes(what, a, 4)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice((*float32)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/4), nil
}
