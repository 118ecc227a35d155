package gpu

import (
	"errors"
	"slices"
	"sync"
	"unsafe"

	"quell/gpu/wire"
	"quell/internal/message"
	"quell/volume"
)

// deviceMemory manages the device memory of one session within its budget:
// resident slabs, which hold slices of volumes and stay for later runs, and
// buffers for results, which are reused. It is safe for concurrent use. Its
// requests are quick and are not abandoned after a cancel, since the account of
// the memory would be lost.
type deviceMemory struct {
	p     *process
	limit int64 // of the budget; 0: none

	mu             sync.Mutex
	budget         int64
	used           int64
	lastHandle     wire.Handle
	slabs          []*residentSlab // least recently used first
	freeResults    []*buffer       // least recently used first
	previewResults []*buffer       // the free ones of those reserved at the start
}

// maxIdleSlabs bounds the resident slabs that no run uses.
const maxIdleSlabs = 4

// slabKey identifies a volume. Its address is only a hint: whether a slab holds
// the right voxels is decided by fingerprints.
type slabKey struct {
	address uintptr
	dims    [3]int
	masked  bool
}

func keyOf(v *volume.Volume) slabKey {
	return slabKey{address: uintptr(unsafe.Pointer(unsafe.SliceData(v.Data))), dims: v.Dims, masked: v.Mask != nil}
}

// residentSlab is device memory for the slices z0 <= z < z1 of a volume.
type residentSlab struct {
	key          slabKey
	z0, z1       int
	voxels, mask *buffer // mask is nil if the volume has none

	// Guarded by deviceMemory.mu.
	users int
	stale bool // its content is not the volume's any more; no further use

	mu     sync.Mutex
	prints map[int][]uint64 // fingerprints of the slices uploaded so far, which do not change
}

// buffer is a block of device memory.
type buffer struct {
	handle  wire.Handle
	bytes   int64
	preview bool // reserved at the start
}

// residentSlab returns a slab with room for slices z0 to z1 of v: one that is
// there, or a new one, which gets room for all slices if whole is true.
// releaseSlab must follow.
func (m *deviceMemory) residentSlab(v *volume.Volume, z0, z1 int, whole bool) (*residentSlab, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := keyOf(v)
	for i, s := range m.slabs {
		if s.key == k && s.z0 <= z0 && s.z1 >= z1 && !s.stale {
			m.slabs = append(slices.Delete(m.slabs, i, i+1), s)
			s.users++
			return s, nil
		}
	}
	if whole {
		z0, z1 = 0, v.Dims[2]
	}
	voxels := int64(z1-z0) * int64(v.SliceVoxels())
	s := &residentSlab{key: k, z0: z0, z1: z1, users: 1, prints: map[int][]uint64{}}
	var err error
	if s.voxels, err = m.alloc(voxels * 4); err != nil {
		return nil, err
	}
	if k.masked {
		if s.mask, err = m.alloc(voxels); err != nil {
			m.free(s.voxels)
			return nil, err
		}
	}
	m.slabs = append(m.slabs, s)
	return s, nil
}

// fingerprints returns the fingerprints of slices z0 to z1, or nil if one of the
// slices has not been uploaded.
func (s *residentSlab) fingerprints(z0, z1 int) [][]uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	prints := make([][]uint64, 0, z1-z0)
	for z := z0; z < z1; z++ {
		p, ok := s.prints[z]
		if !ok {
			return nil
		}
		prints = append(prints, p)
	}
	return prints
}

// has reports whether slice z was uploaded. The caller holds s.mu.
func (s *residentSlab) has(z int) bool {
	_, ok := s.prints[z]
	return ok
}

// invalidate excludes a slab with outdated content from further use.
func (m *deviceMemory) invalidate(s *residentSlab) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.stale = true
}

// invalidateVolume excludes all slabs of a volume from further use.
func (m *deviceMemory) invalidateVolume(v *volume.Volume) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.slabs {
		if s.key == keyOf(v) {
			s.stale = true
		}
	}
}

// releaseSlab ends one use of a slab, and frees the unused slabs that are stale
// or more than maxIdleSlabs.
func (m *deviceMemory) releaseSlab(s *residentSlab) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s.users--
	idle := 0
	for i := len(m.slabs) - 1; i >= 0; i-- {
		if s := m.slabs[i]; s.users == 0 {
			if idle++; s.stale || idle > maxIdleSlabs {
				m.freeSlab(s)
			}
		}
	}
}

