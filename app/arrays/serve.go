package arrays

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"quell/app/job"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/series"
)

// Forms are how a command prints the content of a reply, too.
type Forms struct {
	Error    func(err error) any // the member "error" of a reply
	Estimate func(e noise.Estimate) any
}

// progressEvery is the least time between two events of progress.
const progressEvery = 50 * time.Millisecond

// Serve answers the requests of a client until in ends, which cancels requests in work, or ctx does. The error is
// that of a stream, or the context's.
func Serve(ctx context.Context, in io.Reader, out io.Writer, forms Forms) error {
	s := &server{forms: forms, out: out, cancelled: map[int64]context.CancelFunc{}}
	defer s.memory.closeAll()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if err := s.send(hello{"quell.arrays", Version, job.Version()}); err != nil {
		return err
	}
	requests, ended := make(chan waiting, MaxWaiting), make(chan error, 1)
	go func() {
		ended <- s.read(ctx, in, requests)
		cancel()
	}()
	for {
		select {
		case w := <-requests:
			if err := s.answer(w); err != nil {
				return err
			}
		case <-ctx.Done():
			select {
			case err := <-ended:
				return err
			default: // in is not closed by those who cancel
				return ctx.Err()
			}
		}
	}
}

// server is the state of Serve.
type server struct {
	forms  Forms
	memory memory // of the goroutine that works

	writing sync.Mutex
	out     io.Writer

	mu        sync.Mutex
	cancelled map[int64]context.CancelFunc // of the requests that wait or are worked on
}

// waiting is a request that was read.
type waiting struct {
	Request
	ctx context.Context
	err error // why it cannot be worked on
}

// read reads requests until in ends or holds none. Cancels are done at once.
func (s *server) read(ctx context.Context, in io.Reader, requests chan<- waiting) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 4096), MaxLine)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		w := s.parse(ctx, lines.Bytes())
		if w.Do == "cancel" && w.err == nil {
			s.mu.Lock()
			if cancel := s.cancelled[w.ID]; cancel != nil {
				cancel()
			}
			s.mu.Unlock()
			continue
		}
		s.mu.Lock()
		if _, twice := s.cancelled[w.ID]; twice && w.err == nil {
			w.err = job.Usagef("request %d is not answered yet; give each a number of its own", w.ID)
		} else if w.err == nil {
			w.ctx, s.cancelled[w.ID] = context.WithCancel(ctx)
		}
		s.mu.Unlock()
		select {
		case requests <- w:
		default:
			s.forget(w)
			if err := s.fail(w.ID, job.Usagef("%d requests wait already; wait for a reply", MaxWaiting)); err != nil {
				return err
			}
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return job.Usagef("a request is longer than %d bytes", MaxLine)
	}
	return lines.Err()
}

// parse reads a line.
func (s *server) parse(ctx context.Context, line []byte) (w waiting) {
	w.ctx = ctx
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&w.Request); err != nil {
		w.err = job.Usagef("this is no request: %w", err)
	}
	return w
}

// forget releases what was kept of a request.
func (s *server) forget(w waiting) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cancel := s.cancelled[w.ID]; cancel != nil && w.err == nil {
		cancel()
		delete(s.cancelled, w.ID)
	}
}

// answer does a request and sends its reply. The error comes from the stream.
func (s *server) answer(w waiting) error {
	defer s.forget(w)
	var result any
	err := w.err
	if err == nil {
		err = parallel.Protect(func() (err error) {
			result, err = s.do(w)
			return err
		})
	}
	if err != nil {
		return s.fail(w.ID, err)
	}
	return s.send(reply{ID: w.ID, Result: result})
}

// fail sends an error.
func (s *server) fail(id int64, err error) error {
	return s.send(reply{ID: id, Error: s.forms.Error(err)})
}

// do does a request.
func (s *server) do(w waiting) (any, error) {
	switch w.Do {
	case "map":
		number, err := s.memory.open(w.File)
		if err != nil {
			return nil, err
		}
		return map[string]int{"memory": number, "bytes": len(s.memory.segments[number].Bytes)}, nil
	case "unmap":
		return struct{}{}, s.memory.close(w.Memory)
	case "room":
		return struct{}{}, room(w.Bytes)
	case "denoise":
		return s.memory.denoise(w.ctx, w.Request, s.events(w.ID))
	case "estimate":
		e, err := s.memory.estimate(w.ctx, w.Request)
		if err != nil {
			return nil, err
		}
		return s.forms.Estimate(e), nil
	case "assess":
		return s.memory.assess(w.ctx, w.Request)
	}
	return nil, job.Usagef("%q is no request; there are map, unmap, room, denoise, estimate, assess and cancel", w.Do)
}

