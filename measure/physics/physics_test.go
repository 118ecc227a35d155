package physics

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"quell/measure"
)

const (
	side, pixel = 240, 0.5
	blur        = 0.6 // mm
)

// phantom is a disc of 12 mm and white noise.
func phantom(seed uint64, contrast, sigma float64) measure.Slice {
	r := rand.New(rand.NewPCG(seed, 5))
	s := measure.Slice{Values: make([]float32, side*side), Width: side, Height: side, Pixel: [2]float64{pixel, pixel}}
	for i := range s.Values {
		d := math.Hypot(float64(i%side)*pixel-60.2, float64(i/side)*pixel-59.7) - 12
		// Of a straight edge; the curve of the rim adds less than a thousandth.
		s.Values[i] = float32(contrast*math.Erfc(d/(blur*math.Sqrt2))/2 + sigma*r.NormFloat64())
	}
	return s
}

// The rod that is found by itself in slices gives the d' of the closed form within 3 %, up to its error.
func TestFiguresOfAPhantom(t *testing.T) {
	const sigma = 10.0
	var before, after []measure.Slice
	for seed := range uint64(3) {
		s := phantom(seed, 1000, sigma)
		half := s
		half.Values = make([]float32, len(s.Values))
		for i, v := range phantom(seed, 1000, 0).Values {
			half.Values[i] = v + (s.Values[i]-v)/2
		}
		before, after = append(before, s), append(after, half)
	}
	f, err := Measure(context.Background(), Request{Before: before, After: after, Diameters: []float64{3, 5}, Contrast: 10})
	if err != nil || f.Spectra == nil || len(f.Rods) != 1 || len(f.Tasks) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	if math.Abs(f.Rods[0].Contrast-1000) > 10 || math.Abs(f.Rods[0].Radius-12) > 0.1 {
		t.Errorf("rod of %g, radius %g", f.Rods[0].Contrast, f.Rods[0].Radius)
	}
	if off := float64(f.Rods[0].Original.F50.At)/(math.Sqrt(2*math.Ln2)/(2*math.Pi*blur)) - 1; math.Abs(off) > 0.02 {
		t.Errorf("f50 off by %g", off)
	}
	for _, task := range f.Tasks {
		// d'^2 = int W^2 T^2 / N.
		sum, step := 0.0, 1e-4
		for u := step / 2; u < 1; u += step {
			w := 10 * task.Diameter / 2 * math.J1(math.Pi*task.Diameter*u) / u * math.Exp(-2*math.Pi*math.Pi*blur*blur*u*u)
			sum += 2 * math.Pi * u * step * w * w
		}
		want := math.Sqrt(sum) / (sigma * pixel)
		if off := float64(task.Before.NPW.Value)/want - 1; math.Abs(off) > 0.03+2*float64(task.Before.NPW.Error)/want {
			t.Errorf("disc of %g mm: d' %g ± %g, want %g", task.Diameter, task.Before.NPW.Value, task.Before.NPW.Error, want)
		}
		if gain := float64(task.After.NPW.Value / task.Before.NPW.Value); math.Abs(gain-2) > 0.04 {
			t.Errorf("half the noise: d' %g times as large", gain)
		}
		if !(task.Before.Eye.Value > 0 && task.Before.Eye.Value < task.Before.NPW.Value) {
			t.Errorf("through the eye d' %g of %g", task.Before.Eye.Value, task.Before.NPW.Value)
		}
	}
}

func TestReasonsInTheirPlaces(t *testing.T) {
	f, err := Measure(context.Background(), Request{Before: []measure.Slice{phantom(1, 0, 10)}})
	if err != nil || f.Spectra == nil || len(f.Rods) != 0 || !strings.Contains(f.NoTask.String(), "transfer function") {
		t.Errorf("noise alone: %v, %v", f.NoTask, err)
	}
	f, err = Measure(context.Background(), Request{Before: []measure.Slice{phantom(1, 1000, 0)}})
	if err != nil || f.Spectra != nil || !strings.Contains(f.Why.String(), "homogeneous") || !strings.Contains(f.NoTask.String(), "spectrum") {
		t.Errorf("no noise: %v, %v, %v", f.Why, f.NoTask, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Measure(ctx, Request{Before: []measure.Slice{phantom(1, 0, 10)}}); err == nil {
		t.Error("not cancelled")
	}
}
