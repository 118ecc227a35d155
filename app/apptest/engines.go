// Package apptest holds engines, series and files for the tests of app. It imports no package of app,
// so that the tests of each can use it.
package apptest

import (
	"context"
	"errors"
	"sync"

	"quell/denoise"
	"quell/volume"
)

// fakeEngine is an engine with runs that wait until a test lets them finish, so
// that the test decides the order of events.
type fakeEngine struct {
	Started chan denoise.Recipe // one value for every run that begins
	Finish  chan struct{}       // one value lets one run end well

	mu      sync.Mutex
	running int
	Most    int // highest number of runs at one time
}

// NewFakeEngine returns an engine whose runs a test ends.
func NewFakeEngine() *fakeEngine {
	return &fakeEngine{Started: make(chan denoise.Recipe), Finish: make(chan struct{})}
}

func (e *fakeEngine) Info() denoise.Info { return denoise.Info{Name: "fake", Device: "test"} }

func (e *fakeEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, nil
}

func (e *fakeEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	e.mu.Lock()
	e.running++
	e.Most = max(e.Most, e.running)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.running--
		e.mu.Unlock()
	}()
	e.Started <- r
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.Finish:
		return in.Volume.Crop(region), nil
	}
}

// EngineFunc is an engine made of one function.
type EngineFunc func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error)

// Info names a fake engine.
func (EngineFunc) Info() denoise.Info { return denoise.Info{Name: "fake", Device: "test"} }

// Plan knows nothing.
func (EngineFunc) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, nil
}

// Run calls the function, unless the context has ended.
func (f EngineFunc) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f(in.Volume, r, region)
}

// Some runs gaussian and median; lpa fails, and every other filter returns its input.
type Some struct{ denoise.Engine }

// Info keeps tuning from the closed form, for which it would not ask the engine.
func (Some) Info() denoise.Info { return denoise.Info{Name: "some", Cores: 2, Overhead: 1} }

// Run filters as the engine does, or not at all.
func (e Some) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, p denoise.Progress) (*volume.Volume, error) {
	switch r.Filter {
	case "gaussian", "median":
		return e.Engine.Run(ctx, r, in, region, p)
	case "lpa":
		return nil, errors.New("no ground")
	}
	return in.Volume.Crop(region), ctx.Err()
}
