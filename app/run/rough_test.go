package run_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"quell/app/run"
	"quell/denoise"
	"quell/denoise/cpu"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/volume"
)

// Filters compete in noise that is known roughly, by its low end; noise that is unknown proposes nothing.
func TestRoughNoiseIsActedOn(t *testing.T) {
	s := even(t, [3]int{128, 128, 1}, 10, 0)
	e := noise.Known(10)
	e.Low, e.High, e.Confidence = 6, 40, noise.Low
	facts, err := denoise.FactsWith(t.Context(), s.Volume, e)
	if err != nil {
		t.Fatal(err)
	}
	p, err := run.ProposeFilter(t.Context(), cpu.New(), run.ProposalRequest{Series: s, Facts: &facts})
	if err != nil {
		t.Fatal(err)
	}
	if p.Filter == "" || !verdict.Usual.Within(p.Choices[0].Figures) || float64(p.Choices[0].NoiseRemoved) < verdict.Usual.Little {
		t.Errorf("%s %s", p, p.Why)
	}
	facts = denoise.Facts{Noise: noise.Estimate{Figure: noise.Figure{Confidence: noise.None}}}
	if p, err := run.ProposeFilter(t.Context(), cpu.New(), run.ProposalRequest{Series: s, Facts: &facts}); err != nil || p.Filter != "" || p.Why.IsZero() {
		t.Errorf("unknown noise: %s, %v", p, err)
	}
}

// counted is an engine that counts the runs of each filter.
type counted struct {
	denoise.Engine
	sync.Mutex
	runs map[string]int
}

func (c *counted) Run(ctx context.Context, r denoise.Recipe, in denoise.Input, box volume.Region, p denoise.Progress) (*volume.Volume, error) {
	c.Lock()
	c.runs[r.Filter]++
	c.Unlock()
	return c.Engine.Run(ctx, r, in, box, p)
}

// Filters that few regions show to lose run in no others.
func TestFiltersThatLoseRunInFewRegions(t *testing.T) {
	s := even(t, [3]int{192, 192, 2}, 10, 0)
	e := noise.Known(10)
	e.Low, e.High, e.Confidence = 3, 40, noise.Low
	facts, err := denoise.FactsWith(t.Context(), s.Volume, e)
	if err != nil {
		t.Fatal(err)
	}
	engine := &counted{Engine: cpu.New(), runs: map[string]int{}}
	p, err := run.ProposeFilter(t.Context(), engine, run.ProposalRequest{Series: s, Facts: &facts})
	if err != nil || p.Filter == "" {
		t.Fatal(p.Why, err)
	}
	least, best := p.Choices[0].Regions, float64(p.Choices[0].NoiseRemoved)
	lost := 0
	for _, c := range p.Choices {
		switch share, n := float64(c.NoiseRemoved)/best, engine.runs[c.Filter]; {
		case share > 0.87 && n < least, share < 0.83 && n >= least:
			t.Errorf("%s removes %.2f of what %s does, and ran in %d regions of %d", c.Filter, share, p.Filter, n, least)
		case share < 0.83:
			lost++
		}
	}
	if lost == 0 {
		t.Errorf("no filter loses: %s", p)
	}
}

// What a proposal says is removed and kept is what the dial of the run says, under a noise map too.
func TestAProposalAndItsRunSayOneThing(t *testing.T) {
	plain := even(t, [3]int{128, 128, 1}, 10, 0)
	v := plain.Volume.Clone()
	for i := range v.Data { // three times the noise on the right
		v.Data[i] = 1000 + (v.Data[i]-1000)*float32(1+2*(i%128)/127)
	}
	for name, s := range map[string]*series.Series{"homogeneous": plain, "by place": {Volume: v}} {
		q := run.ProposalRequest{Series: s, IfVaries: true}
		p, err := run.ProposeFilter(t.Context(), cpu.New(), q)
		if err != nil || p.Filter == "" {
			t.Fatalf("%s: %s %v", name, p.Why, err)
		}
		if mapped := p.Maps.Noise != nil; mapped != run.NoiseVaries(*p.Facts) {
			t.Errorf("%s: under a map: %t", name, mapped)
		}
		best := p.Choices[0]
		asked, err := best.Asked()
		if err != nil {
			t.Fatal(err)
		}
		for _, maps := range []run.Maps{p.Maps, {}} { // known, and found again
			r, err := run.Denoise(t.Context(), cpu.New(), run.Request{Series: s, Recipe: asked, Facts: p.Facts, Maps: maps, IfVaries: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			d := r.Tuned.Dial
			if d == nil || d.Noise != 1-float64(best.NoiseRemoved) || d.Kept != float64(best.ContrastKept) || d.Texture != float64(best.TextureKept) || math.Abs(d.Possible-1+best.Possible) > 1e-12 {
				t.Errorf("%s: the proposal %+v, the run %+v", name, best.Figures, d)
			}
		}
	}
}

// The volumes in the middle show the noise of a 4-D series; if all of them moved, those beside them do.
func TestVolumesThatRepeatEachOther(t *testing.T) {
	for _, c := range []struct {
		n, moved, still int // volumes, and those that each are at another place
		read            []int
	}{
		{2, 0, 0, []int{0, 1}},
		{6, 0, 0, []int{0, 1, 2, 3, 4, 5}},
		{7, 0, 0, []int{0, 1, 2, 3, 4, 5}},
		{15, 0, 0, []int{4, 5, 6, 7, 8, 9}},
		{6, 0, 6, []int{0, 1, 2, 3, 4, 5}},
		{10, 2, 8, []int{2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{30, 0, 30, []int{12, 13, 14, 15, 16, 17, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17}},
	} {
		g := &series.Group{}
		for k := range c.n {
			g.Places = append(g.Places, series.Place{{Axis: "volume", Value: fmt.Sprint(k + 1)}})
		}
		var read []int
		found, err := run.FindAlike(t.Context(), g, func(_ context.Context, k int) (*series.Series, error) {
			read = append(read, k)
			v := volume.New(volume.NewGeometry([3]int{64, 64, 3}, [3]float64{1, 1, 1}))
			for i := range v.Data {
				x := i % 64
				if k >= c.moved && k < c.still {
					x = (x + 23*k) % 64
				}
				v.Data[i] = float32(1000 + 300*math.Sin(float64(x)/10) + 5*noise.Normal(uint64(k), uint64(i), 0))
			}
			return &series.Series{Volume: v}, nil
		})
		if err != nil || !slices.Equal(read, c.read) {
			t.Errorf("%+v: read %v, %v", c, read, err)
		}
		if none := c.moved == 0 && c.still == c.n && c.still > 0; none != (found == nil) || found != nil && math.Abs(found.Sigma/5-1) > 0.05 {
			t.Errorf("%+v: %+v", c, found)
		}
	}
}
