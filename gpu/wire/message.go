package wire

import (
	"quell/denoise"
	"quell/volume"
)

// Version of the protocol. Both sides come from one release; a mismatch means
// a worker from another one was found, and is said so.
const Version = 1

// Magic begins the worker's first line.
const Magic = "QUELL-GPU "

// Exit codes of the worker, beside 0 for the end of its input.
const (
	ExitSticky = 5 // a sticky CUDA error spoiled the process
	ExitFault  = 6 // the hello carried a fault
)

// Device is one GPU.
type Device struct {
	Name       string `json:"name"`
	UUID       string `json:"uuid"`   // as CUDA_VISIBLE_DEVICES takes it: "GPU-..."
	Memory     int64  `json:"memory"` // bytes
	Processors int    `json:"processors"`
	Compute    [2]int `json:"compute"` // compute capability, major and minor
	ClockKHz   int    `json:"clock_khz"`
}

// Hello is the worker's first line.
type Hello struct {
	Version int      `json:"version"`
	Driver  int      `json:"driver"` // the CUDA version the driver speaks: 12020 is 12.2
	Device  Device   `json:"device"` // the one this worker uses
	Others  []Device `json:"others,omitempty"`
	Free    int64    `json:"free"`              // bytes of device memory free at the start
	Pinned  bool     `json:"pinned"`            // the segment is page-locked, copies run beside kernels
	Fault   *Fault   `json:"fault,omitempty"`   // set when the device cannot be used
	Kernels string   `json:"kernels,omitempty"` // the kernels' manifest digest, for reports
}

// Op is what a request asks for.
type Op string

// The requests.
const (
	Alloc Op = "alloc"
	Free  Op = "free"
	Put   Op = "put"
	Run   Op = "run"
	Get   Op = "get"
	Ping  Op = "ping"
)

// Handle names a device buffer; the parent chooses it, and 0 means none.
type Handle uint32

// Format is how voxels lie in the shared segment.
type Format string

// The formats. Buffers hold float32 voxels or mask bytes.
const (
	Float32 Format = "float32"
	Int16   Format = "int16" // whole numbers that float32 holds exactly
	Bytes   Format = "bytes" // masks: 1 for a voxel that holds data
)

// Size returns the bytes of one element in the segment.
func (f Format) Size() int64 {
	switch f {
	case Float32:
		return 4
	case Int16:
		return 2
	}
	return 1
}

// Request is one command. Which fields count depends on Op.
type Request struct {
	ID     uint64 `json:"id"`
	Op     Op     `json:"op"`
	Buffer Handle `json:"buffer,omitempty"` // alloc, free, put, get
	Bytes  int64  `json:"bytes,omitempty"`  // alloc
	Offset int64  `json:"offset,omitempty"` // put, get: first element in the buffer
	Count  int64  `json:"count,omitempty"`  // put, get: elements
	Shared int64  `json:"shared,omitempty"` // put, get: first byte in the segment
	Format Format `json:"format,omitempty"` // put, get
	Lane   Lane   `json:"lane,omitempty"`   // run, get behind one
	Behind bool   `json:"behind,omitempty"` // get: wait for the newest run of Lane first
	Job    *Job   `json:"job,omitempty"`    // run
}

// Lane is one of the two queues that kernels run in.
type Lane int

// The lanes.
const (
	Bulk   Lane = iota // whole volumes
	Urgent             // the slice on screen
	Lanes              // how many there are
)

// Job is one kernel's work: a region of a volume of which some slices lie on
// the device.
type Job struct {
	Recipe denoise.Recipe `json:"recipe"` // resolved: nothing auto, no percentages
	Space  [3]float64     `json:"space"`  // mm between voxels
	Dims   [3]int         `json:"dims"`   // of the whole volume
	First  int            `json:"first"`  // the first slice in In and Mask
	Slices int            `json:"slices"` // slices in In and Mask
	Region volume.Region  `json:"region"` // in the whole volume's indices
	In     Handle         `json:"in"`     // float32
	Mask   Handle         `json:"mask,omitempty"`
	Out    Handle         `json:"out"`          // float32, dense region
	At     int64          `json:"at,omitempty"` // first element of the region in Out
}

// Reply answers the request of the same ID.
type Reply struct {
	ID     uint64  `json:"id"`
	Millis float64 `json:"ms,omitempty"`   // run: time on the GPU
	Free   int64   `json:"free,omitempty"` // ping: bytes of device memory free
	Fault  *Fault  `json:"fault,omitempty"`
}

// Kind sorts faults by what helps.
type Kind string

// The kinds of fault.
const (
	Memory      Kind = "memory"      // too little device memory: smaller slabs help
	Unsupported Kind = "unsupported" // these kernels cannot run this recipe
	Sticky      Kind = "device"      // the worker must be restarted
	Kernels     Kind = "kernels"     // the kernels do not load on this device or driver
	Driver      Kind = "driver"      // the driver is too old
	Broken      Kind = "request"     // a request that makes no sense: a bug in Quell
)

// Fault is why a request failed, or why a worker cannot work.
type Fault struct {
	Kind Kind   `json:"kind"`
	Text string `json:"text"` // one clause for a person, without a full stop
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }
