package tune

import (
	"context"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// perturbation is the size of the probe in sigmas: small enough for the filter to
// be linear over it, large enough for float32.
const perturbation = 0.1

// monteCarlo measures the sums of a recipe by two runs on each part (Ramani 2008).
// With u = F(v), a perturbation b that has the distribution of the noise at sigma
// 1, and d = (F(v + e sigma b) - u) / (e sigma), the divergence is <b, d>. In
// correlated noise <b, d> is the trace of the Jacobian times the correlation, the
// term that Stein's risk has there. It returns the sums of each part.
func (p *probe) monteCarlo(ctx context.Context, r denoise.Recipe) ([]denoise.Stein, error) {
	results := make([][2]*volume.Volume, len(p.parts))
	err := parallel.ForWorkers(ctx, 2*len(p.parts), max(p.engine.Info().Cores, 1), func() func(i int) error {
		return func(i int) error {
			a := p.parts[i/2]
			in := a.in
			if i%2 == 1 {
				moved, err := a.perturbed(ctx, p.noise)
				if err != nil {
					return err
				}
				in.Volume = moved.volume
			}
			var err error
			results[i/2][i%2], err = p.engine.Run(ctx, r, in, a.box, nil)
			return err
		}
	})
	if err != nil {
		return nil, err
	}
	sums := make([]denoise.Stein, len(p.parts))
	for k, a := range p.parts {
		moved, err := a.perturbed(ctx, p.noise)
		if err != nil {
			return nil, err
		}
		sums[k] = a.compare(results[k][0].Data, results[k][1].Data, moved.b)
		sums[k].Divergence /= perturbation * p.noise.sigma
	}
	return sums, nil
}

// compare returns the sums of squared residuals and of b (w - u) over the voxels
// that count.
func (a *part) compare(u, w, b []float32) (s denoise.Stein) {
	k := 0
	each(a.in.Volume.Geometry, a.box, func(i int) {
		if a.use[k] {
			residual := float64(u[k]) - float64(a.in.Volume.Data[i])
			s.Residual += residual * residual
			s.Divergence += (float64(w[k]) - float64(u[k])) * float64(b[i])
		}
		k++
	})
	return s
}

// moved is a part's volume plus perturbation * sigma * b.
type moved struct {
	volume *volume.Volume
	b      []float32
}

// perturbed returns the perturbed volume of the part, the same at every call.
func (a *part) perturbed(ctx context.Context, m noiseModel) (*moved, error) {
	a.lock.Lock()
	defer a.lock.Unlock()
	if a.moved != nil {
		return a.moved, nil
	}
	b, err := coloured(ctx, a.in.Volume.Geometry, m.correlation, a.seed)
	if err != nil {
		return nil, err
	}
	out, masked := a.in.Volume.Clone(), a.in.Masked()
	for i := range b {
		if !masked.Valid(i) {
			b[i] = 0
		}
		out.Data[i] += float32(perturbation*m.sigma) * b[i]
	}
	a.moved = &moved{out, b}
	return a.moved, nil
}
