package tune

import (
	"context"
	"math"
	"runtime"

	"quell/denoise/noise"
	"quell/internal/convolve"
	"quell/internal/parallel"
	"quell/volume"
)

// coloured returns normal numbers with the correlation of the noise, one for each
// voxel. Within a slice they are white numbers convolved with a kernel with the
// autocorrelation rho; slices are independent.
func coloured(ctx context.Context, g volume.Geometry, c *noise.Correlation, seed uint64) ([]float32, error) {
	white := make([]float32, g.Voxels())
	err := parallel.For(ctx, g.Dims[2], func(z int) error {
		first := z * g.SliceVoxels()
		for i := first; i < first+g.SliceVoxels(); i++ {
			white[i] = float32(noise.Normal(seed, uint64(i), 0))
		}
		return nil
	})
	if err != nil || c == nil {
		return white, err
	}
	out := make([]float32, len(white))
	nx, ny := g.Dims[0], g.Dims[1]
	wide := convolve.RoundUp(nx)
	stride := wide + 2*noise.MaxLag
	var taps []float64
	var offsets []int
	for j, row := range colouringKernel(c) {
		for i, tap := range row {
			taps, offsets = append(taps, tap), append(offsets, j*stride+i)
		}
	}
	err = parallel.ForWorkers(ctx, g.Dims[2], runtime.GOMAXPROCS(0), func() func(int) error {
		// A slice with what it continues as to all sides, and a row of sums.
		around, sums := make([]float64, (ny+2*noise.MaxLag)*stride), make([]float64, wide)
		return func(z int) error {
			from, to := white[z*nx*ny:(z+1)*nx*ny], out[z*nx*ny:(z+1)*nx*ny]
			for y := range ny + 2*noise.MaxLag {
				row := from[wrap(y-noise.MaxLag, ny)*nx:][:nx]
				for x := range nx + 2*noise.MaxLag {
					around[y*stride+x] = float64(row[wrap(x-noise.MaxLag, nx)])
				}
			}
			for y := range ny {
				convolve.Row(sums, around[y*stride:], offsets, taps)
				for x := range nx {
					to[y*nx+x] = float32(sums[x])
				}
			}
			return nil
		}
	})
	return out, err
}

// wrap continues the white numbers periodically.
func wrap(i, n int) int { return ((i % n) + n) % n }

// kernelSide is the side of a colouring kernel.
const kernelSide = 2*noise.MaxLag + 1

// colouringKernel returns the kernel with the autocorrelation rho: the symmetric
// square root of its spectrum, on a grid of three times the side.
func colouringKernel(c *noise.Correlation) (k [kernelSide][kernelSide]float64) {
	const n = 3 * kernelSide
	// cosines are the cosines of multiples of 2 pi / n, of either sign.
	const most = 2 * (n - 1) * noise.MaxLag
	var cosines [2*most + 1]float64
	for i := range cosines {
		cosines[i] = math.Cos(2 * math.Pi * float64(i-most) / n)
	}
	// rho is even in both axes together, so that its spectrum is real.
	var spectrum [n][n]float64
	for v := range n {
		for u := range n {
			for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
				for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
					spectrum[v][u] += c.Rho(dx, dy, 0) * cosines[u*dx+v*dy+most]
				}
			}
			spectrum[v][u] = math.Sqrt(max(spectrum[v][u], 0))
		}
	}
	sum := 0.0
	for j := range k {
		for i := range k[j] {
			for v := range n {
				for u := range n {
					k[j][i] += spectrum[v][u] * cosines[u*(i-noise.MaxLag)+v*(j-noise.MaxLag)+most] / (n * n)
				}
			}
			sum += k[j][i] * k[j][i]
		}
	}
	for j := range k {
		for i := range k[j] {
			k[j][i] /= math.Sqrt(sum)
		}
	}
	return k
}
