package judge_test

import (
	"context"
	"math"
	"testing"

	"quell/app/judge"
	"quell/measure"
	"quell/volume"
)

// A change of soft tissue is small over the range to bone and large in its window; one beyond the window does not count.
func TestWithinAWindow(t *testing.T) {
	before := volume.New(volume.NewGeometry([3]int{32, 32, 1}, [3]float64{1, 1, 1}))
	after := volume.New(before.Geometry)
	for i := range before.Data {
		before.Data[i] = 40
		after.Data[i] = 40
	}
	for i := range 256 {
		before.Data[i], after.Data[i] = 3000, 2000 // beyond the window
		after.Data[1023-i] = 44
	}
	w := volume.Window{Center: 40, Width: 80, Exact: true}
	got, err := judge.Within(context.Background(), before, after, w)
	if err != nil {
		t.Fatal(err)
	}
	if got.MSE != 4 || got.Max != 80 || math.Abs(float64(got.PSNR)-10*math.Log10(80*80/4.0)) > 1e-9 || got.MaxAbsDiff != 4 || got.SSIM > 0.999 {
		t.Errorf("%+v", got)
	}
	whole, err := measure.Compare(context.Background(), before, after, measure.Options{})
	if err != nil || whole.MSE < 1e5 || before.Data[0] != 3000 {
		t.Errorf("over all values %+v, %v", whole, err)
	}
}
