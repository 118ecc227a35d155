package gpu

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"testing"

	"golang.org/x/sync/semaphore"

	"quell/gpu/shm"
	"quell/gpu/wire"
	"quell/volume"
)

// testWorker is a worker without a device, in this process: it answers each request at
// once, on the goroutine that sends it. It filters nothing: results are zeros.
type testWorker struct {
	p       *process
	live    map[wire.Handle]int64 // bytes of the buffers that are allocated
	free    int64                 // reply to a ping
	fault   func(wire.Request) *wire.Fault
	log     []wire.Request
	spoil   func(result []byte) // changes the results of gets; nil does not
	segment *shm.Segment
}

func newTestWorker() *testWorker {
	w := &testWorker{live: map[wire.Handle]int64{}}
	w.p = &process{
		cmd: &exec.Cmd{Process: &os.Process{Pid: -1}}, stdin: w, out: wire.NewWriter(w), tail: &outputTail{},
		exited: make(chan struct{}), waiting: map[uint64]*future{},
	}
	return w
}

// Close takes the end of the requests.
func (w *testWorker) Close() error { return nil }

// Write takes the requests that the process sends.
func (w *testWorker) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		var q wire.Request
		if err := json.Unmarshal(line, &q); err != nil {
			return 0, err
		}
		w.log = append(w.log, q)
		r := wire.Reply{ID: q.ID, Free: w.free}
		if w.fault != nil {
			r.Fault = w.fault(q)
		}
		if r.Fault == nil {
			switch q.Op {
			case wire.Alloc:
				w.live[q.Buffer] = q.Bytes
			case wire.Free:
				delete(w.live, q.Buffer)
			case wire.Get:
				result := w.segment.Bytes[q.Shared:][:4*q.Count]
				clear(result)
				if w.spoil != nil {
					w.spoil(result)
				}
			}
		}
		w.p.deliver(r)
	}
	return len(b), nil
}

// count returns how many requests of an operation arrived.
func (w *testWorker) count(op wire.Op) int {
	n := 0
	for _, q := range w.log {
		if q.Op == op {
			n++
		}
	}
	return n
}

// total returns the bytes that are allocated.
func (w *testWorker) total() int64 {
	total := int64(0)
	for _, n := range w.live {
		total += n
	}
	return total
}

// testMemory returns the device memory of a testWorker.
func testMemory(budget int64) (*testWorker, *deviceMemory) {
	w := newTestWorker()
	return w, &deviceMemory{p: w.p, budget: budget}
}

// testSession returns a session on a testWorker with free bytes of device memory.
func testSession(t *testing.T, free int64) (*testWorker, *session) {
	t.Helper()
	segment, err := shm.Create(segmentBytes)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { segment.Close() })
	w, m := testMemory(budget(free, 0))
	w.free, w.segment = free, segment
	s := &session{
		process: w.p, deviceMemory: m, segment: segment,
		uploads: make(chan int64, uploadBuffers), downloads: make(chan int64, downloadBuffers),
		volumeTurn: make(chan struct{}, 1), slots: semaphore.NewWeighted(exclusive),
	}
	for i := range uploadBuffers {
		s.uploads <- int64(i) * stagingBytes
	}
	for i := range downloadBuffers {
		s.downloads <- int64(uploadBuffers+i) * stagingBytes
	}
	s.volumeTurn <- struct{}{}
	return w, s
}

// slabOf returns a resident slab of a volume of one slice of n x 1 voxels.
func slabOf(t *testing.T, m *deviceMemory, n int, masked bool) (*volume.Volume, *residentSlab) {
	t.Helper()
	v := volume.New(volume.NewGeometry([3]int{n, 1, 1}, [3]float64{1, 1, 1}))
	if masked {
		v.Mask = make([]bool, n)
	}
	s, err := m.residentSlab(v, 0, 1, false)
	if err != nil {
		t.Fatal(err)
	}
	return v, s
}

