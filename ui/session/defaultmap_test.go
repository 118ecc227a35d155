package session_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"

	"quell/app"
	"quell/app/job"
	"quell/app/workbench"
	"quell/denoise"
	"quell/denoise/noise"
	"quell/phantom"
	"quell/series"
	"quell/ui/session/desk"
	"quell/ui/session/preview"
)

// risingSeries is a head with noise that rises from side to side, or with even noise.
func risingSeries(t *testing.T, rise float64) *series.Series {
	t.Helper()
	p, err := phantom.New("mr", phantom.Size{Dims: [3]int{128, 150, 6}, Spacing: [3]float64{1.5, 1.5, 2}})
	if err != nil {
		t.Fatal(err)
	}
	v, err := p.Voxels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.Data {
		v.Data[i] += float32((10 - rise/2 + rise*float64(i%128)/128) * noise.Normal(9, uint64(i), 0))
	}
	return &series.Series{Meta: series.Meta{Format: "test", Modality: "MR"}, Volume: v}
}

// Automatic strengths follow the noise map by themselves if the noise differs from place to place, as those of a job do;
// not under even noise or with a number. A touch changes nothing.
func TestTheNoiseMapIsFollowedByItself(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		rise  float64
		touch func(b *bench)
		want  bool
	}{
		{"rising", 14, func(*bench) {}, true},
		{"even", 0, func(*bench) {}, false},
		{"a number", 14, func(b *bench) { b.Tuning.Set(b.tuned(20), true) }, false},
		{"a touch", 14, func(b *bench) { b.State().Cut().Scroll(1) }, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			p := &proposer{none: true, gate: make(chan struct{})}
			b := proposing(t, p, "nlm") // a filter that was chosen earlier is no touch
			s := risingSeries(t, x.rise)
			b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
			b.loop.until("a proposal is being found", func() bool { return b.Series() == s && b.Proposals.Now().Finding })
			x.touch(b)
			close(p.gate)
			b.settle()
			if b.Noise.Follows() != x.want || b.Noise.Map() != nil || b.status() != preview.Slice {
				t.Errorf("follows %t, status %v; want %t and a preview", b.Noise.Follows(), b.status(), x.want)
			}
			auto := b.Tuning.Recipe()
			b.Tuning.Set(b.tuned(20), true)
			if b.settle(); b.Noise.Follows() {
				t.Error("a number is run under the map")
			}
			b.Tuning.Set(auto, true)
			if b.settle(); b.Noise.Follows() != x.want {
				t.Errorf("with the recipe of before it follows: %t", b.Noise.Follows())
			}
			if b.Noise.Follows() {
				b.Noise.ToggleFollow()
				if b.settle(); b.Noise.Follows() {
					t.Error("the map comes back after the user left it")
				}
			}
		})
	}
}

// The bound of the dial is that of the proposed filter under the map that it follows.
func TestTheBoundIsThatUnderTheMap(t *testing.T) {
	p := &proposer{filter: "nlm"}
	b := proposing(t, p, "")
	s := risingSeries(t, 14)
	b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
	b.settle()
	b.loop.until("the map is followed", b.Noise.Follows)
	if b.settle(); b.Dial.Bound() != 100 {
		t.Errorf("a bound of %g, want 100", b.Dial.Bound())
	}
}

// With a filter that was chosen earlier, too, a run follows the noise map or does not however soon it is asked for; under even
// noise it does not wait.
func TestARunWaitsForTheNoiseMapThatItFollows(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name  string
		rise  float64
		soon  bool
		waits bool
	}{{"rising, soon", 14, true, true}, {"rising, late", 14, false, false}, {"even, soon", 0, true, false}} {
		t.Run(x.name, func(t *testing.T) {
			p := &proposer{none: true, gate: make(chan struct{})}
			b := proposing(t, p, "nlm")
			s := risingSeries(t, x.rise)
			b.Reader.OpenWith(func(context.Context) (*series.Series, error) { return s, nil })
			b.loop.until("a proposal is being found", func() bool { return b.Series() == s && b.Proposals.Now().Finding })
			if !x.soon {
				close(p.gate)
				b.settle()
			}
			b.Proposals.Await(b.Results.Apply)
			if b.Proposals.Now().Awaited != x.waits {
				t.Errorf("it waits: %t; want %t", b.Proposals.Now().Awaited, x.waits)
			}
			if x.soon {
				close(p.gate)
			}
			b.settle()
			if run := b.Results.Exportable(); run == nil || (run.Maps.Noise != nil) != (x.rise > 0) {
				t.Errorf("the run is %v; want one that follows the map: %t", run, x.rise > 0)
			}
		})
	}
}

// Runs that followed the noise map are restored with it, and other runs without.
func TestMappedWorkIsOpenedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	t.Parallel()
	kept, err := workbench.NewAutosave(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Remove()
	path := filepath.Join(t.TempDir(), "rising.nii.gz")
	if _, err := app.DoOn(t.Context(), app.On{Series: risingSeries(t, 14)}, job.Job{Output: job.Output{Path: path}}, job.Events{}); err != nil {
		t.Fatal(err)
	}
	b := newBenchWith(t, func(d *desk.Deps) { d.SaveRun = kept.SaveRun })
	b.Reader.Open(path)
	b.settle()
	b.Results.Apply()
	b.settle()
	b.Noise.ToggleFollow()
	b.settle()
	b.Results.Apply()
	b.settle()
	check := func(follows bool, number int) {
		t.Helper()
		work, _ := b.Work()
		data, err := json.Marshal(work)
		if err != nil {
			t.Fatal(err)
		}
		var again workbench.SavedSeries
		if err := json.Unmarshal(data, &again); err != nil || again.Mapped != follows || len(again.Runs) != 2 || again.Runs[0].Mapped || !again.Runs[1].Mapped {
			t.Fatalf("%s, %v", data, err)
		}
		next, done := restore(t, again, kept.LoadRun)
		if !done || len(next.errors) > 0 || next.Noise.Follows() != follows || next.status() != preview.Whole {
			t.Fatalf("opened %t, errors %v, follows %t, status %v", done, next.errors, next.Noise.Follows(), next.status())
		}
		list := next.Results.List()
		if len(list) != 2 || !list[number-1].Shown || list[2-number].Shown || !list[1].Run.Resolved.Equal(b.Results.List()[1].Run.Resolved) {
			t.Errorf("%+v; want run %d", list, number)
		}
		same, err := denoise.FactsFor(t.Context(), denoise.Input{Volume: next.Series().Volume, Noise: list[1].Run.Maps.Noise})
		if err != nil || list[1].Run.Facts.Noise.Sigma != same.Noise.Sigma {
			t.Errorf("sigma %g under the map; want %g, %v", list[1].Run.Facts.Noise.Sigma, same.Noise.Sigma, err)
		}
	}
	check(true, 2)
	b.Noise.ToggleFollow()
	b.settle()
	check(false, 1)
}
