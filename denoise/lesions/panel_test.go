package lesions_test

import (
	"context"
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"quell/denoise"
	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/denoise/lesions"
	"quell/denoise/noise"
	"quell/measure/detect"
	"quell/volume"
)

// flat is a volume of white noise of sigma 5 about 100.
func flat(t *testing.T, dims [3]int) *volume.Volume {
	t.Helper()
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 1}))
	for i := range v.Data {
		v.Data[i] = 100
	}
	v, err := noise.AddNoise(context.Background(), v, noise.Gaussian, 5, 11)
	if err != nil {
		t.Fatal(err)
	}
	v.Unit = "HU"
	return v
}

func recipe(t *testing.T, filter string, dims int, set map[string]denoise.Value) denoise.Recipe {
	t.Helper()
	r, err := denoise.NewRecipe(filter, dims)
	if err != nil {
		t.Fatal(err)
	}
	if r, err = r.SetAll(set).Resolve(volume.NewGeometry([3]int{9, 9, 9}, [3]float64{1, 1, 1}), denoise.Facts{Lo: 0, Hi: 200, Noise: noise.Known(5)}); err != nil {
		t.Fatal(err)
	}
	return r
}

func request(v *volume.Volume, r denoise.Recipe, ls ...lesions.Lesion) lesions.Request {
	return lesions.Request{Input: denoise.Input{Volume: v}, Recipe: r, Noise: noise.Known(5), Lesions: ls, Seed: 3}
}

func near(t *testing.T, what string, got, want, share float64) {
	t.Helper()
	if !(math.Abs(got/want-1) <= share) {
		t.Errorf("%s: %.4g, want %.4g within %.3g %%", what, got, want, 100*share)
	}
}

// TestLinearFilterHasTheClosedForm: a Gaussian of variance s^2 through a Gaussian blur of g^2 keeps
// 2 s^2/(2 s^2 + g^2) in its own template, and the blur of a disc grows to the root of the sum of squares.
func TestLinearFilterHasTheClosedForm(t *testing.T) {
	v := flat(t, [3]int{190, 190, 1})
	const g = 1.2
	r := recipe(t, "gaussian", 2, map[string]denoise.Value{"sigma-spatial": denoise.Number(g), "radius": denoise.List(6)})
	p, err := lesions.Measure(context.Background(), cpu.New(), request(v, r,
		lesions.Lesion{Shape: lesions.Gaussian, Size: 6, Contrast: 5}, lesions.Lesion{Shape: lesions.Disc, Size: 7, Contrast: -10}))
	if err != nil {
		t.Fatal(err)
	}
	if p.Places != 64 {
		t.Errorf("%d places, want 64", p.Places)
	}
	near(t, "local SD", p.SD, 5, 0.03)
	gauss, disc := p.Rows[0], p.Rows[1]
	s := math.Hypot(6/2.35482, 0.8)
	near(t, "contrast kept of the Gaussian", gauss.Kept.Value, 2*s*s/(2*s*s+g*g), 0.003)
	near(t, "edge of the disc", float64(disc.EdgeAfter), 2.5631*math.Hypot(0.8, g), 0.02)
	if gauss.EdgeAfter.Finite() {
		t.Errorf("the Gaussian has an edge of %v", gauss.EdgeAfter)
	}
	// White noise: the eye's d' before is that of the closed form for the drawn lesion, and the channels lose nothing by a blur.
	signal := make([]float64, 129*129)
	height := 5 * (s*s - 0.64) / (s * s)
	for i := range signal {
		x, y := float64(i%129-64), float64(i/129-64)
		signal[i] = height * math.Exp(-(x*x+y*y)/(2*s*s))
	}
	want := detect.NonPrewhitening{Eye: detect.UsualEye}.Index(signal, func(_, _ float64) float64 { return 25 })
	if before := gauss.Eye.Before; !(before.Lo < want && want < before.Hi) {
		t.Errorf("d' through the eye is %v, want %.3g", before, want)
	}
	if ratio := gauss.Channels.Ratio; !(ratio.Lo < 1 && 1 < ratio.Hi) {
		t.Errorf("a blur changes d' of the channels by the factor %v", ratio)
	}
	if ratio := disc.Eye.Ratio; !(ratio.Value > 1) {
		t.Errorf("a blur changes d' through the eye by the factor %v", ratio)
	}
}

func TestAFilterThatDoesNothingKeepsAll(t *testing.T) {
	v := flat(t, [3]int{120, 110, 3})
	r := recipe(t, "nlm", 2, map[string]denoise.Value{"h": denoise.Number(1e-6)})
	p, err := lesions.Measure(context.Background(), cpu.New(), request(v, r, lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 15, Slices: 3}))
	if err != nil {
		t.Fatal(err)
	}
	row := p.Rows[0]
	near(t, "contrast kept", row.Kept.Value, 1, 1e-3)
	near(t, "d' through the eye", row.Eye.Ratio.Value, 1, 1e-3)
	near(t, "d' of the channels", row.Channels.Ratio.Value, 1, 1e-3)
	near(t, "edge", float64(row.EdgeAfter), float64(row.EdgeBefore), 0.01)
	if got := p.Visibility(); got.Verdict != lesions.Spared {
		t.Errorf("the verdict is %s: %s", got.Verdict, got.Why)
	}
}

