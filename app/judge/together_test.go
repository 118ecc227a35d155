package judge_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"quell/app/judge"
	"quell/denoise/noise"
	"quell/denoise/verdict"
	"quell/series"
	"quell/volume"
)

// dwi is a diffusion series of some volumes at b = 0 and others at b = 1000, in noise of sigma 10, with the truth of each.
func dwi(zeros, volumes int) (g *series.Group, before, truth []*volume.Volume) {
	g = &series.Group{Gradients: &series.Gradients{}}
	for k := range volumes {
		b, direction := 0.0, volume.Vec{}
		if k >= zeros {
			b, direction = 1000, volume.Vec{math.Cos(float64(k)), math.Sin(float64(k)), 0}
		}
		g.Places = append(g.Places, series.Place{{Axis: "volume", Value: fmt.Sprint(k + 1)}})
		g.Gradients.Volumes = append(g.Gradients.Volumes, series.Gradient{B: b, Direction: direction})
		clean := volume.New(volume.NewGeometry([3]int{48, 48, 6}, [3]float64{2, 2, 2}))
		noisy := volume.New(clean.Geometry)
		for i := range clean.Data {
			x, y := float64(i%48)-24, float64(i/48%48)-24
			if x*x+y*y < 21*21 {
				s := 500.0
				if x*x+y*y < 9*9 {
					s = 800
				}
				clean.Data[i] = float32(s * math.Exp(-b*0.0008))
			}
			noisy.Data[i] = clean.Data[i] + float32(10*noise.Normal(uint64(k+1), uint64(i), 0))
		}
		before, truth = append(before, noisy), append(truth, clean)
	}
	return g, before, truth
}

// mixed is what a filter makes that keeps a share of the noise in every voxel.
func mixed(before, truth []*volume.Volume, share float32) (after []*volume.Volume) {
	for k, v := range before {
		out := volume.New(v.Geometry)
		for i := range out.Data {
			out.Data[i] = truth[k].Data[i] + share*(v.Data[i]-truth[k].Data[i])
		}
		after = append(after, out)
	}
	return after
}

func assessSeries(t *testing.T, g *series.Group, before, after []*volume.Volume) judge.SeriesAssessment {
	t.Helper()
	a, each, err := judge.AssessSeries(t.Context(), g, len(before), func(k int) (judge.Input, error) {
		return judge.Input{Before: &series.Series{Volume: before[k]}, After: after[k], WithoutMap: true}, nil
	})
	if err != nil || len(each) != len(before) {
		t.Fatal(err, len(each))
	}
	return a
}

// line adds a lesion of 3 voxels to a volume.
func line(v *volume.Volume, by float32) {
	for x := range 3 {
		v.Data[v.Index(30+x, 20, 3)] += by
	}
}

// A 4-D series has one verdict. Signal and diffusivity are those that the result has, and a lesion of 8 sigmas in one volume is
// kept, or named with its place.
func TestSeriesTogether(t *testing.T) {
	g, before, truth := dwi(3, 14)
	line(before[9], 80)
	lost := mixed(before, truth, 0.4)
	a := assessSeries(t, g, before, lost)
	if a.Judgement != verdict.Fades || len(a.Lost) != 1 || a.Lost[0].Volume != 9 || a.Lost[0].At[1] != 20 || a.Lost[0].Voxels != 3 || math.Abs(float64(a.Lost[0].Kept)-0.4) > 0.05 {
		t.Errorf("%s %+v", a.Judgement, a.Lost)
	}
	if why := a.Why.String(); !strings.Contains(why, "volume 10, at x 31") && !strings.Contains(why, "volume 10, at x 32") && !strings.Contains(why, "volume 10, at x 33") {
		t.Error(why)
	}
	if d := a.Diffusivity; d == nil || math.Abs(float64(d.Before)-0.0008) > 1e-5 || math.Abs(float64(d.Bias)) > 0.01 {
		t.Errorf("%+v", d)
	}
	if math.Abs(float64(a.NoiseRemoved)-0.6) > 0.1 || a.TSNR != nil || len(a.Contrasts) != 2 {
		t.Errorf("%.2f %+v %+v", a.NoiseRemoved, a.TSNR, a.Contrasts)
	}

	kept := mixed(before, truth, 0.4)
	for x := range 3 {
		i := kept[9].Index(30+x, 20, 3)
		kept[9].Data[i] = before[9].Data[i]
	}
	for k, v := range kept {
		if k >= 3 {
			for i := range v.Data {
				v.Data[i] *= 0.97
			}
		}
	}
	a = assessSeries(t, g, before, kept)
	if len(a.Lost) != 0 {
		t.Errorf("a lesion that is kept is lost: %+v", a.Lost)
	}
	if math.Abs(float64(a.Contrasts[1].Bias)+0.03) > 1e-3 || math.Abs(float64(a.Contrasts[0].Bias)) > 1e-3 {
		t.Errorf("%+v", a.Contrasts)
	}
	if want := -math.Log(0.97) / 0.8; math.Abs(float64(a.Diffusivity.Bias)-want) > 0.003 {
		t.Errorf("a diffusivity of %+v, want a bias of %.3f", a.Diffusivity, want)
	}
}

// What one volume has alone counts from 4 volumes of its contrast, 5 sigmas in the mean of its voxels and 8 together on, up to
// 125 voxels.
func TestLostBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for _, c := range []struct {
		zeros, volume, voxels int // along x, and side of a box from 4 on
		sigmas                float32
		named                 bool
	}{{3, 8, 4, 12, true}, {3, 8, 6, 12, false}, {3, 1, 3, 12, false}, {4, 1, 3, 12, true}, {3, 8, 3, 4.4, false}, {3, 8, 3, 6.5, true}, {3, 8, 1, 6.5, false}, {3, 8, 1, 11, true}} {
		g, before, truth := dwi(c.zeros, 12)
		for x := range c.voxels {
			for k := range max(1, c.voxels*c.voxels*min(c.voxels/4, 1)) {
				i := before[c.volume].Index(30+x, 20+k%c.voxels, 3+k/c.voxels-c.voxels/2)
				before[c.volume].Data[i] = truth[c.volume].Data[i] + 10*c.sigmas
			}
		}
		a := assessSeries(t, g, before, mixed(before, truth, 0.4))
		if named := len(a.Lost) > 0; named != c.named {
			t.Errorf("%+v: %+v", c, a.Lost)
		}
	}
}
