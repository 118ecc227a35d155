package workbench_test

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"quell/app/apptest"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/series"
	"quell/volume"
)

// pacedEngine plans a fixed time for every voxel and takes another one, on the clock of a
// synctest bubble.
type pacedEngine struct {
	plan, takes time.Duration
	fails       error
	ran         []denoise.Recipe
}

func (e *pacedEngine) Info() denoise.Info { return denoise.Info{Name: "paced"} }

func (e *pacedEngine) Plan(_ denoise.Recipe, g volume.Geometry) (denoise.Plan, error) {
	if e.plan < 0 {
		return denoise.Plan{Estimate: time.Hour}, errors.New("there is no plan")
	}
	return denoise.Plan{Estimate: e.plan * time.Duration(g.Voxels())}, nil
}

func (e *pacedEngine) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, region volume.Region, _ denoise.Progress) (*volume.Volume, error) {
	e.ran = append(e.ran, r)
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(e.takes):
	}
	if e.fails != nil {
		return nil, e.fails
	}
	return in.Volume.Crop(region), nil
}

// slow asks for a slice of 12 voxels by a recipe that has a coarse form.
func slow(s *series.Series, filter string) workbench.PreviewRequest {
	return workbench.PreviewRequest{Series: s, Recipe: apptest.MustRecipe(filter, 2), Facts: denoise.Facts{Hi: 100, Noise: noise.Known(5)}, Plane: volume.Axial, Index: 1}
}

// A coarse preview comes first if the slice is expected to take longer than 150 ms: by
// the engine's plan, or by that and what the last slice of the same filter took.
func TestCoarsePreviewComesFirst(t *testing.T) {
	const ms = time.Millisecond
	s := apptest.Wavy(4, 3, 3)
	for _, c := range []struct {
		name         string
		first        string // filter of a request before; "" for none
		plan, takes  time.Duration
		filter       string
		ahead, wants bool
	}{
		{"long plan", "", 150*ms/12 + 1, ms, "sadct", false, true},
		{"short plan", "", 150 * ms / 12, ms, "sadct", false, false},
		{"no plan", "", -1, time.Hour, "sadct", false, false},
		{"no estimate", "sadct", 0, time.Hour, "sadct", false, false},
		{"ahead", "", time.Second, ms, "sadct", true, false},
		{"no coarse form", "", time.Second, ms, "prinlm", false, false},
		{"slower than planned", "sadct", ms, 151 * ms, "sadct", false, true},
		{"slow, but not slower", "sadct", ms, 150 * ms, "sadct", false, false},
		{"faster than planned", "sadct", time.Second, 150 * ms, "sadct", false, false},
		{"another filter was slower", "prinlm", ms, time.Second, "sadct", false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			eng := &pacedEngine{plan: c.plan, takes: c.takes}
			var delivered []workbench.Preview
			p := workbench.NewPreviewer(eng, func(pv workbench.Preview) { delivered = append(delivered, pv) })
			defer p.Close()
			if c.first != "" {
				q := slow(s, c.first)
				q.Ahead = true
				p.Request(q)
				p.Wait()
			}
			delivered, eng.ran = nil, nil
			q := slow(s, c.filter)
			q.Ahead = c.ahead
			generation := p.Request(q)
			p.Wait()
			want := 1
			if c.wants {
				want = 2
			}
			if len(delivered) != want || len(eng.ran) != want {
				t.Fatalf("%s: %d previews of %d runs; want %d", c.name, len(delivered), len(eng.ran), want)
			}
			for i, pv := range delivered {
				if pv.Coarse != (i < want-1) || pv.Generation != generation || pv.Err != nil || pv.Part == nil || !pv.Request.Recipe.Equal(q.Recipe) {
					t.Errorf("%s: preview %d is %+v", c.name, i, pv)
				}
			}
			if c.wants && (eng.ran[0].Get("overlap").Int() != 12 || eng.ran[1].Get("overlap").Int() != 0) {
				t.Errorf("%s: %s ran before %s", c.name, eng.ran[0], eng.ran[1])
			}
		})
	}
}

// A newer request ends the coarse run too, and nothing of the older one is delivered.
func TestACoarseRunIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := &pacedEngine{plan: time.Second, takes: time.Hour}
		delivered := 0
		p := workbench.NewPreviewer(eng, func(workbench.Preview) { delivered++ })
		p.Request(slow(apptest.Wavy(4, 3, 3), "sadct"))
		synctest.Wait()
		p.Cancel()
		p.Wait()
		if delivered != 0 || len(eng.ran) == 0 || eng.ran[0].Get("overlap").Int() != 12 {
			t.Errorf("%d previews, runs %v", delivered, eng.ran)
		}
		p.Close()
	})
}

// The error of a coarse run is not delivered, as the fine run reports its own. The time of
// a failed run is not used for estimates.
func TestCoarseErrorsAreNotDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := &pacedEngine{plan: time.Second, fails: errors.New("out of memory")}
		var delivered []workbench.Preview
		p := workbench.NewPreviewer(eng, func(pv workbench.Preview) { delivered = append(delivered, pv) })
		defer p.Close()
		for range 2 {
			p.Request(slow(apptest.Wavy(4, 3, 3), "sadct"))
			p.Wait()
		}
		if len(delivered) != 2 || len(eng.ran) != 4 || delivered[0].Coarse || !errors.Is(delivered[0].Err, eng.fails) {
			t.Errorf("%d previews of %d runs: %+v", len(delivered), len(eng.ran), delivered)
		}
	})
}

// Another engine has another pace.
func TestThePaceIsOfTheEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apptest.Wavy(4, 3, 3)
		delivered := 0
		p := workbench.NewPreviewer(&pacedEngine{plan: time.Millisecond, takes: time.Second}, func(workbench.Preview) { delivered++ })
		defer p.Close()
		p.Request(slow(s, "sadct"))
		p.Wait()
		p.SetEngine(&pacedEngine{plan: time.Millisecond, takes: time.Second})
		p.Request(slow(s, "sadct"))
		p.Wait()
		if delivered != 2 {
			t.Errorf("%d previews; want no coarse one", delivered)
		}
	})
}

// A preview leaves a core to the user interface.
func TestPreviewsSpareACore(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	delivered := make(chan workbench.Preview, 1)
	p := workbench.NewPreviewer(contextEngine(func(ctx context.Context) error {
		var workers atomic.Int32
		err := parallel.ForWorkers(ctx, 100, 9, func() func(int) error {
			workers.Add(1)
			return func(int) error { return nil }
		})
		if workers.Load() != 2 {
			t.Errorf("a preview takes %d of 3 cores", workers.Load())
		}
		return err
	}), func(pv workbench.Preview) { delivered <- pv })
	defer p.Close()
	p.Request(request(apptest.Wavy(4, 3, 3), 1))
	if pv := <-delivered; pv.Err != nil {
		t.Error(pv.Err)
	}
}

// contextEngine calls a function with the context of every run.
type contextEngine func(ctx context.Context) error

func (contextEngine) Info() denoise.Info { return denoise.Info{Name: "fake"} }

func (contextEngine) Plan(denoise.Recipe, volume.Geometry) (denoise.Plan, error) {
	return denoise.Plan{}, nil
}

func (f contextEngine) Run(ctx context.Context, _ denoise.Recipe, in denoise.Input, region volume.Region, _ denoise.Progress) (*volume.Volume, error) {
	return in.Volume.Crop(region), f(ctx)
}