// freeSlab frees a slab without users.
func (m *deviceMemory) freeSlab(s *residentSlab) {
	m.slabs = slices.DeleteFunc(m.slabs, func(o *residentSlab) bool { return o == s })
	m.free(s.voxels)
	if s.mask != nil {
		m.free(s.mask)
	}
}

// Some small result buffers for previews are allocated at the start, because an
// allocation may wait for the kernels that are running.
const (
	previewResultBytes = 16 << 20
	previewResultCount = 4
)

// reservePreviewResults allocates them in addition to the budget, and returns
// their bytes. A device that is too full for them works without.
func (m *deviceMemory) reservePreviewResults() (bytes int64) {
	for range previewResultCount {
		m.lastHandle++
		b := &buffer{handle: m.lastHandle, bytes: previewResultBytes, preview: true}
		if _, err := m.p.call(wire.Request{Op: wire.Alloc, Buffer: b.handle, Bytes: b.bytes}); err != nil {
			break
		}
		m.previewResults = append(m.previewResults, b)
		bytes += b.bytes
	}
	return bytes
}

// result returns a buffer of at least n bytes; releaseResult must follow.
func (m *deviceMemory) result(n int64) (*buffer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if last := len(m.previewResults) - 1; last >= 0 && n <= previewResultBytes {
		b := m.previewResults[last]
		m.previewResults = m.previewResults[:last]
		return b, nil
	}
	best := -1
	for i, b := range m.freeResults {
		if b.bytes >= n && (best < 0 || b.bytes < m.freeResults[best].bytes) {
			best = i
		}
	}
	if best >= 0 {
		b := m.freeResults[best]
		m.freeResults = slices.Delete(m.freeResults, best, best+1)
		return b, nil
	}
	return m.alloc(n)
}

// maxFreeResults bounds the result buffers that are kept for reuse.
const maxFreeResults = 4

// releaseResult ends the use of a result buffer.
func (m *deviceMemory) releaseResult(b *buffer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.preview {
		m.previewResults = append(m.previewResults, b)
		return
	}
	m.freeResults = append(m.freeResults, b)
	if len(m.freeResults) > maxFreeResults {
		m.freeOldestResult()
	}
}

// errMemoryInUse says that other runs use the memory that this one needs.
var errMemoryInUse = message.Errorf(message.EngineMemory, "other runs use the GPU's memory")

// alloc allocates device memory, and frees unused slabs and results for it as
// needed. The caller holds m.mu.
func (m *deviceMemory) alloc(bytes int64) (*buffer, error) {
	for m.used+bytes > m.budget && m.evict() {
	}
	if m.used+bytes > m.budget {
		return nil, errMemoryInUse
	}
	for {
		m.lastHandle++
		b := &buffer{handle: m.lastHandle, bytes: bytes}
		_, err := m.p.call(wire.Request{Op: wire.Alloc, Buffer: b.handle, Bytes: bytes})
		if err == nil {
			m.used += bytes
			return b, nil
		}
		// Another program may have allocated what was free at the start.
		var f *wire.Fault
		if !errors.As(err, &f) || f.Kind != wire.Memory || !m.evict() {
			return nil, err
		}
	}
}

// capacity returns the budget.
func (m *deviceMemory) capacity() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.budget
}

// updateBudget frees everything that is unused and sets the budget by the memory
// that is free now: other programs may have allocated or freed some.
func (m *deviceMemory) updateBudget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.evict() {
	}
	if r, err := m.p.call(wire.Request{Op: wire.Ping}); err == nil {
		m.budget = budget(r.Free+m.used, m.limit)
	}
}

// evict frees the least recently used result or, if there is none, slab that is
// not in use. It reports whether there was one.
func (m *deviceMemory) evict() bool {
	if len(m.freeResults) > 0 {
		m.freeOldestResult()
		return true
	}
	for _, s := range m.slabs {
		if s.users == 0 {
			m.freeSlab(s)
			return true
		}
	}
	return false
}

func (m *deviceMemory) freeOldestResult() {
	m.free(m.freeResults[0])
	m.freeResults = slices.Delete(m.freeResults, 0, 1)
}

// free frees device memory. The reply is ignored: if the worker is lost, the
// memory is free and the next request reports the loss.
func (m *deviceMemory) free(b *buffer) {
	_, _ = m.p.call(wire.Request{Op: wire.Free, Buffer: b.handle})
	m.used -= b.bytes
}
