package gpu

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/semaphore"

	"quell/gpu/shm"
)

// The shared segment is divided into staging buffers of equal size, some for
// uploads and some for downloads. It is small enough to be touched and
// page-locked once per worker, and large enough to keep the bus busy.
const (
	stagingBytes    = 4 << 20
	uploadBuffers   = 16
	downloadBuffers = 16
	segmentBytes    = (uploadBuffers + downloadBuffers) * stagingBytes
)

// furtherStaging divides the staging buffers of every device after the first: it has a
// part of a volume to transfer, in the time of that part.
const furtherStaging = 2

// reserved is device memory left to the driver, which allocates some for
// kernels and streams on its own, and to the display.
const reserved = 256 << 20

// budget returns the device memory that may be used, given the free memory and
// a limit in bytes; a limit of 0 means none.
func budget(free, limit int64) int64 {
	b := max(free-reserved, 0)
	if limit > 0 {
		b = min(b, limit)
	}
	return b
}

// exclusive is the semaphore weight of a run that must be the only one. It
// exceeds any possible number of concurrent runs, which weigh 1 each.
const exclusive = 1 << 20

// session is one worker process with everything that ends with it: the shared
// segment and the device memory.
type session struct {
	*process
	*deviceMemory
	segment    *shm.Segment
	uploads    chan int64          // offsets in the segment of the free staging buffers for uploads
	downloads  chan int64          // the same for downloads
	volumeTurn chan struct{}       // holds a token while no run of several blocks is active
	slots      *semaphore.Weighted // weight 1 for every run, exclusive for a run that must be alone

	lastProgram atomic.Uint32 // the last wire.ProgramID

	mutex sync.Mutex
	users int  // runs that may access the segment
	ended bool // the worker is lost; the last user unmaps the segment
}

// workerEnv is set for every worker. Kernels are loaded at the start, because
// loading one later would wait for the kernels that are running.
var workerEnv = []string{"CUDA_MODULE_LOADING=EAGER"}

// startSession starts a worker. env is added to its environment and selects
// the GPU; it gets 1/divisor of the staging buffers.
func startSession(ctx context.Context, o Options, env []string, divisor int) (*session, error) {
	uploads, downloads := uploadBuffers/divisor, downloadBuffers/divisor
	segment, err := shm.Create(segmentBytes / divisor)
	if err != nil {
		return nil, err
	}
	p, err := startProcess(ctx, o.Worker, slices.Concat(workerEnv, env, o.Env), segment, o.Stall)
	if err != nil {
		segment.Close()
		return nil, err
	}
	s := &session{
		process:      p,
		deviceMemory: &deviceMemory{p: p, limit: o.Memory},
		segment:      segment,
		uploads:      make(chan int64, uploads),
		downloads:    make(chan int64, downloads),
		volumeTurn:   make(chan struct{}, 1),
		slots:        semaphore.NewWeighted(exclusive),
	}
	for i := range uploads {
		s.uploads <- int64(i) * stagingBytes
	}
	for i := range downloads {
		s.downloads <- int64(uploads+i) * stagingBytes
	}
	s.volumeTurn <- struct{}{}
	p.hello.Free -= s.reservePreviewResults()
	s.budget = budget(p.hello.Free, o.Memory)
	go func() {
		<-p.exited
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.ended = true
		s.unmapIfUnused()
	}()
	return s, nil
}

// retain keeps the segment mapped until release is called. It returns false if
// the worker is already lost.
func (s *session) retain() bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended {
		return false
	}
	s.users++
	return true
}

// release ends what retain began.
func (s *session) release() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.users--
	s.unmapIfUnused()
}

// unmapIfUnused unmaps the segment of a lost worker that has no users. The
// caller holds s.mutex.
func (s *session) unmapIfUnused() {
	if s.ended && s.users == 0 {
		s.segment.Close()
	}
}

// take receives from a channel of free resources, or returns the cause of ctx
// ending first.
func take[T any](ctx context.Context, free <-chan T) (T, error) {
	select {
	case v := <-free:
		return v, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// staging returns the staging buffer at an offset of the segment.
func (s *session) staging(offset int64) []byte {
	return s.segment.Bytes[offset : offset+stagingBytes]
}
