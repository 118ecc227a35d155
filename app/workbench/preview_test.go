package workbench_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"quell/app/apptest"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/series"
	"quell/volume"
)

// request asks for a median of a given radius, which identifies the run.
func request(s *series.Series, radius int) workbench.PreviewRequest {
	r := apptest.MustRecipe("median", 3).With("radius", denoise.Number(float64(radius)))
	return workbench.PreviewRequest{Series: s, Recipe: r, Plane: volume.Axial, Index: 1}
}

func radiusOf(r denoise.Recipe) int { return r.Get("radius").Ints()[0] }

func TestPreviewNewestWins(t *testing.T) {
	eng := apptest.NewFakeEngine()
	delivered := make(chan workbench.Preview, 10)
	p := workbench.NewPreviewer(eng, func(pv workbench.Preview) { delivered <- pv })
	defer p.Close()
	s := apptest.Wavy(4, 3, 3)

	p.Request(request(s, 1))
	if got := radiusOf(<-eng.Started); got != 1 {
		t.Fatalf("radius %d runs first, want 1", got)
	}
	// These are requested while the first runs: it is cancelled, and those in
	// between are never started.
	p.Request(request(s, 2))
	p.Request(request(s, 3))
	newest := p.Request(request(s, 4))
	for got := 0; got != 4; { // the first token may have been taken for radius 2 or 3
		got = radiusOf(<-eng.Started)
	}
	eng.Finish <- struct{}{}
	pv := <-delivered
	if pv.Generation != newest || radiusOf(pv.Request.Recipe) != 4 || pv.Err != nil {
		t.Fatalf("delivered generation %d, radius %d, %v; want generation %d", pv.Generation, radiusOf(pv.Request.Recipe), pv.Err, newest)
	}
	if want := s.Volume.Crop(pv.Request.Region()); !slices.Equal(pv.Part.Data, want.Data) {
		t.Error("the part is not the region's result")
	}
	if p.Latest() != newest {
		t.Errorf("latest %d, want %d", p.Latest(), newest)
	}
	if len(delivered) != 0 {
		t.Errorf("%d more previews were delivered", len(delivered))
	}
	if eng.Most != 1 {
		t.Errorf("%d filters ran at once, want 1", eng.Most)
	}
}

func TestPreviewCancelDeliversNothing(t *testing.T) {
	eng := apptest.NewFakeEngine()
	delivered := make(chan workbench.Preview, 10)
	p := workbench.NewPreviewer(eng, func(pv workbench.Preview) { delivered <- pv })
	s := apptest.Wavy(4, 3, 3)
	p.Request(request(s, 1))
	<-eng.Started
	p.Cancel()

	// The next preview is delivered, so the cancelled one was dropped before.
	want := p.Request(request(s, 2))
	<-eng.Started
	eng.Finish <- struct{}{}
	if pv := <-delivered; pv.Generation != want {
		t.Errorf("generation %d was delivered, want %d only", pv.Generation, want)
	}
	p.Request(request(s, 3))
	<-eng.Started
	p.Close() // returns although a filter runs
	if len(delivered) != 0 {
		t.Error("a preview was delivered after Close")
	}
	p.Request(request(s, 4)) // has no effect, and there is no worker to wait for
}

// A result that is finished but superseded in the same moment is not delivered.
func TestPreviewStaleResultIsDropped(t *testing.T) {
	var p *workbench.Previewer
	var asked uint64
	s := apptest.Wavy(4, 3, 3)
	ready := make(chan struct{})
	eng := apptest.EngineFunc(func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error) {
		if radiusOf(r) == 1 { // ignores its cancel and returns a good result
			<-ready
			asked = p.Request(request(s, 2))
		}
		return v.Crop(region), nil
	})
	delivered := make(chan workbench.Preview, 10)
	p = workbench.NewPreviewer(eng, func(pv workbench.Preview) { delivered <- pv })
	p.Request(request(s, 1))
	close(ready)
	if pv := <-delivered; pv.Generation != asked || radiusOf(pv.Request.Recipe) != 2 {
		t.Errorf("radius %d was delivered, want 2", radiusOf(pv.Request.Recipe))
	}
	p.Close()
	if len(delivered) != 0 {
		t.Error("the stale result was delivered as well")
	}
}

