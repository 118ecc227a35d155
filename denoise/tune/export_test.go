package tune

import (
	"context"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Probe measures the risks of single recipes.
type Probe = probe

// NewProbe is newProbe of all of a volume.
func NewProbe(ctx context.Context, e denoise.Engine, in denoise.Input, reach [3]int, sigma float64, c *noise.Correlation, use func(i int) bool, seed uint64) (*Probe, error) {
	return newProbe(ctx, e, in, reach, noiseModel{sigma: sigma, correlation: c}, use, volume.Region{}, seed)
}

// Risk returns the risk of a recipe.
func (p *probe) Risk(ctx context.Context, r denoise.Recipe) (Risk, error) {
	risks, err := p.Risks(ctx, []denoise.Recipe{r})
	if err != nil {
		return Risk{}, err
	}
	return risks[0], nil
}

// Risks returns the risks of recipes of one filter that differ in its strength alone.
func (p *probe) Risks(ctx context.Context, recipes []denoise.Recipe) ([]Risk, error) {
	tallies, err := p.tallies(ctx, recipes)
	if err != nil {
		return nil, err
	}
	risks := make([]Risk, len(recipes))
	for i, t := range tallies {
		risks[i] = t[0].plus(t[1]).risk(p.noise.sigma)
	}
	return risks, nil
}

// Boxes is boxes.
var Boxes = boxes

// Scan returns what a scan finds: against the recipe if there is one, otherwise against the filter
// that stands in, with the share of the change that it makes.
func Scan(ctx context.Context, engine denoise.Engine, r Result) (*Finding, float64, error) {
	if err := r.complete(ctx); err != nil {
		return nil, 0, err
	}
	if r.Recipe != nil {
		o, err := r.remade(ctx, engine)
		if err != nil || o.differs == 0 {
			return nil, 1, err
		}
		return o.found(r.Region), 1, nil
	}
	s, err := r.standIn(ctx, engine, same)
	if err != nil {
		return nil, s.share, err
	}
	f, s, err := r.unseen(ctx, engine, s)
	return f, s.share, err
}

// ScanAlone returns what a scan of the residual alone finds.
func ScanAlone(ctx context.Context, r Result) (*Finding, error) {
	if err := r.complete(ctx); err != nil {
		return nil, err
	}
	return r.unlike(ctx, nil, standIn{})
}
