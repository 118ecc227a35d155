package denoise

import (
	"context"
	"time"

	"quell/internal/message"
	"quell/volume"
)

// Info describes an engine and the device it runs on.
type Info struct {
	Name   string `json:"name"`   // "cpu" or "cuda"
	Device string `json:"device"` // name of the processor or GPU
	Memory int64  `json:"memory"` // bytes it may use; 0 if unknown
	Cores  int    `json:"cores"`  // processor cores or multiprocessors in use
	// Overhead is the time that a run takes however small it is: several small runs
	// are then better done as one. 0 for the processor.
	Overhead time.Duration `json:"-"`
}

// Plan is the cost of a run, known before it starts.
type Plan struct {
	Memory   int64         `json:"memory"`   // bytes beyond the input and the result
	Slabs    int           `json:"slabs"`    // parts the volume is split into
	Estimate time.Duration `json:"estimate"` // rough time; 0 if unknown
}

// Progress is called as work is done, from any goroutine but never from two at
// once, with done rising to total: the voxels of the region, counted once for
// each pass. It must return quickly.
type Progress func(done, total int64)

// ErrUnsupported is wrapped by the error of an engine that cannot run a recipe;
// another engine may be able to.
var ErrUnsupported = message.Errorf(message.EngineUnsupported, "not supported by this engine")

// Engine runs recipes. All engines agree within |a-b| <= 1e-4 x range everywhere
// and an RMS difference <= 1e-5 x range. One engine gives the same bits each time
// it runs the same recipe on the same input.
//
// Engines are safe for concurrent use.
type Engine interface {
	// Info names the engine.
	Info() Info

	// Plan returns what running r on a volume of geometry g needs. The error
	// says why the recipe cannot run; it wraps ErrUnsupported if another engine
	// may be able to run it.
	Plan(r Recipe, g volume.Geometry) (Plan, error)

	// Run filters the voxels of region, reading the input around it as far as the
	// filter reaches, and returns them as a volume of the region's dims. The
	// result equals the same region of a run over the whole volume. Automatic
	// values are resolved over the whole volume (see [Recipe.ResolveFor]).
	//
	// Padding and the voxels that in.Mask excludes come back unchanged and do
	// not contribute to others. Every voxel of the result is finite. in is never
	// changed; progress may be nil. The error is the context's after a cancel;
	// Run then returns within 100 ms on a slice, one slab on a volume.
	Run(ctx context.Context, r Recipe, in Input, region volume.Region, progress Progress) (*volume.Volume, error)
}