func TestAStrongFilterIsOver(t *testing.T) {
	v := flat(t, [3]int{120, 110, 3})
	r := recipe(t, "nlm", 2, nil)
	q := request(v, r, lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 10, Sigmas: 2}, lesions.Lesion{Shape: lesions.Disc, Size: 7, Contrast: 10, Sigmas: 2})
	p, err := lesions.Measure(context.Background(), cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Visibility(); got.Verdict != lesions.Over || got.Worst.Size != 4 {
		t.Errorf("the verdict is %s: %s", got.Verdict, got.Why)
	}
	if s := p.String(); !strings.HasPrefix(s, "Discs of 7 mm at 2 sigma keep ") || !strings.Contains(s, "; of 4 mm, ") {
		t.Errorf("the sentence is %q", s)
	}
	again, err := lesions.Measure(context.Background(), cpu.New(), q)
	if err != nil || !reflect.DeepEqual(p.Rows[0].Kept, again.Rows[0].Kept) || p.Rows[1].Channels != again.Rows[1].Channels {
		t.Errorf("a second panel differs: %v", err)
	}
	if _, err := json.Marshal(p); err != nil {
		t.Error(err)
	}
}

func TestTooLittleEvenTissue(t *testing.T) {
	r := recipe(t, "gaussian", 2, nil)
	_, err := lesions.Measure(context.Background(), cpu.New(), request(flat(t, [3]int{40, 40, 1}), r, lesions.Lesion{Shape: lesions.Disc, Size: 4, Contrast: 10}))
	if err == nil || !strings.Contains(err.Error(), "too little homogeneous tissue") {
		t.Errorf("the error is %v", err)
	}
	if _, err := lesions.Measure(context.Background(), cpu.New(), request(flat(t, [3]int{120, 110, 1}), r)); err == nil {
		t.Error("a panel without a lesion is measured")
	}
}

// TestKeptIsThatOfRunsOnTheWholeVolume puts a disc, drawn here on a fine grid, at every place of the panel in
// turn and filters the whole volume.
func TestKeptIsThatOfRunsOnTheWholeVolume(t *testing.T) {
	ctx := context.Background()
	v := flat(t, [3]int{110, 100, 1})
	r := recipe(t, "nlm", 2, nil)
	q := request(v, r, lesions.Lesion{Shape: lesions.Disc, Size: 5, Contrast: 10})
	q.Places = lesions.LeastPlaces
	p, err := lesions.Measure(ctx, cpu.New(), q)
	if err != nil {
		t.Fatal(err)
	}
	disc := drawnDisc(2.5, 0.8)
	run := func(v *volume.Volume) *volume.Volume {
		out, err := cpu.New().Run(ctx, r, denoise.Input{Volume: v}, v.Bounds(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	without := run(v)
	var mean, energy float64
	for _, x := range disc {
		energy += x * x
	}
	for _, at := range p.At {
		with := v.Clone()
		for d, x := range disc {
			with.Data[v.Index(at[0]+d[0], at[1]+d[1], 0)] += float32(10 * x)
		}
		result := run(with)
		for d, x := range disc {
			i := v.Index(at[0]+d[0], at[1]+d[1], 0)
			mean += x * float64(result.Data[i]-without.Data[i]) / (10 * energy * float64(len(p.At)))
		}
	}
	near(t, "contrast kept", p.Rows[0].Kept.Value, mean, 0.005)
	if p.Rows[0].Kept.Hi-p.Rows[0].Kept.Lo > 0.1 {
		t.Errorf("the interval is %v", p.Rows[0].Kept)
	}
}

// drawnDisc is a disc of contrast 1 with a Gaussian blur, summed on a grid of a tenth of a pixel.
func drawnDisc(radius, blur float64) map[[2]int]float64 {
	const parts = 10
	var inside [][2]float64
	for i := -40; i <= 40; i++ {
		for j := -40; j <= 40; j++ {
			x, y := (float64(i)+0.5)/parts, (float64(j)+0.5)/parts
			if x*x+y*y <= radius*radius {
				inside = append(inside, [2]float64{x, y})
			}
		}
	}
	disc := map[[2]int]float64{}
	for dx := -6; dx <= 6; dx++ {
		for dy := -6; dy <= 6; dy++ {
			for _, p := range inside {
				x, y := float64(dx)-p[0], float64(dy)-p[1]
				disc[[2]int{dx, dy}] += math.Exp(-(x*x+y*y)/(2*blur*blur)) / (2 * math.Pi * blur * blur * parts * parts)
			}
		}
	}
	return disc
}
