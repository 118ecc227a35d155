package denoise

import (
	"context"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/volume"
)

// patchErrors returns the errors of the means of patches at each t, by the definition, in the
// voxels that are looked at.
func patchErrors(truth, noisy *volume.Volume) (errors [alikeSteps]float64) {
	g := truth.Geometry
	at := func(x, y, z int) float64 { return float64(noisy.At(x, y, z)) }
	sum := 0.0
	for d := -1; d <= 1; d++ {
		sum += math.Exp(-0.5 * float64(d*d))
	}
	for z := range g.Dims[2] {
		for y := 4; y < g.Dims[1]-4; y++ {
			for x := 4; x < g.Dims[0]-4; x++ {
				num, den := [alikeSteps]float64{}, [alikeSteps]float64{}
				for dy := -3; dy <= 3; dy++ {
					for dx := -3; dx <= 3; dx++ {
						distance := 0.0
						for ky := -1; ky <= 1; ky++ {
							for kx := -1; kx <= 1; kx++ {
								d := (at(x+kx, y+ky, z) - at(x+dx+kx, y+dy+ky, z)) / 10
								distance += math.Exp(-0.5*float64(kx*kx+ky*ky)) / (sum * sum) * d * d
							}
						}
						for k := range errors {
							w := math.Exp(-distance / (25 / math.Pow(2, float64(k))))
							num[k], den[k] = num[k]+w*at(x+dx, y+dy, z), den[k]+w
						}
					}
				}
				for k := range errors {
					e := num[k]/den[k] - float64(truth.At(x, y, z))
					errors[k] += e * e
				}
			}
		}
	}
	return errors
}

// What is measured without the truth is the t of the least error, in noise that is white or
// correlated.
func TestAlikePatchesIsWhereTheErrorIsLeast(t *testing.T) {
	var last float64
	for _, s := range []scene{{height: 60, period: 8}, {height: 60, period: 16}, {height: 60, period: 16, shared: true}, {height: 20, period: 16, shared: true}} {
		truth, noisy, f := s.volumes([3]int{64, 64, 2}, 1)
		got, err := f.alikePatches(t.Context(), noisy)
		if err != nil {
			t.Fatal(err)
		}
		if want := mostAlikePatches * leastRisk(patchErrors(truth, noisy)); math.Abs(math.Log(got/want)) > 0.08 || want < last {
			t.Errorf("%+v: %.3f sigma; the least error is at %.3f, want it beyond %.3f", s, got, want, last)
		}
		last = got
	}
}

// The derivative of the distance and the risk of one voxel are as of differences along the
// correlation of the noise.
func TestRiskOfAPatch(t *testing.T) {
	var white, shared view
	white[white.around(0, 0)], shared[shared.around(0, 0)] = 1, 1
	for i, rho := range []float64{0.5, -0.25, 0.125} {
		shared[shared.around(i+1, i)], shared[shared.around(-i-1, -i)] = rho, rho
	}
	checkRisk(t, &white)
	checkRisk(t, &shared)
}

func checkRisk(t *testing.T, rho *view) {
	t.Helper()
	g := volume.NewGeometry([3]int{viewSide, viewSide, 1}, [3]float64{1, 1, 1})
	v := volume.New(g)
	for i := range v.Data {
		v.Data[i] = float32(math.Round(64*3*noise.Normal(4, uint64(i), 0))) / 64
	}
	const sigma, e = 2, 1.0 / 64
	middle := g.Index(patchView, patchView, 0)
	read := func(by float32) (near view) {
		moved := v.Clone()
		for i := range moved.Data {
			moved.Data[i] += by * float32(rho[i])
		}
		if !near.read(moved, inUnits(sigma), middle) {
			t.Fatal("the middle cannot be read")
		}
		return near
	}
	here, more, less := read(0), read(e), read(-e)
	mean := func(near *view, width float64) float64 {
		num, den := 0.0, 1.0
		for y := -patchSearch; y <= patchSearch; y++ {
			for x := -patchSearch; x <= patchSearch; x++ {
				if x != 0 || y != 0 {
					d, _ := near.distance(rho, x, y)
					w := math.Exp(-d / (width * width))
					num, den = num+w*near[near.around(x, y)], den+w
				}
			}
		}
		return num / den
	}
	for y := -patchSearch; y <= patchSearch; y++ {
		for x := -patchSearch; x <= patchSearch; x++ {
			_, slope := here.distance(rho, x, y)
			a, _ := more.distance(rho, x, y)
			b, _ := less.distance(rho, x, y)
			if want := (a - b) / (2 * e / sigma); (x != 0 || y != 0) && math.Abs(slope-want) > 1e-6*(1+math.Abs(want)) {
				t.Errorf("the slope of the distance to %d, %d is %g; want %g", x, y, slope, want)
			}
		}
	}
	var risk [alikeSteps]float64
	here.addRisks(rho, &risk)
	here.addRisks(rho, &risk)
	for k := range risk {
		width := mostAlikePatches / math.Pow(2, float64(k)/2)
		moved := mean(&here, width)
		kept := 1 + (mean(&more, width)-mean(&less, width))/(2*e/sigma)
		if want := 2 * (moved*moved - 1 + 2*kept); math.Abs(risk[k]-want) > 1e-3*(1+math.Abs(want)) {
			t.Errorf("at %.2f sigma the risk is %g; want %g", width, risk[k], want)
		}
	}
}

