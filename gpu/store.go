package gpu

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"quell/gpu/wire"
	"quell/volume"
)

// store is the device memory of one session, within its budget: windows onto
// volumes, which stay for the runs to come, and buffers for results, which are
// used again. It is safe for concurrent use. Its requests are quick, and are
// not given up on a cancel: the account of the memory would be lost.
type store struct {
	p     *process
	limit int64 // of the budget; 0: none

	mu      sync.Mutex
	budget  int64
	used    int64
	handle  wire.Handle
	windows []*window // the least lately used first
	spare   []*buffer // results that nobody uses, the least lately used first
	small   []*buffer // the same, of smallBytes
}

// keptWindows bounds the volumes that stay on the device with nobody at work
// on them.
const keptWindows = 4

// key tells volumes apart. Where a volume lies in memory is a hint only: what
// a window holds is known by its fingerprints.
type key struct {
	at     uintptr
	dims   [3]int
	masked bool
}

func keyOf(v *volume.Volume) key {
	return key{at: uintptr(unsafe.Pointer(unsafe.SliceData(v.Data))), dims: v.Dims, masked: v.Mask != nil}
}

// window is a range of a volume's slices on the device.
type window struct {
	key      key
	z0, z1   int
	in, mask *buffer // mask is nil where the volume has none

	users int  // by store.mu
	stale bool // by store.mu: not to be used again

	mu     sync.Mutex
	prints map[int][]uint64 // fingerprints of the slices that were put; the slices in it do not change
}

// buffer is device memory.
type buffer struct {
	handle wire.Handle
	bytes  int64
	small  bool // reserved at the start
}

// window returns a window that has slices z0 to z1 of v, a new one where there
// is none; whole asks for all slices then. leave must follow.
func (s *store) window(v *volume.Volume, z0, z1 int, whole bool) (*window, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := keyOf(v)
	for i, w := range s.windows {
		if w.key == k && w.z0 <= z0 && w.z1 >= z1 && !w.stale {
			s.windows = append(slices.Delete(s.windows, i, i+1), w)
			w.users++
			return w, nil
		}
	}
	if whole {
		z0, z1 = 0, v.Dims[2]
	}
	voxels := int64(z1-z0) * int64(v.SliceVoxels())
	w := &window{key: k, z0: z0, z1: z1, users: 1, prints: map[int][]uint64{}}
	var err error
	if w.in, err = s.alloc(voxels * 4); err != nil {
		return nil, err
	}
	if k.masked {
		if w.mask, err = s.alloc(voxels); err != nil {
			s.free(w.in)
			return nil, err
		}
	}
	s.windows = append(s.windows, w)
	return w, nil
}

// known returns the fingerprints of slices z0 to z1, or nil where the window
// lacks one of them.
func (w *window) known(z0, z1 int) [][]uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	prints := make([][]uint64, 0, z1-z0)
	for z := z0; z < z1; z++ {
		p, ok := w.prints[z]
		if !ok {
			return nil
		}
		prints = append(prints, p)
	}
	return prints
}

// has says whether slice z was put. w.mu is held.
func (w *window) has(z int) bool {
	_, ok := w.prints[z]
	return ok
}

// forget keeps a window, whose content is not what it should be, from further
// use.
func (s *store) forget(w *window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.stale = true
}

// leave ends one use of a window. It drops what nobody will use again.
func (s *store) leave(w *window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.users--
	idle := 0
	for i := len(s.windows) - 1; i >= 0; i-- {
		if w := s.windows[i]; w.users == 0 {
			if idle++; w.stale || idle > keptWindows {
				s.drop(w)
			}
		}
	}
}

// drop frees a window that nobody uses.
func (s *store) drop(w *window) {
	s.windows = slices.DeleteFunc(s.windows, func(o *window) bool { return o == w })
	s.free(w.in)
	if w.mask != nil {
		s.free(w.mask)
	}
}

// A few small results are reserved at the start, for previews: to reserve
// memory may take until the kernels under way have ended.
const (
	smallBytes = 16 << 20
	smallCount = 4
)

// reserveSmall reserves them beside the budget, and returns their bytes. A
// device too full for them works without.
func (s *store) reserveSmall() (bytes int64) {
	for range smallCount {
		s.handle++
		b := &buffer{handle: s.handle, bytes: smallBytes, small: true}
		if _, err := s.p.call(wire.Request{Op: wire.Alloc, Buffer: b.handle, Bytes: b.bytes}); err != nil {
			break
		}
		s.small = append(s.small, b)
		bytes += b.bytes
	}
	return bytes
}

// result returns a buffer for n float32 voxels; giveBack must follow.
func (s *store) result(n int64) (*buffer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.small) - 1; last >= 0 && 4*n <= smallBytes {
		b := s.small[last]
		s.small = s.small[:last]
		return b, nil
	}
	best := -1
	for i, b := range s.spare {
		if b.bytes >= 4*n && (best < 0 || b.bytes < s.spare[best].bytes) {
			best = i
		}
	}
	if best >= 0 {
		b := s.spare[best]
		s.spare = slices.Delete(s.spare, best, best+1)
		return b, nil
	}
	return s.alloc(4 * n)
}

// keptResults bounds the result buffers that are kept for later.
const keptResults = 4

// giveBack ends the use of a result buffer.
func (s *store) giveBack(b *buffer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.small {
		s.small = append(s.small, b)
		return
	}
	s.spare = append(s.spare, b)
	if len(s.spare) > keptResults {
		s.free(s.spare[0])
		s.spare = slices.Delete(s.spare, 0, 1)
	}
}

// errTaken says that other runs have the memory.
var errTaken = errors.New("other runs hold the GPU's memory")

// alloc reserves device memory, at the expense of what nobody uses.
func (s *store) alloc(bytes int64) (*buffer, error) {
	for s.used+bytes > s.budget && s.evict() {
	}
	if s.used+bytes > s.budget {
		return nil, errTaken
	}
	for {
		s.handle++
		b := &buffer{handle: s.handle, bytes: bytes}
		_, err := s.p.call(wire.Request{Op: wire.Alloc, Buffer: b.handle, Bytes: bytes})
		if err == nil {
			s.used += bytes
			return b, nil
		}
		// Another program may have taken what was free at the start.
		var f *wire.Fault
		if !errors.As(err, &f) || f.Kind != wire.Memory || !s.evict() {
			return nil, err
		}
	}
}

// capacity is the budget.
func (s *store) capacity() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.budget
}

// measure fits the budget to the memory that is free now: another program may
// have taken some, or given it back.
func (s *store) measure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.evict() {
	}
	if r, err := s.p.call(wire.Request{Op: wire.Ping}); err == nil {
		s.budget = budget(r.Free+s.used, s.limit)
	}
}

// evict frees the oldest thing that nobody uses, a result before a volume; it
// says whether there was one.
func (s *store) evict() bool {
	if len(s.spare) > 0 {
		s.free(s.spare[0])
		s.spare = slices.Delete(s.spare, 0, 1)
		return true
	}
	for _, w := range s.windows {
		if w.users == 0 {
			s.drop(w)
			return true
		}
	}
	return false
}

// free gives device memory back. That the worker is lost shows at the next
// request; the memory went with it.
func (s *store) free(b *buffer) {
	_, _ = s.p.call(wire.Request{Op: wire.Free, Buffer: b.handle})
	s.used -= b.bytes
}
