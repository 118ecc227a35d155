package lesions

import (
	"math"
	"testing"

	"quell/volume"
)

func TestProfileOfADisc(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 4}, [3]float64{0.5, 1, 2})
	p := Lesion{Shape: Disc, Size: 6}.profile(g, 31, blur)
	var sum float64
	for _, x := range p {
		sum += x
	}
	if area := math.Pi * 9 / 0.5; math.Abs(sum/area-1) > 0.01 {
		t.Errorf("the disc has an area of %.4g pixels, want %.4g", sum, area)
	}
	middle := 15*31 + 15
	if math.Abs(p[middle]-1) > 0.01 {
		t.Errorf("the middle is %g, want 1", p[middle])
	}
	p = Lesion{Shape: Disc, Size: 20}.profile(volume.NewGeometry([3]int{64, 64, 4}, [3]float64{1, 1, 2}), 31, blur)
	for _, edge := range []int{middle + 10, middle - 10*31} { // 10 mm away along either axis
		if math.Abs(p[edge]-0.5) > 0.04 {
			t.Errorf("the edge is %g, want about 0.5", p[edge])
		}
	}
}

func TestProfileOfAGaussian(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 4}, [3]float64{1, 1, 2})
	p := Lesion{Shape: Gaussian, Size: 8}.profile(g, 31, 1e-6)
	middle := 15*31 + 15
	if math.Abs(p[middle]-1) > 1e-6 || math.Abs(p[middle+4]-0.5) > 1e-6 || math.Abs(p[middle+4*31]-0.5) > 1e-6 {
		t.Errorf("the middle is %g, half the width at half its height away %g and %g", p[middle], p[middle+4], p[middle+4*31])
	}
	if q := (Lesion{Shape: Gaussian, Size: 8}).profile(g, 31, blur); !(q[middle] < 0.96 && q[middle] > 0.93) {
		t.Errorf("the middle of the blurred Gaussian is %g", q[middle])
	}
}

func TestLesionsThatFitASeries(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 8}, [3]float64{1, 1, 2})
	for _, c := range []struct {
		l  Lesion
		ok bool
	}{
		{Lesion{Shape: Disc, Size: 1.5, Contrast: 1}, true},
		{Lesion{Shape: Disc, Size: 1.4, Contrast: 1}, false},
		{Lesion{Shape: Disc, Size: 40, Contrast: -1}, true},
		{Lesion{Shape: Disc, Size: 40.5, Contrast: 1}, false},
		{Lesion{Shape: Disc, Size: 4}, false},
		{Lesion{Shape: Disc, Size: math.NaN(), Contrast: 1}, false},
		{Lesion{Shape: Disc, Size: 4, Contrast: math.Inf(1)}, false},
		{Lesion{Shape: "star", Size: 4, Contrast: 1}, false},
		{Lesion{Shape: Gaussian, Size: 4, Contrast: 1, Slices: 2}, false},
	} {
		if _, err := c.l.in(g); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.l, err)
		}
	}
	for size, want := range map[float64]int{3.9: 1, 4: 3} {
		if l, err := (Lesion{Shape: Disc, Size: size, Contrast: 1}).in(g); err != nil || l.Slices != want {
			t.Errorf("a disc of %g mm reaches through %d slices, want %d", size, l.Slices, want)
		}
	}
	g.Dims[2] = 2
	if l, _ := (Lesion{Shape: Disc, Size: 9, Contrast: 1}).in(g); l.Slices != 1 {
		t.Errorf("in two slices a disc reaches through %d", l.Slices)
	}
}

func TestEdgeOfABlurredDisc(t *testing.T) {
	g := volume.NewGeometry([3]int{64, 64, 4}, [3]float64{0.7, 0.7, 2})
	l := Lesion{Shape: Disc, Size: 5.6}
	for _, sd := range []float64{0.8, 1.5, 2.5} {
		response := l.profile(g, 31, sd)
		for i := range response {
			response[i] *= -0.5
		}
		before, after := edges(l, g, 31, [][]float64{response}, 0.5)
		if math.Abs(float64(after)/(rise*sd*0.7)-1) > 0.02 || math.Abs(float64(before)-rise*blur*0.7) > 1e-9 {
			t.Errorf("blur of %g pixels: the edge is %g mm wide, before %g", sd, after, before)
		}
	}
	if _, after := edges(l, g, 31, [][]float64{l.profile(g, 31, 1)}, leastKept-0.01); after.Finite() {
		t.Errorf("an edge of %g mm where hardly any contrast is left", after)
	}
	if _, after := edges(l, g, 31, [][]float64{l.profile(g, 31, 1)}, leastKept); !after.Finite() {
		t.Error("no edge at the least contrast")
	}
}
