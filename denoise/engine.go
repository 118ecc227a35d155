package denoise

import (
	"context"
	"time"

	"quell/volume"
)

// Info names an engine and what it runs on.
type Info struct {
	Name   string `json:"name"`   // "cpu" or "cuda"
	Device string `json:"device"` // the processor's or the GPU's name
	Memory int64  `json:"memory"` // bytes it may use; 0 where unknown
	Cores  int    `json:"cores"`  // processor cores or multiprocessors in use
}

// Plan is what a run will need, known before it starts.
type Plan struct {
	Memory   int64         `json:"memory"`   // bytes beyond the input and the result
	Slabs    int           `json:"slabs"`    // parts the volume is cut into
	Estimate time.Duration `json:"estimate"` // rough time; 0 where unknown
}

// Progress is called as voxels are done, from any goroutine, never from two at
// once, with done rising to total. It must return quickly.
type Progress func(done, total int64)

// Engine runs recipes. Every engine gives the same answers within
// |a-b| <= 1e-4 x range everywhere and an RMS difference <= 1e-5 x range, and
// the same bits each time it is given the same recipe and input.
//
// Engines are safe for concurrent use. Errors wrap ErrUnsupported where the
// engine cannot run the recipe at all, and the context's error on cancel.
type Engine interface {
	// Info names the engine.
	Info() Info

	// Plan says what running r on a volume of geometry g needs, or why it
	// cannot be done.
	Plan(r Recipe, g volume.Geometry) (Plan, error)

	// Run filters the voxels of region, reading as much of in around it as
	// the filter reaches, and returns them as a volume of the region's dims.
	// The result equals the same region of a run over the whole volume. Auto
	// parameters are resolved over the whole of in (see Resolve). Masked
	// voxels come back as they were. in is never changed; progress may be
	// nil. After a cancel Run returns within 100 ms on a slice-sized step.
	Run(ctx context.Context, r Recipe, in *volume.Volume, region volume.Region, progress Progress) (*volume.Volume, error)
}
