package noise

import (
	"math"
	"testing"

	"quell/volume"
)

// A CT whose slices differ by a quarter has sigma of each slice: one wrong figure does not count, and what is missing lies between.
func TestSigmaAlongSlices(t *testing.T) {
	of := func(sigmas ...float64) Estimate {
		e := Estimate{Method: methodSurfaceFits, Figure: Figure{Sigma: 4, Confidence: Fair}}
		for _, s := range sigmas {
			f := Figure{Sigma: s, Confidence: High}
			if s == 0 {
				f.Confidence = None
			}
			e.PerSlice = append(e.PerSlice, f)
		}
		return e
	}
	for _, c := range []struct {
		e    Estimate
		want bool
	}{
		{of(4, 4, 4.98, 4.98), false}, {of(4, 4, 5.02, 5.02), true}, {of(4, 4, 9, 4, 4), false}, {of(4), false},
		{of(9, 4, 4, 4), false}, {of(4, 4, 0, 0, 6, 6), true},
	} {
		if got := c.e.SlicesDiffer(); got != c.want {
			t.Errorf("%v: %t", c.e.PerSlice, got)
		}
	}
	white := of(4, 4, 8, 8)
	if white.Method = methodDifferences; white.SlicesDiffer() {
		t.Error("no CT has sigma by slice")
	}
	low := of(3, 3, 5, 5)
	for z := range low.PerSlice {
		low.PerSlice[z].Confidence = Low
	}
	if low.Confidence = Low; !low.SlicesDiffer() {
		t.Error("what is wrong with all slices is no difference")
	}
	for _, spacing := range []float64{1, 5} {
		rising := of(2, 2.2, 2.42, 0, 2.93, 3.22, 9, 3.9)
		for z, got := range rising.alongSlices(spacing) {
			if want := 2 * math.Pow(1.1, float64(z)); math.Abs(got/want-1) > 0.07 {
				t.Errorf("%g mm, slice %d: %.2f, want %.2f", spacing, z, got, want)
			}
		}
	}
}

// Estimates read a bounded number of pixels, in groups of neighbours from the first slice to the last.
func TestMeasuredSlices(t *testing.T) {
	for _, c := range []struct {
		dims [3]int
		most int
	}{{[3]int{512, 512, 548}, 48}, {[3]int{512, 512, 49}, 48}, {[3]int{512, 512, 48}, 48}, {[3]int{2048, 2048, 90}, 24}, {[3]int{256, 256, 192}, 192}, {[3]int{9, 9, 1}, 1}} {
		at := measuredSlices(volume.NewGeometry(c.dims, [3]float64{1, 1, 1}))
		if len(at) != c.most || at[0] != 0 || at[len(at)-1] != c.dims[2]-1 {
			t.Errorf("%v: %v", c.dims, at)
		}
		for i := range at[1:] {
			if gap := at[i+1] - at[i]; gap < 1 || gap > 1 && (i+1)%measuredGroup != 0 {
				t.Errorf("%v: %d after %d", c.dims, at[i+1], at[i])
			}
		}
	}
}

// Slices that were not measured have noise between the noise of their neighbours, in soft tissue and elsewhere.
func TestUnmeasuredSlices(t *testing.T) {
	if testing.Short() {
		t.Skip("it fills 17 million voxels")
	}
	truth := func(z int) float64 { return 12 * math.Exp(0.5*math.Sin(float64(z)/20)) }
	v := volume.New(volume.NewGeometry([3]int{512, 512, 64}, [3]float64{0.7, 0.7, 1}))
	for i := range v.Data {
		x := uint64(i) * 0x9e3779b97f4a7c15
		x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>32) * 0x94d049bb133111eb
		normal := (float64(x&0xffff) + float64(x>>16&0xffff) + float64(x>>32&0xffff) + float64(x>>48) - 131070) / 65536 * math.Sqrt(3)
		v.Data[i] = float32(40 + truth(i/v.SliceVoxels())*normal)
	}
	for _, unit := range []string{"HU", "a.u."} {
		v.Unit = unit
		e, err := Of(t.Context(), v)
		if err != nil {
			t.Fatal(err)
		}
		for z, f := range e.PerSlice {
			if math.Abs(f.Sigma/truth(z)-1) > 0.06 || f.Windows == 0 || f.Confidence == None {
				t.Errorf("%s, slice %d: %+v, want %.3g", unit, z, f, truth(z))
			}
		}
	}
}

func TestBetween(t *testing.T) {
	figures := make([]Figure, 9)
	figures[0] = Figure{Sigma: 2, Windows: 100, Confidence: High}
	figures[4] = Figure{Sigma: 8, Windows: 200, Confidence: Fair, Why: fewVoxels}
	figures[8] = Figure{Confidence: None, Why: filteredBefore}
	between(figures, []int{0, 4, 8})
	for z, want := range []Figure{2: {Sigma: 4, Windows: 150, Confidence: Fair, Why: fewVoxels}, 5: figures[4], 7: figures[8]} {
		if got := figures[z]; want.Confidence != "" && (math.Abs(got.Sigma-want.Sigma) > 1e-9 || got.Windows != want.Windows || got.Confidence != want.Confidence || got.Why.String() != want.Why.String()) {
			t.Errorf("slice %d: %+v, want %+v", z, got, want)
		}
	}
}
