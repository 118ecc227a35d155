package gpu

import (
	"context"
	"slices"
	"sync"

	"golang.org/x/sync/semaphore"

	"quell/gpu/shm"
)

// The shared segment is two rings of slots, one for voxels on their way to the
// device and one for those on their way back: small enough that its pages are
// touched and locked once, large enough to keep the bus busy.
const (
	slotBytes    = 4 << 20
	slotsUp      = 16
	slotsDown    = 16
	segmentBytes = (slotsUp + slotsDown) * slotBytes
)

// reserved is device memory that is left to the driver, which takes some for
// kernels and streams beside what a program asks for, and to the screen.
const reserved = 256 << 20

// budget is the device memory to use of what is free, within a limit; 0 is
// none.
func budget(free, limit int64) int64 {
	b := max(free-reserved, 0)
	if limit > 0 {
		b = min(b, limit)
	}
	return b
}

// everyone is more than the runs that there can be.
const everyone = 1 << 20

// session is one worker while it lives, with all that dies with it.
type session struct {
	*process
	*store
	segment  *shm.Segment
	up, down chan int64          // free slots: the offset of each in the segment
	bulk     chan struct{}       // holds a token while nobody runs a whole volume
	crew     *semaphore.Weighted // one for every run, everyone for a run that must be alone

	mutex   sync.Mutex
	holders int  // runs that may touch the segment
	ended   bool // the worker is lost: the segment goes with the last holder
}

// standing is what every worker is told: to load all kernels at the start, as
// to load one later would wait for those that run.
var standing = []string{"CUDA_MODULE_LOADING=EAGER"}

// startSession starts a worker; env names the GPU to it.
func startSession(ctx context.Context, o Options, env []string) (*session, error) {
	segment, err := shm.Create(segmentBytes)
	if err != nil {
		return nil, err
	}
	p, err := startProcess(ctx, o.Worker, slices.Concat(standing, env, o.Env), segment, o.Stall)
	if err != nil {
		segment.Close()
		return nil, err
	}
	s := &session{
		process: p,
		store:   &store{p: p, limit: o.Memory},
		segment: segment,
		up:      make(chan int64, slotsUp),
		down:    make(chan int64, slotsDown),
		bulk:    make(chan struct{}, 1),
		crew:    semaphore.NewWeighted(everyone),
	}
	for i := range slotsUp {
		s.up <- int64(i) * slotBytes
	}
	for i := range slotsDown {
		s.down <- int64(slotsUp+i) * slotBytes
	}
	s.bulk <- struct{}{}
	p.hello.Free -= s.reserveSmall()
	s.budget = budget(p.hello.Free, o.Memory)
	go func() {
		<-p.gone
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.ended = true
		s.unmap()
	}()
	return s, nil
}

// hold keeps the segment mapped until letGo, unless the worker is already
// lost.
func (s *session) hold() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended {
		return false
	}
	s.holders++
	return true
}

func (s *session) letGo() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.holders--
	s.unmap()
}

// unmap gives the segment back once nobody touches it. s.mutex is held.
func (s *session) unmap() {
	if s.ended && s.holders == 0 {
		s.segment.Close()
	}
}

// take waits for something from a ring.
func take[T any](ctx context.Context, ring <-chan T) (T, error) {
	select {
	case v := <-ring:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// bytes returns the slot at an offset.
func (s *session) bytes(at int64) []byte { return s.segment.Bytes[at : at+slotBytes] }
