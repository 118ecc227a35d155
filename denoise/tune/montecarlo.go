package tune

import (
	"context"
	"slices"

	"quell/denoise"
	"quell/internal/parallel"
	"quell/volume"
)

// perturbation is the size of the probe in sigmas: small enough for the filter to
// be linear over it, large enough for float32.
const perturbation = 0.1

// monteCarlo measures the sums of a recipe by two runs on each scope (Ramani 2008).
// With u = F(v), a perturbation b that has the distribution of the noise at sigma
// 1, and d = (F(v + e sigma b) - u) / (e sigma), the divergence is <b, d>. In
// correlated noise <b, d> is the trace of the Jacobian times the correlation, the
// term that Stein's risk has there. It returns the sums of each part.
func (p *probe) monteCarlo(ctx context.Context, r denoise.Recipe) ([]denoise.Stein, error) {
	var scopes []*scope
	of := make([]int, len(p.parts)) // the scope of each part
	for k, a := range p.parts {
		if of[k] = slices.Index(scopes, a.scope); of[k] < 0 {
			of[k] = len(scopes)
			scopes = append(scopes, a.scope)
		}
	}
	results := make([][2]*volume.Volume, len(scopes))
	err := parallel.ForWorkers(ctx, 2*len(scopes), max(p.engine.Info().Cores, 1), func() func(i int) error {
		return func(i int) error {
			s := scopes[i/2]
			in := s.in
			if i%2 == 1 {
				moved, err := s.perturbed(ctx, p.noise)
				if err != nil {
					return err
				}
				in.Volume = moved.volume
			}
			var err error
			results[i/2][i%2], err = p.engine.Run(ctx, r, in, s.run, nil)
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
		sums[k] = a.compare(results[of[k]][0], results[of[k]][1], moved.b)
		sums[k].Divergence /= perturbation * p.noise.sigma
	}
	return sums, nil
}

// compare returns the sums of squared residuals and of b (w - u) over the voxels
// that count. u and w are results of the scope's run.
func (a *part) compare(u, w *volume.Volume, b []float32) (s denoise.Stein) {
	g, k := a.in.Volume.Geometry, 0
	for z := a.box.Min[2]; z < a.box.Max[2]; z++ {
		for y := a.box.Min[1]; y < a.box.Max[1]; y++ {
			in := g.Index(a.box.Min[0], y, z)
			out := u.Index(a.box.Min[0]-a.run.Min[0], y-a.run.Min[1], z-a.run.Min[2])
			for x := range a.box.Max[0] - a.box.Min[0] {
				if a.use[k] {
					residual := float64(u.Data[out+x]) - float64(a.in.Volume.Data[in+x])
					s.Residual += residual * residual
					s.Divergence += (float64(w.Data[out+x]) - float64(u.Data[out+x])) * float64(b[in+x])
				}
				k++
			}
		}
	}
	return s
}