func resultOf(t *testing.T, m *deviceMemory, n int64) *buffer {
	t.Helper()
	b, err := m.result(n)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestBudgetLeavesTheReserve pins the memory left to the driver, and the limit.
func TestBudgetLeavesTheReserve(t *testing.T) {
	for _, c := range []struct{ free, limit, want int64 }{
		{0, 0, 0}, {256 << 20, 0, 0}, {256<<20 + 1, 0, 1}, {256<<20 + 10, 9, 9}, {256<<20 + 10, 10, 10}, {256<<20 + 10, 11, 10}, {1, 5, 0},
	} {
		if got := budget(c.free, c.limit); got != c.want {
			t.Errorf("%d bytes free, limit %d: %d; want %d", c.free, c.limit, got, c.want)
		}
	}
}

// TestAllocationsStayWithinTheBudget checks both sides of the budget, and that the unused
// results and then the unused slabs give way, the least recently used first.
func TestAllocationsStayWithinTheBudget(t *testing.T) {
	w, m := testMemory(100)
	if _, err := m.result(101); !errors.Is(err, errMemoryInUse) || len(w.log) > 0 {
		t.Fatalf("%v after %d requests; want no attempt", err, len(w.log))
	}
	used := resultOf(t, m, 40)
	_, first := slabOf(t, m, 5, false) // 20 bytes each
	_, second := slabOf(t, m, 5, false)
	idle := resultOf(t, m, 20)
	if m.used != 100 || w.total() != 100 {
		t.Fatalf("%d bytes used, %d allocated; want 100", m.used, w.total())
	}
	m.releaseSlab(first)
	m.releaseSlab(second)
	m.releaseResult(idle)
	a := resultOf(t, m, 21) // the idle result has 20
	if len(m.freeResults) != 0 || !slices.Equal(m.slabs, []*residentSlab{second}) {
		t.Errorf("%d results and %d slabs; want the result gone, then the older slab", len(m.freeResults), len(m.slabs))
	}
	if _, err := m.result(60); !errors.Is(err, errMemoryInUse) || len(m.slabs) != 0 {
		t.Errorf("%v with %d slabs; want the last slab freed, and the memory in use", err, len(m.slabs))
	}
	if want := used.bytes + a.bytes; m.used != want || w.total() != want {
		t.Errorf("%d bytes used, %d allocated; want %d", m.used, w.total(), want)
	}
}

// TestAFullDeviceEvicts checks that a fault of the memory frees unused blocks, that other
// faults do not, and that neither counts as used memory.
func TestAFullDeviceEvicts(t *testing.T) {
	for kind, evicts := range map[wire.FaultKind]bool{wire.Memory: true, wire.Broken: false} {
		w, m := testMemory(1000)
		busy := resultOf(t, m, 100)
		m.releaseResult(resultOf(t, m, 30))
		_, idle := slabOf(t, m, 10, false)
		m.releaseSlab(idle)
		w.fault = func(q wire.Request) *wire.Fault {
			if q.Op == wire.Alloc {
				return &wire.Fault{Kind: kind, Text: "full"}
			}
			return nil
		}
		_, err := m.result(50)
		var f *wire.Fault
		if !errors.As(err, &f) || f.Kind != kind {
			t.Fatalf("%v; want the fault", err)
		}
		if gone := len(m.freeResults) == 0 && len(m.slabs) == 0; gone != evicts {
			t.Errorf("%s: %d results and %d slabs are left", kind, len(m.freeResults), len(m.slabs))
		}
		if evicts && (m.used != busy.bytes || w.total() != busy.bytes) {
			t.Errorf("%d bytes used, %d allocated; want %d", m.used, w.total(), busy.bytes)
		}
		w.fault = nil
		handle := m.lastHandle
		if b := resultOf(t, m, 50); b.handle <= handle {
			t.Error("a handle was used twice")
		}
	}
}

// TestResultsAreReused checks that the smallest buffer that is large enough is taken, and
// that the oldest is freed beyond the limit.
func TestResultsAreReused(t *testing.T) {
	w, m := testMemory(1 << 40)
	var all []*buffer
	for _, n := range []int64{50, 30, 40, 90, 20} {
		all = append(all, resultOf(t, m, n))
	}
	for _, b := range all[:4] {
		m.releaseResult(b)
	}
	if len(m.freeResults) != 4 {
		t.Fatalf("%d free results; want 4", len(m.freeResults))
	}
	m.releaseResult(all[4])
	if _, ok := w.live[all[0].handle]; ok || len(m.freeResults) != 4 || m.used != 180 {
		t.Errorf("%d free results, %d bytes; want the oldest freed", len(m.freeResults), m.used)
	}
	for _, c := range []struct {
		n    int64
		want *buffer
	}{{30, all[1]}, {31, all[2]}, {1, all[4]}, {90, all[3]}} {
		if b := resultOf(t, m, c.n); b != c.want {
			t.Errorf("%d bytes: a buffer of %d; want that of %d", c.n, b.bytes, c.want.bytes)
		}
	}
	if before := w.count(wire.Alloc); resultOf(t, m, 10).bytes != 10 || w.count(wire.Alloc) != before+1 {
		t.Error("no buffer is free, and none was allocated")
	}
}

// TestPreviewResultsAreReserved checks their number and size, that they are outside
// the budget, and that they come back.
func TestPreviewResultsAreReserved(t *testing.T) {
	w, m := testMemory(0)
	if n := m.reservePreviewResults(); n != 4*16<<20 || w.total() != n || m.used != 0 {
		t.Fatalf("%d bytes reserved, %d allocated, %d used; want 64 MB and 0", n, w.total(), m.used)
	}
	if _, err := m.result(16<<20 + 1); !errors.Is(err, errMemoryInUse) {
		t.Errorf("%v; want a larger result from the budget, which is 0", err)
	}
	var taken []*buffer
	for range 4 {
		taken = append(taken, resultOf(t, m, 16<<20))
	}
	if _, err := m.result(1); !errors.Is(err, errMemoryInUse) {
		t.Errorf("%v; want the reserved results used up", err)
	}
	m.releaseResult(taken[2])
	if b := resultOf(t, m, 1); b != taken[2] || len(m.freeResults) != 0 {
		t.Error("a reserved result did not come back")
	}

	// A device that has room for one.
	w, m = testMemory(0)
	w.fault = func(q wire.Request) *wire.Fault {
		if q.Buffer > 1 {
			return &wire.Fault{Kind: wire.Memory}
		}
		return nil
	}
	if n := m.reservePreviewResults(); n != 16<<20 || len(m.previewResults) != 1 || len(w.log) != 2 {
		t.Errorf("%d bytes, %d results after %d requests; want one result", n, len(m.previewResults), len(w.log))
	}
}

// TestSlabsAreFoundByVolumeAndSlices checks which slab serves a request.
func TestSlabsAreFoundByVolumeAndSlices(t *testing.T) {
	_, m := testMemory(1 << 40)
	v := volume.New(volume.NewGeometry([3]int{2, 3, 10}, [3]float64{1, 1, 1}))
	get := func(v *volume.Volume, z0, z1 int, whole bool) *residentSlab {
		t.Helper()
		s, err := m.residentSlab(v, z0, z1, whole)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := get(v, 3, 7, false)
	if s.z0 != 3 || s.z1 != 7 || s.voxels.bytes != 4*6*4 || s.mask != nil || s.users != 1 {
		t.Fatalf("slab %+v", s)
	}
	if get(v, 3, 7, false) != s || get(v, 4, 6, true) != s || s.users != 3 {
		t.Errorf("%d users; want the slab used three times", s.users)
	}
	before, after := get(v, 2, 7, false), get(v, 3, 8, false)
	if before == s || after == s {
		t.Error("a slab serves slices that it has no room for")
	}
	// s becomes the most recently used.
	get(v, 3, 7, false)
	if m.slabs[len(m.slabs)-1] == before {
		t.Error("the slab used last is not the last to be freed")
	}
	other := v.Clone()
	if get(other, 3, 7, false) == s {
		t.Error("another volume has the same slab")
	}
	masked := *v
	masked.Mask = make([]bool, v.Voxels())
	o := get(&masked, 3, 7, true)
	if o == s || o.z0 != 0 || o.z1 != 10 || o.voxels.bytes != 240 || o.mask == nil || o.mask.bytes != 60 {
		t.Errorf("slab %+v; want one with a mask, for the whole volume", o)
	}
	m.invalidateVolume(&masked)
	if !o.stale || s.stale {
		t.Errorf("stale: %v, of the volume without a mask: %v; want that of the volume alone", o.stale, s.stale)
	}
	m.invalidate(s)
	if fresh := get(v, 3, 7, false); fresh == s {
		t.Error("a stale slab is used")
	}
}

// TestUnusedSlabsAreFreed checks the limit of idle slabs, that those used last are kept,
// and that stale ones go at once.
func TestUnusedSlabsAreFreed(t *testing.T) {
	w, m := testMemory(1 << 40)
	var all []*residentSlab
	for range 6 {
		_, s := slabOf(t, m, 4, true)
		all = append(all, s)
	}
	for i, s := range all[:5] {
		m.releaseSlab(s)
		if want := 6 - max(i-3, 0); len(m.slabs) != want {
			t.Errorf("%d slabs after %d releases; want %d", len(m.slabs), i+1, want)
		}
	}
	if slices.Contains(m.slabs, all[0]) || m.used != 5*20 || w.total() != m.used {
		t.Errorf("%d bytes used, %d allocated; want the oldest slab freed with its mask", m.used, w.total())
	}
	m.invalidate(all[5])
	m.invalidate(all[4])
	m.releaseSlab(all[5])
	if slices.Contains(m.slabs, all[5]) || slices.Contains(m.slabs, all[4]) || !slices.Contains(m.slabs, all[3]) {
		t.Errorf("%d slabs; want the stale ones freed and those used last kept", len(m.slabs))
	}
	if want := int64(20 * len(m.slabs)); m.used != want || w.total() != want {
		t.Errorf("%d bytes used, %d allocated; want %d", m.used, w.total(), want)
	}
}

// TestAMaskWithoutRoomFreesItsVoxels checks the account after half a slab failed.
func TestAMaskWithoutRoomFreesItsVoxels(t *testing.T) {
	w, m := testMemory(44)
	v := volume.New(volume.NewGeometry([3]int{10, 1, 1}, [3]float64{1, 1, 1}))
	v.Mask = make([]bool, 10)
	if s, err := m.residentSlab(v, 0, 1, true); !errors.Is(err, errMemoryInUse) || s != nil {
		t.Fatalf("%v; want the memory too small for the mask", err)
	}
	if m.used != 0 || w.total() != 0 || len(m.slabs) != 0 {
		t.Errorf("%d bytes used, %d allocated, %d slabs; want nothing", m.used, w.total(), len(m.slabs))
	}
	m.budget = 50
	if _, err := m.residentSlab(v, 0, 1, true); err != nil || m.used != 50 {
		t.Errorf("%v, %d bytes; want just enough", err, m.used)
	}
}

// TestUpdateBudgetFollowsTheDevice checks that unused memory is freed first, what is used
// counts as free, and that a lost worker changes nothing.
func TestUpdateBudgetFollowsTheDevice(t *testing.T) {
	w, m := testMemory(1000)
	used := resultOf(t, m, 100)
	m.releaseResult(resultOf(t, m, 50))
	_, s := slabOf(t, m, 10, true)
	m.releaseSlab(s)
	w.free = reserved + 300
	m.updateBudget()
	if m.capacity() != 400 || m.used != used.bytes || w.total() != used.bytes {
		t.Errorf("budget %d, %d bytes used; want 400 and 100", m.capacity(), m.used)
	}
	m.limit = 350
	m.updateBudget()
	if m.capacity() != 350 {
		t.Errorf("budget %d; want the limit", m.capacity())
	}
	w.p.fail(errShutdown)
	w.free = 0
	m.updateBudget()
	if m.capacity() != 350 {
		t.Errorf("budget %d of a lost worker; want no change", m.capacity())
	}
}

// TestFingerprintsOfASlabAreComplete checks that a missing slice is noticed.
func TestFingerprintsOfASlabAreComplete(t *testing.T) {
	s := &residentSlab{prints: map[int][]uint64{2: {20}, 3: {30}}}
	if p := s.fingerprints(2, 4); len(p) != 2 || p[0][0] != 20 || p[1][0] != 30 {
		t.Errorf("fingerprints %v", p)
	}
	if s.fingerprints(1, 3) != nil || s.fingerprints(3, 5) != nil {
		t.Error("slices that were not uploaded have fingerprints")
	}
	if !s.has(2) || s.has(4) {
		t.Error("has differs from the fingerprints")
	}
}
