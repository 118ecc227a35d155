package noise

import (
	"math"
	"testing"

	"quell/denoise/noise/noisetest"
	"quell/volume"
)

// The word follows from the width of the interval, and so does what automatic values follow.
func TestWordsOfIntervals(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      Confidence
		acting    float64
	}{
		{9.1, 10.9, High, 10}, {9, 11, High, 10}, {8.9, 11, Fair, 10}, {9, 11.1, Fair, 10}, {8.01, 11.99, Fair, 10},
		{7.9, 11, Low, 7.9}, {9, 12.1, Low, 9}, {10, 30, Low, 10}, {11, 9, High, 10}, // which hold the best value
	} {
		f := Figure{Sigma: 10}
		f.span(c.low, c.high)
		if f.Confidence != c.want || f.Acting() != c.acting || f.Low > 10 || f.High < 10 {
			t.Errorf("%g to %g: %+v, acts at %g", c.low, c.high, f, f.Acting())
		}
		if f.Advice().IsZero() != (c.want != Low) {
			t.Errorf("%g to %g: %q", c.low, c.high, f.Advice())
		}
	}
	f := Figure{}
	if f.span(0, 5); f.Confidence != Low || f.Acting() != 0 {
		t.Errorf("up to 5: %+v", f)
	}
	if f.span(0, 0); f.Confidence != High {
		t.Errorf("no noise: %+v", f)
	}
	if f = (Figure{Sigma: 3, Confidence: None}); !f.Advice().IsZero() {
		t.Error("advice without a figure")
	}
}

// evenDisc returns slices of an object of even parts whose levels differ.
func evenDisc(dims [3]int) *volume.Volume {
	v := volume.New(volume.NewGeometry(dims, [3]float64{1, 1, 5}))
	for i := range v.Data {
		x, y := float64(i%dims[0])/float64(dims[0])-0.5, float64(i/dims[0]%dims[1])/float64(dims[1])-0.5
		if r := math.Hypot(x, y); r < 0.45 {
			v.Data[i] = float32(1000 + 100*x)
		}
	}
	return v
}

// Homogeneous windows hold the noise that differences lose, whatever coloured it, and of every number of slices.
func TestNoiseOfHomogeneousWindows(t *testing.T) {
	const sigma = 30 // which covers the ringing of the edge
	for i, k := range noisetest.Scanners {
		if max(k.Rho(1, 0), k.Rho(0, 1)) > 0.65 {
			continue // a fit takes much of what so many neighbours share
		}
		for _, slices := range []int{1, 2, 7} {
			e, err := Of(t.Context(), k.Scan(evenDisc([3]int{160, 160, slices}), sigma, uint64(i)))
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(e.Sigma/sigma-1) > 0.2 || e.Low > sigma || e.High < sigma || e.Rough() || len(e.Evidence) == 0 {
				t.Errorf("%s, %d slices: %+v by %s", k.Name, slices, e.Figure, e.Method)
			}
		}
	}
}

// Anatomy that fills the windows widens the interval of the finest detail, and is no figure.
func TestAnatomyIsNoNoise(t *testing.T) {
	v := evenDisc([3]int{120, 120, 6})
	v.Modality = "MR"
	for i := range v.Data {
		x, y := float64(i%120), float64(i/120%120)
		if v.Data[i] > 0 {
			v.Data[i] += float32(60 * math.Sin(x/2.2) * math.Cos(y/2.7))
		}
	}
	noisy, err := AddNoise(t.Context(), v, Gaussian, 20, 3)
	if err != nil {
		t.Fatal(err)
	}
	e, err := Of(t.Context(), noisy)
	if err != nil {
		t.Fatal(err)
	}
	if e.Method != methodDifferences || e.Acting() > 1.2*20 || e.Acting() < 0.7*20 || e.High < 20 {
		t.Errorf("%+v by %s", e.Figure, e.Method)
	}
}

// Every size is borne, and padding is not measured.
func TestWindowsOfSmallVolumes(t *testing.T) {
	for nx := 1; nx <= 12; nx++ {
		for ny := 1; ny <= 12; ny += 3 {
			for nz := 1; nz <= 3; nz++ {
				v := volume.New(volume.NewGeometry([3]int{nx, ny, nz}, [3]float64{1, 1, 1}))
				v.Mask = make([]bool, len(v.Data))
				for i := range v.Data {
					v.Data[i], v.Mask[i] = float32(100+Normal(1, uint64(i), 0)), i%7 > 0
				}
				if _, err := Of(t.Context(), v); err != nil {
					t.Fatal(err)
				}
				v.Mask = nil
				if _, err := Of(t.Context(), v); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// Repeats of a 4-D series take the place of what one volume shows, unless that allows no such noise.
func TestEstimateOverTime(t *testing.T) {
	e := Known(3)
	r := Repeats{Repeat: Repeat{Figure: Figure{Sigma: 4.5, Confidence: Fair, Windows: 300}, PerSlice: []Figure{{Sigma: 4.5, Confidence: Fair}}}, Pairs: 4, Apart: 1}
	if got := e.OverTime(&r); got.Sigma != 4.5 || got.Low >= 4.5 || got.High <= 4.5 || got.Evidence[0].Kind != OverTime || got.PerSlice[0].High <= 4.5 {
		t.Errorf("%+v", got)
	}
	if r.Sigma = 4.7; e.OverTime(&r).Sigma != 3 {
		t.Error("more than the volume allows")
	}
	if e.High = 5; e.OverTime(&r).Sigma != 4.7 {
		t.Error("the interval of the volume allows it")
	}
	if e.Confidence = None; e.OverTime(&r).Sigma != 4.7 {
		t.Error("of a volume that shows nothing")
	}
	r.Confidence = None
	if got := e.OverTime(&r); got.Sigma != 3 {
		t.Errorf("without a figure: %+v", got)
	}
	if got := e.OverTime(nil); got.Sigma != 3 {
		t.Errorf("without repeats: %+v", got)
	}
}
