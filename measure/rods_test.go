package measure

import (
	"context"
	"math"
	"testing"
)

// twoRods is a slice of CT noise with a bright disc, and one of a fifth of its contrast, both blurred.
func twoRods(seed uint64, pixel [2]float64, blur, contrast, sigma float64) Slice {
	ct := []float64{0.1, 0.2, 0.1, 0.2, 0.8, 0.2, 0.1, 0.2, 0.1}
	s := noisySlice(seed, 220, 180, pixel, sigma, ct)
	ground := noisySlice(seed, 220, 180, pixel, 0, nil)
	for i := range s.Values {
		x, y := float64(i%220)*pixel[0], float64(i/220)*pixel[1]
		s.Values[i] += float32(contrast*blurredDisc(x-60.3*pixel[0], y-90.1*pixel[1], 12, blur)) - ground.Values[i]
		s.Values[i] += float32(-contrast / 5 * blurredDisc(x-160.2*pixel[0], y-80.7*pixel[1], 10, blur))
	}
	return s
}

// Rods are found by themselves, and their transfer functions are the blur's, whatever seed, blur and pixels.
func TestRodsAreFound(t *testing.T) {
	for seed, c := range []struct {
		pixel [2]float64
		blur  float64
	}{{[2]float64{0.6, 0.6}, 0.7}, {[2]float64{0.5, 0.7}, 0.9}, {[2]float64{0.7, 0.7}, 0.5}} {
		s := twoRods(uint64(seed), c.pixel, c.blur, 1000, 4)
		rods, err := RodsOf(context.Background(), s, nil)
		if err != nil || len(rods) != 2 {
			t.Fatalf("%d rods, %v", len(rods), err)
		}
		for k, want := range []struct{ height, radius, tolerance float64 }{{1000, 12, 0.02}, {-200, 10, 0.08}} {
			r := rods[k]
			if math.Abs(r.Height-want.height) > 0.02*math.Abs(want.height) || math.Abs(r.Radius-want.radius) > 0.1 {
				t.Errorf("rod %d: height %g, radius %g", k, r.Height, r.Radius)
			}
			m, err := TransfersOf(s, nil, r.Outline)
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, "f50", m.Original.F50, gaussian(0.5, c.blur), want.tolerance)
		}
	}
}

func TestNoRodIsMadeUp(t *testing.T) {
	for seed := range uint64(3) {
		noise := noisySlice(seed, 128, 128, [2]float64{0.6, 0.6}, 10, []float64{0.1, 0.2, 0.1, 0.2, 0.8, 0.2, 0.1, 0.2, 0.1})
		if rods, err := RodsOf(context.Background(), noise, nil); err != nil || len(rods) != 0 {
			t.Errorf("noise alone: %+v, %v", rods, err)
		}
	}
	s := twoRods(1, [2]float64{0.6, 0.6}, 0.7, 1000, 4)
	outside := func(i int) bool { return i%220 > 100 }
	if rods, err := RodsOf(context.Background(), s, outside); err != nil || len(rods) != 1 {
		t.Errorf("%d rods where one counts, %v", len(rods), err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RodsOf(ctx, s, nil); err == nil {
		t.Error("not cancelled")
	}
}

func TestEvenRegionsAvoidWhatIsNotEven(t *testing.T) {
	s := twoRods(3, [2]float64{0.6, 0.6}, 0.7, 1000, 10)
	rois := EvenRegions([]Slice{s}, nil)
	if len(rois) < 4 {
		t.Fatalf("%d regions", len(rois))
	}
	spectra, err := SpectraOf([]Slice{s}, nil, rois)
	if err != nil {
		t.Fatal(err)
	}
	// The kernel takes the SD to the root of the sum of its squares.
	if sd := math.Sqrt(spectra.Original.Variance); math.Abs(sd-9.165) > 0.2 {
		t.Errorf("sigma %g of 9.165", sd)
	}
	if rois := EvenRegions([]Slice{s}, func(i int) bool { return i%220 < 15 }); len(rois) != 0 {
		t.Errorf("%d regions in 15 columns", len(rois))
	}
}

// The loss to the ground is taken out, and the peak is where a spectrum is greatest.
func TestPeakFrequency(t *testing.T) {
	const side, pixel = 64, 0.5
	of := func(kernel []float64) NPS {
		var patches []Patch
		for seed := range uint64(30) {
			s := noisySlice(seed, side, side, [2]float64{pixel, pixel}, 10, kernel)
			p, err := PatchOf(s, squareAt(0, 0, side))
			if err != nil {
				t.Fatal(err)
			}
			patches = append(patches, p)
		}
		return NPSOf(patches...)
	}
	white := of(nil)
	if white.Peak.Finite() {
		t.Errorf("white noise has a peak at %g", white.Peak)
	}
	for k := range white.Frequency {
		if want := 100 * pixel * pixel; math.Abs(white.Free(k)-want) > 4*white.Error(k) {
			t.Errorf("at %.3f: %g ± %g, want %g", white.Frequency[k], white.Free(k), white.Error(k), want)
		}
	}
	if white.Ground[0] < 0.2 || white.Ground[5] > 0.05 {
		t.Errorf("the ground takes %g of the lowest frequency and %g of the sixth", white.Ground[0], white.Ground[5])
	}
	if soft := of([]float64{0.05, 0.1, 0.05, 0.1, 0.4, 0.1, 0.05, 0.1, 0.05}); soft.Peak != 0 {
		t.Errorf("soft noise has its peak at %g", soft.Peak)
	}
	// Patches with the power f^2 exp(-f^2 / w^2) along the rings, which is greatest at w.
	for _, w := range []float64{0.25, 0.45, 0.6} {
		var n NPS
		n.Nyquist = 1
		for k := 1; k < 40; k++ {
			f := float64(k) / 32
			scatter := 1 + 0.05*math.Sin(float64(k*k))
			n.Frequency, n.Ground, n.cells = append(n.Frequency, f), append(n.Ground, 0), append(n.cells, 100*float64(k))
			n.Power = append(n.Power, scatter*f*f*math.Exp(-f*f/(w*w)))
		}
		if peak := n.peak(); math.Abs(peak-w) > 0.03 {
			t.Errorf("peak at %g, want %g", peak, w)
		}
	}
}
