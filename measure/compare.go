package measure

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"quell/internal/message"
	"quell/internal/parallel"
	"quell/volume"
)

// Options configures Compare. The zero value is the usual choice.
type Options struct {
	// Max is MAX in PSNR and the dynamic range L in SSIM; 0 means the DynamicRange
	// of the reference.
	Max float64
	// Mask marks the voxels that count; nil means all. Padding of either
	// volume never counts. It does not change Max.
	Mask []bool
	// SSIM3D asks for SSIM in three dimensions too.
	SSIM3D bool
}

// Comparison describes how much a volume differs from a reference.
type Comparison struct {
	MSE        Float `json:"mse"`          // mean squared difference
	PSNR       Float `json:"psnr"`         // 10 log10(Max^2 / MSE) in dB; +Inf, in JSON null, if MSE is 0
	SSIM       Float `json:"ssim"`         // mean over the slices; NaN, in JSON null, for slices smaller than 11 x 11
	SSIM3D     Float `json:"ssim_3d"`      // over neighbourhoods of 11^3 voxels; NaN if not asked for or fewer than 11 slices
	MaxAbsDiff Float `json:"max_abs_diff"` // the largest difference of one voxel
	Max        Float `json:"max"`          // the MAX that was used
	Voxels     int   `json:"voxels"`       // number of voxels compared
}

// ErrNothing is the error of Compare if no voxel is left.
var ErrNothing = message.Errorf(message.GridDiffers, "%s: %s", "measure", message.Text("there is no voxel to compare, as the masks have none in common"))

// Compare compares test with ref voxel by voxel: MSE and PSNR as in Upadhya
// 2018, eq. 3-4; SSIM as in Wang, Bovik, Sheikh, Simoncelli 2004.
// Dims must be equal; the caller checks that both are at the same place
// (Geometry.SameGrid). If the reference is constant and no Max is given, the range is
// 0, and PSNR and SSIM are NaN unless the volumes are equal.
func Compare(ctx context.Context, ref, test *volume.Volume, o Options) (Comparison, error) {
	counted, err := countedVoxels(ctx, ref, test, o.Mask)
	if err != nil {
		return Comparison{}, err
	}
	if math.IsNaN(o.Max) || math.IsInf(o.Max, 0) || o.Max < 0 {
		return Comparison{}, fmt.Errorf("measure: MAX is %g; it must be a positive number", o.Max)
	}
	if o.Max == 0 {
		if o.Max, err = DynamicRange(ctx, ref); err != nil {
			return Comparison{}, err
		}
	}
	c, err := differences(ctx, ref.Data, test.Data, counted)
	if err != nil {
		return Comparison{}, err
	}
	if c.Voxels == 0 {
		return Comparison{}, ErrNothing
	}
	c.Max = Float(o.Max)
	c.PSNR = psnr(o.Max, float64(c.MSE))
	c.SSIM3D = Float(math.NaN())
	ssim, err := structuralSimilarity(ctx, ref, test, o.Max, counted, 2)
	if err != nil {
		return Comparison{}, err
	}
	c.SSIM = Float(ssim)
	if o.SSIM3D {
		if ssim, err = structuralSimilarity(ctx, ref, test, o.Max, counted, 3); err != nil {
			return Comparison{}, err
		}
		c.SSIM3D = Float(ssim)
	}
	return c, nil
}

// psnr is eq. 4 of Upadhya 2018.
func psnr(peak, mse float64) Float {
	switch {
	case mse == 0:
		return Float(math.Inf(1))
	case peak == 0:
		return Float(math.NaN())
	}
	return Float(10 * math.Log10(peak*peak/mse))
}

// Rounding is the PSNR in dB from which on two volumes are the same up to the rounding of
// float32: the root of the mean square is half the last bit of a value of MAX.
const Rounding = 20 * 25 * math.Ln2 / math.Ln10 // 20 log10(2^25)

// Decibels writes a PSNR with a number of decimals: "31.46 dB", "identical" from Rounding
// on, "–" for one that is not defined.
func Decibels(psnr Float, decimals int) string {
	switch x := float64(psnr); {
	case math.IsNaN(x):
		return "–"
	case x >= Rounding:
		return "identical"
	default:
		return strings.Replace(strconv.FormatFloat(x, 'f', decimals, 64), "-", "−", 1) + " dB"
	}
}

// DynamicRange returns the largest minus the smallest voxel that is not padding:
// the default of MAX in PSNR and of L in SSIM.
func DynamicRange(ctx context.Context, v *volume.Volume) (float64, error) {
	lo, hi, err := v.Range(ctx)
	return float64(hi) - float64(lo), err
}

// countedVoxels returns the voxels that are in every mask, which may be one of the
// masks itself; nil means that every voxel counts.
func countedVoxels(ctx context.Context, ref, test *volume.Volume, mask []bool) ([]bool, error) {
	if ref.Dims != test.Dims {
		return nil, fmt.Errorf("measure: the reference has %d x %d x %d voxels and the other volume %d x %d x %d; only equal grids can be compared",
			ref.Dims[0], ref.Dims[1], ref.Dims[2], test.Dims[0], test.Dims[1], test.Dims[2])
	}
	if mask != nil && len(mask) != len(ref.Data) {
		return nil, fmt.Errorf("measure: the mask has %d voxels and the volumes %d", len(mask), len(ref.Data))
	}
	var masks [][]bool
	for _, m := range [][]bool{ref.Mask, test.Mask, mask} {
		if m != nil {
			masks = append(masks, m)
		}
	}
	switch len(masks) {
	case 0:
		return nil, nil
	case 1:
		return masks[0], nil
	}
	counted := make([]bool, len(ref.Data))
	err := parallel.For(ctx, (len(counted)+blockVoxels-1)/blockVoxels, func(b int) error {
		for i := b * blockVoxels; i < min((b+1)*blockVoxels, len(counted)); i++ {
			counted[i] = masks[0][i]
			for _, m := range masks[1:] {
				counted[i] = counted[i] && m[i]
			}
		}
		return nil
	})
	return counted, err
}

// blockVoxels is the number of voxels that one task of a parallel sum reads.
const blockVoxels = 1 << 16

// differences returns MSE, MaxAbsDiff and Voxels.
func differences(ctx context.Context, ref, test []float32, counted []bool) (Comparison, error) {
	type part struct {
		squares, worst float64
		n              int
	}
	parts := make([]part, (len(ref)+blockVoxels-1)/blockVoxels)
	err := parallel.For(ctx, len(parts), func(i int) error {
		from, to := i*blockVoxels, min((i+1)*blockVoxels, len(ref))
		var p part
		for j := from; j < to; j++ {
			if counted != nil && !counted[j] {
				continue
			}
			d := float64(test[j]) - float64(ref[j])
			p.squares += d * d
			p.worst = max(p.worst, math.Abs(d))
			p.n++
		}
		parts[i] = p
		return nil
	})
	if err != nil {
		return Comparison{}, err
	}
	var all part
	for _, p := range parts {
		all.squares += p.squares
		all.worst = max(all.worst, p.worst)
		all.n += p.n
	}
	return Comparison{
		MSE: Float(all.squares / float64(all.n)), MaxAbsDiff: Float(all.worst), Voxels: all.n,
	}, nil
}
