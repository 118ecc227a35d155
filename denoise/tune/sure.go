package tune

import (
	"context"
	"errors"
	"math"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/internal/parallel"
	"quell/volume"
)

// Risk is what is estimated of a result, in units of sigma squared: 1 is the
// noisy volume's own error.
type Risk struct {
	MSE      float64 `json:"mse"`      // mean squared error
	Noise    float64 `json:"noise"`    // response to noise: the variance that a little more noise would leave
	Residual float64 `json:"residual"` // mean square of the residual
	Kept     float64 `json:"kept"`     // share of the noise that the result keeps: div F / N
	Voxels   int     `json:"voxels"`   // that they are means of
}

// perturbation is the size of the probe in sigmas: small enough for the filter to
// be linear over it, large enough for float32.
const perturbation = 0.1

// Probe estimates risks on boxes of one volume. It keeps the perturbed voxels, so
// that many recipes are compared by the same perturbation. It is safe for
// concurrent use if its engine is.
type Probe struct {
	engine denoise.Engine
	sigma  float64
	parts  []part
	voxels int // that count
}

// part is one box with what recipes read around it.
type part struct {
	in    denoise.Input
	moved *volume.Volume // in.Volume plus perturbation * sigma * b
	b     []float32      // the perturbation in sigmas
	box   volume.Region  // in the indices of in.Volume
	use   []bool         // voxels of box that count
}

// NewProbe prepares estimates for the voxels of in that use marks; nil marks every
// voxel that holds data. reach is the largest reach of the recipes that will be
// compared. The noise has the standard deviation sigma and the correlation c; seed
// chooses the perturbation. Errors: no voxel to estimate from, no noise, or the
// context's.
func NewProbe(ctx context.Context, e denoise.Engine, in denoise.Input, reach [3]int, sigma float64, c *noise.Correlation, use func(i int) bool, seed uint64) (*Probe, error) {
	if err := in.Check(); err != nil {
		return nil, err
	}
	if !(sigma > 0) {
		return nil, errors.New("without noise there is nothing to compare strengths by")
	}
	v := in.Masked()
	counts := func(i int) bool { return v.Valid(i) && (use == nil || use(i)) }
	p := &Probe{engine: e, sigma: sigma}
	for k, box := range boxes(v, counts) {
		var a part
		each(v.Geometry, box, func(i int) {
			a.use = append(a.use, counts(i))
			if counts(i) {
				p.voxels++
			}
		})
		a.in, a.box = crop(in, box, reach)
		var err error
		if a.b, err = coloured(ctx, a.in.Volume.Geometry, c, seed+uint64(k)); err != nil {
			return nil, err
		}
		a.moved = a.in.Volume.Clone()
		masked := a.in.Masked()
		for i := range a.b {
			if !masked.Valid(i) {
				a.b[i] = 0
			}
			a.moved.Data[i] += float32(perturbation*sigma) * a.b[i]
		}
		p.parts = append(p.parts, a)
	}
	if p.voxels == 0 {
		return nil, errors.New("no voxel of the foreground holds data")
	}
	return p, nil
}

// Risk estimates the risk of a recipe, which must be resolved: automatic values
// would differ between the two runs.
//
// With u = F(v), the residual r = v - u, a perturbation b that has the
// distribution of the noise at sigma 1, and d = (F(v + e sigma b) - u) / (e sigma):
//
//	kept      = <b, d> / N                            (div F / N for white noise)
//	MSE       = |r|^2 / (N sigma^2) - 1 + 2 kept      (Stein's unbiased risk estimate)
//	noise     = |d|^2 / N
func (p *Probe) Risk(ctx context.Context, r denoise.Recipe) (Risk, error) {
	if !r.Resolved() {
		return Risk{}, errors.New("tune: the recipe is not resolved")
	}
	var residual, kept, left float64
	for _, a := range p.parts {
		u, err := p.engine.Run(ctx, r, a.in, a.box, nil)
		if err != nil {
			return Risk{}, err
		}
		in := a.in
		in.Volume = a.moved
		w, err := p.engine.Run(ctx, r, in, a.box, nil)
		if err != nil {
			return Risk{}, err
		}
		k := 0
		each(a.in.Volume.Geometry, a.box, func(i int) {
			if a.use[k] {
				res := float64(a.in.Volume.Data[i]) - float64(u.Data[k])
				d := (float64(w.Data[k]) - float64(u.Data[k])) / perturbation
				residual += res * res
				kept += d * float64(a.b[i])
				left += d * d
			}
			k++
		})
	}
	n, variance := float64(p.voxels), p.sigma*p.sigma
	risk := Risk{Residual: residual / n / variance, Kept: kept / n / p.sigma, Noise: left / n / variance, Voxels: p.voxels}
	risk.MSE = risk.Residual - 1 + 2*risk.Kept
	return risk, nil
}

// coloured returns normal numbers with the correlation of the noise, one for each
// voxel. Within a slice they are white numbers convolved with a kernel whose
// autocorrelation is rho; slices are independent.
func coloured(ctx context.Context, g volume.Geometry, c *noise.Correlation, seed uint64) ([]float32, error) {
	white := make([]float32, g.Voxels())
	err := parallel.For(ctx, g.Dims[2], func(z int) error {
		first := z * g.SliceVoxels()
		for i := first; i < first+g.SliceVoxels(); i++ {
			white[i] = float32(denoise.Normal(seed, uint64(i), 0))
		}
		return nil
	})
	if err != nil || c == nil {
		return white, err
	}
	k := colouringKernel(c)
	out := make([]float32, len(white))
	nx, ny := g.Dims[0], g.Dims[1]
	err = parallel.For(ctx, g.Dims[2], func(z int) error {
		from, to := white[z*nx*ny:(z+1)*nx*ny], out[z*nx*ny:(z+1)*nx*ny]
		for y := range ny {
			for x := range nx {
				sum := 0.0
				for j := -noise.MaxLag; j <= noise.MaxLag; j++ {
					for i := -noise.MaxLag; i <= noise.MaxLag; i++ {
						sum += k[j+noise.MaxLag][i+noise.MaxLag] * float64(from[wrap(y+j, ny)*nx+wrap(x+i, nx)])
					}
				}
				to[y*nx+x] = float32(sum)
			}
		}
		return nil
	})
	return out, err
}

// wrap continues the white numbers periodically.
func wrap(i, n int) int { return ((i % n) + n) % n }

// kernelSide is the side of a colouring kernel.
const kernelSide = 2*noise.MaxLag + 1

// colouringKernel returns the kernel whose autocorrelation is rho: the symmetric
// square root of its spectrum, on a grid of three times the side.
func colouringKernel(c *noise.Correlation) (k [kernelSide][kernelSide]float64) {
	const n = 3 * kernelSide
	// rho is even in both axes together, so that its spectrum is real.
	var spectrum [n][n]float64
	for v := range n {
		for u := range n {
			for dy := -noise.MaxLag; dy <= noise.MaxLag; dy++ {
				for dx := -noise.MaxLag; dx <= noise.MaxLag; dx++ {
					spectrum[v][u] += c.Rho(dx, dy, 0) * math.Cos(2*math.Pi*float64(u*dx+v*dy)/n)
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
					k[j][i] += spectrum[v][u] * math.Cos(2*math.Pi*float64(u*(i-noise.MaxLag)+v*(j-noise.MaxLag))/n) / (n * n)
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
