package judge_test

import (
	"fmt"
	"math"
	"testing"

	"quell/app/engines"
	"quell/app/judge"
	"quell/app/run"
)

// Slices of a CT that have noise of their own are filtered each by its own: by the default the same share of it is left in all, and
// their verdicts are of a kind.
func TestSlicesWithNoiseOfTheirOwn(t *testing.T) {
	for _, a := range []anatomy{
		{name: "thick", dims: [3]int{128, 128, 10}, spacing: [3]float64{1, 1, 5}, round: true, seed: 31},
		{name: "thin", dims: [3]int{112, 112, 12}, spacing: [3]float64{1, 1, 1}, seed: 134},
	} {
		if testing.Short() && a.name == "thick" {
			continue
		}
		rise := 6.1 / 2.6
		if a.spacing[2] < 2 { // half of a head
			rise = math.Sqrt(rise)
		}
		a.sigma, a.colour = 1, 0.7
		made := a.make(t)
		s := made.series[0]
		n := s.Volume.SliceVoxels()
		truth := func(z int) float64 { return 2.6 * math.Pow(rise, float64(z)/float64(a.dims[2]-1)) }
		for i, x := range made.truth.Data {
			s.Volume.Data[i] = x + (s.Volume.Data[i]-x)*float32(truth(i/n))
		}
		ctx, eng := t.Context(), engines.CPU()
		p, err := run.ProposeFilter(ctx, eng, run.ProposalRequest{Series: s, IfVaries: true})
		if err != nil || p.Filter == "" {
			t.Fatalf("%s: %s, %v", a.name, p.Why, err)
		}
		asked, err := p.Choices[0].Asked()
		if err != nil {
			t.Fatal(err)
		}
		done, err := run.Denoise(ctx, eng, run.Request{Series: s, Recipe: asked, IfVaries: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if done.Maps.Noise == nil {
			t.Fatalf("%s: the slices have one sigma", a.name)
		}
		m, err := judge.Assess(ctx, judge.Input{Before: s, After: done.Result, Maps: done.Maps, Recipe: &done.Resolved, Made: true, Facts: done.Facts, WithoutMap: true})
		if err != nil {
			t.Fatal(err)
		}
		least, most := math.Inf(1), 0.0
		for z, slice := range m.Slices {
			var before, after, count float64
			for i := z * n; i < (z+1)*n; i++ {
				if made.even[i] {
					b, r := float64(s.Volume.Data[i]-made.truth.Data[i]), float64(done.Result.Data[i]-made.truth.Data[i])
					before, after, count = before+b*b, after+r*r, count+1
				}
			}
			left := math.Sqrt(after / before)
			if asked.Dims == 2 || 0 < z && z < a.dims[2]-1 { // filters that mix slices have fewer at the ends
				least, most = min(least, left), max(most, left)
			}
			if e := slice.Sigma / truth(z); e < 0.8 || e > 1.2 || // as estimates of single slices are
				slice.Judgement != m.Judgement {
				t.Errorf("%s, slice %d: sigma %.2f of %.2f, %.2f of the noise left in %g voxels, %s: %s", a.name, z, slice.Sigma, truth(z), left, count, slice.Judgement, fmt.Sprint(slice.Why))
			}
		}
		t.Logf("%s: %s %g, %.3f to %.3f of the noise left, %s", a.name, p.Filter, p.Choices[0].Strength, least, most, m.Judgement)
		if most > 1.1*least {
			t.Errorf("%s: %.3f to %.3f of the noise is left", a.name, least, most)
		}
	}
}
