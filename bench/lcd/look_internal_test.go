package lcd

import (
	"math"
	"math/rand/v2"
	"testing"

	"quell/denoise/cpu"
	_ "quell/denoise/filter"
	"quell/measure/detect"
	"quell/phantom"
	"quell/volume"
)

// In white noise d' of both observers is the contrast over the noise of the energy of the signal, as far as channels have it.
func TestSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	white := func(add []float64) []float64 {
		out := make([]float64, side*side)
		for i := range out {
			out[i] = rng.NormFloat64() + add[i]
		}
		return out
	}
	signal, energy := make([]float64, side*side), 0.0
	for i := range signal {
		signal[i] = 0.5 * math.Exp(-math.Pi*(math.Pow(float64(i%side-side/2), 2)+math.Pow(float64(i/side-side/2), 2))/36)
		energy += signal[i] * signal[i]
	}
	var of [2][][]float64
	var ground [][]float64
	for range 400 {
		absent := white(make([]float64, side*side))
		present := make([]float64, side*side)
		for i, x := range absent {
			present[i] = x + signal[i]
		}
		of[0], of[1], ground = append(of[0], absent), append(of[1], present), append(ground, white(make([]float64, side*side)))
	}
	for name, channels := range map[string][][]float64{"LG_CHO": detect.LaguerreGauss(side, 6, 5), "NPW": nil} {
		if d, want := seen(of, ground, channels), math.Sqrt(energy); math.Abs(d/want-1) > 0.06 {
			t.Errorf("%s: d' is %.3f, want %.3f", name, d, want)
		}
	}
}

// Rods that a Gaussian has blurred have its f50, in noise that the volumes without them share.
func TestSharpness(t *testing.T) {
	g := volume.NewGeometry([3]int{pixels, pixels, depth}, [3]float64{0.7, 0.7, 1})
	pair := [2]*volume.Volume{volume.New(g), volume.New(g)}
	const blur = 1.3
	for i := range pair[0].Data {
		x, y := i%pixels, i/pixels%pixels
		pair[0].Data[i] = float32(7 * math.Sin(float64(i)*0.7))
		pair[1].Data[i] = pair[0].Data[i]
		for k, contrast := range rods {
			cx, cy := rod(k)
			if d := math.Hypot(float64(x-cx), float64(y-cy)); d < 2*radius {
				// A straight edge, but for the curvature of the rim.
				pair[1].Data[i] += float32(contrast * math.Erfc((d-radius)/(blur*math.Sqrt2)) / 2)
			}
		}
	}
	want := math.Sqrt(2*math.Ln2) / (2 * math.Pi * blur)
	for k, f := range (solid{}).sharpness(twins{pair}) {
		if math.Abs(f/want-1) > 0.02 {
			t.Errorf("%g HU: f50 is %.4f, want %.4f", rods[k], f, want)
		}
	}
	if f := (solid{}).sharpness(twins{{pair[0], pair[0]}}); !math.IsNaN(f[0]) {
		t.Errorf("without rods f50 is %v", f)
	}
}

// Noise has the given SD, and is correlated between slices if it is blurred across them.
func TestNoiseAcross(t *testing.T) {
	if testing.Short() {
		t.Skip("full tier")
	}
	for across, want := range map[float64]float64{0.5: 0.26, 1: 0.78} {
		s := solid{SolidOptions: SolidOptions{Spacing: 1, Noise: 15, Across: across, Seed: 1, Engine: cpu.New()}, kernel: "soft", level: 100, task: CT()}
		g := volume.NewGeometry([3]int{pixels, pixels, depth}, [3]float64{s.task.pixel, s.task.pixel, s.Spacing})
		body := phantom.Phantom{Kind: "ct", Geometry: g, Unit: "HU", Background: -1000, Shapes: []phantom.Shape{cylinderOf(0, 0, cylinder/2, cylinder/2, 1000)}}
		empty, err := s.scan(t.Context(), body, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		v, err := s.alone(t.Context(), body, empty, 1)
		if err != nil {
			t.Fatal(err)
		}
		sum, squares, n := 0.0, 0.0, 0.0
		for z := 4; z < depth-5; z++ {
			for k := range 20 * 20 {
				i := v.Index(pixels/2-10+k%20, pixels/2-10+k/20, z)
				a, b := float64(v.Data[i]), float64(v.Data[i+pixels*pixels])
				sum, squares, n = sum+a*b, squares+a*a, n+1
			}
		}
		if rho := sum / squares; math.Abs(rho-want) > 0.05 {
			t.Errorf("across %g: neighbours correlate by %.2f, want %.2f", across, rho, want)
		}
		if sd := (regions{{s.ground(twins{{v}})}}).noise(); math.Abs(sd-15) > 0.05 {
			t.Errorf("across %g: SD %.2f", across, sd)
		}
	}
}
