package noise

import (
	"context"
	"errors"
	"math"
	"testing"

	"quell/volume"
)

// wavy is a smooth volume with noise of sigma 10.
func wavy(t *testing.T, dims [3]int, seed uint64) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		x, y, z := i%dims[0], i/dims[0]%dims[1], i/dims[0]/dims[1]
		v.Data[i] = 100 + 60*float32(math.Sin(float64(x)/9)*math.Cos(float64(y)/11)*math.Sin(float64(z)/7))
	}
	noisy, err := AddNoise(t.Context(), v, Gaussian, 10, seed)
	if err != nil {
		t.Fatal(err)
	}
	return noisy
}

// Few windows are read by short differences: the figure errs by a third less than
// the one of sixth differences.
func TestFewWindowsScatterLittle(t *testing.T) {
	for _, dims := range [][3]int{{96, 96, 12}, {128, 128, 8}} {
		short, sixths := 0.0, 0.0
		const seeds = 12
		for seed := range uint64(seeds) {
			v := wavy(t, dims, 100+seed)
			e, err := Of(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			if e.Method != methodDifferences || e.Windows >= manyWindows {
				t.Fatalf("%s, %d windows", e.Method, e.Windows)
			}
			how := windowsOf(v.Geometry)
			f := e.differencesFigure(windowsBySixths(t, v), math.Inf(-1), how, 200)
			short += (e.Sigma/10 - 1) * (e.Sigma/10 - 1) / seeds
			sixths += (f.Sigma/10 - 1) * (f.Sigma/10 - 1) / seeds
		}
		t.Logf("%v: error %.2f %%, of sixth differences %.2f %%", dims, 100*math.Sqrt(short), 100*math.Sqrt(sixths))
		if short > 0.6*sixths {
			t.Errorf("%v: error %.2f %%, of sixth differences %.2f %%", dims, 100*math.Sqrt(short), 100*math.Sqrt(sixths))
		}
	}
}

func windowsBySixths(t *testing.T, v *volume.Volume) []window {
	t.Helper()
	how := windowsOf(v.Geometry)
	if how.of.reach() != sixth.reach() {
		t.Fatal("not measured by sixth differences")
	}
	ws, err := differences(t.Context(), v, how, 0, v.Dims[2], maxWindows)
	if err != nil {
		t.Fatal(err)
	}
	return ws
}

// The lesser of the two figures is taken, whichever it is; and only of few windows of white noise
// that is more than texture.
func TestFewWindowsTakeTheLesserFigure(t *testing.T) {
	lesser := map[int]int{}
	for seed := range uint64(6) {
		v := wavy(t, [3]int{96, 96, 12}, 3+seed)
		how := windowsOf(v.Geometry)
		least, by := math.Inf(1), 0
		for _, of := range []difference{fourth, second} {
			how, ok := windowsBy(of, v.Geometry)
			ws, err := differences(t.Context(), v, how, 0, v.Dims[2], maxWindows)
			if err != nil || !ok {
				t.Fatal(err, ok)
			}
			if s := (Estimate{}).differencesFigure(ws, 0, how, 200).Sigma; s < least {
				least, by = s, of.reach()
			}
		}
		lesser[by]++
		few := Estimate{Figure: Figure{Sigma: 7, Confidence: Fair, Windows: manyWindows - 1}, Method: methodDifferences}
		for name, c := range map[string]struct {
			change func(e *Estimate, how *sampling)
			want   float64
		}{
			"few":        {func(*Estimate, *sampling) {}, least},
			"high":       {func(e *Estimate, _ *sampling) { e.Confidence = High }, least},
			"many":       {func(e *Estimate, _ *sampling) { e.Windows = manyWindows }, 7},
			"texture":    {func(e *Estimate, _ *sampling) { e.Confidence = Low }, 7},
			"correlated": {func(e *Estimate, _ *sampling) { e.Method = methodWindows }, 7},
			"one slice":  {func(_ *Estimate, how *sampling) { how.flat = true }, 7},
			"no noise":   {func(e *Estimate, _ *sampling) { e.Sigma = 0 }, 0},
		} {
			e, how := few, how
			c.change(&e, &how)
			if err := e.refine(t.Context(), v, measurement{how: how, valueRange: 200}); err != nil {
				t.Fatal(err)
			}
			if e.Sigma != c.want {
				t.Errorf("%s: sigma %g, want %g", name, e.Sigma, c.want)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := few.refine(ctx, v, measurement{how: how, valueRange: 200}); !errors.Is(err, context.Canceled) {
			t.Errorf("after a cancel: %v", err)
		}
	}
	if lesser[fourth.reach()] == 0 || lesser[second.reach()] == 0 {
		t.Errorf("one of the two is never the lesser: %v", lesser)
	}
}

// Of a volume with no room for windows white noise has a figure, and texture that is smoother than noise has none.
func TestTextureOfASmallVolume(t *testing.T) {
	const sigma = 10
	g := volume.NewGeometry([3]int{28, 30, 3}, [3]float64{4, 4, 5})
	for seed := range uint64(12) {
		for texture, unknown := range map[float64]bool{0: false, 8: false, 60: true} {
			v := volume.New(g)
			for i := range v.Data {
				x, y := i%28, i/28%30
				smooth := 0.0 // over (1, 3, 1) / 5 along x and y
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						weight := (3 - 2*math.Abs(float64(dx))) * (3 - 2*math.Abs(float64(dy))) / 25
						smooth += weight * Normal(seed+100, uint64((i/840*40+y+dy+1)*40+x+dx+1), 0)
					}
				}
				v.Data[i] = float32(300 + texture*smooth/0.44 + sigma*Normal(seed, uint64(i), 0))
			}
			lo, hi, err := v.Range(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			e, _, err := volumeDifferences(t.Context(), v, lo, hi, Estimate{})
			if err != nil {
				t.Fatal(err)
			}
			if got := e.atMost > 0; got != unknown || got && e.atMost < sigma || !got && math.Abs(e.Sigma/sigma-1) > 0.2 {
				t.Errorf("texture of %g, seed %d: %+v", texture, seed, e.Figure)
			}
		}
	}
}
