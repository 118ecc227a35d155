package tune

import (
	"quell/denoise/rice"
	"quell/volume"
)

// stabilisedPower returns the variance of stabilised Rician noise in a box of v, which holds
// stabilised voxels, relative to the variance under a strong signal: the mean over the voxels
// that count. If the signal is weak the noise is weaker, see [rice.Variance]. The signal is
// read from the means of 3 x 3 voxels in the slice, so that it has a third of the noise.
func stabilisedPower(v *volume.Volume, box volume.Region, counts func(i int) bool) float64 {
	sum, n := 0.0, 0.0
	each(v.Geometry, box, func(i int) {
		if counts(i) {
			sum, n = sum+rice.Variance(meanAround(v, i)), n+1
		}
	})
	if n == 0 {
		return 1
	}
	return sum / n
}

// meanAround returns the mean of the voxels with data of the 3 x 3 around voxel i in its
// slice.
func meanAround(v *volume.Volume, i int) float64 {
	nx, ny := v.Dims[0], v.Dims[1]
	x, y := i%nx, i/nx%ny
	sum, n := 0.0, 0.0
	for dy := max(-1, -y); dy <= min(1, ny-1-y); dy++ {
		for dx := max(-1, -x); dx <= min(1, nx-1-x); dx++ {
			if j := i + dy*nx + dx; v.Valid(j) {
				sum, n = sum+float64(v.Data[j]), n+1
			}
		}
	}
	return sum / max(n, 1)
}
