package wire

import (
	"cmp"
	"quell/denoise"
	"quell/internal/message"
	"quell/volume"
)

// Version of the protocol. Both sides come from one release; if the versions
// differ, the worker of another release was found.
const Version = 7

// Magic begins the worker's first line.
const Magic = "QUELL-GPU "

// Exit codes of the worker, apart from 0 for the end of its input.
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
	Driver  int      `json:"driver"` // the CUDA version of the driver: 12020 is 12.2
	Device  Device   `json:"device"` // the one this worker uses
	Others  []Device `json:"others,omitempty"`
	Free    int64    `json:"free"`              // bytes of device memory free at the start
	Pinned  bool     `json:"pinned"`            // the segment is page-locked, so copies overlap with kernels
	Fault   *Fault   `json:"fault,omitempty"`   // set when the device cannot be used
	Kernels string   `json:"kernels,omitempty"` // hash of the kernels' manifest
	Quell   string   `json:"quell,omitempty"`   // version of the source, if the build names it
}

// Op is the operation of a request.
type Op string

// The operations.
const (
	Alloc  Op = "alloc"
	Free   Op = "free"
	Put    Op = "put"
	Bind   Op = "bind"
	Unbind Op = "unbind"
	Run    Op = "run"
	Get    Op = "get"
	Ping   Op = "ping"
)

// Handle identifies a device buffer. The parent chooses it; 0 means none.
type Handle uint32

// ProgramID identifies a bound recipe. The parent chooses it; 0 means none.
type ProgramID uint32

// Format is the format of voxels in the shared segment.
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

// Request is one command. Op determines which fields are used.
type Request struct {
	ID       uint64    `json:"id"`
	Op       Op        `json:"op"`
	Buffer   Handle    `json:"buffer,omitempty"`    // alloc, free, put, get
	Bytes    int64     `json:"bytes,omitempty"`     // alloc
	Offset   int64     `json:"offset,omitempty"`    // put, get: first element in the buffer
	Count    int64     `json:"count,omitempty"`     // put, get: elements
	Shared   int64     `json:"shared,omitempty"`    // put, get: first byte in the segment
	Format   Format    `json:"format,omitempty"`    // put, get
	Lane     Lane      `json:"lane,omitempty"`      // run, get with AfterRun
	AfterRun bool      `json:"after_run,omitempty"` // get: wait for the last run of Lane first
	Program  ProgramID `json:"program,omitempty"`   // bind, unbind, run
	Binding  *Binding  `json:"binding,omitempty"`   // bind
	Run      *RunArgs  `json:"run,omitempty"`       // run
}

// Lane is a queue in which runs are executed in order.
type Lane int

// The lanes.
const (
	VolumeLane  Lane = iota // runs over volumes, in several blocks
	PreviewLane             // runs of one block, with priority
	LaneCount               // the number of lanes
)

// Binding is a recipe and the geometry of the volumes it filters. The worker binds it
// once for all runs of the program.
type Binding struct {
	Recipe  denoise.Recipe `json:"recipe"`  // resolved: nothing auto, no percentages
	Spacing [3]float64     `json:"spacing"` // mm between voxels
	Dims    [3]int         `json:"dims"`    // of the whole volume
	// UsualSigma is above 0 if the program runs on volumes divided by their noise
	// map (denoise.Program.Normalised).
	UsualSigma float32 `json:"usual_sigma,omitempty"`
	// Last is the pass with which the program ends, "" for all (denoise.Program.EndingWith).
	Last string `json:"last,omitempty"`
	// Rung names a kernel of a ladder (kernels.Rung) that runs in place of the
	// kernels that ship; Block is its shape, zero for its own.
	Rung  string `json:"rung,omitempty"`
	Block [3]int `json:"block,omitzero"`
	// Shapes are the shapes of launches (kernels.Shapes).
	Shapes map[string]int `json:"shapes,omitempty"`
	// Series is of a program of a 4-D series, as one volume of the Dims.
	Series denoise.SeriesShape `json:"series,omitzero"`
}

// Program binds the recipe.
func (b Binding) Program() (denoise.Program, error) {
	if b.Series.Volumes > 0 {
		return b.Recipe.JoinedProgram(b.Dims, b.Series)
	}
	p, err := b.Recipe.Bind(volume.NewGeometry(b.Dims, b.Spacing))
	if err == nil && b.UsualSigma > 0 {
		p = p.Normalised(b.UsualSigma)
	}
	if err == nil && b.Last != "" {
		p, err = p.EndingWith(b.Last)
	}
	return p, err
}

// RunArgs describe a run of a program: the region to filter, and the buffers with the
// slices that it reads. All passes of the program run in one go.
type RunArgs struct {
	Inputs  map[string]Slices `json:"inputs"`            // by denoise.Voxels, NoiseMap and GuideVolume: float32; by Mask: bytes
	Region  volume.Region     `json:"region"`            // in indices of the whole volume
	Out     Handle            `json:"out"`               // float32, the region without gaps
	At      int64             `json:"at,omitempty"`      // first element of the region in Out
	Scratch Handle            `json:"scratch,omitempty"` // memory for the results of all passes but the last, see ScratchBytes, then for kernels.Scratch
}

// Mask is the key in RunArgs.Inputs of the mask, 1 for a voxel that is not excluded. No mask
// means that no voxel is excluded.
const Mask = "mask"

// Slices are consecutive slices of a volume in a buffer.
type Slices struct {
	Buffer Handle `json:"buffer"`
	First  int    `json:"first"` // index in the volume of the first one
	Count  int    `json:"count"`
}

// ScratchBytes returns the scratch memory of float32 intermediate results, given the
// number of voxels of each. They follow each other in this order, each aligned to 256
// bytes.
func ScratchBytes(voxels ...int64) int64 {
	total := int64(0)
	for _, n := range voxels {
		total += (4*n + 255) &^ 255
	}
	return total
}

// Reply answers the request of the same ID.
type Reply struct {
	ID     uint64  `json:"id"`
	Millis float64 `json:"ms,omitempty"`   // run: time on the GPU
	Free   int64   `json:"free,omitempty"` // ping: bytes of device memory free
	Fault  *Fault  `json:"fault,omitempty"`
}

// FaultKind classifies faults by their remedy.
type FaultKind string

// The kinds of fault.
const (
	Memory      FaultKind = "memory"      // too little device memory: smaller slabs help
	Unsupported FaultKind = "unsupported" // there is no kernel for this recipe
	Sticky      FaultKind = "device"      // the worker must be restarted
	Kernels     FaultKind = "kernels"     // the kernels do not load on this device or driver
	Driver      FaultKind = "driver"      // the driver is too old
	Broken      FaultKind = "request"     // an invalid request: a bug in Quell
)

// Fault is the reason why a request failed or a worker cannot be used.
type Fault struct {
	Kind FaultKind `json:"kind"`
	Text string    `json:"text"` // one clause for the user, without a full stop
}

// Error returns the text.
func (f *Fault) Error() string { return f.Text }

// AsMessage returns the text of the worker, which has no translation, with a code.
func (f *Fault) AsMessage() message.Message {
	kinds := map[FaultKind]message.Kind{
		Memory: message.EngineMemory, Unsupported: message.EngineUnsupported, Kernels: message.EngineDriver, Driver: message.EngineDriver,
	}
	return message.New(cmp.Or(kinds[f.Kind], message.EngineLost), "%s", f.Text)
}
