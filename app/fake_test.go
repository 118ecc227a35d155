package app

import (
	"context"
	"sync"
	"testing"

	"quell/denoise"
	"quell/series"
	"quell/volume"
)

// fakeEngine is an engine whose runs wait until a test lets them finish, so that
// the test decides the order of events.
type fakeEngine struct {
	started chan denoise.Recipe // one value for every run that begins
	finish  chan struct{}       // one value lets one run end well

	mu      sync.Mutex
	running int
	most    int // highest number of runs at one time
}

func newFakeEngine() *fakeEngine {
	return &fakeEngine{started: make(chan denoise.Recipe), finish: make(chan struct{})}
}

func (e *fakeEngine) Info() denoise.Info { return denoise.Info{Name: "fake", Device: "test"} }

func (e *fakeEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, nil
}

func (e *fakeEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	e.mu.Lock()
	e.running++
	e.most = max(e.most, e.running)
	e.mu.Unlock()
	defer func() {
		e.mu.Lock()
		e.running--
		e.mu.Unlock()
	}()
	e.started <- r
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.finish:
		return in.Volume.Crop(region), nil
	}
}

// engineFunc is an engine made of one function.
type engineFunc func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error)

func (engineFunc) Info() denoise.Info { return denoise.Info{Name: "fake", Device: "test"} }

func (engineFunc) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, nil
}

func (f engineFunc) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, progress denoise.Progress) (*volume.Volume, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f(in.Volume, r, region)
}

// wavy returns a series whose values rise and fall, with no symmetry.
func wavy(nx, ny, nz int) *series.Series {
	v := volume.New(volume.NewGeometry([3]int{nx, ny, nz}, [3]float64{0.5, 0.75, 2}))
	for i := range v.Data {
		v.Data[i] = float32((i*i*7+i*13)%201) - 50
	}
	return &series.Series{Meta: series.Meta{Format: "NIfTI-1"}, Volume: v, Sources: []series.Source{{}}}
}

func mustRecipe(filter string, dims int) denoise.Recipe {
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		panic(err)
	}
	return r
}

// foundFacts returns the facts of v.
func foundFacts(t testing.TB, v *volume.Volume) denoise.Facts {
	t.Helper()
	f, err := denoise.FactsOf(t.Context(), v)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
