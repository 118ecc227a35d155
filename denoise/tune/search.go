package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"quell/denoise"
	"quell/denoise/noise"
	"quell/volume"
)

// Point is one strength with its risk.
type Point struct {
	Value denoise.Value `json:"value"` // of the strength parameter
	// Strength is the value in the unit of [denoise.Strength]: sigmas, voxels, or
	// the parameter's own.
	Strength float64 `json:"strength"`
	Risk
}

// Curve is the risk of a recipe over its strength.
type Curve struct {
	Param  string  `json:"parameter"` // the strength parameter
	Points []Point `json:"points"`    // by rising strength
	Best   int     `json:"best"`      // the point with the least MSE
}

// coarse is how many strengths are tried first; fine ones follow around the best.
const coarse = 7

// ErrNoStrength is returned for recipes without a strength.
var ErrNoStrength = errors.New("there is no strength to be tuned")

// Search returns the risk of a recipe over its strength, on boxes of the
// foreground, with the least one found to about 5 % of the strength. e describes
// the noise of in, see [noise.Of]. also, if above 0, is a strength that is tried
// in addition.
//
// Errors: the filter has no strength, or there is no noise, or no foreground, or
// what the engine returns.
func Search(ctx context.Context, engine denoise.Engine, in denoise.Input, r denoise.Recipe, e noise.Estimate, also float64) (Curve, error) {
	s, err := newSearch(ctx, engine, in, r, e)
	if err != nil {
		return Curve{}, err
	}
	for _, x := range s.grid() {
		if err := s.try(ctx, x); err != nil {
			return Curve{}, err
		}
	}
	if also > 0 {
		if err := s.try(ctx, also); err != nil {
			return Curve{}, err
		}
	}
	if s.param.Kind == denoise.Float {
		for range 2 {
			for _, x := range s.between() {
				if err := s.try(ctx, x); err != nil {
					return Curve{}, err
				}
			}
		}
	}
	return s.curve(), nil
}

// search is a search in progress.
type search struct {
	probe    *Probe
	recipe   denoise.Recipe
	param    denoise.Param
	strength denoise.Strength
	geometry volume.Geometry
	facts    denoise.Facts
	points   []Point
}

func newSearch(ctx context.Context, engine denoise.Engine, in denoise.Input, r denoise.Recipe, e noise.Estimate) (*search, error) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return nil, err
	}
	param, ok := f.Param(f.Strength.Param)
	if !ok || r.Ignores(param.Name) != "" {
		return nil, fmt.Errorf("%s with these parameters: %w", r.Filter, ErrNoStrength)
	}
	s := &search{recipe: r, param: param, strength: f.Strength, geometry: in.Volume.Geometry}
	s.facts.Sigma = e.Sigma
	if s.facts.Lo, s.facts.Hi, err = in.Masked().Range(ctx); err != nil {
		return nil, err
	}
	strongest, err := s.at(f.Strength.Hi)
	if err != nil {
		return nil, err
	}
	program, err := strongest.Bind(s.geometry)
	if err != nil {
		return nil, err
	}
	use, err := noise.Foreground(ctx, in.Masked())
	if err != nil {
		return nil, err
	}
	s.probe, err = NewProbe(ctx, engine, in, program.Reach(), e.Sigma, e.Correlation, use, 1)
	return s, err
}

// grid returns the strengths that are tried first.
func (s *search) grid() []float64 {
	var xs []float64
	if s.param.Kind == denoise.Ints {
		for x := s.strength.Lo; x <= s.strength.Hi; x++ {
			xs = append(xs, x)
		}
		return xs
	}
	ratio := math.Pow(s.strength.Hi/s.strength.Lo, 1.0/(coarse-1))
	for k := range coarse {
		xs = append(xs, s.strength.Lo*math.Pow(ratio, float64(k)))
	}
	return xs
}

// between returns the strengths in the middle of the best and its neighbours.
func (s *search) between() []float64 {
	c := s.curve()
	var xs []float64
	for _, k := range []int{c.Best - 1, c.Best} {
		if k >= 0 && k+1 < len(c.Points) {
			xs = append(xs, math.Sqrt(c.Points[k].Strength*c.Points[k+1].Strength))
		}
	}
	return xs
}

// try adds the risk of a strength.
func (s *search) try(ctx context.Context, x float64) error {
	r, err := s.at(x)
	if err != nil {
		return err
	}
	risk, err := s.probe.Risk(ctx, r)
	if err != nil {
		return err
	}
	s.points = append(s.points, Point{Value: r.Get(s.param.Name), Strength: x, Risk: risk})
	return nil
}

// at returns the resolved recipe with a strength.
func (s *search) at(x float64) (denoise.Recipe, error) {
	v := denoise.Number(x * unitOf(s.param, s.geometry, s.facts.Sigma))
	if s.param.Kind == denoise.Ints {
		v = denoise.List(int(math.Round(x)))
	}
	return s.recipe.With(s.param.Name, v).Resolve(s.geometry, s.facts)
}

// unitOf returns the unit of [denoise.Strength] in that of the parameter.
func unitOf(p denoise.Param, g volume.Geometry, sigma float64) float64 {
	switch p.Unit {
	case "value":
		return sigma
	case "mm":
		return min(g.Spacing[0], g.Spacing[1])
	}
	return 1
}

// StrengthOf returns the strength of a resolved recipe in the unit of
// [denoise.Strength]; ok is false where the filter has none.
func StrengthOf(r denoise.Recipe, g volume.Geometry, sigma float64) (x float64, ok bool) {
	f, err := denoise.FilterByName(r.Filter)
	if err != nil {
		return 0, false
	}
	p, ok := f.Param(f.Strength.Param)
	if !ok || r.Ignores(p.Name) != "" {
		return 0, false
	}
	if p.Kind == denoise.Ints {
		return float64(slices.Max(r.Get(p.Name).Ints())), true
	}
	return r.Get(p.Name).Float() / unitOf(p, g, sigma), true
}

func (s *search) curve() Curve {
	c := Curve{Param: s.param.Name, Points: slices.Clone(s.points)}
	slices.SortFunc(c.Points, func(a, b Point) int {
		switch {
		case a.Strength < b.Strength:
			return -1
		case a.Strength > b.Strength:
			return 1
		}
		return 0
	})
	for i, p := range c.Points {
		if p.MSE < c.Points[c.Best].MSE {
			c.Best = i
		}
	}
	return c
}