func inUnits(sigma float64) func(float32) float64 { return Facts{Noise: noise.Known(sigma)}.inSigmas() }

// Nothing is measured at the edge of a slice, next to padding, or without noise that
// counts.
func TestLimitsOfAlikePatches(t *testing.T) {
	g := volume.NewGeometry([3]int{10, 11, 1}, [3]float64{1, 1, 1})
	v := volume.New(g)
	for y := range 11 {
		for x := range 10 {
			var near view
			if got, want := near.read(v, inUnits(1), g.Index(x, y, 0)), x >= 4 && x <= 5 && y >= 4 && y <= 6; got != want {
				t.Errorf("%d, %d: %t", x, y, got)
			}
		}
	}
	v.Mask = make([]bool, len(v.Data))
	for i := range v.Mask {
		v.Mask[i] = i != g.Index(0, 2, 0)
	}
	for x, want := range map[int]bool{4: false, 5: true} {
		var near view
		if got := near.read(v, inUnits(1), g.Index(x, 6, 0)); got != want {
			t.Errorf("padding %d voxels away: %t", x, got)
		}
	}
	for name, c := range map[string]struct {
		side   int
		change func(*Facts)
		some   bool
	}{
		"enough":     {40, func(*Facts) {}, true},
		"few":        {39, func(*Facts) {}, false}, // 31 x 31 voxels
		"no noise":   {40, func(f *Facts) { f.Noise.Sigma = 0 }, false},
		"correlated": {40, func(f *Facts) { f.Noise.Correlation = &noise.Correlation{} }, true},
	} {
		_, v, f := scene{height: 60, period: 12}.volumes([3]int{c.side, c.side, 1}, 1)
		c.change(&f)
		if got, err := f.alikePatches(t.Context(), v); err != nil || (got > 0) != c.some {
			t.Errorf("%s: %g, %v", name, got, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, w, f := scene{}.volumes([3]int{40, 40, 1}, 1)
	if _, err := f.alikePatches(ctx, w); err == nil {
		t.Error("no error though it was cancelled")
	}
	f.Noise.Negligible = true
	if _, err := f.alikePatches(ctx, w); err == nil {
		t.Error("no error though it was cancelled")
	}
}

// Of a magnitude image what is measured is the value of the stabilised one, which filters
// see.
func TestAlikeOfMagnitudes(t *testing.T) {
	_, v, f := scene{height: 60, period: 8}.volumes([3]int{48, 48, 2}, 1)
	for i, x := range v.Data {
		v.Data[i] = max(x-60, 0)
	}
	f.Noise.Model = noise.Rician
	seen, err := Input{Volume: v}.Stabilised(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	known := Facts{Noise: noise.Known(1), Foreground: f.Foreground}
	for name, measure := range map[string]func(Facts, *volume.Volume) (float64, error){
		"voxels":  func(f Facts, v *volume.Volume) (float64, error) { return f.alike(t.Context(), v) },
		"patches": func(f Facts, v *volume.Volume) (float64, error) { return f.alikePatches(t.Context(), v) },
	} {
		want, err := measure(known, seen.Volume)
		if err != nil {
			t.Fatal(err)
		}
		for lo, same := range map[float32]bool{0: true, -1: false} {
			f.Lo = lo
			if got, err := measure(f, v); err != nil || (math.Abs(got/want-1) < 1e-4) != same {
				t.Errorf("%s, values from %g: %.4f, %v; %.4f of the stabilised volume", name, lo, got, err, want)
			}
		}
	}
}
