package judge

import (
	"context"

	"quell/measure"
	"quell/volume"
)

// Within compares two volumes of equal dims as a window shows them: their values clipped to its ends, MAX its width.
// If the range of a CT holds bone, MSE, PSNR and SSIM over all values hardly see a change of soft tissue. The errors
// are those of measure.Compare.
func Within(ctx context.Context, before, after *volume.Volume, w volume.Window) (measure.Comparison, error) {
	lo, hi := w.Ends()
	return measure.Compare(ctx, clipped(before, lo, hi), clipped(after, lo, hi), measure.Options{Max: hi - lo})
}

func clipped(v *volume.Volume, lo, hi float64) *volume.Volume {
	out := *v
	out.Data = make([]float32, len(v.Data))
	for i, x := range v.Data {
		out.Data[i] = min(max(x, float32(lo)), float32(hi))
	}
	return &out
}
