package tune

import (
	"context"
	"math"
	"slices"

	"quell/denoise"
)

// A strength whose risk is measured by perturbation costs two runs of the filter, so that few are
// tried: those of the grid around the strength that the search begins with, outwards until the least
// risk lies between two that are clearly worse. A closed form gives all of the grid by one run.

const (
	// clearly is how much above the least risk, relative to it, the ends of a bracket are: more than estimates err by
	// on the plateau of filters that hardly do anything.
	clearly = 0.2
	// nearby is the share of a step of the grid within which a strength stands for its neighbour.
	nearby = 0.4
	// leastMSE is the smallest risk, in sigmas squared, that others are taken relative to: estimates are no better.
	leastMSE = 0.05
)

// begin tries the strengths of the grid that are needed, and also if it is above 0.
func (s *search) begin(ctx context.Context, also float64, report func()) error {
	grid := s.grid()
	strongest, err := s.at(s.strength.Hi)
	if err != nil {
		return err
	}
	_, closed, err := s.probes[0].pass([]denoise.Recipe{strongest})
	if err != nil {
		return err
	}
	xs, bracketed := grid, !closed && s.param.Kind == denoise.Float && s.objective == LeastRisk
	if bracketed {
		xs = opening(grid, also)
	}
	if also > 0 {
		xs = append(xs, also)
	}
	for len(xs) > 0 {
		if err := s.try(ctx, xs); err != nil {
			return err
		}
		report()
		if xs = nil; bracketed {
			xs = s.outwards(grid)
		}
	}
	return nil
}

// opening returns the neighbours of a strength in the grid, or the three in its middle if there is none.
func opening(grid []float64, also float64) []float64 {
	middle := len(grid) / 2
	if !(also > 0) {
		return []float64{grid[middle-1], grid[middle], grid[middle+1]}
	}
	var out []float64
	below, above := neighbours(grid, also, also, nearby*math.Log(grid[1]/grid[0]))
	for _, k := range [2]int{below, above} {
		if k >= 0 && k < len(grid) {
			out = append(out, grid[k])
		}
	}
	return out
}

// neighbours returns the positions in the grid of the last strength below lo and of the first above hi, if their
// logarithms differ by at least apart.
func neighbours(grid []float64, lo, hi, apart float64) (below, above int) {
	below, above = len(grid)-1, 0
	for below >= 0 && math.Log(grid[below]/lo) > -apart {
		below--
	}
	for above < len(grid) && math.Log(grid[above]/hi) < apart {
		above++
	}
	return below, above
}

// outwards returns the next strengths of the grid on the sides on which the last that was tried
// is not clearly worse than the best; nothing if both are, or the grid ends.
func (s *search) outwards(grid []float64) (xs []float64) {
	points := s.curve().Points
	first, last := points[0], points[len(points)-1]
	below, above := neighbours(grid, first.Strength, last.Strength, exact)
	least := math.Inf(1)
	for _, p := range points {
		least = min(least, p.MSE)
	}
	worse := func(p Point) bool { return p.MSE-least > clearly*math.Max(least, leastMSE) }
	if below >= 0 && !worse(first) {
		xs = append(xs, grid[below])
	}
	if above < len(grid) && !worse(last) {
		xs = append(xs, grid[above])
	}
	return xs
}

// whole adds the strengths of the grid that were not tried, the nearest first. The best stays that of found, so that a curve
// that is looked at names the strength that every search takes.
func (s *search) whole(ctx context.Context, found Curve, progress func(Curve)) (Curve, error) {
	if s.param.Kind != denoise.Float {
		return found, nil // all were tried
	}
	best := found.Points[found.Best].Strength
	curve := func() Curve {
		c := s.curve()
		c.Best = slices.IndexFunc(c.Points, func(p Point) bool { return p.Strength == best })
		return c
	}
	grid := s.grid()
	for {
		points := s.curve().Points
		below, above := neighbours(grid, points[0].Strength, points[len(points)-1].Strength, nearby*math.Log(grid[1]/grid[0]))
		var xs []float64
		if below >= 0 {
			xs = append(xs, grid[below])
		}
		if above < len(grid) {
			xs = append(xs, grid[above])
		}
		if xs == nil {
			return curve(), nil
		}
		if err := s.try(ctx, xs); err != nil {
			return Curve{}, err
		}
		if progress != nil {
			progress(curve())
		}
	}
}

// narrow tries the strengths between the best and its neighbours.
func (s *search) narrow(ctx context.Context, report func()) error {
	for _, step := range []func() []float64{s.between, s.vertex} {
		if err := s.try(ctx, step()); err != nil {
			return err
		}
		report()
	}
	return nil
}
