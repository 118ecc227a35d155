package judge

import (
	"fmt"
	"math"
	"testing"

	"quell/denoise/noise"
	"quell/series"
	"quell/volume"
)

// TestTSNR: 8 volumes of one contrast have a ratio, 7 have none; of two contrasts the more frequent counts. White noise of
// sigma about 100 has a ratio of 100 / sigma, and twice as much after it was halved.
func TestTSNR(t *testing.T) {
	group := func(first, second int) *series.Group {
		g := &series.Group{}
		for k := range first + second {
			b := "0"
			if k >= first {
				b = "1000"
			}
			g.Places = append(g.Places, series.Place{{Axis: "b-value", Value: b}, {Axis: "volume", Value: fmt.Sprint(k + 1)}})
		}
		return g
	}
	if NewOverTime(nil) != nil || NewOverTime(group(7, 3)) != nil {
		t.Error("a ratio of too few volumes")
	}
	g := group(3, 12)
	o := NewOverTime(g)
	if o == nil || o.Contrast != g.Contrast(14) {
		t.Fatalf("%+v", o)
	}
	for k := 3; k < 15; k++ {
		in := volume.New(volume.NewGeometry([3]int{24, 24, 3}, [3]float64{1, 1, 1}))
		out := volume.New(in.Geometry)
		for i := range in.Data {
			n := float64(noise.Normal(uint64(k), uint64(i), 0))
			in.Data[i], out.Data[i] = float32(100+4*n), float32(100+2*n)
			if x := i % 24; x < 8 { // background
				in.Data[i], out.Data[i] = float32(math.Abs(n)), float32(math.Abs(n))
			}
		}
		if err := o.Add(t.Context(), in, out); err != nil {
			t.Fatal(err)
		}
	}
	f := o.Figures()
	if f == nil || f.Volumes != 12 || math.Abs(float64(f.Before)-25) > 2 || math.Abs(float64(f.After)-50) > 4 || math.Abs(float64(f.NoiseRemoved)-0.5) > 1e-3 {
		t.Errorf("%+v", f)
	}
}