func TestPreviewReportsErrors(t *testing.T) {
	broken := errors.New("out of memory")
	s := apptest.Wavy(4, 3, 3)
	delivered := make(chan workbench.Preview, 1)
	p := workbench.NewPreviewer(apptest.EngineFunc(func(*volume.Volume, denoise.Recipe, volume.Region) (*volume.Volume, error) {
		return nil, broken
	}), func(pv workbench.Preview) { delivered <- pv })
	defer p.Close()

	p.Request(request(s, 1))
	if pv := <-delivered; !errors.Is(pv.Err, broken) || pv.Part != nil {
		t.Errorf("%v, want %v", pv.Err, broken)
	}
	q := request(s, 1)
	q.Index = 99
	p.Request(q)
	if pv := <-delivered; pv.Err == nil {
		t.Error("slice 99 of 3 was filtered")
	}
	p.SetEngine(apptest.EngineFunc(func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error) {
		return v.Crop(region), nil
	}))
	p.Request(request(s, 1))
	if pv := <-delivered; pv.Err != nil {
		t.Errorf("after the engine was changed: %v", pv.Err)
	}
}

func TestPreviewResolvesFromFacts(t *testing.T) {
	s := apptest.Wavy(4, 3, 3)
	delivered := make(chan workbench.Preview, 1)
	var ran denoise.Recipe
	p := workbench.NewPreviewer(apptest.EngineFunc(func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error) {
		ran = r
		return v.Crop(region), nil
	}), func(pv workbench.Preview) { delivered <- pv })
	defer p.Close()
	p.Request(workbench.PreviewRequest{
		Series: s, Recipe: apptest.MustRecipe("bilateral", 2).With("sigma-range", denoise.Percent(15)), Facts: denoise.Facts{Lo: 0, Hi: 200, Noise: noise.Known(5)}, Plane: volume.Coronal,
	})
	<-delivered
	if got := ran.Get("sigma-range"); !got.Equal(denoise.Number(30)) {
		t.Errorf("range sigma %v, want 15 %% of 200", got)
	}
}

// A panic in a filter is that preview's error; the next request is answered.
func TestPreviewOfAPanickingFilter(t *testing.T) {
	s := apptest.Wavy(4, 3, 3)
	delivered := make(chan workbench.Preview, 2)
	p := workbench.NewPreviewer(apptest.EngineFunc(func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error) {
		if radiusOf(r) == 1 {
			panic("index out of range")
		}
		return v.Crop(region), nil
	}), func(pv workbench.Preview) { delivered <- pv })
	defer p.Close()
	p.Request(request(s, 1))
	p.Wait()
	var panicked *parallel.Panic
	if pv := <-delivered; !errors.As(pv.Err, &panicked) {
		t.Errorf("error %v; want a *parallel.Panic", pv.Err)
	}
	p.Request(request(s, 2))
	p.Wait()
	if len(delivered) != 1 {
		t.Fatal("Wait returned before the preview was delivered")
	}
	if pv := <-delivered; pv.Err != nil {
		t.Errorf("after the panic: %v", pv.Err)
	}
}

// Close returns only when the worker has ended, even if the engine does not heed its
// context.
func TestPreviewCloseWaitsForTheFilter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		started, finish := make(chan struct{}), make(chan struct{})
		p := workbench.NewPreviewer(apptest.EngineFunc(func(v *volume.Volume, r denoise.Recipe, region volume.Region) (*volume.Volume, error) {
			close(started)
			<-finish
			return v.Crop(region), nil
		}), func(workbench.Preview) { t.Error("a preview was delivered after Close") })
		p.Request(request(apptest.Wavy(4, 3, 3), 1))
		<-started
		closed := make(chan struct{})
		go func() {
			p.Close()
			close(closed)
		}()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("Close returned while a filter ran")
		default:
		}
		close(finish)
		<-closed
	})
}

// TestCancelDropsThePending: a request that waits for a preview to be delivered is not run
// after a cancel.
func TestCancelDropsThePending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		eng := apptest.NewFakeEngine()
		delivered := make(chan workbench.Preview)
		p := workbench.NewPreviewer(eng, func(pv workbench.Preview) { delivered <- pv })
		s := apptest.Wavy(4, 3, 3)
		p.Request(request(s, 1))
		<-eng.Started
		eng.Finish <- struct{}{}
		synctest.Wait() // the first waits to be delivered
		p.Request(request(s, 2))
		p.Cancel()
		<-delivered
		synctest.Wait()
		select {
		case r := <-eng.Started:
			t.Errorf("radius %d runs after a cancel", radiusOf(r))
			eng.Finish <- struct{}{}
		default:
		}
		if p.Latest() != 3 {
			t.Errorf("generation %d, want 3", p.Latest())
		}
		p.Wait()
		p.Close()
	})
}