// events passes on what happens during a request. A stream that fails is noticed at the reply.
func (s *server) events(id int64) job.Events {
	var last time.Time
	return job.Events{
		Message: func(severity series.Severity, text string) {
			_ = s.send(reply{ID: id, Event: severity.String(), Text: text})
		},
		Progress: func(step job.Step, done, total int64) {
			if now := time.Now(); now.Sub(last) >= progressEvery {
				last = now
				_ = s.send(reply{ID: id, Event: "progress", Step: string(step), Done: done, Total: total})
			}
		},
	}
}

// send writes a line.
func (s *server) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	_, err = s.out.Write(append(line, '\n'))
	return err
}

// Version is the version of the protocol. It changes when an older client would misunderstand a reply.
const Version = 1

// Limits of requests of a client.
const (
	MaxLine    = 1 << 20 // bytes of a request
	MaxWaiting = 16      // requests behind the one in work
	MaxMapped  = 64      // files at a time
)

// hello is the first line of the server.
type hello struct {
	Protocol string `json:"protocol"`
	Version  int    `json:"version"`
	Quell    string `json:"quell"`
}

// Request is one line of a client. Which members count depends on Do.
type Request struct {
	ID int64  `json:"id"`
	Do string `json:"do"`

	File   string `json:"file,omitempty"`   // map
	Memory int    `json:"memory,omitempty"` // unmap
	Bytes  int64  `json:"bytes,omitempty"`  // room: that the client is about to map

	Input  Image  `json:"input,omitzero"`
	Result *Array `json:"result,omitempty"` // assess: the judged result
	Output *Array `json:"output,omitempty"` // is written
	Mask   *Array `json:"mask,omitempty"`   // bytes, 0 for voxels that are left out
	// NoiseMap is "auto", "none" or an array of sigma for each voxel; missing, it is the rule of quell denoise, and
	// none for assess.
	NoiseMap json.RawMessage `json:"noise_map,omitempty"`

	Recipe     *denoise.Recipe          `json:"recipe,omitempty"` // else Preset, else Filter
	Preset     string                   `json:"preset,omitempty"`
	Filter     string                   `json:"filter,omitempty"`
	Dims       any                      `json:"dims,omitempty"` // 2, 3, "auto"; missing: the dims of the recipe, or else auto
	Parameters map[string]denoise.Value `json:"parameters,omitempty"`

	Engine  string `json:"engine,omitempty"` // see job.EnginePolicy
	Threads int    `json:"threads,omitempty"`
	Assess  bool   `json:"assess,omitempty"` // denoise: also judge the result
}

// Array names voxels in a mapped file.
type Array struct {
	Memory int    `json:"memory"`
	Offset int    `json:"offset"` // bytes, a multiple of 4
	Dims   [3]int `json:"dims"`   // nx, ny, nz
	// Volumes of a 4-D array follow each other, each of Dims; missing: one. denoise takes them.
	Volumes int `json:"volumes,omitempty"`
}

// mostVolumes is the largest number of volumes of an array.
const mostVolumes = 1 << 16

// volume returns volume k.
func (a Array) volume(k int) Array {
	a.Offset += 4 * k * a.voxels()
	a.Volumes = 0
	return a
}

// Image is an array with its place in the patient.
type Image struct {
	Array
	Spacing []float64 `json:"spacing,omitempty"` // mm along x, y and z; missing: 1
	// Affine maps a voxel index (i, j, k) to RAS+ mm, as in NIfTI; it then gives the spacing, too.
	Affine   [][]float64 `json:"affine,omitempty"`
	Modality string      `json:"modality,omitempty"` // "CT", "MR", or "" if that is not known
}

// reply is one line of the server.
type reply struct {
	ID     int64  `json:"id"`
	Result any    `json:"result,omitempty"`
	Error  any    `json:"error,omitempty"`
	Event  string `json:"event,omitempty"`
	Text   string `json:"text,omitempty"`
	Step   string `json:"step,omitempty"`
	Done   int64  `json:"done,omitempty"`
	Total  int64  `json:"total,omitempty"`
}
